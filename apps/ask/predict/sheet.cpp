#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/hints.h"
#include "apps/ask/predict/predict.h"
#include "apps/ask/predict/question_page.h"
#include "apps/ask/predict/slips.h"
#include "apps/lesson/markdown.h"
#include "engine/core/joined.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kNewPage = "<div style=\"page-break-after: always\"></div>\n\n";

std::string fenced(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}{}```\n\n", language, text, text.ends_with('\n') ? "" : "\n");
}

class Sheet {
 public:
  explicit Sheet(const Recording& recording) : recording_(recording) {}

  std::string question(const Question& question, size_t number) {
    const Quantity& asked = question.asked;
    const Step& step = *asked.address.step;
    std::string text = fmt::format("## {}. {}\n\n", number, prose(step.title));
    for (const Formula& formula : step.formulas) text += fenced("math", formula.latex);
    if (!step.code.empty()) text += fenced("python", joined(step.code, "\n"));
    for (const AnswerOperand& given : question.given)
      if (given.entry != asked.address.entry) text += table(*given.entry, asked.kind, number);
    if (const std::string blank = blank_text(recording_, asked); !blank.empty()) text += fenced("", blank);
    if (asked.is_choice() || asked.kind == Quantity::Kind::Shape) {
      const std::string choices = choices_text(recording_, asked);
      return text + fmt::format("{}\n\n{}`{}` = ________________________\n\n",
                                escaped(question_sentence(recording_, asked)),
                                choices.empty() ? "" : fenced("", choices), asked.name());
    }
    const std::string where = where_it_stands(recording_, asked);
    return text + fmt::format("{}`{}` = ________________________\n\n",
                              where.empty() ? "" : escaped(where) + ": ", asked.name());
  }

 private:
  // Shows a tensor's numbers once; later questions refer to the question that has them.
  std::string table(const Entry& entry, Quantity::Kind kind, size_t number) {
    if (kind == Quantity::Kind::Size || kind == Quantity::Kind::Shape)
      return fenced("", table_text(recording_, entry, kind));
    const auto [place, is_new] = shown_.try_emplace(&entry, number);
    if (!is_new) return fmt::format("`{}` stands in question {}.\n\n", entry.name, place->second);
    return fenced("", table_text(recording_, entry, kind));
  }

  const Recording& recording_;
  std::map<const Entry*, size_t> shown_;
};

}  // namespace

void render_sheet(const Recording& recording, const std::vector<Question>& questions, Output& out) {
  const std::string command = command_of(recording);
  out.write(fmt::format(
      "# {}: {} questions\n\n"
      "Name: ________________________\n\n"
      "Indices count from 0. A number is right within 0.0002, or rounded to the digits that are "
      "written,\nat least two. `?` stands for the number asked for and for all that read the same.\n\n",
      escaped(recording.lesson->source), questions.size()));
  Sheet sheet(recording);
  for (size_t i = 0; i < questions.size(); ++i) out.write(sheet.question(questions[i], i + 1));

  out.write(kNewPage);
  out.write(fmt::format("# Solutions\n\nIn the form that `{} --answers FILE` reads.\n\n", command));
  std::string solutions;
  for (size_t i = 0; i < questions.size(); ++i) {
    const Quantity& asked = questions[i].asked;
    const auto choices = choices_of(recording, asked);
    solutions += fmt::format("{}={}  # {}\n", asked.text(),
                             choices ? letter_of(choices->right) : answer_text(recording, asked), i + 1);
  }
  out.write(fenced("", solutions));
}

}  // namespace glassgrad::learn
