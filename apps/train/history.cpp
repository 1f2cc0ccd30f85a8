#include "apps/train/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/cli/parse_json.h"
#include "engine/core/error.h"
#include "engine/io/file.h"

namespace glassgrad::train {
namespace {

using nlohmann::json;

std::string line_of(const Measured& m) {
  nlohmann::ordered_json line{{"step", m.step},
                              {"loss", m.loss},
                              {"lr", m.lr},
                              {"gradient_norm", m.gradient_norm},
                              {"tokens_per_second", std::round(m.tokens_per_second)}};
  if (m.validation_loss) line["validation_loss"] = *m.validation_loss;
  return line.dump() + "\n";
}

std::optional<Measured> measured_in(std::string_view text) {
  const json line = parse_json(text);
  if (!line.is_object() || !line.contains("step") || !line["step"].is_number_integer()) return {};
  const auto number = [&](const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_number() ? found->get<double>() : std::nan("");
  };
  Measured m{line["step"].get<int64_t>(),
             number("loss"),
             number("lr"),
             number("gradient_norm"),
             number("tokens_per_second"),
             {}};
  if (!std::isfinite(m.loss)) return {};
  if (const double value = number("validation_loss"); std::isfinite(value)) m.validation_loss = value;
  return m;
}

}  // namespace

std::vector<Measured> read_log(const std::string& path, int64_t last_step) {
  if (::access(path.c_str(), F_OK) != 0) return {};  // not needed to go on
  InputFile file(path);
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  std::vector<Measured> history;
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
  check(fd_ >= 0, "{}: cannot be opened: {}", path, std::strerror(errno));
}

Log::~Log() { ::close(fd_); }

void Log::add(const Measured& measured) {
  const std::string line = line_of(measured);
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written == std::ssize(line)) return;
  const int why = written < 0 ? errno : ENOSPC;
  [[maybe_unused]] const int cut = before >= 0 ? ::ftruncate(fd_, before) : 0;
  fail("{}: a line cannot be added: {}", path_, std::strerror(why));
}

}  // namespace glassgrad::train
