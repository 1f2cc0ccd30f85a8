// Prints an inspected run as a report.
#pragma once
#include <optional>

#include "apps/cli/output.h"
#include "apps/model/model_run.h"

namespace glassgrad::inspect {

struct ReportView {
  int64_t layers = 0;                  // of the whole model
  std::optional<int64_t> layer, head;  // limit the report to these weights
  int64_t top = 10;                    // number of next tokens
  std::optional<Head> zeroed;          // the head that the run left out, if the user chose one
};

// Prints the findings first: the next token, the head that it owes most to, and where that head looks. Then
// the likeliest next tokens with bars, each layer's attention weights as grids, and what changes without a
// head. Weights have at most four digits, fewer on a small screen. Colours only on a terminal.
void render_report(const learn::Recording& recording, const Tokenizer& tokenizer, const ReportView& view,
                   Output& out);

}  // namespace glassgrad::inspect
