// Describes what a model computes when it reads a text, for the page of `inspect`.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/model/inspection_report.h"

namespace glassgrad::explorer {

// Returns {"tokens", "zero": the text of a weight of 0, "heads": [{"layer", "head", "rows"}], "next":
// [TOKEN], "zeroed": {"title", "sentences", "change": rows or null, "next": [TOKEN]}} with the heads and the
// number of tokens that the view asks for. TOKEN: a likely_token, with "adds": its text, if a reader can type
// it.
Json inspect_json(const learn::Recording& recording, const Tokenizer& tokenizer,
                  const inspect::ReportView& view);

}  // namespace glassgrad::explorer
