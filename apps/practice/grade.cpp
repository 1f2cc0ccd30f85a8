#include "apps/practice/grade.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/clock.h"
#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/exercise/answers.h"
#include "apps/exercise/verdict.h"
#include "apps/practice/apart.h"
#include "engine/io/file.h"

namespace glassgrad::practice {
namespace {

namespace fs = std::filesystem;
using exercise::Verdict;

constexpr double kSecondsOfAnswer = 2, kSecondsOfStudent = 20;
// Limits of the process that runs a student's answers, in case the narrower limits of each answer fail.
constexpr ProcessLimits kProcessLimits{.bytes = size_t{2} << 30, .seconds = 60};
constexpr size_t kName = 24;  // columns

// Returns a student's seed. It depends only on the file's name and `seed`: the same on every machine.
uint64_t seed_of(std::string_view name, uint64_t seed) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return (hash ^ seed) % 1'000'000'007;
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> all;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".py") all.push_back(at->path());
  glassgrad::check(!error, "{}: {}", printable(folder), error.message());
  std::sort(all.begin(), all.end());
  return all;
}

exercise::Answers answers_of(const exercise::Course& course, const std::string& path) {
  InputFile file(path);
  glassgrad::check(file.size() <= exercise::kMostOfAnswers, "it has {} bytes, and answers have at most {}",
                   file.size(), exercise::kMostOfAnswers);
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  return exercise::Answers(course, text);
}

// A verdict as it is passed from one process to another: its mark and its JSON.
struct Reported {
  char mark;
  std::string json;
};
Reported reported(const Verdict& v) {
  constexpr char kMarks[] = {'+', '-', '!', 'o', '.'};
  return {kMarks[v.kind], json_text(json_of(v))};
}

Verdict stopped(const char* sentence, uint64_t seed) {
  Verdict v;
  v.kind = Verdict::Stopped;
  v.sentence = sentence;
  v.seed = std::to_string(seed);
  return v;
}

// Returns the verdicts on a student's answers, one per exercise. The answers run in a separate process. If an
// answer ends the process, a new process continues with the answer after it.
std::vector<Reported> verdicts(const exercise::Course& course, const exercise::Answers& answers,
                               uint64_t seed) {
  std::vector<Reported> all;
  const double end = seconds_now() + kSecondsOfStudent;
  const auto check = [&](const exercise::Exercise& e) {
    if (seconds_now() < end)
      return exercise::check(course, e, answers.of(e), seed, {.seconds = kSecondsOfAnswer});
    if (answers.of(e).empty()) return Verdict();
    return stopped("It was not run: the answers before it took too long.", seed);
  };
  while (all.size() < course.exercises.size()) {
    const size_t first = all.size();
    const auto run = [&](const Hear& say) {
      for (size_t k = first; k < course.exercises.size(); ++k) {
        const Reported one = reported(check(course.exercises[k]));
        say(one.mark + one.json);
      }
    };
    const auto hear = [&](const std::string& line) { all.push_back({line[0], line.substr(1)}); };
    if (!run_apart(kProcessLimits, run, hear) && all.size() < course.exercises.size())
      all.push_back(reported(stopped("It was stopped: it ended the process that ran it.", seed)));
  }
  return all;
}

}  // namespace

void grade(const exercise::Course& course, const std::string& folder, uint64_t seed, bool json, Output& out) {
  const std::vector<fs::path> files = files_of(folder);
  glassgrad::check(!files.empty(), "{} has no file NAME.py", printable(folder));
  size_t unread = 0;
  if (!json) {
    out.write(fmt::format("{} ", left_aligned("student", kName)));
    for (const auto& e : course.exercises) out.write(fmt::format("{:>3}", course.index(e) + 1));
    out.write("   right\n");
  }
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    const uint64_t own_seed = seed_of(name, seed);
    Json row{{"student", name}, {"course", course.id}, {"seed", std::to_string(own_seed)}};
    std::string line = left_aligned(printable(name), kName) + " ", by_name;
    try {
      const exercise::Answers answers = answers_of(course, path.string());
      const std::vector<Reported> all = verdicts(course, answers, own_seed);
      const auto right =
          std::count_if(all.begin(), all.end(), [](const Reported& v) { return v.mark == '+'; });
      for (const auto& e : course.exercises) {
        const Reported& verdict = all[course.index(e)];
        line += fmt::format("  {}", verdict.mark);
        by_name += fmt::format("{}\"{}\":{}", by_name.empty() ? "" : ",", e.id, verdict.json);
      }
      line += fmt::format("   {} of {}", right, course.exercises.size());
      row["right"] = right;
      row["of"] = course.exercises.size();
    } catch (const Error& e) {
      ++unread;
      line += printable(std::string("cannot be read: ") + e.what());
      row["error"] = printable(e.what());
    }
    if (json) line = json_text(row);
    if (json && !by_name.empty()) line.insert(line.size() - 1, ",\"exercises\":{" + by_name + "}");
    out.write(line + "\n");
    out.flush();
  }
  if (!json)
    out.write("\n+ right   - wrong   ! does not run   o stopped: too long or too large   . no answer\n");
  out.flush();
  if (unread > 0) fail("{} of {} files could not be read", unread, files.size());
}

}  // namespace glassgrad::practice
