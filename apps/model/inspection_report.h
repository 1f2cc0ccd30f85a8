// An inspected run for reading.
#pragma once
#include <optional>

#include "apps/cli/output.h"
#include "apps/model/model_run.h"

namespace glassgrad::inspect {

struct ReportView {
  int64_t layers = 0;                  // of the model
  std::optional<int64_t> layer, head;  // only these weights
  int64_t top = 10;                    // next tokens
  std::optional<Head> zeroed;          // the head that the run was asked to do without
};

// First what was found: the next token, the head that it owes most to, and where that head looks. Then the
// likeliest next tokens with bars, each layer's attention weights as grids, and what a head's absence
// changed. Weights have at most four digits, fewer where the screen is small. Colours only on a terminal.
void render_report(const learn::Recording& recording, const Tokenizer& tokenizer, const ReportView& view,
                   Output& out);

}  // namespace glassgrad::inspect
