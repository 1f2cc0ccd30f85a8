#include "apps/ask/why/explanation.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"

namespace glassgrad::why {
namespace {

using learn::Address, learn::CellNames, learn::Recording, learn::Step;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

ExplainedNumber explained_number(const Recording& recording, const CellNames& names, const OpenedCell& cell,
                                 const Step* here, const FormatOptions& writing) {
  return {.place = cell.place,
          .name = cell.name.full(),
          .value = value_text(cell, writing.exact),
          .opened = cell.opened,
          .page = page_of(recording, names, cell, here, writing)};
}

bool is_shown(const OpenedCell& cell) { return cell.name.step || cell.name.is_given || cell.name.is_value; }

}  // namespace

Explanation explain_to_shown(const Recording& recording, const CellNames& names, const OpenedCell& cell,
                             const Step* here) {
  const ExplainedNumber first = explained_number(recording, names, cell, here, {});
  const auto explained = [&](const SnapshotElement& place) {
    const OpenedCell operand = open_cell(recording, names, place, here);
    ExplainedNumber said = explained_number(recording, names, operand, here, {});
    if (is_shown(operand)) said.opened = {};
    return said;
  };
  const auto& operands = first.page.operands;
  const bool all_shown = std::all_of(operands.begin(), operands.end(), [&](const SnapshotElement& place) {
    const OpenedCell operand = open_cell(recording, names, place, here);
    return is_shown(operand) || !operand.call;
  });
  try {
    return explain(first, explained, {.writing = {}, .depth = all_shown ? 1 : int64_t(kMostCells)});
  } catch (const TooDeep&) {
    return explain(first, explained, {});
  }
}

Explanation explain(const Recording& recording, const Address& address, const ExplainOptions& how) {
  const CellNames names(recording);
  const auto explained = [&](const OpenedCell& cell) {
    return explained_number(recording, names, cell, address.step, how.writing);
  };
  try {
    return explain(
        explained(open_cell(recording, names, address)),
        [&](const SnapshotElement& place) {
          return explained(open_cell(recording, names, place, address.step));
        },
        how);
  } catch (const TooDeep&) {
    throw UsageError(fmt::format("--depth {} would open more than {} numbers: give a smaller depth",
                                 how.depth, kMostCells));
  }
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
