// The tables of keys: which row takes a key, what the key bar and the help show, and whether docs/keys.md
// agrees.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/cli/text_width.h"
#include "apps/practice/full_screen.h"
#include "apps/screen/key_rows.h"
#include "apps/start/player.h"
#include "apps/stepper/full_screen.h"
#include "apps/stepper/list_screen.h"

using namespace glassgrad;

namespace {

// Records the actions of its keys.
class Owner : public KeyOwner {
 public:
  static KeyTable keys() {
    static constexpr KeyRow kRows[] = {
        {"Enter, Space | Ctrl-N", "go on", does<&Owner::go_on>, Hint("on", 2)},
        {"1-3", "choose", does<&Owner::choose>, now<&Owner::chosen>},
        {"b", {}, does<&Owner::refuse>, Hint("back", 1, unless<&Owner::is_begun>)},
        {"b PgDn", {}, does<&Owner::back>},
        {"~", "only words"},
    };
    return kRows;
  }
  std::string done;

 private:
  bool is_begun() const { return done.empty(); }
  void go_on() { done += "on "; }
  void choose(const Key& key) { done += key.text + " "; }
  KeyHint chosen() const { return {"1-3", done.empty() ? "" : "after " + done}; }
  bool refuse() const { return false; }
  void back() { done += "back "; }
};

std::string shown(const Line& line) { return plain_text(line); }

std::string table_of(const std::vector<KeyTable>& tables) {
  std::string text = "| key | what it does |\n|---|---|\n";
  for (const auto& [keys, help] : key_help(tables)) text += fmt::format("| {} | {} |\n", keys, help);
  return text;
}

}  // namespace

TEST_CASE("keys - the first row that does not refuse a key takes it") {
  using Kind = Key::Kind;
  Owner owner;
  const KeyLayer layer{&owner, Owner::keys()};
  for (const Key& key : {Key{Kind::Enter}, Key{Kind::Text, " "}, Key{Kind::Control, "n"},
                         Key{Kind::Text, "2"}, Key{Kind::Text, "b"}, Key{Kind::PageDown}})
    CHECK(layer.press(key));
  CHECK(owner.done == "on on on 2 back back ");
  for (const Key& key :
       {Key{Kind::Text, "4"}, Key{Kind::Text, "n"}, Key{Kind::Text, "~"}, Key{Kind::Text, "B"},
        Key{Kind::Text, ","}, Key{Kind::Text, "|"}, Key{Kind::Unknown}})
    CHECK_FALSE(layer.press(key));
}

TEST_CASE("keys - the bar shows what counts and leaves out high ranks where it is narrow") {
  Owner owner;
  const KeyLayer layer{&owner, Owner::keys()};
  const auto bar = [&](size_t columns) {
    std::vector<KeyHint> hints;
    layer.add_hints(hints);
    return shown(key_bar(hints, columns));
  };
  CHECK(bar(80) == "Enter on");
  owner.done = "it";
  CHECK(bar(80) == "Enter on  1-3 after it  b back");
  CHECK(bar(25) == "1-3 after it  b back");
  CHECK(bar(15) == "1-3 after it");
}

TEST_CASE("keys - the help lists names and words") {
  CHECK(
      table_of({Owner::keys()}) ==
      "| key | what it does |\n|---|---|\n| Enter, Space | go on |\n| 1-3 | choose |\n| ~ | only words |\n");
  for (const auto& tables :
       {learn::lesson_keys(), practice::exercise_keys(), start::start_keys(), learn::list_keys()})
    for (const Line& line : help_lines(tables)) CHECK(columns_of(shown(line)) <= 80);
}

TEST_CASE("keys - the page of all keys has the tables of all screens") {
  std::ifstream file(std::filesystem::path(GLASSGRAD_GOLDEN_DIR) / "../../docs/keys.md");
  const std::string text = (std::ostringstream() << file.rdbuf()).str();
  for (const auto& tables :
       {learn::lesson_keys(), practice::exercise_keys(), start::start_keys(), learn::list_keys()}) {
    const std::string table = table_of(tables);
    CHECK_MESSAGE(text.find("\n" + table) != std::string::npos, "docs/keys.md lacks this table:\n", table);
  }
}
