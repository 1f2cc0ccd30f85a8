// The one way to stderr for a sentence about what went wrong.
#pragma once
#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

// "glassgrad: TEXT" as one line that is fit for a terminal. Of a word that is longer than a sentence, and of
// a long stretch of one of the arguments, whose words it may quote, the beginning and the end are told.
void complain(std::string_view text, std::span<const char* const> arguments = {});

// Further lines below that one, each fit for a terminal.
void complain_further(std::span<const std::string> lines);

// What to tell of an exception. Only those of our own speak to people: of a library's, no word is passed on.
std::string told(const std::exception& e);

}  // namespace glassgrad
