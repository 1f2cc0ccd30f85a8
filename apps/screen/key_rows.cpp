#include "apps/screen/key_rows.h"

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad {
namespace {

using Kind = Key::Kind;

constexpr std::string_view kBetween = " ,|";

bool is_called(const Key& key, std::string_view name) {
  constexpr std::pair<std::string_view, Kind> kNamed[] = {
      {"Enter", Kind::Enter}, {"Tab", Kind::Tab},       {"Esc", Kind::Escape}, {"Backspace", Kind::Backspace},
      {"Up", Kind::Up},       {"Down", Kind::Down},     {"Left", Kind::Left},  {"Right", Kind::Right},
      {"PgUp", Kind::PageUp}, {"PgDn", Kind::PageDown}, {"Home", Kind::Home},  {"End", Kind::End}};
  if (name == "any") return true;
  for (const auto& [named, kind] : kNamed)
    if (name == named) return key.kind == kind;
  if (name.starts_with("Ctrl-")) return key.is_control(char(name[5] - 'A' + 'a'));
  if (name == "Space") return key.is(' ');
  if (name.size() == 3 && name[1] == '-')
    return key.kind == Kind::Text && key.text.size() == 1 && key.text[0] >= name[0] && key.text[0] <= name[2];
  return key.kind == Kind::Text && key.text == name;
}

bool is_one_of(const Key& key, std::string_view names) {
  while (!names.empty()) {
    const size_t end = std::min(names.find_first_of(kBetween), names.size());
    if (end > 0 && is_called(key, names.substr(0, end))) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

std::string_view listed(std::string_view keys) { return keys.substr(0, keys.find(" |")); }

KeyHint hint_of(const KeyRow& row, const KeyOwner& owner) {
  const Hint& hint = row.hint;
  if (hint.now) return hint.now(owner);
  if (hint.when && !hint.when(owner)) return {};
  const std::string_view first = row.keys.substr(0, row.keys.find_first_of(kBetween));
  return {std::string(hint.keys.empty() ? first : hint.keys), std::string(hint.words), hint.rank};
}

}  // namespace

bool KeyLayer::press(const Key& key) const {
  return std::any_of(rows.begin(), rows.end(), [&](const KeyRow& row) {
    return row.act && is_one_of(key, row.keys) && row.act(*owner, key);
  });
}

void KeyLayer::add_hints(std::vector<KeyHint>& hints) const {
  for (const KeyRow& row : rows)
    if (KeyHint hint = hint_of(row, *owner); !hint.what.empty()) hints.push_back(std::move(hint));
}

Line key_bar(std::vector<KeyHint> hints, size_t columns) {
  const auto taken = [&] {
    size_t sum = 0;
    for (const KeyHint& h : hints) sum += columns_of(h.keys) + columns_of(h.what) + 3;
    return sum;
  };
  const auto rank = [](const KeyHint& a, const KeyHint& b) { return a.rank < b.rank; };
  while (hints.size() > 1 && taken() > columns + 2)
    hints.erase(std::max_element(hints.begin(), hints.end(), rank));
  Line line;
  for (const KeyHint& h : hints) {
    if (!line.empty()) line.push_back({"  "});
    line.push_back({h.keys, Style::Bold});
    line.push_back({" " + h.what});
  }
  return line;
}

std::vector<std::pair<std::string, std::string>> key_help(const std::vector<KeyTable>& tables) {
  std::vector<std::pair<std::string, std::string>> help;
  for (const KeyTable& table : tables)
    for (const KeyRow& row : table)
      if (!row.help.empty()) help.emplace_back(listed(row.keys), row.help);
  return help;
}

Lines help_lines(const std::vector<KeyTable>& tables) {
  constexpr size_t kKeys = 17;
  Lines lines;
  for (const KeyTable& table : tables) {
    if (lines.size() > 0) lines.push_back({});
    for (const auto& [keys, help] : key_help({table}))
      lines.push_back({{"  " + left_aligned(keys, kKeys), Style::Bold}, {help}});
  }
  return lines;
}

}  // namespace glassgrad
