#include "apps/practice/session.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "apps/cli/complain.h"
#include "engine/io/file.h"

namespace glassgrad::practice {

namespace fs = std::filesystem;

std::string path_of_answers(const exercise::Course& course) {
  const std::string state = learn::state_folder();
  return state.empty() ? "" : fmt::format("{}/build/{}.py", state, course.id);
}

exercise::Answers read_answers(const exercise::Course& course, const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return exercise::Answers(course);
  InputFile file(path);
  glassgrad::check(file.size() <= exercise::kMostOfAnswers, "it has {} bytes, and answers have at most {}",
                   file.size(), exercise::kMostOfAnswers);
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  return exercise::Answers(course, text);
}

Session::Session(const exercise::Course& course, uint64_t seed, bool keep)
    : course_(course),
      seed_(seed),
      keep_(keep),
      path_(keep ? path_of_answers(course) : ""),
      answers_(course),
      progress_(keep) {
  try {
    answers_ = read_answers(course, path_);
  } catch (const Error& e) {
    std::error_code error;
    fs::rename(path_, path_ + ".aside", error);
    remark_ = error ? fmt::format("{} is left alone, and nothing is kept: {}", path_, e.what())
                    : fmt::format("{} is now {}.aside: {}", path_, path_, e.what());
    if (error) keep_ = false;
  }
  const exercise::Exercise* const open = answers_.first_open();
  at_ = open ? course.index(*open) : 0;
  arrive();
}

void Session::arrive() {
  text_ = answers_.of(exercise());
  verdict_.reset();
  before_.clear();
  given_.reset();
  hints_ = 0;
  solution_ = false;
}

bool Session::next() {
  if (is_last()) return false;
  ++at_;
  arrive();
  return true;
}

bool Session::back() {
  if (at_ == 0) return false;
  --at_;
  arrive();
  return true;
}

bool Session::go_to(std::string_view name) {
  const exercise::Exercise* const found = course_.find(name);
  if (!found) return false;
  at_ = course_.index(*found);
  arrive();
  return true;
}

const std::vector<std::string>& Session::given() {
  if (!given_) {
    given_.emplace();
    for (exercise::AvailableValue& one : exercise::available_values(course_, exercise(), seed_))
      given_->push_back(std::move(one.text));
  }
  return *given_;
}

void Session::put(std::string text, bool solved) {
  answers_.set(exercise(), text, solved);
  text_ = std::move(text);
  changed_ = true;
}

void Session::take(std::string text, exercise::Verdict verdict) {
  if (text != text_) before_.emplace_back(text_, is_solved());
  put(std::move(text), verdict.kind == exercise::Verdict::Right);
  verdict_ = std::move(verdict);
}

bool Session::hint() {
  if (hints_ == exercise().hints.size()) return false;
  ++hints_;
  return true;
}

bool Session::undo() {
  if (before_.empty()) return false;
  auto [text, solved] = std::move(before_.back());
  before_.pop_back();
  put(std::move(text), solved);
  verdict_.reset();
  return true;
}

void Session::reset() {
  if (!text_.empty()) before_.emplace_back(text_, is_solved());
  put("", false);
  verdict_.reset();
  hints_ = 0;
  solution_ = false;
}

std::string Session::save() {
  if (!keep_ || path_.empty()) return {};
  try {
    if (std::exchange(changed_, false)) {
      fs::create_directories(fs::path(path_).parent_path());
      const std::string text = answers_.text();
      OutputFile file(path_);
      file.write(text.data(), text.size());
      file.commit();
    }
  } catch (const std::exception& e) {
    return message_of(e);
  }
  std::set<std::string> solved;
  for (const exercise::Exercise& e : course_.exercises)
    if (answers_.is_solved(e)) solved.insert(e.id);
  const bool all = solved.size() == course_.exercises.size();
  progress_.note_course(stop(), exercise().id, solved, all);
  return progress_.save();
}

}  // namespace glassgrad::practice
