// The questions that the explorer's page asks: QUESTION in docs/explorer.md.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/lesson/recording.h"

namespace glassgrad::explorer {

// Returns all questions about a recording that has kept its calls: {"question", "step", "tensor", "cell",
// "kind", "name", "words", "choices", "given", "answer", "hints", "opened", "accepted", "slips", "ways"}.
// kind: "cell", "row sum", "size", "shape" or "choice"; opened: the arithmetic that ends at the answer;
// accepted: right answers as texts, for a page without the engine, which cannot judge other texts; slips: the
// texts of known mistakes, and what to say about each; ways: "first", "cells", "exam", as in `learn
// --predict`.
Json questions_json(const learn::Recording& recording);

}  // namespace glassgrad::explorer
