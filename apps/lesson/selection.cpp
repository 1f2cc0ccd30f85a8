#include "apps/lesson/selection.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/document.h"

namespace glassgrad::learn {
namespace {

bool is_in_section(const Step& step, std::string_view section) {
  const std::string_view whole = step.section;
  return whole.starts_with(section) &&
         (whole.size() == section.size() || whole[section.size()] == '.' || whole[section.size()] == ' ');
}

}  // namespace

std::string command_of(const Recording& recording, std::string_view more) {
  const std::string id = recording.lesson->id;
  const char* const file = recording.lesson->own_file;
  if (recording.lesson->run_by)
    return fmt::format("{}{}{} {}", recording.lesson->run_by, recording.flags, more, file);
  const std::string what = file ? as_typed("learn", file) : lesson_called(id) ? " learn " + id : "";
  return fmt::format("glassgrad{}{}{}", what, recording.flags, more);
}

std::string section_text(const Step& step, std::string_view after) {
  if (step.section.empty()) return "";
  const bool numbered = step.section[0] >= '0' && step.section[0] <= '9';
  const std::string number = step.section.substr(0, step.section.find(' '));
  return numbered ? fmt::format("section {}{}", number, after) : fmt::format("{}{}", step.section, after);
}

std::string anchor(const Recording& recording, const Step& step) {
  if (!recording.lesson->has_chapter)
    return command_of(recording, fmt::format(" --from {0} --to {0}", step.id)) + recording.edits;
  return fmt::format("docs/{}.md#{}", recording.lesson->id, step.about.empty() ? step.id : step.about);
}

namespace {

// Returns the present address of a step that may be named by an older one.
std::string_view address_now(const Recording& recording, std::string_view address) {
  const Document* const document = recording.lesson->document;
  const DocumentStep* const found = document ? document->step(address) : nullptr;
  return found ? found->id : address;
}

const std::string* moved_to(const Recording& recording, std::string_view address) {
  return recording.lesson->document ? recording.lesson->document->moved_to(address) : nullptr;
}

}  // namespace

void check_not_moved(const Recording& recording, std::string_view address) {
  const std::string_view step = address.substr(0, address.find(':'));
  if (const std::string* lesson = moved_to(recording, step))
    fail<UsageError>("{} is in the lesson {} now: glassgrad why {} {}", step, *lesson, *lesson, address);
}

Steps find_steps(const Recording& recording, std::string_view step) {
  const Steps all = recording.steps;
  const std::string_view now = address_now(recording, step);
  for (const Step& s : all)
    if (s.id == now || s.place() == step) return {&s, 1};
  if (const std::string* lesson = moved_to(recording, step))
    fail<UsageError>("{} is in the lesson {} now: glassgrad learn {} --from {}", step, *lesson, *lesson,
                     step);
  const bool section = step.find('.') != std::string_view::npos;
  const auto inside = [&](const Step& s) { return section && is_in_section(s, step); };
  const auto first = std::find_if(all.begin(), all.end(), inside);
  if (first != all.end()) {
    const auto last = std::find_if(all.rbegin(), all.rend(), inside);
    return {first, last.base()};
  }
  const bool number = !step.empty() && step.front() >= '0' && step.front() <= '9';
  check<UsageError>(section || !number, "{} has no step '{}': its steps are 1 to {}", recording.lesson->id,
                    step, recording.main_step_count());
  std::vector<std::string> names;
  for (const Step& s : all) names.push_back(number ? s.section : s.id);
  fail<UsageError>("{} has no step '{}': did you mean {}? `{}` shows all", recording.lesson->id, step,
                   nearest(step, names), command_of(recording, " --list"));
}

Steps select_steps(const Recording& recording, const std::optional<std::string>& from,
                   const std::optional<std::string>& to) {
  const Steps all = recording.steps;
  const Step* first = from ? find_steps(recording, *from).data() : all.data();
  const Step* last = to ? &find_steps(recording, *to).back() : &all.back();
  check<UsageError>(first <= last, "--from is step {}, which comes after --to, step {}", first->place(),
                    last->place());
  return {first, last + 1};
}

}  // namespace glassgrad::learn
