// The glossary, and which of its terms a step uses.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

struct GlossaryTerm {
  std::string title;               // Markdown: "Leaf, node"
  std::string anchor;              // glossary#leaf-node
  std::vector<std::string> names;  // "leaf", "node", in small letters
  std::string_view text;           // its meaning, Markdown, paragraphs between empty lines
};

// The whole text, Markdown, and its terms in alphabetical order.
std::string_view glossary_markdown();
std::span<const GlossaryTerm> glossary();
// Returns the term with that anchor or name, in any case, singular or plural ("keys"); null if there is none.
const GlossaryTerm* term_called(std::string_view name);

// Returns the paragraphs of a term's text without marks and links.
std::vector<std::string> plain_paragraphs(std::string_view text);

// Returns words in the form in which they are compared: small letters, digits and underscores, without a
// plural's s.
std::vector<std::string> bare_words(std::string_view text);

// Returns the terms that the step's title, sentences and code use, or that lead to the step, in the order in
// which they come. Terms that only the code uses come last.
std::vector<const GlossaryTerm*> terms_of(const Recording& recording, const Step& step);

}  // namespace glassgrad::learn
