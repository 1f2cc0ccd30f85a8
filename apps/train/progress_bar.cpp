#include "apps/train/progress_bar.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "apps/cli/output.h"

namespace glassgrad::train {
namespace {

constexpr size_t kNarrowestBar = 8, kWidestBar = 30;

struct Field {
  std::string text;
  int importance;  // 0 is dropped last
};

std::string bar(const Progress& p, size_t columns) {
  const size_t inner = columns - 2;
  const double share = p.steps > 0 ? double(p.step) / double(p.steps) : 1;
  const auto done = std::min(inner, static_cast<size_t>(share * double(inner)));
  std::string line(done, '=');
  if (done < inner) line += '>';
  line.resize(inner, ' ');
  return fmt::format("[{}]", line);
}

void put(std::string_view text) {
  // Training goes on if the terminal is gone.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

bool can_clear_a_line() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term && *term && std::string_view(term) != "dumb";
}

}  // namespace

std::string duration(double seconds) {
  if (!(seconds < 1e9)) return "years";
  const auto s = static_cast<int64_t>(std::lround(std::max(0.0, seconds)));
  if (s >= int64_t{2} * 86400) return fmt::format("{} days", s / 86400);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string progress_line(const Progress& p, size_t columns) {
  std::vector<Field> fields{{fmt::format("{}/{}", p.step, p.steps), 0},
                            {fmt::format("loss {:.4f}", p.loss), 1}};
  if (p.validation_loss) fields.push_back({fmt::format("val {:.4f}", *p.validation_loss), 3});
  fields.push_back({fmt::format("lr {:.1e}", p.lr), 5});
  fields.push_back({fmt::format("grad {:.2f}", p.gradient_norm), 6});
  fields.push_back({fmt::format("{:.0f} tok/s", p.tokens_per_second), 4});
  fields.push_back({fmt::format("{} left", duration(p.seconds_left)), 2});

  const auto width = [&] {
    size_t total = 0;
    for (const Field& field : fields) total += field.text.size() + 2;
    return total;
  };
  const auto less_important = [](const Field& a, const Field& b) { return a.importance < b.importance; };
  while (fields.size() > 1 && width() - 2 > columns)
    fields.erase(std::max_element(fields.begin(), fields.end(), less_important));

  std::string line;
  if (width() + kNarrowestBar <= columns) line = bar(p, std::min(columns - width(), kWidestBar));
  for (const Field& field : fields) line += (line.empty() ? "" : "  ") + field.text;
  return line.substr(0, columns);
}

ProgressBar::ProgressBar() : on_(can_clear_a_line()) {}

void ProgressBar::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  const size_t columns = Output(STDERR_FILENO).screen().columns;
  // Leave the last column free: some terminals begin a new line when it is filled.
  put(fmt::format("\r{}\x1b[K", progress_line(progress, (columns ? columns : 80) - 1)));
  last_ = now;
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) put("\r\x1b[K");
  drawn_ = false;
}

}  // namespace glassgrad::train
