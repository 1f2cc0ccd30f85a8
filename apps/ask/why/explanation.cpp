#include "apps/ask/why/explanation.h"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "apps/cli/arguments.h"

namespace glassgrad::why {
namespace {

using learn::Address, learn::CellNames, learn::Element, learn::Recording;

// Nothing further to follow: it was there before, was drawn, or is a number of the program.
bool is_origin(const OpenedCell& cell) {
  return !cell.opened || cell.opened->expression->op == "draw" || cell.opened->expression->op == "number";
}

Text origin_line(const OpenedCell& cell, bool exact) {
  const bool drawn = cell.opened && cell.opened->expression->op == "draw";
  return {{fmt::format("  {} = {}{}", cell.name.full(), value_text(cell, exact),
                       drawn ? ", drawn: " + cell.opened->expression->label : "")}};
}

// Pages from the cell on downwards, each number once.
class Descent {
 public:
  Descent(const Recording& recording, const Address& address, const ExplainOptions& how)
      : recording_(recording), here_(address.step), how_(how), names_(recording) {
    const OpenedCell first = open_cell(recording, names_, address);
    all_.value = value_text(first, how.writing.exact);
    is_new(first.place);
    add(first, 1);
    while (!waiting_.empty()) {
      const auto [place, level] = waiting_.front();
      waiting_.pop_front();
      const OpenedCell cell = open_cell(recording, names_, place, here_);
      if (is_origin(cell)) {
        origins_.push_back(origin_line(cell, how_.writing.exact));
      } else {
        all_.lines.emplace_back();
        add(cell, level);
      }
    }
    if (!origins_.empty()) origins_.insert(origins_.begin(), {{}, {{"where this comes from:"}}});
    all_.lines.insert(all_.lines.end(), origins_.begin(), origins_.end());
    if (how.depth > 1)
      all_.lines.insert(all_.lines.end(), {{}, {{first.name.full()}}});
    else
      all_.lines.pop_back();  // the value, which ends every page
  }
  Explanation all() && { return std::move(all_); }

 private:
  void add(const OpenedCell& cell, int64_t level) {
    const CellPage page = page_of(recording_, names_, cell, here_, how_.writing);
    all_.lines.insert(all_.lines.end(), page.lines.begin(), page.lines.end());
    if (level >= how_.depth) return;
    for (const Element& operand : page.operands)
      if (is_new(operand)) waiting_.emplace_back(operand, level + 1);
    check<UsageError>(seen_.size() <= kMostCells,
                      "--depth {} would open more than {} numbers: give a smaller depth", how_.depth,
                      kMostCells);
  }
  bool is_new(const Element& place) {
    return seen_.emplace(place.x.buffer.get(), place.x.place(place.index)).second;
  }

  const Recording& recording_;
  const learn::Step* here_;
  const ExplainOptions& how_;
  CellNames names_;
  std::set<std::pair<const Buffer*, int64_t>> seen_;
  std::deque<std::pair<Element, int64_t>> waiting_;
  Explanation all_;
  std::vector<Text> origins_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

Explanation explain(const Recording& recording, const Address& address, const ExplainOptions& how) {
  return Descent(recording, address, how).all();
}

std::string text_of(const Explanation& explanation) {
  std::string text;
  for (const Text& line : explanation.lines) text += plain(line) + "\n";
  return fmt::format("{}= {}\n", text, explanation.value);
}

std::string cell_spoken(const Recording& recording, const Address& address) {
  const CellNames names(recording);
  const OpenedCell cell = open_cell(recording, names, address);
  std::string text;
  constexpr size_t kUnbroken = 10'000;
  for (const Text& line : page_of(recording, names, cell, address.step, {.columns = kUnbroken}).lines) {
    std::string sentence = plain(line);
    sentence.erase(0, std::min(sentence.find_first_not_of(' '), sentence.size()));
    if (sentence.empty()) continue;
    for (const auto& [sign, words] : {std::pair(" · ", " times "),
                                      {" / ", " divided by "},
                                      {" - ", " minus "},
                                      {" + ", " plus "},
                                      {"=  ", "= "},
                                      {" = ", " is "},
                                      {"…", " to "}})
      replace_all(sentence, sign, words);
    if (sentence.starts_with("= ")) sentence.replace(0, 2, "That is ");
    while (sentence.find("  ") != sentence.npos) replace_all(sentence, "  ", " ");
    text += sentence + "\n";
  }
  return text;
}

}  // namespace glassgrad::why
