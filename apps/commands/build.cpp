// The command `build`: courses in which the learner writes the missing lines.
#include "apps/commands/commands.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson_files.h"
#include "apps/page/course_page.h"
#include "apps/page/document.h"
#include "apps/practice/exercise_page.h"
#include "apps/practice/grade.h"
#include "apps/practice/practice.h"
#include "engine/io/file.h"

namespace glassgrad::build {
namespace {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Error if a file cannot be read or an answer is not right.
  void run(Output& out) const override;

 private:
  void answer(const exercise::Course& course, const std::string& assignment, uint64_t seed,
              Output& out) const;

  CLI::Option *course_, *from_, *answer_, *grade_, *seed_, *html_;
  bool site_ = false, step_ = false, speak_ = false, no_state_ = false, json_ = false;
};

// Returns a course of the program, or a course made from any lesson or file with blanks.
const exercise::Course& find_course(const std::string& name) {
  if (const exercise::Course* course = exercise::course_called(name)) return *course;
  if (const learn::Lesson* lesson = learn::lesson_or_file(name); lesson && lesson->document) {
    const learn::Document& document = *lesson->document;
    const auto has_hints = [](const learn::DocumentStep& s) { return !s.hints.empty(); };
    if (document.group != learn::Group::Own &&
        std::none_of(document.steps.begin(), document.steps.end(), has_hints))
      throw UsageError(fmt::format(
          "{} is a lesson without exercises: `glassgrad learn {}` steps through it, `glassgrad build` "
          "lists the courses",
          document.id, document.id));
    static std::unique_ptr<const exercise::Course> own;
    own = std::make_unique<const exercise::Course>(exercise::course_of(document));
    return *own;
  }
  std::vector<std::string> names;
  for (const exercise::Course* course : exercise::courses()) names.push_back(course->id);
  throw UsageError(
      fmt::format("no course is called '{}': did you mean {}?", printable(name), nearest(name, names)));
}

const exercise::Exercise& find_exercise(const exercise::Course& course, std::string_view name) {
  if (const exercise::Exercise* found = course.find(name)) return *found;
  std::vector<std::string> names;
  for (const exercise::Exercise& e : course.exercises) names.push_back(e.id);
  throw UsageError(fmt::format("{} has no exercise '{}', only 1 to {}: did you mean {}?", course.id,
                               printable(name), names.size(), nearest(name, names)));
}

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "build",
                 "Write the missing lines of attention and a GPT yourself", "glassgrad build attention") {
  course_ = add_value(
      "COURSE", "",
      "A course, or a file of your own with blanks; without it, list the courses and what you have solved");
  from_ = add_value("--from", "EXERCISE", "Begin here: a number or a name (the first that is not solved)");
  add_flag("--step", step_, "Line by line: hint, solution, next, back, quit; everything else is your answer");
  add_flag("--speak", speak_, "To listen to: one sentence a line, no matrices");
  add_flag("--no-state", no_state_, "Neither read nor keep your answers");
  seed_ = add_value("--seed", "N", "Draw the numbers with this seed (123)");
  html_ = add_value("--html", "FILE",
                    "Write a page instead: the course in any browser, offline; - for the output");
  add_flag("--site", site_,
           "With --html: a page of the site that make site writes, with links to the others");
  const char* check = "Check files";
  answer_ = add_value("--answer", "EXERCISE=FILE", "Is this the line? Exit code 1 if not", check);
  grade_ = add_value("--grade", "FOLDER", "Check a class: NAME.py of each student, as the program keeps them",
                     check);
  add_flag("--json", json_, "With --answer and --grade: a line of JSON for each", check);
}

void Command::answer(const exercise::Course& course, const std::string& assignment, uint64_t seed,
                     Output& out) const {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) throw UsageError("--answer takes EXERCISE=FILE");
  const exercise::Exercise& e = find_exercise(course, std::string_view(assignment).substr(0, equals));
  InputFile file(assignment.substr(equals + 1));
  glassgrad::check(file.size() <= exercise::kMostOfAnswers, "{}: an answer has at most {} bytes", file.path(),
                   exercise::kMostOfAnswers);
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  const exercise::Verdict verdict = exercise::check(course, e, text, seed);
  if (json_) {
    out.write(json_text(json_of(verdict)) + "\n");
  } else if (speak_) {
    for (const std::string& sentence : practice::spoken_verdict(verdict)) out.write(sentence + "\n");
  } else {
    out.write(practice::text_of(practice::verdict_lines(verdict, 80)));
  }
  out.flush();
  if (verdict.kind != exercise::Verdict::Right) fail("the answer to {} is not right", e.id);
}

void Command::run(Output& out) const {
  const std::optional<std::string> name = given(course_);
  const uint64_t seed = given_seed(seed_).value_or(123);
  if (!name) {
    if (given(answer_) || given(grade_) || given(from_) || given(html_))
      throw UsageError("which course? `glassgrad build` lists them");
    return practice::list_courses(!no_state_, out);
  }
  const exercise::Course& course = find_course(*name);
  if (given(answer_) && given(grade_)) throw UsageError("--answer and --grade exclude each other");
  if ((given(answer_) || given(grade_)) && (given(from_) || step_ || no_state_))
    throw UsageError("--answer and --grade check files: leave --from, --step and --no-state out");
  if (json_ && !given(answer_) && !given(grade_)) throw UsageError("--json goes with --answer or --grade");
  if (site_ && !given(html_)) throw UsageError("--site goes with --html");
  if (const auto path = given(html_)) {
    if (path->empty()) throw UsageError("--html takes the path of a file, not ''");
    if (given(from_) || given(answer_) || given(grade_) || step_ || speak_)
      throw UsageError("--html writes the whole course: give it alone or with --seed");
    return explorer::write_page(*path, explorer::course_page(course, seed, site_), out);
  }
  if (const auto assignment = given(answer_)) return answer(course, *assignment, seed, out);
  if (const auto folder = given(grade_)) return practice::grade(course, *folder, seed, json_, out);

  practice::Session session(course, seed, !no_state_);
  if (const auto from = given(from_)) session.go_to(find_exercise(course, *from).id);
  const bool terminal = out.is_terminal() && ::isatty(STDIN_FILENO) == 1;
  practice::practise(session, {.terminal = terminal, .lines = step_, .speak = speak_}, history(), out);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::build
