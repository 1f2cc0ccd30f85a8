// Words of a text that a model has never read.
#pragma once
#include <string>
#include <string_view>

#include "tokenizer.h"

namespace glassgrad {

// Returns a line for the reader that names the pieces of the text without a token, which reach the model as
// single bytes. Empty if there are none.
std::string told_unknown(const Tokenizer& tokenizer, std::string_view text);

}  // namespace glassgrad
