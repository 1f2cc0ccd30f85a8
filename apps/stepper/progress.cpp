#include "apps/stepper/progress.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/complain.h"
#include "apps/cli/json_number.h"
#include "apps/cli/parse_json.h"
#include "engine/io/file.h"

namespace glassgrad::learn {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMostBytes = 1 << 20;

// A folder that an environment variable names; a relative one is to be ignored.
std::filesystem::path folder(const char* variable) {
  const char* value = std::getenv(variable);
  std::filesystem::path path = value ? value : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

std::string path_of_state() {
  std::filesystem::path state = folder("XDG_STATE_HOME");
  if (state.empty() && !folder("HOME").empty()) state = folder("HOME") / ".local" / "state";
  return state.empty() ? "" : (state / "glassgrad" / "progress.json").string();
}

Json parse(const std::string& path) {
  try {
    InputFile file(path);
    if (file.size() > kMostBytes) return {};
    std::string text(file.size(), '\0');
    file.read(text.data(), text.size());
    return parse_json(text, path);
  } catch (const Error&) {
    return {};
  }
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Progress::Progress(bool keep) : path_(keep ? path_of_state() : "") {
  if (!path_.empty()) read();
}

void Progress::read() {
  const Json json = parse(path_);
  if (!json.is_object()) return;
  last_ = text_at(json, "last");
  const auto lessons = json.find("lessons");
  if (lessons == json.end() || !lessons->is_object()) return;
  for (const auto& [lesson, step] : lessons->items())
    if (step.is_string()) steps_[lesson] = step.get<std::string>();
}

std::optional<std::string> Progress::step_of(const std::string& lesson) const {
  for (const auto* steps : {&noted_, &steps_})
    if (const auto found = steps->find(lesson); found != steps->end()) return found->second;
  return {};
}

void Progress::note(const std::string& lesson, const std::string& step) {
  last_ = lesson;
  noted_[lesson] = step;
}

std::string Progress::save() const {
  if (path_.empty() || noted_.empty()) return {};
  Progress now(*this);
  now.steps_.clear();
  now.read();
  for (const auto& [lesson, step] : noted_) now.steps_[lesson] = step;
  try {
    const std::string text = json_text({{"last", last_}, {"lessons", now.steps_}}, 2) + "\n";
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    std::filesystem::create_directories(folder);
    OutputFile file(path_);
    file.write(text.data(), text.size());
    file.commit();
  } catch (const std::exception& e) {
    return told(e);
  }
  return {};
}

}  // namespace glassgrad::learn
