// Error messages for people: the only code that writes them to stderr.
#pragma once
#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

// Prints "glassgrad: TEXT" as one line that is safe for a terminal. Shortens a word that is longer than a
// sentence, and a long quotation from one of the arguments, to its beginning and end.
void complain(std::string_view text, std::span<const char* const> arguments = {});

// Prints further lines below the message, each safe for a terminal.
void complain_further(std::span<const std::string> lines);

// Returns the message to print for an exception. Only our own exceptions have text for people; the text of a
// library's exception is not passed on.
std::string message_of(const std::exception& e);

}  // namespace glassgrad
