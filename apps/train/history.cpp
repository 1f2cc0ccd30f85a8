#include "apps/train/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/cli/parse_json.h"
#include "apps/text/text_file.h"
#include "engine/io/file.h"

namespace glassgrad::train {
namespace {

using nlohmann::json;

// Our lines have about 150 bytes.
constexpr size_t kLongestLine = 1 << 20, kShortestLine = std::string_view(R"({"step":1,"loss":1} )").size();

std::string line_of(const Measured& m) {
  nlohmann::ordered_json line{{"step", m.step},
                              {"loss", m.loss},
                              {"lr", m.lr},
                              {"gradient_norm", m.gradient_norm},
                              {"tokens_per_second", std::round(m.tokens_per_second)}};
  if (m.validation_loss) line["validation_loss"] = *m.validation_loss;
  return line.dump() + "\n";
}

// The numbers of a line; other values are ignored.
struct LogLine : JsonVisitor {
  std::optional<int64_t> step;
  double loss = std::nan(""), lr = loss, gradient_norm = loss, tokens_per_second = loss,
         validation_loss = loss;

  void scalar(Place place, json& value) override {
    if (place.size() != 1 || !value.is_number()) return;
    const std::pair<const char*, double*> numbers[] = {{"loss", &loss},
                                                       {"lr", &lr},
                                                       {"gradient_norm", &gradient_norm},
                                                       {"tokens_per_second", &tokens_per_second},
                                                       {"validation_loss", &validation_loss}};
    for (const auto& [key, number] : numbers)
      if (place[0] == key) *number = value.get<double>();
    if (place[0] == "step" && value.is_number_integer() && value <= INT64_MAX) step = value.get<int64_t>();
  }
};

std::optional<Measured> measured_in(std::string_view text) {
  LogLine line;
  if (text.size() + 1 < kShortestLine || text.size() > kLongestLine || !read_json(text, line).empty())
    return {};
  if (!line.step || !std::isfinite(line.loss)) return {};
  Measured m{*line.step, line.loss, line.lr, line.gradient_norm, line.tokens_per_second, {}};
  if (std::isfinite(line.validation_loss)) m.validation_loss = line.validation_loss;
  return m;
}

}  // namespace

std::vector<Measured> read_log(const std::string& path, int64_t last_step) {
  if (::access(path.c_str(), F_OK) != 0) return {};  // a run can continue without its log
  const std::string text = read_file(path, kMaxText);
  std::vector<Measured> history;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  history.reserve(
      std::min(lines, text.size() / kShortestLine));  // growing the vector would take three times the memory
  for (std::string_view left = text; !left.empty();) {
    const size_t end = left.find('\n');
    if (end == left.npos) break;
    const auto measured = measured_in(left.substr(0, end));
    left.remove_prefix(end + 1);
    if (measured && measured->step <= last_step) history.push_back(*measured);
  }
  return history;
}

Log::Log(const std::string& path, const std::vector<Measured>& kept) : path_(path) {
  OutputFile file(path);
  for (const Measured& m : kept) {
    const std::string line = line_of(m);
    file.write(line.data(), line.size());
  }
  file.commit();
  fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  check_system(fd_ >= 0, "{}: cannot be opened: {}", path);
}

Log::~Log() { ::close(fd_); }

void Log::add(const Measured& measured) {
  const std::string line = line_of(measured);
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written == std::ssize(line)) return;
  const int why = written < 0 ? errno : ENOSPC;
  [[maybe_unused]] const int cut = before >= 0 ? ::ftruncate(fd_, before) : 0;
  fail("{}: a line cannot be added: {}", path_, system_text(why));
}

}  // namespace glassgrad::train
