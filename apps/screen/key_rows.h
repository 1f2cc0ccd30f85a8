// Keys as rows of a table: a row has the keys, their action and their texts. The dispatch, the key bar, the
// help page, `--help` and the tests of the documents all read the rows.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/terminal/keys.h"
#include "apps/terminal/lines.h"

namespace glassgrad {

// The object that the rows of a table act on.
class KeyOwner {
 protected:
  ~KeyOwner() = default;
};

// The key bar's text for a key. If not all hints fit, those with the highest rank are left out first.
struct KeyHint {
  std::string keys, what;
  int rank = 0;
};

// The hint of a row: words, or a function if they change; without words there is no hint.
struct Hint {
  constexpr Hint() = default;
  // shown: whether the key bar has the hint. bar: the keys as the bar names them; empty: the row's first
  // name.
  constexpr Hint(const char* what, int rank_of = 0, bool (*shown)(const KeyOwner&) = nullptr,
                 std::string_view bar = {})
      : words(what), keys(bar), rank(rank_of), when(shown) {}
  constexpr Hint(KeyHint (*hint)(const KeyOwner&)) : now(hint) {}

  std::string_view words, keys;
  int rank = 0;
  bool (*when)(const KeyOwner&) = nullptr;
  KeyHint (*now)(const KeyOwner&) = nullptr;
};

struct KeyRow {
  // Names between spaces or commas: "Enter, Space", "Ctrl-N", "1-9"; "any" is every key. Names after a | also
  // work, but are not listed.
  std::string_view keys;
  std::string_view help = {};  // its line on the help page; empty: none
  // Returns false to leave the key to the rows that follow. Without a function the row only has words.
  bool (*act)(KeyOwner&, const Key&) = nullptr;
  Hint hint = {};
};

// ---- members of the owner as functions of a row
template <class C, class M>
std::type_identity<C> owner_of(M C::*);
template <auto F>
using OwnerOf = typename decltype(owner_of(F))::type;

// Calls the member function F, with the key if it takes one. A function that returns nothing takes every key.
template <auto F>
bool does(KeyOwner& owner, const Key& key) {
  using C = OwnerOf<F>;
  C& it = static_cast<C&>(owner);
  if constexpr (std::is_invocable_r_v<bool, decltype(F), C&, const Key&>) {
    return (it.*F)(key);
  } else if constexpr (std::is_invocable_r_v<bool, decltype(F), C&>) {
    return (it.*F)();
  } else {
    if constexpr (std::is_invocable_v<decltype(F), C&>)
      (it.*F)();
    else
      (it.*F)(key);
    return true;
  }
}
template <auto F>
bool when(const KeyOwner& owner) {
  return (static_cast<const OwnerOf<F>&>(owner).*F)();
}
template <auto F>
bool unless(const KeyOwner& owner) {
  return !when<F>(owner);
}
template <auto F>
KeyHint now(const KeyOwner& owner) {
  return (static_cast<const OwnerOf<F>&>(owner).*F)();
}

// ---- tables
using KeyTable = std::span<const KeyRow>;

// The active tables are tried in order. The effect of a table on the tables after it: none; their hints are
// hidden; or their keys do not work.
enum class KeysBelow : uint8_t { Shown, Hidden, Dead };
struct KeyLayer {
  KeyOwner* owner = nullptr;
  KeyTable rows = {};
  KeysBelow below = KeysBelow::Shown;

  bool press(const Key& key) const;  // false: no row took it
  void add_hints(std::vector<KeyHint>& hints) const;
};

// Returns as many of the hints as fit into a line.
Line key_bar(std::vector<KeyHint> hints, size_t columns);

// Returns the keys of several tables, with their texts in the help.
std::vector<std::pair<std::string, std::string>> key_help(const std::vector<KeyTable>& tables);
// The same as lines of a page, with an empty line between the tables.
Lines help_lines(const std::vector<KeyTable>& tables);

}  // namespace glassgrad
