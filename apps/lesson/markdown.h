// A lesson's sentences, which are Markdown: splits them into words, and writes text as Markdown.
#pragma once
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
// The beginning of a sentence that is a point of a list.
constexpr std::string_view kPoint = "- ";

// Returns the same words as a line of Markdown that every Markdown reader understands alike.
std::string normal_markdown(std::string_view sentence);

// Makes each character stand for itself: puts a backslash before what Markdown would read as a mark.
std::string escaped(std::string_view text);

// Turns a sentence without marks into Markdown on a line of its own. Words that are Python become code: names
// with underscores (W_query), calls (contiguous()), elements (queries[1]), attributes (keys.T), keyword
// arguments (dim=-1).
std::string prose(std::string_view sentence);

}  // namespace glassgrad::learn
