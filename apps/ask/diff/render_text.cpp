#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/diff/render.h"
#include "apps/ask/diff/sentence.h"
#include "apps/ask/diff/side_by_side.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/address.h"
#include "apps/lesson/phrases.h"
#include "engine/core/joined.h"

namespace glassgrad::diff {
namespace {

using learn::counted, learn::digits;

constexpr size_t kColumns = 80, kFewest = 40, kOpened = 6;

class Report {
 public:
  Report(const Sides& sides, const std::vector<ComparedPair>& compared, bool all, Output& out)
      : sides_(sides),
        compared_(compared),
        all_(all),
        out_(out),
        columns_(out.screen().columns > 0 ? std::clamp(out.screen().columns, kFewest, kColumns) : kColumns),
        palette_(out.is_terminal() ? palette_of_terminal() : Palette::None) {}

  void write() {
    summary();
    size_t opened = 0;
    for (const ComparedPair& c : compared_)
      if (c.differs() && (all_ || opened < kOpened)) ++opened, open(c);
    rest();
    alike(Difference::Kind::None, "equal");
    alike(Difference::Kind::Rounding, "equal but for rounding");
  }

 private:
  const Value& left(const ComparedPair& c) const { return sides_.left.values[c.pair.left]; }
  const Value& right(const ComparedPair& c) const { return sides_.right.values[c.pair.right]; }
  int64_t count(Difference::Kind kind) const {
    return std::count_if(compared_.begin(), compared_.end(),
                         [&](const ComparedPair& c) { return c.difference.kind == kind; });
  }
  // Returns "keys-values:keys", or the addresses on both sides if they differ.
  std::string name(const ComparedPair& c) const {
    const std::string a = left(c).address(), b = right(c).address();
    return a == b ? a : fmt::format("{} | {}", a, b);
  }

  void write(const Line& line) { out_.control(paint(line, columns_, palette_) + "\n"); }
  void say(std::string_view text, size_t margin = 0) {
    for (std::string& line : filled(text, margin, columns_)) write(Line{{std::move(line)}});
  }

  void summary() {
    say(fmt::format("left:  {}", sides_.left.title));
    say(fmt::format("right: {}", sides_.right.title));
    write(Line{});
    for (const std::string& note : sides_.notes) say(note);
    const auto pairs = int64_t(compared_.size());
    const int64_t equal = count(Difference::Kind::None), rounding = count(Difference::Kind::Rounding);
    const ComparedPair* first = first_difference(compared_);
    if (!first)
      say(fmt::format("No difference beyond rounding in {}.", counted(pairs, "pair")));
    else
      say(fmt::format("{} of {} of tensors {}. {}", pairs - equal - rounding, counted(pairs, "pair"),
                      pairs - equal - rounding == 1 ? "differs" : "differ", about_first(*first)));
    const auto alone = [&](const Side& side) { return int64_t(side.values.size() - compared_.size()); };
    if (alone(sides_.left) + alone(sides_.right) > 0)
      say(fmt::format("Without a counterpart: {} on the left, {} on the right.",
                      counted(alone(sides_.left), "tensor"), alone(sides_.right)));
    write(Line{});
  }

  std::string about_first(const ComparedPair& c) const {
    const Difference& d = c.difference;
    std::string a = left(c).address(), b = right(c).address(), on_left, on_right;
    if (d.kind == Difference::Kind::Shapes) {
      on_left = to_string(left(c).x.shape());
      on_right = to_string(right(c).x.shape());
    } else {
      a += learn::cell_text(d.left_cell);
      b += learn::cell_text(d.right_cell);
      on_left = digits(d.left);
      on_right = digits(d.right);
    }
    const char* is = d.kind == Difference::Kind::Shapes ? "has the shape" : "is";
    return fmt::format("The first difference: {} {} {} on the left, {}{} on the right.", a, is, on_left,
                       a == b ? "" : fmt::format("{} {} ", b, is), on_right);
  }

  void open(const ComparedPair& c) {
    const std::optional<ComparedCells> cells = cells_of(left(c).x, right(c).x);
    for (std::string& line : filled(name(c), 0, columns_)) write(Line{{std::move(line), Style::Bold}});
    say(sentence(left(c), right(c), cells));
    for (const Line& line : side_by_side(left(c), right(c), cells, columns_)) write(line);
    write(Line{});
  }

  // Writes a line for each pair that differs after those that were opened.
  void rest() {
    std::vector<const ComparedPair*> others;
    for (const ComparedPair& c : compared_)
      if (c.differs()) others.push_back(&c);
    if (all_ || others.size() <= kOpened) return;
    say(fmt::format("{} more differ; --all shows their matrices:", others.size() - kOpened));
    for (size_t i = kOpened; i < others.size(); ++i) {
      const Value &a = left(*others[i]), &b = right(*others[i]);
      say(fmt::format("{}: {}", name(*others[i]), sentence(a, b, cells_of(a.x, b.x), /*brief=*/true)), 2);
    }
    write(Line{});
  }

  void alike(Difference::Kind kind, const char* how) {
    const int64_t n = count(kind);
    if (n == 0) return;
    std::vector<std::string> names;
    for (const ComparedPair& c : compared_)
      if (c.difference.kind == kind) names.push_back(name(c));
    say(fmt::format("{} {} {}: {}", counted(n, "pair"), n == 1 ? "is" : "are", how,
                    joined(names, ", ", all_ ? names.size() : 3)));
  }

  const Sides& sides_;
  const std::vector<ComparedPair>& compared_;
  bool all_;
  Output& out_;
  size_t columns_;
  Palette palette_;
};

}  // namespace

void render_text(const Sides& sides, const std::vector<ComparedPair>& compared, bool all, Output& out) {
  Report(sides, compared, all, out).write();
}

}  // namespace glassgrad::diff
