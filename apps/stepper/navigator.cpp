#include "apps/stepper/navigator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/ask/backward.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/selection.h"

namespace glassgrad::learn {
namespace {

// Finds steps with a number, compared to as many digits as are typed.
class NumberSearch {
 public:
  explicit NumberSearch(std::string_view text) : text_(text), number_(parse_number<double>(text)) {
    const size_t point = text.find('.');
    const bool plain = text.find_first_not_of("+-.0123456789") == text.npos;
    digits_ = plain && point != text.npos ? int(text.size() - point) - 1 : -1;
    if (number_ && plain && digits_ > 0) near_ = std::pow(10.0, -digits_);
  }

  bool is_in(const Step& step) const {
    return number_ && std::any_of(step.entries.begin(), step.entries.end(),
                                  [&](const Entry& e) { return e.value && is_in(*e.value); });
  }

 private:
  bool is_in(const Snapshot& x) const {
    if (is_floating(x.dtype()) != (digits_ >= 0)) return false;
    const std::vector<double> all = x.tensor().to_vector<double>();
    return std::any_of(all.begin(), all.end(), [&](double v) {
      return v == *number_ || (std::abs(v - *number_) < near_ && fmt::format("{:.{}f}", v, digits_) == text_);
    });
  }

  std::string text_;
  std::optional<double> number_;
  int digits_ = -1;  // after the point; -1: a whole number
  double near_ = 0;
};

// Searches title, sentences, formulas, code, names of tensors and printed lines.
bool mentions(const Step& step, const std::string& small) {
  const auto has = [&](std::string_view text) { return lower(text).find(small) != std::string::npos; };
  const auto any = [&](const auto& list, auto text_of) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return has(text_of(item)); });
  };
  const auto itself = [](const std::string& text) { return std::string_view(text); };
  return has(step.title) || has(step.id) ||
         any(step.sentences, [](const std::string& s) { return plain_words(s); }) || any(step.code, itself) ||
         any(step.formulas, [](const Formula& f) { return std::string_view(f.text); }) ||
         any(step.entries,
             [](const Entry& e) { return std::string_view(e.name.empty() ? e.label : e.name); });
}

}  // namespace

Navigator::Navigator(WhatIf lesson, Open open)
    : lesson_(std::move(lesson)), open_(std::move(open)), last_(recording().steps.size() - 1) {}

void Navigator::limit_to(Steps steps) {
  first_ = static_cast<size_t>(steps.data() - recording().steps.data());
  last_ = first_ + steps.size() - 1;
  at_ = first_;
}

void Navigator::leave_limits() {
  first_ = 0;
  last_ = recording().steps.size() - 1;
}

bool Navigator::next() {
  if (is_last()) return false;
  ++at_;
  return true;
}

bool Navigator::back() {
  if (is_first()) return false;
  --at_;
  return true;
}

bool Navigator::next_on_road() {
  const std::vector<Step>& steps = recording().steps;
  size_t there = at_ + 1;
  while (!step().is_inside() && there <= last_ && steps[there].is_inside()) ++there;
  if (there > last_) return false;
  at_ = there;
  return true;
}

bool Navigator::back_on_road() {
  if (step().is_inside() || is_first()) return back();
  size_t there = at_ - 1;
  while (there > first_ && recording().steps[there].is_inside()) --there;
  at_ = there;
  return true;
}

size_t Navigator::inside() const {
  if (step().is_inside()) return 0;
  size_t end = at_ + 1;
  while (end <= last_ && recording().steps[end].is_inside()) ++end;
  return end - at_ - 1;
}

bool Navigator::go_inside() { return inside() > 0 && next(); }

bool Navigator::leave_inside() {
  if (!step().is_inside()) return false;
  leave_limits();
  at_ -= static_cast<size_t>(step().sub_number);
  return true;
}

void Navigator::go_to_last() {
  leave_limits();
  at_ = last_;
}

void Navigator::go_to(std::string_view step) {
  step.remove_prefix(step.starts_with('#'));
  const Step& found = find_steps(recording(), step.substr(0, step.find(':'))).front();
  leave_limits();
  at_ = static_cast<size_t>(&found - recording().steps.data());
}

bool Navigator::has_step(std::string_view id) const {
  const std::vector<Step>& steps = recording().steps;
  return std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return s.id == id; });
}

bool Navigator::search(const std::string& text, bool forward) {
  if (!text.empty()) searched_ = text;
  if (searched_.empty()) return false;
  const size_t n = recording().steps.size();
  const NumberSearch number(searched_);
  for (size_t far = 1; far <= n; ++far) {
    const size_t there = (at_ + (forward ? far : n - far)) % n;
    const Step& s = recording().steps[there];
    if (!mentions(s, lower(searched_)) && !number.is_in(s)) continue;
    leave_limits();
    at_ = there;
    return true;
  }
  return false;
}

std::vector<const Step*> Navigator::turns() const {
  std::vector<const Step*> all;
  const Step& here = step();
  if (here.file.empty()) return all;
  for (const Step& s : recording().steps)
    if (s.file == here.file && s.line == here.line) all.push_back(&s);
  return all;
}

bool Navigator::turn(bool after) {
  const std::vector<const Step*> all = turns();
  const auto here = std::find(all.begin(), all.end(), &step());
  if (here == all.end() || (after ? here + 1 == all.end() : here == all.begin())) return false;
  leave_limits();
  at_ = static_cast<size_t>(*(after ? here + 1 : here - 1) - recording().steps.data());
  return true;
}

void Navigator::change_to(WhatIf lesson) {
  lesson_ = std::move(lesson);
  other_.reset();
  is_backward_ = false;
  leave_limits();
  at_ = 0;
}

bool Navigator::turn_over(std::string_view tensor) {
  if (!other_) other_ = backward();
  const Recording& other = is_backward_ ? lesson_.recording() : *other_;
  const Step* there = counterpart_step(step(), other, tensor);
  if (!there) return false;
  const auto at = static_cast<size_t>(there - other.steps.data());
  swap_sides();
  at_ = at;
  return true;
}

void Navigator::turn_over_all() {
  if (!other_) other_ = backward();
  swap_sides();
}

void Navigator::swap_sides() {
  is_backward_ = !is_backward_;
  leave_limits();
  at_ = 0;
}

Recording Navigator::backward() const { return backward_steps(lesson_.recording()); }

WhatIf::Changes Navigator::with(std::string_view change) const {
  return lesson_.with(change, is_backward_ ? nullptr : &step());
}

Navigator::Outcome Navigator::run(WhatIf::Changes changes, bool with_backward) const {
  Outcome outcome{std::move(changes), {}, {}};
  outcome.now = lesson_.run(outcome.changes);
  if (with_backward)
    outcome.backward = backward_steps(outcome.changes.empty() ? lesson_.unchanged() : outcome.now);
  return outcome;
}

// The new run may have other steps, and its gradients are those of its own numbers.
void Navigator::adopt(Outcome outcome) {
  const std::string id = step().id;
  lesson_.adopt(std::move(outcome.changes), std::move(outcome.now));
  other_ = std::move(outcome.backward);
  const std::vector<Step>& steps = recording().steps;
  const auto same = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.id == id; });
  if (same != steps.end()) at_ = static_cast<size_t>(same - steps.begin());
  at_ = std::min(at_, steps.size() - 1);
  if (last_ >= steps.size() || at_ < first_ || at_ > last_) leave_limits();
}

}  // namespace glassgrad::learn
