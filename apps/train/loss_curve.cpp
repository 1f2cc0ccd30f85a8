// Draws the loss curve of a training as SVG: two lines, two axes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/train/history.h"

namespace glassgrad::train {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 56, kRight = 32, kTop = 40, kBottom = 48;
constexpr size_t kMostPoints = 1000;
// Legible on white and on black: this grey has a contrast of 4.5 to both.
constexpr const char *kInk = "#767676", *kTrain = "#3d85c6", *kValidation = "#e07b00";

// One axis: values from low to high, with marks at the multiples of step.
struct Axis {
  double low, high, step;

  // About five marks at 1, 2 or 5 times a power of ten.
  static Axis over(double low, double high) {
    if (!(high > low)) high = low + 1;
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double times : {5.0, 2.0, 1.0})
      if (times * power >= rough * 0.99) step = times * power;
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
  }
  int marks() const { return static_cast<int>(std::lround((high - low) / step)); }
  double share(double value) const { return (value - low) / (high - low); }
};

double x_of(double step, const Axis& steps) { return kLeft + steps.share(step) * (kWidth - kLeft - kRight); }

Axis step_axis(const std::vector<Measured>& history) {
  double last = 1;
  for (const Measured& m : history) last = std::max(last, double(m.step));
  return Axis::over(0, last);
}

struct Point {
  double step, loss;
};

// Averages neighbouring points if there are more than the picture can show.
std::vector<Point> thinned(const std::vector<Point>& points) {
  const size_t group = (points.size() + kMostPoints - 1) / kMostPoints;
  if (group <= 1) return points;
  std::vector<Point> few;
  for (size_t first = 0; first < points.size(); first += group) {
    const size_t end = std::min(points.size(), first + group);
    double sum = 0;
    for (size_t i = first; i < end; ++i) sum += points[i].loss;
    few.push_back({points[end - 1].step, sum / double(end - first)});
  }
  return few;
}

class Picture {
 public:
  Picture(Axis steps, Axis losses) : steps_(steps), losses_(losses) {}

  void axes() {
    for (int i = 0; i <= losses_.marks(); ++i) {
      const double value = losses_.low + i * losses_.step, height = y(value);
      add(R"(<path d="M{} {:.1f}H{}" stroke="{}" stroke-opacity="0.35"/>)", kLeft, height, kWidth - kRight,
          kInk);
      text(kLeft - 8, height + 4, "end", fmt::format("{:.4g}", std::fabs(value) < 1e-9 ? 0 : value));
    }
    for (int i = 0; i <= steps_.marks(); ++i) {
      const double value = steps_.low + i * steps_.step;
      text(x(value), kHeight - kBottom + 18, "middle", fmt::format("{:.10g}", value));
    }
    text((kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", "step");
    text(kLeft - 8, kTop - 16, "end", "loss");
  }
  void line(const std::vector<Point>& points, const char* colour, const char* thickness) {
    std::string way;
    for (const Point& p : points)
      way += fmt::format("{}{:.1f} {:.1f}", way.empty() ? "M" : "L", x(p.step), y(p.loss));
    add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"/>)", way, colour,
        thickness);
  }
  void dots(const std::vector<Point>& points, const char* colour) {
    for (const Point& p : points)
      add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}"/>)", x(p.step), y(p.loss), colour);
  }
  void key(double at, const char* colour, const std::string& what) {
    add(R"(<path d="M{} {}h22" stroke="{}" stroke-width="2.5"/>)", at, kTop - 20, colour);
    text(at + 28, kTop - 16, "start", what);
  }
  std::string svg() const {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" )"
        R"(font-family="system-ui, sans-serif" font-size="12">)"
        "\n<title>Loss of training and validation</title>\n{}</svg>\n",
        kWidth, kHeight, kWidth, kHeight, body_);
  }

 private:
  double x(double step) const { return x_of(step, steps_); }
  double y(double loss) const { return kHeight - kBottom - losses_.share(loss) * (kHeight - kTop - kBottom); }
  template <class... A>
  void add(fmt::format_string<A...> format, A&&... values) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<A>(values)...);
    body_ += '\n';
  }
  void text(double x, double y, const char* anchor, const std::string& what) {
    add(R"(<text x="{:.1f}" y="{:.1f}" fill="{}" text-anchor="{}">{}</text>)", x, y, kInk, anchor, what);
  }

  Axis steps_, losses_;
  std::string body_;
};

}  // namespace

double place_in_curve(const std::vector<Measured>& history, int64_t step) {
  return x_of(double(step), step_axis(history));
}

std::string loss_curve(const std::vector<Measured>& history) {
  std::vector<Point> training, validation;
  double low = HUGE_VAL, high = -HUGE_VAL;
  const auto include = [&](std::vector<Point>& line, int64_t step, double loss) {
    line.push_back({double(step), loss});
    low = std::min(low, loss);
    high = std::max(high, loss);
  };
  for (const Measured& m : history) {
    include(training, m.step, m.loss);
    if (m.validation_loss) include(validation, m.step, *m.validation_loss);
  }
  if (history.empty()) low = 0, high = 1;
  // Start at 0, so that the height of the curve is its value, unless all of it lies far above.
  Picture picture(step_axis(history), Axis::over(low > high / 2 ? low : 0, high));
  picture.axes();
  picture.line(thinned(training), kTrain, "1.2");
  picture.line(thinned(validation), kValidation, "2");
  if (validation.size() <= 100) picture.dots(validation, kValidation);
  const auto now = [](const std::vector<Point>& line) {
    return line.empty() ? std::string() : fmt::format(", last {:.4f}", line.back().loss);
  };
  picture.key(kLeft + 40, kTrain, "training" + now(training));
  picture.key(kLeft + 270, kValidation, "validation" + now(validation));
  return picture.svg();
}

}  // namespace glassgrad::train
