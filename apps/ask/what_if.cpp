#include "apps/ask/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/ask/cell_names.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/settings.h"
#include "engine/core/joined.h"
#include "engine/core/utf8.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kChange = "STEP:TENSOR[i,j]=V, such as masked-scores:masked[1,0]=0.5";

double parse_real(std::string_view text, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::pair<std::string_view, double> kWords[] = {
      {"inf", kInfinity}, {"-inf", -kInfinity}, {"nan", std::numeric_limits<double>::quiet_NaN()}};
  for (const auto& [word, value] : kWords)
    if (lower(text) == word) return value;
  const auto value = parse_number<double>(text);
  check<UsageError>(value.has_value(), "'{}' is not a number: write one such as 0.5, -inf or nan", text);
  check<UsageError>(dtype != float32 || std::abs(*value) <= double(std::numeric_limits<float>::max()),
                    "{} is too large for a float32: the largest is {}; inf is infinity", text,
                    std::numeric_limits<float>::max());
  return *value;
}

int64_t parse_whole(std::string_view text, DType dtype) {
  if (dtype == boolean) {
    const std::string word = lower(text);
    const bool yes = word == "true" || word == "1";
    check<UsageError>(yes || word == "false" || word == "0", "'{}' is not a bool: write true or false", text);
    return yes;
  }
  const auto value = parse_number<int64_t>(text);
  check<UsageError>(value.has_value(), "'{}' is not a whole number", text);
  return *value;
}

// Splits "mask[0,1]=0.5" into "mask[0,1]" and "0.5".
std::pair<std::string_view, std::string_view> parts_of(std::string_view change) {
  const size_t equals = change.rfind('=');
  check<UsageError>(equals != change.npos && equals > 0 && equals + 1 < change.size(), "'{}' is not {}",
                    change, kChange);
  return {trimmed(change.substr(0, equals)), trimmed(change.substr(equals + 1))};
}

// Returns the cell with these names, if this run has it.
std::optional<Address> look_up(const Recording& recording, const std::string& step, const std::string& tensor,
                               const Dims& cell) {
  const auto in = [&](const Step& s) -> std::optional<Address> {
    for (const Entry& e : s.entries) {
      if (s.id != step || e.name != tensor || !e.value || e.value->shape().n != cell.n) continue;
      bool inside = true;
      for (int d = 0; d < cell.n; ++d) inside = inside && cell[d] < e.value->shape()[d];
      if (inside) return Address{&s, &e, cell};
    }
    return {};
  };
  for (const Step& s : recording.steps)
    if (auto address = in(s)) return address;
  return in(recording.given);
}

}  // namespace

Scalar parse_value(std::string_view text, DType dtype) {
  Scalar value{.dtype = dtype};
  if (is_floating(dtype))
    value.real = parse_real(text, dtype);
  else
    value.whole = parse_whole(text, dtype);
  return value;
}

WhatIf::WhatIf(Runner runner, std::string flags, Keep keep)
    : runner_(std::move(runner)),
      base_(record(runner_, std::move(flags), keep)),
      keep_(keep == Keep::Backward ? keep : Keep::Calls) {}

WhatIf::Change WhatIf::parse(std::string_view change, const Step* here) const {
  const auto [cell, text] = parts_of(change);
  const Address address = find_cell(recording(), cell, here);
  check<UsageError>(
      address.entry->whose != Whose::View,
      "{} was computed for you to see, not by the program: nothing comes of it. Set one of the numbers "
      "that it comes from",
      to_text(address));
  return {.lines = {},
          .step = address.step->id,
          .tensor = address.entry->name,
          .cell = address.cell,
          .value = parse_value(text, address.entry->value->dtype()),
          .text = std::string(text)};
}

WhatIf::Changes WhatIf::parse(const std::vector<std::string>& given) const {
  Changes changes = changes_;
  for (const std::string& change : given) changes.push_back(parse(change, nullptr));
  return changes;
}

WhatIf::Changes WhatIf::with(std::string_view change, const Step* here) const {
  Changes changes = changes_;
  changes.push_back(parse(change, here));
  return changes;
}

WhatIf::Changes WhatIf::with_line(int line, const std::string& text) const {
  Changes changes = changes_;
  std::vector<ChangedLine> lines = learn::edit(recording(), line, text);
  check<UsageError>(lines[0].text != lines[0].before, "line {} is that already", lines[0].line);
  // Put the line that runs first. For a line in a call, that is the line in the function.
  std::stable_partition(lines.begin(), lines.end(), [](const ChangedLine& l) { return l.runs; });
  changes.push_back(
      {.lines = std::move(lines), .step = {}, .tensor = {}, .cell = {}, .value = {}, .text = text});
  return changes;
}

WhatIf::Changes WhatIf::without_last() const {
  Changes changes = changes_;
  if (!changes.empty()) changes.pop_back();
  return changes;
}

void WhatIf::set(std::string_view change, const Step* here) { apply(with(change, here)); }

void WhatIf::set(const std::vector<std::string>& given) {
  if (given.empty()) return;
  keep_calls_of_base();  // a recording with calls also has the names of inputs and parameters
  apply(parse(given));
}

Recording WhatIf::set_once(const std::vector<std::string>& given) && {
  if (given.empty()) return std::move(base_);
  keep_calls_of_base();
  const Changes changes = parse(given);
  Start first = start(changes);
  base_.trace.reset();
  return run(changes, std::move(first));
}

void WhatIf::edit(int line, const std::string& text) { apply(with_line(line, text)); }

bool WhatIf::take_back() {
  if (changes_.empty()) return false;
  apply(without_last());
  return true;
}

std::vector<std::optional<Origin>> WhatIf::origins(const Changes& changes, const Recording& recording) {
  std::vector<std::optional<Origin>> found;
  for (const Change& c : changes) {
    found.emplace_back();
    if (!c.lines.empty()) continue;
    const auto address = look_up(recording, c.step, c.tensor, c.cell);
    if (!address) continue;
    found.back() = origin(recording, element_of(*address));
    check<UsageError>(found.back().has_value(),
                      "{} is computed where no change reaches it: set one of the numbers it comes from",
                      to_text(*address));
  }
  return found;
}

void WhatIf::set_numbers(const Changes& changes, Start& start, const Recording& recording) {
  start.patch.pokes.clear();
  start.patch.given.clear();
  for (size_t i = 0; i < changes.size(); ++i)
    if (start.set[i]) poke(start.patch, recording, *start.set[i], changes[i].value, PokeKind::Set);
}

void WhatIf::keep_calls_of_base() {
  if (base_.trace) return;
  std::string flags = std::move(base_.flags);
  base_ = {};  // free its memory before the next run
  base_ = record(runner_, std::move(flags), keep_);
}

Recording WhatIf::run(const Changes& changes) const {
  return changes.empty() ? Recording() : run(changes, start(changes));
}

WhatIf::Start WhatIf::start(const Changes& changes) const {
  Start start{.set = {}, .patch = {}};
  std::vector<ChangedLine>& lines = start.patch.lines;
  for (const Change& c : changes) lines.insert(lines.end(), c.lines.begin(), c.lines.end());
  const bool numbers =
      std::any_of(changes.begin(), changes.end(), [](const Change& c) { return c.lines.empty(); });
  Recording rewritten;  // a run of the changed program, whose cells may have moved
  if (!lines.empty() && numbers) rewritten = run(changes, start.patch);
  const Recording& from = rewritten.lesson ? rewritten : base_;
  start.set = origins(changes, from);
  set_numbers(changes, start, from);
  return start;
}

Recording WhatIf::run(const Changes& changes, const Patch& patch) const {
  const auto stopped = [&](const std::exception& e) {
    std::vector<std::string> all;
    for (const Change& c : changes)
      if (c.lines.empty()) all.push_back(fmt::format("{}={}", c.cell_name(), c.text));
    if (all.empty()) fail("{}", e.what());
    fail("with {} the lesson cannot go on: {}", joined(all, " and "), e.what());
  };
  try {
    return runner_(keep_, patch);
  } catch (const Error& e) {
    stopped(e);
  } catch (const UsageError& e) {  // the settings were valid before the change
    stopped(e);
  }
  return {};
}

// Describes a change, with the value before it.
std::string WhatIf::describe_change(const Change& c) const {
  if (!c.lines.empty()) {
    const ChangedLine& l = c.lines.front();
    return fmt::format("line {}: {} -> {}", l.line, trimmed(l.before), trimmed(l.text));
  }
  const auto address = look_up(base_, c.step, c.tensor, c.cell);
  const Scalar before = address ? element(address->entry->value->tensor(), c.cell) : c.value;
  const auto [from, to] = told_apart(before, c.value);
  return fmt::format("{} {} -> {}", c.cell_name(), from, to);
}

// A change can cause a different call to write the cell of a later change. So repeats the run until every
// cell is set after the call that writes it in that same run. The earliest cell is right from the first run
// on, so this ends.
Recording WhatIf::run(const Changes& changes, Start start) const {
  Recording now;
  std::vector<std::optional<Origin>>& set = start.set;
  for (size_t runs = 0; runs <= changes.size(); ++runs) {
    if (runs > 0) set_numbers(changes, start, now);
    now = {};
    now = run(changes, start.patch);
    std::vector<std::optional<Origin>> found = origins(changes, now);
    if (found == set) break;
    set = std::move(found);
  }

  now.flags = base_.flags;
  std::vector<std::string> texts;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Change& c = changes[i];
    texts.push_back(describe_change(c));
    if (!c.lines.empty()) continue;
    check<UsageError>(set[i].has_value(), "with the other changes there is no {} any more", c.cell_name());
    now.flags += as_typed("--set", fmt::format("{}={}", c.cell_name(), c.text));
  }
  const auto is_set = [&](const Address& address) {
    const auto here = origin(now, element_of(address));
    return here && std::find(set.begin(), set.end(), here) != set.end();
  };
  for (const Change& c : changes)
    if (!c.lines.empty())
      now.edits += fmt::format("{}line {}: {}", now.edits.empty() ? "  # " : "; ", c.lines.front().line,
                               trimmed(c.lines.front().text));
  note_differences(base_, now, std::move(texts), is_set);
  return now;
}

void WhatIf::adopt(Changes changes, Recording now) {
  changes_ = std::move(changes);
  now_ = std::move(now);
}

void WhatIf::apply(Changes changes) {
  keep_calls_of_base();
  Recording now = run(changes);
  adopt(std::move(changes), std::move(now));
}

}  // namespace glassgrad::learn
