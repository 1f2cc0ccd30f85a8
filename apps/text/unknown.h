// Words of a text that a model has never read.
#pragma once
#include <string>
#include <string_view>

#include "tokenizer.h"

namespace glassgrad {

// A line for the reader: which pieces of the text are no tokens, and so reach the model as single bytes.
// Empty: there are none.
std::string told_unknown(const Tokenizer& tokenizer, std::string_view text);

}  // namespace glassgrad
