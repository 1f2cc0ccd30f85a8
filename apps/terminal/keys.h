// Keys, from the bytes that a terminal sends for them.
#pragma once
#include <optional>
#include <string>

namespace glassgrad {

struct Key {
  enum class Kind {
    Text,  // one character, in `text`
    Enter,
    Tab,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Control,  // with a letter, in `text`: "c"
    Unknown,  // a key without a name here, or bytes that are no key
  };
  Kind kind;
  std::string text = {};

  bool is(char c) const { return kind == Kind::Text && text == std::string_view(&c, 1); }
  bool is_control(char c) const { return kind == Kind::Control && text == std::string_view(&c, 1); }
};

// Returns the key's name for a message: "'x'", "Ctrl-C", "That key".
std::string name_of(const Key& key);

// Takes the first key off the front of `bytes`. Returns nothing if the bytes may be the beginning of a key.
// `complete`: no more bytes are coming, so that ESC alone is the key Escape.
std::optional<Key> take_key(std::string& bytes, bool complete);

}  // namespace glassgrad
