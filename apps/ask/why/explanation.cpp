#include "apps/ask/why/explanation.h"

#include <fmt/format.h>

#include "apps/cli/arguments.h"

namespace glassgrad::why {
namespace {

using learn::Address, learn::CellNames, learn::Recording;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

Explanation explain(const Recording& recording, const Address& address, const ExplainOptions& how) {
  const CellNames names(recording);
  const auto account = [&](const OpenedCell& cell) {
    return Account{.place = cell.place,
                   .name = cell.name.full(),
                   .value = value_text(cell, how.writing.exact),
                   .opened = cell.opened,
                   .page = page_of(recording, names, cell, address.step, how.writing)};
  };
  try {
    return explain(
        account(open_cell(recording, names, address)),
        [&](const Element& place) { return account(open_cell(recording, names, place, address.step)); }, how);
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
