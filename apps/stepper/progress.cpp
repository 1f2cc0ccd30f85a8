#include "apps/stepper/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/complain.h"
#include "apps/cli/json_number.h"
#include "apps/cli/parse_json.h"
#include "apps/lesson/lesson.h"
#include "engine/io/file.h"

namespace glassgrad::learn {
namespace {

using nlohmann::json;

constexpr uint64_t kMostBytes = 1 << 20;
constexpr size_t kMostReplies = 12;  // per question; the oldest are dropped
constexpr int kDaysBetween[] = {1, 3, 7};
constexpr std::string_view kRight = " right", kWrong = " wrong";

// Returns the folder that an environment variable names; a relative path is ignored.
std::filesystem::path folder(const char* variable) {
  const char* value = std::getenv(variable);
  std::filesystem::path path = value ? value : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

std::string path_of_progress() {
  const std::string state = state_folder();
  return state.empty() ? "" : state + "/progress.json";
}

void expect(bool ok) { check<ValueError>(ok, "it is no progress of glassgrad's"); }

const std::string& text_in(const json& value) {
  expect(value.is_string());
  return value.get_ref<const std::string&>();
}

GivenReply reply_in(const std::string& text) {
  const bool right = text.ends_with(kRight);
  expect(right || text.ends_with(kWrong));
  const auto day = day_of(std::string_view(text).substr(0, text.size() - kRight.size()));
  expect(day.has_value());
  return {*day, right};
}

LessonProgress lesson_in(const json& value) {
  LessonProgress lesson;
  if (value.is_string()) {  // from an older version
    lesson.step = text_in(value);
    lesson.seen.insert(lesson.step);
    return lesson;
  }
  expect(value.is_object());
  for (const auto& [key, part] : value.items()) {
    if (key == "step") {
      lesson.step = text_in(part);
    } else if (key == "seen") {
      expect(part.is_array());
      for (const json& step : part) lesson.seen.insert(text_in(step));
    } else if (key == "guess") {
      lesson.guess = text_in(part);
    } else if (key == "done") {
      expect(part.is_boolean());
      lesson.done = part.get<bool>();
    } else if (key == "questions") {
      expect(part.is_object());
      for (const auto& [question, replies] : part.items()) {
        expect(replies.is_array());
        for (const json& reply : replies)
          lesson.questions[question].replies.push_back(reply_in(text_in(reply)));
      }
    }
  }
  return lesson;
}

Json json_of(const LessonProgress& lesson) {
  Json written = {{"step", lesson.step}, {"seen", lesson.seen}};
  if (!lesson.guess.empty()) written["guess"] = lesson.guess;
  if (lesson.done) written["done"] = true;
  Json questions = Json::object();
  for (const auto& [question, history] : lesson.questions) {
    Json replies = Json::array();
    for (const GivenReply& reply : history.replies)
      replies.push_back(fmt::format("{}{}", text_of(reply.on), reply.right ? kRight : kWrong));
    questions[question] = std::move(replies);
  }
  if (!questions.empty()) written["questions"] = std::move(questions);
  return written;
}

}  // namespace

std::string state_folder() {
  std::filesystem::path state = folder("XDG_STATE_HOME");
  if (state.empty() && !folder("HOME").empty()) state = folder("HOME") / ".local" / "state";
  return state.empty() ? "" : (state / "glassgrad").string();
}

// ---- questions
std::optional<Day> History::due() const {
  std::optional<Day> due;
  size_t interval = 0;
  for (const GivenReply& reply : replies) {
    if (!reply.right)
      interval = 0;
    else if (!due || reply.on < *due)
      continue;  // a right reply before its day does not count
    else
      ++interval;
    due = interval < std::size(kDaysBetween)
              ? std::optional(reply.on + std::chrono::days(kDaysBetween[interval]))
              : std::nullopt;
  }
  return due;
}

std::optional<Day> History::due_after(GivenReply reply) const {
  History then = *this;
  then.replies.push_back(reply);
  return then.due();
}

size_t LessonProgress::right() const {
  return size_t(std::count_if(questions.begin(), questions.end(), [](const auto& q) {
    return !q.second.replies.empty() && q.second.replies.back().right;
  }));
}
size_t LessonProgress::wrong() const {
  return size_t(std::count_if(questions.begin(), questions.end(), [](const auto& q) {
    return !q.second.replies.empty() && !q.second.replies.back().right;
  }));
}

// ---- the file
Progress::Progress(Access access) : path_(access == Access::None ? "" : path_of_progress()) {
  if (!path_.empty()) read();
  if (access == Access::Read) path_.clear();
}

void Progress::read() {
  std::error_code unknown;
  if (!std::filesystem::exists(path_, unknown)) return;
  std::string text;
  try {
    InputFile file(path_);
    if (file.size() > kMostBytes) return keep_aside("it is too large");
    text.resize(file.size());
    file.read(text.data(), text.size());
  } catch (const Error& e) {
    refused_ = e.what();  // a file that cannot be read is not written
    return;
  }
  if (text.empty()) return;
  try {
    take(parse_json(text, path_));
  } catch (const ValueError& e) {
    last_.clear();
    on_path_.clear();
    lessons_.clear();
    keep_aside(e.what());
  }
}

void Progress::take(const json& json) {
  expect(json.is_object());
  for (const auto& [key, value] : json.items()) {
    if (key == "last") last_ = text_in(value);
    if (key == "path") on_path_ = text_in(value);
    if (key != "lessons") continue;
    expect(value.is_object());
    for (const auto& [lesson, progress] : value.items()) lessons_[lesson] = lesson_in(progress);
  }
}

void Progress::keep_aside(const std::string& why) {
  std::string aside;
  for (int k = 1; aside.empty() || std::filesystem::exists(std::filesystem::symlink_status(aside)); ++k)
    aside = fmt::format("{}.damaged{}", path_, k > 1 ? fmt::format("-{}", k) : "");
  std::error_code error;
  std::filesystem::rename(path_, aside, error);
  if (error)
    refused_ = fmt::format("{} cannot be read ({}), and cannot be renamed", path_, why);
  else
    remark_ =
        fmt::format("Your progress could not be read: {}. The file is now {}; a new one begins.", why, aside);
}

std::optional<std::string> Progress::step_of(const std::string& lesson) const {
  const auto found = lessons_.find(lesson);
  return found == lessons_.end() || found->second.step.empty() ? std::nullopt
                                                               : std::optional(found->second.step);
}

const LessonProgress& Progress::of(const std::string& lesson) const {
  static const LessonProgress kNothing;
  const auto found = lessons_.find(lesson);
  return found == lessons_.end() ? kNothing : found->second;
}

const Stop* Progress::present() const {
  const Stop* here = stop_called(on_path_.empty() ? last_ : on_path_);
  if (!here || here->group != Group::Path) here = &stops().front();
  while (here && of(here->id).done) here = path_after(here->id);
  return here;
}

const Stop* Progress::next_after(std::string_view id) const {
  const Stop* next = path_after(id);
  while (next && of(next->id).done) next = path_after(next->id);
  if (next) return next;
  if (const Stop* beside = path_after(id)) return beside;
  const Stop* const here = stop_called(id);
  if (!here || here->group != Group::Path) return nullptr;
  const auto is_open = [&](const Stop& stop) {
    return stop.group == Group::Path && stop.id != id && !of(stop.id).done;
  };
  const auto open = std::find_if(stops().begin(), stops().end(), is_open);
  return open == stops().end() ? nullptr : &*open;
}

void Progress::apply(const Noted& noted) {
  if (noted.is_visit && lesson_called(noted.lesson)) last_ = noted.lesson;
  const Stop* const stop = noted.is_visit ? stop_called(noted.lesson) : nullptr;
  if (stop && stop->group == Group::Path) on_path_ = noted.lesson;
  noted.change(lessons_[noted.lesson]);
}
void Progress::note(Noted noted) { apply(noted_.emplace_back(std::move(noted))); }

void Progress::note(const std::string& lesson, const std::string& step, bool is_end) {
  note({lesson, true, [=](LessonProgress& of) {
          of.step = step;
          of.seen.insert(step);
          of.done = of.done || is_end;
        }});
}
void Progress::note_course(const std::string& course, const std::string& exercise,
                           const std::set<std::string>& solved, bool all) {
  note({course, true, [=](LessonProgress& of) {
          of.step = exercise;
          of.seen = solved;
          of.done = all;
        }});
}
void Progress::guessed(const std::string& lesson, const std::string& word) {
  note({lesson, false, [=](LessonProgress& of) { of.guess = word; }});
}
void Progress::answered(const std::string& lesson, const std::string& question, GivenReply reply) {
  note({lesson, false, [=](LessonProgress& of) {
          std::vector<GivenReply>& replies = of.questions[question].replies;
          replies.push_back(reply);
          if (replies.size() > kMostReplies) replies.erase(replies.begin());
        }});
}
void Progress::forget(const std::string& lesson, const std::string& question) {
  note({lesson, false, [=](LessonProgress& of) { of.questions.erase(question); }});
}

std::string Progress::text() const {
  Json lessons = Json::object();
  for (const auto& [lesson, progress] : lessons_) lessons[lesson] = json_of(progress);
  Json all = {{"last", last_}};
  if (!on_path_.empty()) all["path"] = on_path_;
  all["lessons"] = std::move(lessons);
  return json_text(all, 2) + "\n";
}

std::string Progress::write(const std::string& text) const {
  if (!refused_.empty()) return refused_;
  try {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    OutputFile file(path_);
    file.write(text.data(), text.size());
    file.commit();
  } catch (const std::exception& e) {
    return message_of(e);
  }
  return {};
}

std::string Progress::save() {
  if (path_.empty() || noted_.empty()) return {};
  Progress now(true);
  if (!now.remark_.empty()) now.lessons_ = lessons_, remark_ = now.remark_;  // the file was damaged meanwhile
  for (const Noted& noted : noted_) now.apply(noted);
  std::string problem = now.write(now.text());
  if (problem.empty()) noted_.clear();
  return problem;
}

std::string Progress::reset() {
  last_.clear();
  on_path_.clear();
  lessons_.clear();
  noted_.clear();
  return path_.empty() ? "" : write(text());
}

}  // namespace glassgrad::learn
