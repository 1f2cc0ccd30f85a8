// The page of an inspected run: `glassgrad inspect CHECKPOINT --text TEXT --html FILE`.
#pragma once
#include <string>

#include "apps/model/inspection_report.h"

namespace glassgrad::explorer {

// Returns a page with the weights of every head, or of those that the view names, the view's likeliest next
// tokens, and what changed without a head; the page needs no network. Throws Error if the weights alone are
// too large for a page, with advice on what to leave out.
std::string inspect_page(const learn::Recording& recording, const nn::GPTConfig& config,
                         const Tokenizer& tokenizer, const inspect::ReportView& view);

}  // namespace glassgrad::explorer
