#include "apps/practice/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/clock.h"
#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/exercise/answers.h"
#include "apps/exercise/verdict.h"
#include "engine/io/file.h"

namespace glassgrad::practice {
namespace {

namespace fs = std::filesystem;
using exercise::Verdict;

constexpr double kSecondsOfAnswer = 2, kSecondsOfStudent = 20;
constexpr size_t kName = 24;  // columns

// The same on every machine; a student's numbers change only with the file's name.
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

char mark(const Verdict& v) {
  constexpr char kMarks[] = {'+', '-', '!', 'o', '.'};
  return kMarks[v.kind];
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
    std::string line = left_aligned(printable(name), kName) + " ";
    try {
      const exercise::Answers answers = answers_of(course, path.string());
      const double end = seconds_now() + kSecondsOfStudent;
      size_t right = 0;
      Json verdicts = Json::object();
      for (const auto& e : course.exercises) {
        Verdict verdict;
        if (seconds_now() < end) {
          verdict = exercise::check(course, e, answers.of(e), own_seed, {.seconds = kSecondsOfAnswer});
        } else if (!answers.of(e).empty()) {
          verdict.kind = Verdict::Stopped;
          verdict.sentence = "It was not run: the answers before it took too long.";
        }
        right += verdict.kind == Verdict::Right;
        line += fmt::format("  {}", mark(verdict));
        verdicts[e.id] = json_of(verdict);
      }
      line += fmt::format("   {} of {}", right, course.exercises.size());
      row["right"] = right;
      row["of"] = course.exercises.size();
      row["exercises"] = std::move(verdicts);
    } catch (const Error& e) {
      ++unread;
      line += printable(std::string("cannot be read: ") + e.what());
      row["error"] = printable(e.what());
    }
    out.write(json ? json_text(row) + "\n" : line + "\n");
    out.flush();
  }
  if (!json)
    out.write("\n+ right   - wrong   ! does not run   o stopped: too long or too large   . no answer\n");
  out.flush();
  if (unread > 0) fail("{} of {} files could not be read", unread, files.size());
}

}  // namespace glassgrad::practice
