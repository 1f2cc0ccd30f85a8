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
  std::string_view text;           // what it means, Markdown, paragraphs between empty lines
};

// The whole text, Markdown, and its terms in the order of the alphabet.
std::string_view glossary_markdown();
std::span<const GlossaryTerm> glossary();
// The term of that anchor or name, in any case, one or many ("keys"); null: there is none.
const GlossaryTerm* term_called(std::string_view name);

// A term's text without marks and links.
std::vector<std::string> plain_paragraphs(std::string_view text);

// Words as they are compared: small letters, digits and underscores, without a plural's s.
std::vector<std::string> bare_words(std::string_view text);

// Those that the step's title, sentences and code use, or that lead to the step, in the order in which they
// come; those of the code alone last.
std::vector<const GlossaryTerm*> terms_of(const Recording& recording, const Step& step);

}  // namespace glassgrad::learn
