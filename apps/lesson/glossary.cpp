#include "apps/lesson/glossary.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "apps/cli/text_width.h"
#include "apps/lesson/glossary_text.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/markdown.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

bool is_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Makes an anchor of a heading as GitHub does.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : lower(heading))
    if (is_part(c) || c == '-')
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

// Splits titles such as "Wrapper and split", "Triangle: `tril`, `triu`" and "Leaf, node" into separate names.
std::vector<std::string> names_in(std::string_view title) {
  std::string words = lower(plain_words(title));
  for (const std::string_view between : {" and ", ": "})
    for (size_t at; (at = words.find(between)) != std::string::npos;) words.replace(at, between.size(), ", ");
  std::vector<std::string> names;
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(", ", at), words.size());
    names.push_back(words.substr(at, end - at));
    at = end + 2;
  }
  return names;
}

std::vector<GlossaryTerm> read_terms(std::string_view text) {
  constexpr std::string_view kHeading = "\n### ";
  std::vector<GlossaryTerm> terms;
  for (size_t at = text.find(kHeading, text.find("\n## The words")); at != text.npos;) {
    const size_t title = at + kHeading.size(), line = text.find('\n', title);
    at = text.find(kHeading, line);
    const std::string_view name = text.substr(title, line - title);
    terms.push_back({std::string(name), anchor_of(name), names_in(name),
                     text.substr(line + 2, std::min(at, text.size()) - line - 3)});
  }
  return terms;
}

// Returns the position of the name among the words; npos if it is not there. "in place of" does not count as
// "in place".
size_t place_of(const std::vector<std::string>& name, const std::vector<std::string>& words) {
  for (auto from = words.begin();;) {
    const auto found = std::search(from, words.end(), name.begin(), name.end());
    if (found == words.end() || name.empty()) return std::string::npos;
    const auto after = found + std::ptrdiff_t(name.size());
    if (name.front() != "in" || after == words.end() || *after != "of") return size_t(found - words.begin());
    from = after;
  }
}

}  // namespace

std::string_view glossary_markdown() { return glossary_text().front().bytes; }

std::span<const GlossaryTerm> glossary() {
  static const std::vector<GlossaryTerm> terms = read_terms(glossary_markdown());
  return terms;
}

const GlossaryTerm* term_called(std::string_view name) {
  const std::string wanted = lower(name);
  const std::vector<std::string> words = bare_words(name);
  for (const GlossaryTerm& term : glossary())
    if (term.anchor == wanted) return &term;
  for (const GlossaryTerm& term : glossary())
    for (const std::string& known : term.names)
      if (!words.empty() && bare_words(known) == words) return &term;
  return nullptr;
}

std::vector<std::string> plain_paragraphs(std::string_view text) {
  std::vector<std::string> all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find("\n\n", at), text.size());
    std::string part(text.substr(at, end - at));
    std::replace(part.begin(), part.end(), '\n', ' ');
    all.push_back(plain_words(part));
    at = end + 2;
  }
  return all;
}

std::vector<std::string> bare_words(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > at) {
      std::string word = lower(text.substr(at, end - at));
      if (word.size() > 4 && word.ends_with("ies"))
        word.replace(word.size() - 3, 3, "y");
      else if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss"))
        word.pop_back();
      words.push_back(std::move(word));
    }
    at = end + 1;
  }
  return words;
}

std::vector<const GlossaryTerm*> terms_of(const Recording& recording, const Step& step) {
  std::string said = step.title;
  for (const std::string& sentence : step.sentences) said += " " + plain_words(sentence);
  std::string code = joined(step.code, "\n");
  for (const Entry& entry : step.entries) code += " " + entry.name;
  const std::vector<std::string> words = bare_words(said), in_code = bare_words(code);
  const std::string link = fmt::format("]({}.md#{})", recording.lesson->id, step.id);

  std::vector<std::pair<size_t, const GlossaryTerm*>> found;
  for (const GlossaryTerm& term : glossary()) {
    size_t place = std::string::npos;
    for (const std::string& name : term.names) {
      const std::vector<std::string> bare = bare_words(name);
      place = std::min(place, place_of(bare, words));
      if (place_of(bare, in_code) != std::string::npos) place = std::min(place, words.size());
    }
    if (place == std::string::npos && term.text.find(link) != term.text.npos) place = words.size();
    if (place != std::string::npos) found.emplace_back(place, &term);
  }
  std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<const GlossaryTerm*> terms;
  for (const auto& [place, term] : found) terms.push_back(term);
  return terms;
}

}  // namespace glassgrad::learn
