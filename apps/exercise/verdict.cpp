#include "apps/exercise/verdict.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/exercise/answer_run.h"
#include "apps/exercise/compare.h"
#include "apps/lesson/document_words.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::exercise {
namespace {

constexpr size_t kMostText = 64 << 10;  // bytes of an answer
constexpr int64_t kMostShown = 12;      // rows, and columns

// ---- words
std::string dtype_text(const Tensor& x) {
  const std::string_view name = dtype_name(x.dtype());
  return std::string(name.substr(name.find('.') + 1));
}

std::string of_cells(int64_t n, int64_t all) {
  return all == 1 ? "" : fmt::format(" in {} of {} cells", n, all);
}

// Formats both numbers with four digits after the point, or with all digits if they would look the same.
std::pair<std::string, std::string> number_texts(const BoundValue& a, const BoundValue& b) {
  const auto with = [&](bool all) {
    const auto text = [all](const BoundValue& n) {
      const double x = n.value.item();
      if (n.kind != "a float") return fmt::format("{}", static_cast<int64_t>(x));
      return all ? python_float(x) : fmt::format("{:.4f}", x);
    };
    return std::pair(text(a), text(b));
  };
  const auto short_ones = with(false);
  return short_ones.first == short_ones.second ? with(true) : short_ones;
}

std::string sentence(const BoundValue& right, const Difference& d) {
  const std::string name = right.call.empty() ? right.name : fmt::format("{} in {}", right.name, right.call);
  const BoundValue& yours = d.yours;
  if (right.untouched) return fmt::format("You changed {} itself, and it is needed unchanged.", name);
  if (yours.kind == "nothing") return fmt::format("Your answer makes no {}.", name);
  if (right.kind != yours.kind && !(right.is_number && yours.is_number))
    return fmt::format("{} is {}, and should be {}.", name, yours.kind, right.kind);
  if (!right.value)
    return fmt::format("{} is '{}', and should be '{}'.", name, printable(yours.text), right.text);
  if (right.value.shape() != yours.value.shape())
    return fmt::format("{} has shape {}, and should have {}.", name, shape_text(yours.value.shape()),
                       shape_text(right.value.shape()));
  if (right.value.dtype() != yours.value.dtype())
    return fmt::format("{} has dtype {}, and should have {}.", name, dtype_text(yours.value),
                       dtype_text(right.value));
  if (right.is_number) {
    const auto [is, should_be] = number_texts(yours, right);
    return fmt::format("{} is {}, and should be {}.", name, is, should_be);
  }
  const int64_t all = right.value.numel();
  if (d.cells->nans == d.cells->count) return fmt::format("{} is nan{}.", name, of_cells(d.cells->nans, all));
  return fmt::format("{} differs{}.", name, of_cells(d.cells->count, all));
}

// ---- matrices
// Returns the first index of a window of kMostShown of `all` rows or columns, with `inside` near its middle.
int64_t first_shown(int64_t inside, int64_t all) {
  return all <= kMostShown ? 0 : std::clamp<int64_t>(inside - kMostShown / 2, 0, all - kMostShown);
}

// Chooses four digits after the point, or eight if all numbers that differ would look the same.
PrintOptions writing(const Tensor& right, const Tensor& yours, const DifferingCells* cells) {
  PrintOptions options;
  const auto a = right.to_vector<double>(), b = yours.to_vector<double>();
  double largest = 0;
  for (const auto* all : {&a, &b})
    for (const double x : *all)
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  if (largest < 1e5) options.sci_mode = false;
  constexpr double kSeen = 2e-4;
  const auto is_seen = [&](size_t i) { return cells->differs[i] && !(std::abs(a[i] - b[i]) < kSeen); };
  bool seen = !cells;
  for (size_t i = 0; cells && i < a.size() && !seen; ++i) seen = is_seen(i);
  if (!seen) options.precision = 8;
  return options;
}

Matrix matrix(const Tensor& given, const DifferingCells* cells, const PrintOptions& options) {
  Matrix made{.shape = shape_text(given.shape()), .dtype = dtype_text(given), .place = {}, .rows = {}};
  const Tensor x = given.contiguous();
  if (x.numel() == 0) return made;
  const int dims = x.shape().n;
  const int64_t columns = dims > 0 ? x.shape()[dims - 1] : 1, rows = dims > 1 ? x.shape()[dims - 2] : 1;
  const int64_t first = cells ? std::max<int64_t>(cells->first, 0) : 0, number = first / (rows * columns);
  if (dims > 2) {
    int64_t rest = number;
    for (int d = dims - 3; d >= 0; --d) {
      made.place = fmt::format("{}{}{}", rest % x.shape()[d], made.place.empty() ? "" : ", ", made.place);
      rest /= x.shape()[d];
    }
    made.place = "[" + made.place + "]";
  }
  const int64_t row = first / columns % rows, column = first % columns;
  const int64_t top = first_shown(row, rows), left = first_shown(column, columns);
  const auto write = element_writer(x.raw(), options);
  for (int64_t i = top; i < std::min(rows, top + kMostShown); ++i) {
    auto& line = made.rows.emplace_back();
    if (left > 0) line.push_back({"..."});
    for (int64_t j = left; j < std::min(columns, left + kMostShown); ++j) {
      const int64_t at = (number * rows + i) * columns + j;
      line.push_back({std::string(learn::trimmed(write(at))), cells && cells->differs[size_t(at)]});
    }
    if (left + kMostShown < columns) line.push_back({"..."});
  }
  if (top > 0) made.rows.insert(made.rows.begin(), {{"..."}});
  if (top + kMostShown < rows) made.rows.push_back({{"..."}});
  return made;
}

class Judge {
 public:
  Judge(const Course& course, const Exercise& exercise, std::vector<std::string> answer, uint64_t seed,
        const Limits& limits)
      : course_(course), exercise_(exercise), answer_(std::move(answer)), seed_(seed), limits_(limits) {
    verdict_.seed = std::to_string(seed);
  }

  Verdict judge() {
    for (const bool second : {false, true}) {
      const AnswerRunOptions options{second ? seed_ + 1000 : seed_, second};
      const AnswerRun right = run_solution(course_, exercise_, options),
                      yours = run_answer(course_, exercise_, answer_, options, limits_);
      verdict_.second = second;
      if (!second) verdict_.printed = yours.printed;
      if (!judge(right, yours)) {
        verdict_.agreed.clear();
        name_mistake(yours, options);
        if (second) explain_second();
        return std::move(verdict_);
      }
      if (!second)
        verdict_.agreed = agreed_text(right) + ", and again in a second run with different numbers.";
    }
    verdict_.kind = Verdict::Right;
    verdict_.second = false;
    verdict_.sentence = "Right.";
    return std::move(verdict_);
  }

 private:
  // Returns true if the run agrees with the right run; otherwise fills the verdict.
  bool judge(const AnswerRun& right, const AnswerRun& yours) {
    switch (yours.end) {
      case AnswerRun::OutOfTime:
        verdict_.kind = Verdict::Stopped;
        verdict_.sentence = "It was stopped: it goes on for too long. Does a loop ever end?";
        return false;
      case AnswerRun::OutOfMemory:
        verdict_.kind = Verdict::Stopped;
        verdict_.sentence =
            fmt::format("It was stopped: it asks for more than {} MB of memory.", limits_.bytes >> 20);
        return false;
      case AnswerRun::Raised:
      case AnswerRun::Whole:
        break;
    }
    const bool raised = yours.end == AnswerRun::Raised;
    std::optional<Difference> difference;
    if (!raised || stopped_behind(yours)) difference = compare(right, yours, {.begun = raised});
    if (!difference && raised) failed(yours);
    if (!difference) return !raised;
    const BoundValue& a = right.bound[difference->at];
    verdict_.kind = Verdict::Wrong;
    verdict_.name = a.name;
    verdict_.call = a.call;
    verdict_.sentence = sentence(a, *difference);
    if (a.value && difference->yours.value && !a.is_number) {
      const DifferingCells* const cells = difference->cells ? &*difference->cells : nullptr;
      const PrintOptions options = writing(a.value, difference->yours.value, cells);
      verdict_.right = matrix(a.value, cells, options);
      verdict_.yours = matrix(difference->yours.value, cells, options);
    }
    return false;
  }

  void failed(const AnswerRun& yours) {
    verdict_.kind = Verdict::Failed;
    std::string error = yours.error;
    std::replace(error.begin(), error.end(), '\n', ' ');
    verdict_.error = printable(error);
    verdict_.hint = yours.hint;
    verdict_.line = yours.line;
    verdict_.column = yours.column;
    const std::string& line = yours.text_of_line;
    verdict_.own_line =
        yours.line ? line.substr(std::min(exercise_.indent, line.size())) : std::string(learn::trimmed(line));
    verdict_.sentence = yours.line
                            ? fmt::format("Line {}, column {}: {}", yours.line, yours.column, verdict_.error)
                        : verdict_.own_line.empty()
                            ? verdict_.error
                            : fmt::format("A line of the program cannot go on with what you made: {}{}",
                                          verdict_.error, right_before(yours));
  }

  // Returns " Right before that: plain, cold.": the values that the program had bound correctly before it
  // stopped.
  static std::string right_before(const AnswerRun& yours) {
    std::vector<std::string> names;
    for (const BoundValue& b : yours.bound)
      if (b.call.empty() && b.value && learn::is_name(b.name) &&
          std::find(names.begin(), names.end(), b.name) == names.end())
        names.push_back(b.name);
    if (names.empty()) return "";
    const bool has_end = yours.error.ends_with('.') || yours.error.ends_with('?');
    return fmt::format("{} Right before that: {}.", has_end ? "" : ".", joined(names, ", "));
  }

  void name_mistake(const AnswerRun& yours, const AnswerRunOptions& options) {
    if (verdict_.kind == Verdict::Stopped) return;
    for (const Mistake& mistake : exercise_.mistakes) {
      const AnswerRun theirs = run_answer(course_, exercise_, mistake.lines, options, limits_);
      // If the program stopped because of a wrong value, only the values bound so far must agree.
      const bool begins_alike = verdict_.kind == Verdict::Wrong && stopped_behind(yours) &&
                                theirs.end == AnswerRun::Whole &&
                                !compare(yours, theirs, {.nan_is_nan = true});
      if (!begins_alike && !alike(theirs, yours)) continue;
      verdict_.mistake = "One way to get this: " + mistake.sentence;
      return;
    }
  }

  void explain_second() {
    std::string sizes;
    for (const auto& size : course_.sizes)
      if (size.first != size.second)
        sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", size.name, size.second);
    verdict_.sentence = fmt::format("Right with these numbers, not with different ones{}: {}",
                                    sizes.empty() ? "" : " (" + sizes + ")", verdict_.sentence);
  }

  const Course& course_;
  const Exercise& exercise_;
  const std::vector<std::string> answer_;
  const uint64_t seed_;
  const Limits& limits_;
  Verdict verdict_;
};

const char* kind_name(Verdict::Kind kind) {
  constexpr const char* kNames[] = {"right", "wrong", "failed", "stopped", "empty"};
  return kNames[kind];
}

Json json_of(const Matrix& m) {
  Json rows = Json::array(), marks = Json::array();
  for (const auto& row : m.rows) {
    Json cells = Json::array(), differ = Json::array();
    for (const auto& cell : row) {
      cells.push_back(cell.text);
      differ.push_back(cell.differs);
    }
    rows.push_back(std::move(cells));
    marks.push_back(std::move(differ));
  }
  Json json{{"shape", m.shape}, {"dtype", m.dtype}};
  if (!m.place.empty()) json["place"] = m.place;
  json["rows"] = std::move(rows);
  json["differs"] = std::move(marks);
  return json;
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    safe += printable(text.substr(0, end)) + "\n";
  return safe + printable(text);
}

bool is_code(const std::string& line) {
  const std::string_view text = learn::trimmed(line);
  return !text.empty() && !text.starts_with('#');
}

}  // namespace

Verdict check(const Course& course, const Exercise& exercise, std::string_view text, uint64_t seed,
              const Limits& limits) {
  Verdict refused;
  refused.seed = std::to_string(seed);
  const auto refuse = [&](std::string sentence) {
    refused.kind = Verdict::Failed;
    refused.sentence = refused.error = std::move(sentence);
    return refused;
  };
  if (text.size() > kMostText) return refuse(fmt::format("An answer has at most {} bytes.", kMostText));
  std::vector<std::string> answer = lines_of(text);
  for (const std::string& line : answer)
    if (printable(line) != line)
      return refuse("There is a tab or a control character, or bytes that are no UTF-8.");
  if (std::none_of(answer.begin(), answer.end(), is_code)) {
    refused.sentence = "There is no line yet.";
    return refused;
  }
  return Judge(course, exercise, std::move(answer), seed, limits).judge();
}

std::vector<AvailableValue> available_values(const Course& course, const Exercise& exercise, uint64_t seed) {
  return run_solution(course, exercise, {.seed = seed, .gives = true}).given;
}

std::string program(const Course& course, std::span<const std::string> answers) {
  std::string text = fmt::format("# {}\n", course.title);
  for (const auto& size : course.sizes) text += fmt::format("{} = {}\n", size.name, size.first);
  text += text_of(course.opening);
  for (const Exercise& e : course.exercises) {
    const size_t k = course.index(e);
    const auto own = k < answers.size() ? lines_of(answers[k]) : std::vector<std::string>();
    text += fmt::format("\n# {}. {}\n{}{}", k + 1, e.title, text_of(e.setup),
                        text_of(e.with(own.empty() ? e.solution : own)));
  }
  if (!course.ending.empty()) text += "\n" + text_of(course.ending);
  return text;
}

void run_ending(const Course& course, std::span<const std::string> answers, uint64_t seed,
                const std::function<void(std::string_view)>& print) {
  const Limits limits{.steps = 100'000'000, .bytes = size_t{1} << 30, .seconds = 120};
  const AnswerRun trial = run_to_the_end(course, answers, {seed, false}, limits, print);
  if (trial.end == AnswerRun::Raised) fail("{}", trial.error);
  glassgrad::check(trial.end == AnswerRun::Whole,
                   "the program was stopped: it takes too long or too much memory");
}

Json json_of(const Verdict& v) {
  Json json{{"right", v.kind == Verdict::Right}, {"kind", kind_name(v.kind)}, {"sentence", v.sentence}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("name", v.name);
  add("call", v.call);
  if (v.right) json["expected"] = json_of(*v.right);
  if (v.yours) json["yours"] = json_of(*v.yours);
  add("mistake", v.mistake);
  add("error", v.error);
  add("hint", v.hint);
  add("own_line", v.own_line);
  add("printed", printable_lines(v.printed));
  if (v.line) json["line"] = v.line, json["column"] = v.column;
  if (v.second) json["second"] = true;
  add("agreed", v.agreed);
  json["seed"] = v.seed;
  return json;
}

}  // namespace glassgrad::exercise
