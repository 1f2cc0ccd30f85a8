#include "apps/terminal/keys.h"

#include <string_view>

#include "apps/cli/text_width.h"
#include "engine/core/utf8.h"

namespace glassgrad {
namespace {

using Kind = Key::Kind;

constexpr char kEscape = '\033';
constexpr size_t kLongestSequence = 32;  // a longer sequence is no key

struct Found {
  size_t length = 0;  // of the key; 0: more bytes may come
  Key key{Kind::Unknown};
};

// For keys without a letter, a number between "ESC [" and the final byte says which key it is.
Kind csi_key(std::string_view number, char final) {
  switch (final) {
    case 'A':
      return Kind::Up;
    case 'B':
      return Kind::Down;
    case 'C':
      return Kind::Right;
    case 'D':
      return Kind::Left;
    case 'H':
      return Kind::Home;
    case 'F':
      return Kind::End;
    case '~':
      if (number == "1" || number == "7") return Kind::Home;
      if (number == "3") return Kind::Delete;
      if (number == "4" || number == "8") return Kind::End;
      if (number == "5") return Kind::PageUp;
      if (number == "6") return Kind::PageDown;
      return Kind::Unknown;
    default:
      return Kind::Unknown;
  }
}

// "ESC [ parameters final" and "ESC O final".
Found sequence(std::string_view bytes) {
  size_t at = 2;
  if (bytes[1] == '[' && bytes.size() > 2 && bytes[2] == '[') ++at;  // the function keys of Linux' console
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c >= 0x40 && c <= 0x7e) return {at + 1, {csi_key(bytes.substr(2, at - 2), c)}};
    if (c < 0x20 || c > 0x7e || at > kLongestSequence) return {at, {Kind::Unknown}};
  }
  return {};
}

Found after_escape(std::string_view bytes) {
  if (bytes.size() == 1) return {};
  if (bytes[1] == '[' || bytes[1] == 'O') return sequence(bytes);
  if (bytes[1] == kEscape) return {1, {Kind::Escape}};
  std::string_view rest = bytes.substr(1);  // a character typed with Alt
  return {1 + take_character(rest).bytes.size(), {Kind::Unknown}};
}

Found control(char c) {
  if (c == '\r' || c == '\n') return {1, {Kind::Enter}};
  if (c == '\t') return {1, {Kind::Tab}};
  if (c == '\b' || c == 0x7f) return {1, {Kind::Backspace}};
  if (c == 0 || c > 26) return {1, {Kind::Unknown}};
  return {1, {Kind::Control, std::string(1, static_cast<char>(c - 1 + 'a'))}};
}

Found find_key(std::string_view bytes) {
  const char first = bytes.front();
  if (first == kEscape) return after_escape(bytes);
  if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f) return control(first);
  std::string_view rest = bytes;
  const Character c = take_character(rest);
  if (c.is_text) return {c.bytes.size(), {Kind::Text, std::string(c.bytes)}};
  const bool may_go_on = bytes.size() < utf8_length(first);
  return may_go_on ? Found{} : Found{1, {Kind::Unknown}};
}

}  // namespace

std::string name_of(const Key& key) {
  if (key.kind == Key::Kind::Text) return "'" + key.text + "'";
  if (key.kind == Key::Kind::Control) return std::string("Ctrl-") + char(key.text[0] - 'a' + 'A');
  return "That key";
}

std::optional<Key> take_key(std::string& bytes, bool complete) {
  if (bytes.empty()) return {};
  Found found = find_key(bytes);
  if (found.length == 0) {
    if (!complete) return {};
    found = bytes[0] == kEscape && bytes.size() == 1 ? Found{1, {Kind::Escape}}
                                                     : Found{bytes.size(), {Kind::Unknown}};
  }
  bytes.erase(0, found.length);
  return found.key;
}

}  // namespace glassgrad
