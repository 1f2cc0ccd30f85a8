// The command `start`: the first ten minutes.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/text_width.h"
#include "apps/commands/commands.h"
#include "apps/lesson/lesson.h"
#include "apps/screen/loading_screen.h"
#include "apps/screen/screen.h"
#include "apps/start/player.h"
#include "apps/stepper/progress.h"

namespace glassgrad::start {
namespace {

// Returns stdin's first line, if one has already been written. Does not read from a terminal.
std::optional<std::string> line_that_is_there() {
  constexpr int kPatience = 200;  // milliseconds
  std::string line;
  for (char c; ::isatty(STDIN_FILENO) != 1 && line.size() < 100;) {
    pollfd source{STDIN_FILENO, POLLIN, 0};
    if (::poll(&source, 1, kPatience) != 1 || ::read(STDIN_FILENO, &c, 1) != 1 || c == '\n') break;
    line += c;
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

// Makes the story with an untrained model. If a screen can be drawn, it shows a message meanwhile.
LoadingEnd make(std::optional<Story>& story, int64_t steps, bool can_draw, Output& out) {
  if (!can_draw) return story.emplace(steps), LoadingEnd::Whole;
  SignalQueue signals;
  Input input(signals);
  return run_loading_screen(
      {.title = "Guess, train a GPT, look inside",
       .words = "Drawing the numbers of a small GPT at random ..."},
      [&] { story.emplace(steps); }, input, out);
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Interrupted, after saving the reader's place.
  void run(Output& out) const override;

 private:
  size_t first_page() const;
  std::vector<Choice> onward(const std::string& model) const;

  CLI::Option *from_, *steps_, *threads_;
  bool plain_ = false, speak_ = false, no_state_ = false;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "start",
                 "The first ten minutes: guess, train a GPT, look inside", "glassgrad start") {
  from_ = add_value("--from", "N", "First page: its number or name");
  steps_ = add_value("--steps", "N", "Steps of the training (400)");
  add_flag("--plain", plain_, "All pages as text, without keys");
  add_flag("--speak", speak_, "To listen to: sentences, no tables or pictures");
  add_flag("--no-state", no_state_, "Neither read nor remember where you stopped");
  threads_ = add_value("--threads", "N", kThreads);
}

size_t Command::first_page() const {
  const auto name = given(from_);
  if (!name) return 0;
  const auto number = parse_number<size_t>(*name);
  if (number && *number >= 1 && *number <= kPages.size()) return *number - 1;
  const auto found = std::find(kPages.begin(), kPages.end(), *name);
  const std::vector<std::string> names(kPages.begin(), kPages.end());
  check<UsageError>(found != kPages.end(),
                    "--from takes a page from 1 to {} or its name, not '{}': did you mean {}?", kPages.size(),
                    *name, nearest(*name, names));
  return size_t(found - kPages.begin());
}

// Returns the choices after the last page. model: where the trained model will be saved, or empty.
std::vector<Choice> Command::onward(const std::string& model) const {
  std::vector<Choice> choices{
      {"Step through attention, number by number", {"learn", "journey"}},
      model.empty() ? Choice{"See what every part of a GPT computes", {"learn", "gpt"}}
                    : Choice{"See what every part of this GPT computes", {"learn", "gpt", "--model", model}},
      {"Write attention yourself, line by line", {"build", "attention"}}};
  choices.push_back(learn::lesson_called("training")
                        ? Choice{"See how training changes one weight", {"learn", "training"}}
                        : Choice{"See how one head learns", {"learn", "climb"}});
  choices.push_back({"Train a model like this one, and keep it", {"train"}});
  choices.push_back({"Train on a text of your own (asks for its file)", {"train", "--text"}, "File: "});
  return choices;
}

void Command::run(Output& out) const {
  use_threads(threads_);
  const bool terminal = out.is_terminal() && ::isatty(STDIN_FILENO) == 1 && !plain_;
  const bool can_draw = terminal && !speak_ && can_show_screen(out);
  const int64_t steps = given_integer(steps_, 1, 100'000).value_or(kSteps);
  std::optional<Story> made;
  if (const LoadingEnd end = make(made, steps, can_draw, out); end != LoadingEnd::Whole)
    return end == LoadingEnd::Stopped ? history().go_back() : void();
  Story& story = *made;
  learn::Progress progress(terminal && !no_state_);
  StartOptions how{.speak = speak_,
                   .from = first_page(),
                   .history = history(),
                   .progress = progress,
                   .arrived =
                       [&](size_t place) {
                         progress.note(learn::kStart, std::string(kPages[place]), place + 1 == kPages.size());
                       },
                   .guessed = [&](const std::string& word) { progress.guessed(learn::kStart, word); }};
  const std::string folder = progress.path().empty() ? "" : learn::state_folder();
  const std::string model = folder.empty() ? "" : folder + "/start.safetensors";
  Learner learner{{}, onward(model)};
  if (!terminal)
    return show_all(
        story, learner, how,
        [&] {
          const auto line = line_that_is_there();
          return line ? word_meant(*line, story.events()) : std::nullopt;
        },
        out);

  // A reader who has seen the last page begins again.
  const std::string back = std::exchange(history().here.at, {}),
                    known = progress.step_of(learn::kStart).value_or("");
  const auto came_back = std::find(kPages.begin(), kPages.end(), back);
  const auto found = std::find(kPages.begin(), kPages.end(), known);
  const bool goes_on =
      !given(from_) && found != kPages.end() && found != kPages.begin() && *found != kPages.back();
  if (came_back != kPages.end() || goes_on) {
    how.from = size_t((came_back != kPages.end() ? came_back : found) - kPages.begin());
    how.message = "Going on where you stopped; --from 1 begins again";
    if (how.from > kTraining) how.message = "Training the same model again, then on to where you stopped";
  }
  if (how.from > 0) learner.guess = word_meant(progress.of(learn::kStart).guess, story.events());
  {
    SignalQueue signals;
    Input input(signals);
    try {
      can_draw ? show_on_screen(story, learner, how, input, out)
               : show_by_lines(story, learner, how, input, out);
    } catch (...) {
      progress.save();
      throw;
    }
  }
  if (const std::string problem = progress.save(); !problem.empty())
    out.write(fmt::format("Your place is not remembered: {}\n", printable(problem)));
  if (!model.empty() && history().next && !history().next->words.empty() &&
      history().next->words.back() == model) {
    std::error_code unknown;
    std::filesystem::create_directories(folder, unknown);  // save reports the problem
    story.save(model);
  }
  if (can_draw && !history().next && progress.step_of(learn::kStart) != kPages.back())
    out.write("glassgrad start goes on here.\n");
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::start
