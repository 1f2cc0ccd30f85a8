// Questions about a lesson: the numbers they hide, their hints, and the answers they accept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/ask/predict/attempt.h"
#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/hints.h"
#include "apps/ask/predict/question_page.h"
#include "apps/ask/predict/slips.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"
#include "engine/core/utf8.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

using Kind = Quantity::Kind;

const Recording& recording_of(const char* lesson) {
  static std::map<std::string, Recording> known;
  const auto [found, is_new] = known.try_emplace(lesson);
  if (is_new) found->second = record(find_lesson(lesson), Settings(find_lesson(lesson), {}), Keep::Calls);
  return found->second;
}

std::vector<Question> all_of(const char* lesson) {
  const Recording& r = recording_of(lesson);
  return questions(r, r.steps, QuizMode::Cells);
}

// Answers that must be judged wrong.
std::vector<std::string> wrong_answers(const Recording& recording, const Quantity& asked) {
  if (asked.is_number()) {
    const double value = std::isfinite(asked.value()) ? asked.value() : 0;
    return {fmt::format("{:.4f}", value + 0.01), fmt::format("{:.4f}", value - 1),
            fmt::format("{:.4f}", 2 * value + 3)};
  }
  if (asked.kind == Kind::Shape) return {"(7, 7, 7)", "1", asked.value_text() + ", 1"};
  std::vector<std::string> wrong;
  const auto choices = choices_of(recording, asked);
  for (size_t i = 0; choices && i < choices->texts.size(); ++i)
    if (i != choices->right) wrong.push_back(letter_of(i)), wrong.push_back(choices->texts[i]);
  return wrong;
}

}  // namespace

TEST_CASE("questions - every kind takes its right answer and no other and has three hints") {
  std::map<Kind, int> kinds;
  for (const char* lesson : {"journey", "gpt-attention", "mask.five-ways", "scale.why"}) {
    const Recording& recording = recording_of(lesson);
    for (const Question& q : all_of(lesson)) {
      const std::string answer = answer_text(recording, q.asked);
      CAPTURE(q.asked.text());
      CAPTURE(answer);
      CHECK(judge(recording, q.asked, trimmed(answer)) == Verdict::Right);
      const std::vector<std::string> wrong = wrong_answers(recording, q.asked);
      CHECK(wrong.size() >= 2);
      for (const std::string& text : wrong) CHECK(judge(recording, q.asked, text) == Verdict::Wrong);
      CHECK(judge(recording, q.asked, "@") == Verdict::NoAnswer);
      const std::vector<std::string> hints = hints_about(recording, q.asked);
      CHECK(hints.size() == 3);
      for (const std::string& hint : hints) CHECK_FALSE(hint.empty());
      if (q.asked.kind == Kind::Cell && std::abs(q.asked.value()) > 0.001 && std::isfinite(q.asked.value()))
        CHECK(hints[2].find(trimmed(answer)) == std::string::npos);
      CHECK_FALSE(opened_answer(recording, q.asked).empty());
      CHECK(find_quantity(recording, q.asked.text()) == q.asked);
      ++kinds[q.asked.kind];
    }
  }
  CHECK(kinds.size() == 8);
}

TEST_CASE("questions - the row of a weight is hidden and so is what reads like it") {
  const Recording& recording = recording_of("journey");
  const Quantity asked = find_quantity(recording, "masked-softmax:attn_weights[1,0]");
  const std::string blank = blank_text(recording, asked);
  for (const char* told : {"0.5517", "0.4483"}) CHECK(blank.find(told) == std::string::npos);
  CHECK(blank.find("journey       ?        ?        ?        ?        ?        ?") != std::string::npos);
  CHECK(blank.find("0.3800") != std::string::npos);
  CHECK(blank.find("row sum") == std::string::npos);
  // The batch holds the same sentence twice: the second copy must not give the answer away.
  const Quantity heads = find_quantity(recording, "split-weights:attn_weights[0,1,1,0]");
  CHECK(blank_text(recording, heads).find(heads.value_text()) == std::string::npos);
}

TEST_CASE("questions - wide tables are whole on a terminal of 80 columns") {
  for (const char* lesson : {"journey", "gpt"}) {
    const Recording& recording = recording_of(lesson);
    for (const Question& q : all_of(lesson)) {
      const std::string text = blank_text(recording, q.asked);
      for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        CHECK_MESSAGE(columns_of(text.substr(at, text.find('\n', at) - at)) <= 80, q.asked.text());
    }
  }
  const Recording& gpt = recording_of("gpt");
  const Entry& logits = *find_quantity(gpt, "logits:last_logits[31]").address.entry;
  const std::string table = table_text(gpt, logits, Kind::Cell);
  CHECK(table.find("columns 0 to ") != std::string::npos);
  CHECK(table.find("8.5086") != std::string::npos);
}

TEST_CASE("questions - what a mask decides") {
  const Recording& recording = recording_of("journey");
  const auto asked = [&](const char* text) { return *choices_of(recording, find_quantity(recording, text)); };
  const auto right = [&](const char* text) { return asked(text).texts[asked(text).right]; };
  CHECK(right("masked-softmax:attn_weights.argmax(-1)[1]") == "Your");
  CHECK(right("masked-softmax:attn_weights.fixed") == "Your");
  CHECK(right("masked-softmax:attn_weights.late_mask[1]") == "less than 1");
  // 0.2041 + 0.1659, as mask.five-ways computes them.
  CHECK(asked("masked-softmax:attn_weights.late_mask[1]").why.find("0.3700 is left") != std::string::npos);
  CHECK_FALSE(choices_of(recording, find_quantity(recording, "weights:attn_weights.fixed")));
  CHECK_FALSE(choices_of(recording, find_quantity(recording, "masked-softmax:attn_weights.late_mask[5]")));
  for (const char* text :
       {"nowhere:ask[0]", "context:ask[1]", "context:ask[-1]", "scores:attn_scores.fixed[0]"})
    CHECK_THROWS_AS(find_quantity(recording, text), UsageError);
}

TEST_CASE("questions - hints and tries and the opened arithmetic") {
  const Recording& recording = recording_of("journey");
  const Quantity asked = find_quantity(recording, "masked-softmax:attn_weights[1,0]");
  Attempt attempt(recording, asked);
  CHECK(attempt.reply("?") == "Hint 1 of 3: softmax: exp(x − max) / Σ exp(x − max)");
  CHECK(attempt.reply("?").find("scaled_scores[1,0] = 0.3293, scaled_scores[1,1] = 0.1218") !=
        std::string::npos);
  CHECK(attempt.reply("?").find("row sum = 1.8127") != std::string::npos);
  CHECK(attempt.reply("0.6") == "Right as far as that goes: write two digits at least.");  // counts as no try
  CHECK(attempt.reply("0.1") == "No. One more try; ? gives a hint.");
  CHECK(attempt.explanation().empty());
  CHECK(attempt.reply("0.2041") ==
        "No. One way to get that is to compute it without the mask in masked. "
        "attn_weights[1,0] is 0.5517.");
  CHECK(attempt.explanation().ends_with("= 0.5517"));
  const Quantity few = find_quantity(recording, "masked-softmax:attn_weights.late_mask[1]");
  Attempt one(recording, few);
  CHECK(one.reply("more than 1") == "No. It is a) less than 1.");
  CHECK(one.is_over());
}

TEST_CASE("questions - a slip needs three digits that all agree") {
  const auto meant = [](const char* text, double slip) { return is_meant(*parse_answer(text), slip); };
  CHECK(meant("0.204", 0.2041));
  CHECK(meant("0.2041", 0.20409));
  CHECK_FALSE(meant("0.20", 0.2041));
  CHECK_FALSE(meant("0.205", 0.2041));
  CHECK(meant("0", 0));
  CHECK(meant("-inf", -INFINITY));
  CHECK_FALSE(meant("0.5", NAN));
}

TEST_CASE("questions - those that a lesson asks itself") {
  const std::string begin =
      "# T\n\n```lesson\nunderstand: x\nminutes: 1\n```\n\n## S {#s}\n\n```python\nx = 2\n```\n\n";
  const std::string whole =
      "::: ask How much\nis it, {x}?\n- {x}\n- {x + 1}\nanswer: x + 1\nhint: a\nhint: b\nhint: c\nwhy: d\n:::\n";
  const Document document = read_document(begin + whole, "my.md");
  const auto& asked = std::get<AskedInFile>(document.steps[0].items[1]);
  CHECK(asked.question.text == "How much is it, {x}?");
  CHECK(asked.choices.size() == 2);
  CHECK(asked.answer == "x + 1");
  const auto error = [&](std::string_view without, std::string_view put) {
    std::string text = begin + whole;
    text.replace(text.find(without), without.size(), put);
    try {
      read_document(text, "my.md");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(error("hint: b\n", "") ==
        "my.md:14: a question has 3 hints: the formula, the numbers that go in, the arithmetic but "
        "for the last step");
  CHECK(error("- {x}\n", "") == "my.md:14: a question has 2 to 8 choices: - CHOICE");
  CHECK(error("answer: x + 1\n", "") == "my.md:14: a question has an answer: answer: EXPRESSION");
  CHECK(error("why: d\n", "") == "my.md:14: a question says why: why: SENTENCES");
  CHECK(error("why: d", "why: d\nwhy: e") == "my.md:23: this stands in the question already");
  CHECK(error(":::\n", "") == "my.md:14: this ::: has no end");
}
