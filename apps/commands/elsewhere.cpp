#include "apps/commands/elsewhere.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lessons/places.h"

namespace glassgrad {
namespace {

constexpr size_t kColumns = 80;

// Returns one line per place, ready to be copied into a shell.
std::vector<std::string> lines_of(const std::vector<learn::Place>& places) {
  std::vector<std::string> lines;
  for (const learn::Place& place : places)
    lines.push_back(cut(fmt::format("  {}  # {}", place.command, place.what), kColumns));
  return lines;
}

// Throws Elsewhere if the words name a place.
void lead(std::string_view what, const std::string& words) {
  const std::vector<learn::Place> places = learn::places_of(words);
  if (places.empty()) return;
  throw Elsewhere(fmt::format("there is no {} '{}'; here is what it may mean", what, words),
                  lines_of(places));
}

}  // namespace

void check_is_command(const CLI::App& program) {
  if (has_command(program)) return;
  std::string all, first;
  for (const std::string& word : unread(program)) {
    if (word.starts_with('-')) return;  // report an unknown flag first
    if (first.empty()) first = word;
    all += (all.empty() ? "" : " ") + word;
  }
  if (first.empty()) return;
  lead("command", all);
  lead("command", first);

  const std::vector<std::string> commands = command_names(program);
  std::vector<std::string> names = commands;
  for (std::string& name : learn::known_names()) names.push_back(std::move(name));
  const std::string meant = nearest(first, names);
  const std::vector<learn::Place> places = std::ranges::count(commands, meant) > 0 || !is_near(first, meant)
                                               ? std::vector<learn::Place>()
                                               : learn::places_of(meant);
  throw Elsewhere(fmt::format("there is no command '{}': did you mean {}?", first, meant), lines_of(places));
}

const learn::Lesson& lesson_or_elsewhere(std::string_view name) {
  if (const learn::Lesson* lesson = learn::lesson_or_file(name)) return *lesson;
  lead("lesson", std::string(name));
  return learn::find_lesson(name);
}

}  // namespace glassgrad
