#include "apps/commands/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "apps/ask/mistakes.h"
#include "apps/exercise/course.h"
#include "apps/lesson/document.h"
#include "apps/lesson/glossary.h"
#include "apps/lesson/lesson_files.h"

namespace glassgrad {
namespace {

using Candidates = std::vector<Candidate>;

Candidates lesson_names() {
  Candidates all;
  for (const learn::Lesson* lesson : learn::lessons()) all.push_back({lesson->id, lesson->source});
  return all;
}

Candidates step_names(const learn::Lesson& lesson, const std::string& before = "") {
  Candidates all;
  for (const learn::DocumentStep& step : lesson.document->steps)
    all.push_back({before + step.id, learn::plain_words(step.title)});
  return all;
}

// Returns the words of a description that lists values, like "text, json or svg (text)" or "text, or json:
// every tensor"; empty if it lists none.
Candidates choices_in(std::string text) {
  for (size_t open; (open = text.find(" (")) != text.npos;) {
    const size_t end = std::min(text.find(')', open), text.size() - 1);
    text.erase(open, end + 1 - open);
  }
  text = text.substr(0, std::min(text.find_first_of(";\n"), text.find(": ")));
  Candidates all;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(", ", at), text.size());
    const size_t both = std::min(text.find(" or ", at), text.size());
    const size_t end = std::min(comma, both);
    std::string word = text.substr(at, end - at);
    if (word.starts_with("or ")) word.erase(0, 3);
    at = end == both ? end + 4 : end + 2;
    if (word.find_first_of(" ABCDEFGHIJKLMNOPQRSTUVWXYZ") != word.npos) {
      if (word.find(' ') != word.npos) return {};  // a sentence, no list
      continue;                                    // cuda:N
    }
    all.push_back({word, ""});
  }
  return all.size() > 1 ? all : Candidates();
}

bool is_path(const std::string& shown) {
  for (const char* kind : {"FILE", "DIR", "PATH", "FOLDER", "CHECKPOINT", "FROM", "TO"})
    if (shown == kind || shown.ends_with(std::string("|") + kind) || shown.ends_with(std::string("=") + kind))
      return true;
  return false;
}

// Returns the candidates for an option's value, which the help shows as `shown`.
Completion values_of(const CLI::Option& option, const std::string& shown, const CLI::App& command,
                     const std::vector<std::string>& words, const std::string& current) {
  const auto first = first_name(command, words);
  if (shown == "STEP" || shown == "ADDRESS" || shown == "TENSOR") {
    const learn::Lesson* lesson = first ? learn::lesson_or_file(*first) : nullptr;
    return {lesson ? step_names(*lesson) : Candidates()};
  }
  if (shown == "NAME[#STEP]") {
    const std::string name = current.substr(0, current.find('#'));
    if (const learn::Lesson* lesson = name.size() < current.size() ? learn::lesson_called(name) : nullptr)
      return {step_names(*lesson, name + "#")};
    Candidates all = lesson_names();
    all.push_back({"glossary", "what the words mean"});
    if (current.starts_with("glossary#"))
      for (const learn::GlossaryTerm& term : learn::glossary())
        all.push_back({"glossary#" + term.anchor, learn::plain_words(term.title)});
    return {all};
  }
  if (shown == "COURSE") {
    Candidates all;
    for (const exercise::Course* course : exercise::courses()) all.push_back({course->id, course->title});
    return {all};
  }
  if (shown == "EXERCISE") {
    Candidates all;
    const exercise::Course* course = first ? exercise::course_called(*first) : nullptr;
    if (course)
      for (const exercise::Exercise& e : course->exercises) all.push_back({e.id, e.title});
    return {all};
  }
  if (option.check_lname("bug")) {
    Candidates all;
    for (const learn::ClassicMistake& m : learn::classic_mistakes()) all.push_back({m.name(), m.what()});
    return {all};
  }
  if (shown.starts_with("LESSON") || shown == "A" || shown == "B") {
    const Candidates all = lesson_names();
    const auto begins = [&](const Candidate& c) { return c.word.starts_with(current); };
    return {all, std::none_of(all.begin(), all.end(), begins)};  // it may be the reader's own file
  }
  return {choices_in(option.get_description()), is_path(shown)};
}

Candidates flags_of(const CLI::App& app) {
  Candidates all;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return o->get_group() != kHidden; }))
    for (const std::string& name : option->get_lnames())
      all.push_back({"--" + name, option->get_description()});
  return all;
}

Candidates commands_of(const CLI::App& program) {
  Candidates all;
  for (const CLI::App* command :
       program.get_subcommands([](const CLI::App* c) { return c->get_group() != kHidden; }))
    all.push_back({command->get_name(), command->get_description()});
  return all;
}

bool takes_a_value(const CLI::Option* option) { return option && option->get_items_expected_max() > 0; }

Completion of_command(const CLI::App& command, std::vector<std::string> words) {
  const std::string current = words.back();
  words.pop_back();
  // A shell may split "--from=mask" into three words and complete the last.
  if (!words.empty() && words.back() == "=") words.pop_back();
  if (const size_t equals = current.find('='); current.starts_with("--") && equals != current.npos) {
    const std::string name = current.substr(0, equals);
    const CLI::Option* option = command.get_option_no_throw(name);
    if (!takes_a_value(option)) return {};
    Completion found =
        values_of(*option, option->get_option_text(), command, words, current.substr(equals + 1));
    for (Candidate& candidate : found.candidates) candidate.word.insert(0, name + "=");
    return found;
  }
  const CLI::Option* before =
      !words.empty() && words.back().starts_with('-') ? command.get_option_no_throw(words.back()) : nullptr;
  if (takes_a_value(before)) {
    words.pop_back();
    return values_of(*before, before->get_option_text(), command, words, current);
  }
  if (current.starts_with('-')) return {flags_of(command)};

  size_t place = 0;  // number of earlier words that are neither flags nor flags' values
  for (size_t k = 0; k < words.size(); ++k) {
    if (!words[k].starts_with('-'))
      ++place;
    else if (words[k].find('=') == std::string::npos && takes_a_value(command.get_option_no_throw(words[k])))
      ++k;
  }
  const auto positional = command.get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (positional.empty()) return {};
  const CLI::Option* option = positional[std::min(place, positional.size() - 1)];
  const bool is_one_too_many = place >= positional.size() && option->get_items_expected_max() <= 1;
  if (is_one_too_many) return {};
  return values_of(*option, option->get_name(true), command, words, current);
}

}  // namespace

Completion completion_of(const CLI::App& program, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  if (words.size() > 1 && words[0] == "help") words.erase(words.begin());
  const std::string current = words.back();
  Completion found;
  if (words.size() == 1) {
    found.candidates = current.starts_with('-') ? flags_of(program) : commands_of(program);
  } else if (const CLI::App* command = command_called(program, words[0])) {
    words.erase(words.begin());
    found = of_command(*command, std::move(words));
  }
  std::erase_if(found.candidates,
                [&](const Candidate& c) { return !c.word.starts_with(current == "=" ? "" : current); });
  return found;
}

const char* const kBashCompletion =
    R"(# Completion of glassgrad for bash, made by `glassgrad help --format bash`.
_glassgrad() {
  local line current=${COMP_WORDS[COMP_CWORD]}
  [ "$current" = "=" ] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = / ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _glassgrad glassgrad
)";

const char* const kZshCompletion = R"(#compdef glassgrad
# Completion of glassgrad for zsh, made by `glassgrad help --format zsh`.
local line name
local -a candidates
while IFS= read -r line; do
  if [[ $line == / ]]; then
    _files
  else
    name=${line%%$'\t'*}
    candidates+=("${name//:/\\:}:${line#*$'\t'}")
  fi
done < <(${words[1]} help --complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
_describe glassgrad candidates
)";

}  // namespace glassgrad
