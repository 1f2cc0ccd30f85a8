// A lesson's sentences, which are Markdown: what they are made of, and text as Markdown.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad::learn {

// MarkedWords of one kind: `*term*`, `**bold**`, code in backticks, `[text](link)`.
struct MarkedWords {
  enum Kind : uint8_t { Plain, Term, Bold, Code } kind = Plain;
  std::string text, link;  // no link: empty
};
std::vector<MarkedWords> words_of(std::string_view markdown);
// The words without their marks.
std::string plain_words(std::string_view markdown);
std::vector<std::string> plain_words(std::span<const std::string> sentences);
// A sentence that is a point of a list begins so.
constexpr std::string_view kPoint = "- ";

// The same words as a line of Markdown that every reader of it understands alike.
std::string normal_markdown(std::string_view sentence);

// Each character stands for itself: what Markdown would read as a mark has a backslash before it.
std::string escaped(std::string_view text);

// A sentence without marks, on a line of its own. MarkedWords that are Python become code: names with
// underscores (W_query), calls (contiguous()), elements (queries[1]), attributes (keys.T), keyword arguments
// (dim=-1).
std::string prose(std::string_view sentence);

}  // namespace glassgrad::learn
