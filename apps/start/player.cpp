#include "apps/start/player.h"

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "engine/io/file.h"

namespace glassgrad::start {
namespace {

std::string heading(size_t place, const Page& page) {
  return fmt::format("{} of {}: {}", place + 1, kPages.size(), page.title);
}

std::string text_of(const std::string& heading, const Page& page, bool speak, const Output& out) {
  const size_t columns = out.screen().columns;
  return speak ? page.spoken(heading) : page.plain(heading, columns ? columns - 1 : 80);
}

std::string opened_text(const Page& page, bool speak, const Output& out) {
  std::string text;
  for (const Page& opened : page.opened) text += text_of(opened.title, opened, speak, out);
  return text;
}

// Trains without showing a curve. `look` is called between steps.
void train(
    Story& story, Output& out, const std::function<void()>& look = [] {}) {
  out.flush();  // what was shown so far can be read meanwhile
  for (; !story.is_trained(); look()) story.step();
  story.finish();
}

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::string problem_of_file(const std::string& path) {
  try {
    InputFile file(path);
    return {};
  } catch (const Error& e) {
    return printable(e.what()) + ". ";
  }
}

std::optional<std::string> word_meant(const std::string& line, const std::vector<std::string>& words) {
  const std::string typed = lower(without_spaces(line));
  const auto number = parse_number<size_t>(typed);
  for (size_t i = 0; i < words.size(); ++i)
    if (typed == words[i] || number == i + 1) return words[i];
  return {};
}

void show_all(Story& story, Learner learner, const StartOptions& how,
              const std::function<std::optional<std::string>()>& guess, Output& out) {
  for (size_t place = how.from; place < kPages.size(); ++place) {
    if (place >= kTraining && !story.is_finished()) {
      train(story, out);
      learner.guess = guess();
    }
    how.arrived(place);
    const Page page = make_page(place, story, learner);
    out.write(text_of(heading(place, page), page, how.speak, out) + opened_text(page, how.speak, out));
    if (how.speak) out.write("\n");
  }
}

namespace {

// Reads the commands for one page. A command leads to a different page, out, or nowhere.
class TypedCommands {
 public:
  TypedCommands(Story& story, Learner& learner, const StartOptions& how, Input& input, Output& out)
      : story_(story), learner_(learner), how_(how), input_(input), out_(out) {}

  // Returns the next place, or nothing at the end; how_.history then has what follows.
  std::optional<size_t> answer(size_t place, const Page& page) {
    while (true) {
      const learn::Stop* const after =
          place + 1 < kPages.size() ? nullptr : how_.progress.next_after(learn::kStart);
      out_.write(fmt::format("{}Enter {}, b back, {}q quit: ", page.choices.empty() ? "" : "A number, ",
                             after ? "on to " + after->name : "next",
                             page.opened.empty() ? "" : "i opens " + page.opens + ", "));
      const std::optional<std::string> line = read();
      if (!line || *line == "q") return {};
      if (*line == "b") return place - (place > 0);
      if (line->empty() && place + 1 == kPages.size()) return go_on(), std::nullopt;
      if (line->empty()) return place + 1;
      if (const auto word = word_meant(*line, story_.events()); place == 0 && word) {
        learner_.guess = word;
        how_.guessed(*word);
        return place + 1;
      }
      const auto number = parse_number<size_t>(*line);
      if (*line == "i" && !page.opened.empty())
        out_.write(opened_text(page, how_.speak, out_));
      else if (!number || *number < 1 || *number > page.choices.size())
        out_.write("That means nothing here.\n");
      else if (choose(page.choices[*number - 1]))
        return {};
    }
  }

 private:
  void go_on() {
    if (const learn::Stop* next = how_.progress.next_after(learn::kStart)) go_to(next->words);
  }
  void go_to(std::vector<std::string> words) {
    how_.history.behind.push_back({how_.history.here.words});
    how_.history.go({std::move(words)});
  }
  std::optional<std::string> read() {
    out_.flush();
    const std::optional<std::string> line = input_.line();
    if (line) return std::string(without_spaces(*line));
    out_.write("\n");
    return {};
  }
  // Follows a choice; if it needs a file, asks until one can be read. Returns false if no file was named.
  bool choose(const Choice& choice) {
    std::vector<std::string> words = choice.arguments;
    for (std::string problem = choice.asks; !problem.empty();) {
      out_.write(problem == choice.asks ? problem : problem + choice.asks);
      const std::optional<std::string> typed = read();
      if (!typed) return true;  // the end of the input
      if (typed->empty()) return false;
      problem = problem_of_file(*typed);
      if (problem.empty()) words.push_back(*typed);
    }
    go_to(std::move(words));
    return true;
  }

  Story& story_;
  Learner& learner_;
  const StartOptions& how_;
  Input& input_;
  Output& out_;
};

}  // namespace

void show_by_lines(Story& story, Learner learner, const StartOptions& how, Input& input, Output& out) {
  if (!how.message.empty()) out.write(how.message + "\n");
  TypedCommands commands(story, learner, how, input, out);
  for (size_t place = how.from; place < kPages.size();) {
    if (place >= kTraining && !story.is_finished()) {
      out.write("Training now: some seconds.\n");
      train(story, out, [&] { input.look(); });
    }
    how.arrived(place);
    const Page page = make_page(place, story, learner);
    out.write(text_of(heading(place, page), page, how.speak, out));
    const std::optional<size_t> next = commands.answer(place, page);
    if (!next) return;
    place = *next;
  }
}

}  // namespace glassgrad::start
