// The page of an inspected run: `glassgrad inspect CHECKPOINT --text TEXT --html FILE`.
#pragma once
#include <string>

#include "apps/model/inspection_report.h"

namespace glassgrad::explorer {

// A page with every head's weights, or those that the view names, the view's likeliest next tokens, and what
// a head's absence changed; it needs no network. Error: the weights alone are too large for a page, with what
// to leave out.
std::string inspect_page(const learn::Recording& recording, const nn::GPTConfig& config,
                         const Tokenizer& tokenizer, const inspect::ReportView& view);

}  // namespace glassgrad::explorer
