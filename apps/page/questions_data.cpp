#include "apps/page/questions_data.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/hints.h"
#include "apps/ask/predict/question_page.h"
#include "apps/ask/predict/slips.h"
#include "engine/glass/cell_page.h"

namespace glassgrad::explorer {
namespace {

using learn::TypedNumber, learn::QuizMode, learn::Quantity, learn::Question, learn::Recording;

const char* name_of(Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::RowSum:
      return "row sum";
    case Quantity::Kind::Size:
      return "size";
    case Quantity::Kind::Shape:
      return "shape";
    case Quantity::Kind::Largest:
    case Quantity::Kind::Fixed:
    case Quantity::Kind::LateMask:
    case Quantity::Kind::Written:
      return "choice";
    case Quantity::Kind::Cell:
      break;
  }
  return "cell";
}

// Returns the ways in which a learner may write the number: with 0 to 6 decimals (PyTorch prints 4), and with
// all digits.
std::vector<std::string> ways_to_write(double value) {
  constexpr int kMostDigits = 6;
  std::vector<std::string> texts;
  for (int digits = 0; digits <= kMostDigits; ++digits) texts.push_back(fixed(value, digits));
  texts.push_back(fmt::format("{}", float(value)));
  return texts;
}

template <class F>
Json texts_that(std::vector<std::string> texts, F is_meant) {
  Json list = Json::array();
  for (std::string& text : texts) {
    const auto answer = learn::parse_answer(text);
    if (answer && is_meant(*answer) && std::find(list.begin(), list.end(), text) == list.end())
      list.push_back(std::move(text));
  }
  return list;
}

Json accepted(const Quantity& asked) {
  if (!asked.is_number()) return Json::array();
  return texts_that(ways_to_write(asked.value()),
                    [&](const TypedNumber& a) { return learn::accepts(a, asked); });
}

Json slips(const Recording& recording, const Quantity& asked) {
  Json list = Json::array();
  if (!asked.is_number()) return list;
  for (const learn::KnownSlip& slip : learn::known_slips(recording, asked)) {
    Json answers = texts_that(ways_to_write(slip.value), [&](const TypedNumber& a) {
      return learn::is_meant(a, slip.value) && !learn::accepts(a, asked);
    });
    const auto says_it = [&](const Json& known) { return known["text"] == slip.sentence; };
    if (!answers.empty() && std::none_of(list.begin(), list.end(), says_it))
      list.push_back({{"answers", std::move(answers)}, {"text", slip.sentence}});
  }
  return list;
}

Json question_json(const Recording& recording, const Question& question) {
  const Quantity& asked = question.asked;
  Json given = Json::array();
  for (const learn::AnswerOperand& g : question.given)
    if (g.entry != asked.address.entry) given.push_back(fmt::format("{}:{}", g.step->id, g.entry->name));
  const Dims& cell = asked.address.cell;
  const auto choices = learn::choices_of(recording, asked);
  return {{"question", asked.text()},
          {"step", asked.address.step->id},
          {"tensor", asked.address.entry ? Json(asked.address.entry->name) : Json()},
          {"cell", asked.kind == Quantity::Kind::Cell ? Json(std::vector<int64_t>(cell.begin(), cell.end()))
                                                      : Json()},
          {"kind", name_of(asked.kind)},
          {"name", asked.name()},
          {"words", learn::question_sentence(recording, asked)},
          {"choices", choices ? Json(choices->texts) : Json()},
          {"given", std::move(given)},
          {"answer", learn::answer_text(recording, asked)},
          {"hints", learn::hints_about(recording, asked)},
          {"opened", learn::opened_answer(recording, asked)},
          {"accepted", accepted(asked)},
          {"slips", slips(recording, asked)},
          {"ways", Json::array()}};
}

}  // namespace

Json questions_json(const Recording& recording) {
  Json list = Json::array();
  std::vector<Quantity> known;
  for (const auto& [way, name] :
       {std::pair(QuizMode::Cells, "cells"), {QuizMode::First, "first"}, {QuizMode::Exam, "exam"}})
    for (const Question& question : learn::questions(recording, recording.steps, way)) {
      const auto at = std::find(known.begin(), known.end(), question.asked) - known.begin();
      if (at == std::ssize(known)) {
        known.push_back(question.asked);
        list.push_back(question_json(recording, question));
      }
      list[size_t(at)]["ways"].push_back(name);
    }
  return list;
}

}  // namespace glassgrad::explorer
