#include "apps/stepper/step_glossary.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/show/reading.h"
#include "apps/show/step_page.h"

namespace glassgrad::learn {
namespace {

std::string title_of(const GlossaryTerm& term) { return plain_words(term.title); }

// Returns the words one after the other, the chosen word reversed and in brackets.
std::vector<Line> row_of(const std::vector<const GlossaryTerm*>& terms, size_t at, size_t columns) {
  std::vector<Line> lines(1);
  size_t taken = 0;
  for (size_t k = 0; k < terms.size(); ++k) {
    const std::string name =
        k == at ? fmt::format("[{}]", title_of(*terms[k])) : fmt::format(" {} ", title_of(*terms[k]));
    if (taken > 0 && taken + columns_of(name) > columns) {
      lines.emplace_back();
      taken = 0;
    }
    lines.back().push_back({name, k == at ? Style::Reverse : Style::Plain});
    lines.back().push_back({" "});
    taken += columns_of(name) + 1;
  }
  return lines;
}

std::vector<Line> explained(const GlossaryTerm& term, size_t columns) {
  return reading_lines(
      fmt::format("### {}\n\n{}\n\nglassgrad docs glossary#{}", term.title, term.text, term.anchor), columns);
}

}  // namespace

bool StepGlossary::open(const Recording& recording, const Step& step, std::string_view hint) {
  terms_ = terms_of(recording, step);
  at_ = 0;
  for (const std::string& word : bare_words(hint))
    for (size_t k = 0; k < terms_.size(); ++k)
      if (term_called(word) == terms_[k]) at_ = k;
  return !terms_.empty();
}

Lines StepGlossary::lines(size_t columns) const {
  columns = std::min(columns, kWidestText);
  Lines lines(row_of(terms_, at_, columns));
  lines.push_back({});
  lines.append(explained(*terms_[at_], columns));
  return lines;
}

KeyTable StepGlossary::keys() {
  static constexpr KeyRow kRows[] = {
      {"w l, Right, Tab", {}, does<&StepGlossary::to_next>, Hint("next word", 0, nullptr, "w ->")},
      {"h, Left", {}, does<&StepGlossary::to_before>, Hint("word before", 0, nullptr, "<-")},
  };
  return kRows;
}

std::string words_text(const Recording& recording, const Step& step, const std::string& name, size_t columns,
                       bool speak) {
  const std::vector<const GlossaryTerm*> terms = terms_of(recording, step);
  const GlossaryTerm* term = name.empty() ? terms.empty() ? nullptr : terms[0] : term_called(name);
  std::string list;
  for (const GlossaryTerm* t : terms) list += (list.empty() ? "" : "; ") + title_of(*t);
  std::string text = list.empty() ? "This step uses no word of the glossary.\n" : "";
  if (!name.empty() && !term) text += fmt::format("The glossary has no '{}'.\n", printable(name));
  if (!list.empty() && (name.empty() || !term))
    for (const std::string& line : filled(fmt::format("Words of this step: {}.", list), 0, columns))
      text += line + "\n";
  if (!term) return text;
  if (speak) {
    return text + fmt::format("{}. {}\n", title_of(*term), joined(plain_paragraphs(term->text), " "));
  }
  if (!text.empty()) text += "\n";
  for (const Line& line : explained(*term, columns)) text += plain_text(line) + "\n";
  return text;
}

}  // namespace glassgrad::learn
