// A lesson's sentences, which are Markdown: splits them into words, and writes text as Markdown.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad::learn {

// Words of one kind: `*term*`, `**bold**`, code in backticks, `[text](link)`.
struct MarkedWords {
  enum Kind : uint8_t { Plain, Term, Bold, Code } kind = Plain;
  std::string text, link;  // no link: empty
};
std::vector<MarkedWords> split_markdown(std::string_view markdown);
// Returns the words without their marks.
std::string plain_words(std::string_view markdown);
std::vector<std::string> plain_words(std::span<const std::string> sentences);
// Begins a sentence that is an item of a list.
constexpr std::string_view kPoint = "- ";

// Returns the sentence as a line of Markdown that all Markdown readers interpret in the same way.
std::string normal_markdown(std::string_view sentence);

// Escapes text for Markdown: puts a backslash before characters that would be marks.
std::string escaped(std::string_view text);

// Turns a sentence without marks into Markdown on a line of its own. Words that are Python become code: names
// with underscores (W_query), calls (contiguous()), elements (queries[1]), attributes (keys.T), keyword
// arguments (dim=-1).
std::string prose(std::string_view sentence);

}  // namespace glassgrad::learn
