#include "apps/learn/lesson.h"

#include <algorithm>
#include <stdexcept>

#include "apps/arguments.h"
#include "apps/learn/cat.h"
#include "apps/learn/journey.h"

namespace glassgrad::learn {

std::span<const Lesson* const> lessons() {
  static constexpr const Lesson* all[] = {&journey, &cat};
  return all;
}

const Lesson& find_lesson(std::string_view id) {
  std::vector<std::string> ids;
  for (const Lesson* lesson : lessons()) {
    if (lesson->id == id) return *lesson;
    ids.emplace_back(lesson->id);
  }
  fail<UsageError>("there is no lesson '{}': did you mean {}? `glassgrad learn` lists the lessons", id,
                   nearest(id, ids));
}

Recording record(const Lesson& lesson, const Settings& settings) {
  Teller teller;
  teller.recording_.lesson = &lesson;
  {
    const Watch watch(&teller);
    lesson.tell(teller, settings);
  }
  if (!teller.aside_.empty()) throw std::logic_error("no step shows " + teller.aside_.begin()->first);
  return std::move(teller.recording_);
}

void Teller::step(const char* id, const char* section, std::string title) {
  for (const Step& s : recording_.steps)
    if (s.id == id) throw std::logic_error("two steps are called " + s.id);
  Step& s = recording_.steps.emplace_back();
  s.id = id;
  s.number = static_cast<int>(recording_.steps.size());
  s.section = section;
  s.title = std::move(title);
}

void Teller::code(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    current().code.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

const Tensor& Teller::show(const std::string& name, const Tensor& x) {
  add({.name = name, .value = snapshots_.take(x), .label = {}});
  return x;
}

const Tensor& Teller::print(const std::string& name, const Tensor& x, std::string label) {
  add({.name = name, .value = snapshots_.take(x), .printed = true, .label = std::move(label)});
  return x;
}

void Teller::print_line(std::string line) {
  add({.name = {}, .value = {}, .printed = true, .label = std::move(line)});
}

Tensor Teller::show_next(const std::string& name, const std::string& shown_as) {
  Value value = take_aside(name);
  const Tensor x = value.tensor();
  add({.name = shown_as.empty() ? name : shown_as, .value = std::move(value), .label = {}});
  return x;
}

Value Teller::take_aside(const std::string& name) {
  const auto found = aside_.find(name);
  if (found == aside_.end()) throw std::logic_error("no call has named " + name);
  Value value = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) aside_.erase(found);
  return value;
}

void Teller::scope(const char* name, bool enter) {
  if (enter)
    scopes_.emplace_back(name);
  else
    scopes_.pop_back();
}

void Teller::named(const Tensor& x, const char* name) {
  if (!set_aside_) return;
  std::string qualified;  // the outermost scope is the module that was called
  for (size_t i = 1; i < scopes_.size(); ++i) qualified += fmt::format("{}.", scopes_[i]);
  aside_[qualified + name].push_back(snapshots_.take(x));
}

Step& Teller::current() {
  if (recording_.steps.empty()) throw std::logic_error("a lesson begins with a step");
  return recording_.steps.back();
}

void Teller::add(Entry entry) {
  Step& step = current();
  for (const Entry& e : step.entries)
    if (!entry.name.empty() && e.name == entry.name)
      throw std::logic_error("step " + step.id + " shows two tensors called " + e.name);
  step.entries.push_back(std::move(entry));
}

}  // namespace glassgrad::learn
