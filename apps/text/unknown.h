// Words of a text that a model has never read.
#pragma once
#include <string>
#include <string_view>

#include "tokenizer.h"

namespace glassgrad {

// Returns the pieces of the text without a token, named for the reader: the word "zebras"; the words "dogs"
// and "cats" after a space. Empty if there are none.
std::string never_read(const Tokenizer& tokenizer, std::string_view text);
// Returns a line for the reader that names these pieces, which reach the model as single bytes. Empty if
// there are none.
std::string told_unknown(const Tokenizer& tokenizer, std::string_view text);

}  // namespace glassgrad
