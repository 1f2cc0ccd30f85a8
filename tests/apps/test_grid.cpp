// Tensors as grids, and the helpers of a terminal: the width of characters, keys from bytes.
#include <limits>

#include "apps/cli/broken_code.h"
#include "apps/cli/text_width.h"
#include "apps/show/grid.h"
#include "apps/show/tensor_table.h"
#include "apps/terminal/keys.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;
using testing::contains;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

struct Shown {
  std::vector<std::string> lines;
  Grid grid;

  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
};

Shown show(const Tensor& x, std::vector<std::string> axes, const GridView& view = {},
           std::vector<std::string> tokens = {"Your", "journey"}, bool row_sums = false) {
  Recording recording;
  recording.tokens = std::move(tokens);
  const Entry entry{.name = "x",
                    .value = value_of(x, Snapshots().take(x)),
                    .label = {},
                    .axes = std::move(axes),
                    .row_sums = row_sums};
  Shown shown{.lines = {}, .grid = grid(recording, entry, view)};
  for (const Line& line : shown.grid.lines) shown.lines.push_back(plain_text(line));
  return shown;
}

std::vector<std::string> numbered(int64_t n) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < n; ++i) names.push_back("t" + std::to_string(i));
  return names;
}

// The display column at which `text` begins in the line.
size_t column_of(const std::string& line, const std::string& text) {
  const size_t at = line.find(text);
  REQUIRE(at != std::string::npos);
  return columns_of(line.substr(0, at));
}

}  // namespace

TEST_CASE("grid - names axes marks and row sums") {
  const Shown weights =
      show(tensor({{1.0, 0.0}, {0.5517, 0.4483}}), {"query", "key"}, {}, {"Your", "journey"}, true);
  CHECK(weights.lines == std::vector<std::string>{"x  (T=2 queries, T=2 keys)", "        key",
                                                  "query      Your  journey   row sum",
                                                  "Your     1.0000@  0.0000.   1.0000",
                                                  "journey  0.5517+  0.4483+   1.0000"});
  CHECK(weights.grid.marked);
  CHECK_FALSE(weights.grid.long_one);
}

TEST_CASE("grid - digits are those of the whole tensor") {
  const Tensor x = tensor({{1e-5, 2.0}, {-3000.0, 0.25}});
  const std::string text = show(x, {"token", "d_in"}).text();
  for (const char* number : {"1.0000e-05.", "2.0000e+00.", "-3.0000e+03@", "2.5000e-01."})
    CHECK_MESSAGE(contains(text, number), text);
  CHECK(contains(repr(x), "-3.0000e+03"));
}

TEST_CASE("grid - inf and nan have no mark and the others are measured without them") {
  const std::string text = show(tensor({{-kInf, 2.0}, {kNan, kInf}}), {"token", "d_in"}).text();
  for (const char* cell : {"-inf ", " nan ", " inf ", "2. @"}) CHECK_MESSAGE(contains(text, cell), text);
  const Shown none = show(full({2, 2}, -kInf), {"token", "d_in"});
  CHECK_FALSE(none.grid.marked);
  CHECK(contains(none.lines[3], "-inf"));
  CHECK(contains(show(tensor({{kNan, 1.0}}), {"query", "key"}, {}, {"a", "b"}, true).text(), "nan"));
}

TEST_CASE("grid - a colour for the sign and the size and marks where there is none") {
  const Shown shown = show(tensor({{1.0, -0.5, 0.0}, {-0.1, 0.3, -1.0}}), {"token", "d_in"});
  std::vector<Style> styles;
  for (size_t row : {size_t(3), size_t(4)})
    for (const Span& span : shown.grid.lines[row])
      if (!span.is_mark && contains(span.text, ".")) styles.push_back(span.style);
  CHECK(styles ==
        std::vector{Style::Above4, Style::Below2, Style::Plain, Style::Below0, Style::Above1, Style::Below4});
  const Line line = shown.grid.lines[3];
  CHECK(paint(line, 80, Palette::None) == plain_text(line));
  CHECK(contains(plain_text(line), "1.0000@ -0.5000+  0.0000."));
  for (const Palette palette : {Palette::Colours, Palette::TrueColours}) {
    const std::string painted = paint(line, 80, palette);
    CHECK_FALSE(contains(painted, "@"));
    CHECK(contains(painted, palette == Palette::Colours ? "\033[48;5;44;" : "\033[48;2;0;200;185;"));
  }
}

TEST_CASE("grid - masked cells are blocks but where a question hides what they are") {
  const Tensor scores = tensor({{0.5, -kInf}, {0.25, -0.5}});
  const Shown shown = show(scores, {"query", "key"});
  CHECK(shown.grid.masked);
  CHECK(contains(shown.lines[0], "░ = -inf"));
  CHECK(contains(shown.lines[3], "░░░░░░░"));
  CHECK_FALSE(contains(shown.lines[3], "inf"));
  const Shown at = show(scores, {"query", "key"}, {.cursor = Dims{0, 1}});
  CHECK(contains(at.text(), "[-inf]"));
  CHECK(contains(show(scores, {"query", "key"}, {.hidden = {"0.2500"}}).text(), "-inf"));
}

TEST_CASE("grid - of a batch the first sentence until it is unfolded") {
  const std::vector<std::string> axes{"batch", "token", "d_in"};
  const Tensor one = arange(6).view({1, 2, 3});
  const Shown same = show(cat({one, one}, 0), axes), other = show(arange(12).view({2, 2, 3}), axes);
  CHECK(same.lines.back() == "the same for the other sentence");
  CHECK(other.lines.back() == "f shows the other sentence");
  CHECK(same.grid.long_one);
  CHECK_FALSE(contains(same.text(), "batch 1"));
  CHECK(contains(show(cat({one, one}, 0), axes, {.folded = false}).text(), "batch 1:"));
  CHECK(contains(show(cat({one, one, one}, 0), axes).text(), "the same for the other 2 sentences"));
  CHECK_FALSE(show(one, axes).grid.long_one);
}

TEST_CASE("grid - a number a vector nothing") {
  CHECK(show(tensor(0.9544), {}).lines == std::vector<std::string>{"x  ()  0.9544"});
  CHECK(show(tensor(int64_t{7}), {}).lines == std::vector<std::string>{"x  ()  7"});
  CHECK(show(tensor({0.1455, -0.2278}), {"key"}).lines ==
        std::vector<std::string>{"x  (T=2 keys)", "key    Your  journey ", "     0.1455* -0.2278@"});
  for (const Dims& shape : {Dims{0}, Dims{0, 3}, Dims{2, 0}, Dims{2, 0, 3}})
    CHECK(contains(show(empty(shape), {}).text(), "no elements"));
}

TEST_CASE("grid - bool and int64 are plain") {
  const Shown mask = show(tensor({{false, true}, {false, false}}), {"query", "key"});
  CHECK_FALSE(mask.grid.marked);
  CHECK(contains(mask.lines[3], "False"));
  CHECK(contains(mask.lines[3], "True"));
  const Shown ids = show(tensor({{int64_t{12}, int64_t{-3}}}), {"row", "token"});
  CHECK_FALSE(ids.grid.marked);
  CHECK(contains(ids.lines[3], "-3"));
}

TEST_CASE("grid - a table for each batch and head side by side where there is room") {
  const Tensor x = arange(24).view({2, 2, 2, 3});
  const std::vector<std::string> axes{"batch", "head", "token", "head_dim"};
  const Shown wide = show(x, axes, {.columns = 200, .folded = false}),
              narrow = show(x, axes, {.columns = 20, .folded = false});
  CHECK(wide.lines[1].starts_with("batch 0, head 0:"));
  CHECK(contains(wide.lines[1], "batch 1, head 1:"));
  CHECK(wide.lines.size() == 6);
  CHECK(narrow.lines.size() == 3 + 4 * 5 + 3);  // the first line takes three here
  CHECK(contains(narrow.text(), "batch 1, head 0:"));
  CHECK(contains(narrow.text(), "journey  21"));
}

TEST_CASE("grid - 12 and more of a kind fold and unfold") {
  const Tensor x = to(arange(400), float32).view({20, 20});
  const Shown folded = show(x, {"query", "key"}, {}, numbered(20));
  CHECK(folded.grid.long_one);
  CHECK(folded.lines.size() == 3 + 7);
  CHECK(contains(folded.lines[2], "t2"));
  CHECK(contains(folded.lines[2], "t19"));
  CHECK_FALSE(contains(folded.text(), "t3"));
  CHECK(folded.lines[6].starts_with("..."));
  CHECK(contains(folded.lines[9], "399."));

  const Shown first = show(x, {"query", "key"}, {.folded = false}, numbered(20));
  CHECK(first.lines.size() == 3 + 20);
  CHECK(first.grid.left_most > 0);
  for (const std::string& line : first.lines) CHECK(columns_of(line) <= 80);
  CHECK_FALSE(contains(first.lines[2], "t19"));
  const Shown last = show(x, {"query", "key"}, {.folded = false, .left = 1000}, numbered(20));
  CHECK(contains(last.lines[2], "t19"));
  CHECK_FALSE(contains(last.lines[2], "t0 "));
  CHECK(contains(last.lines[0], "to 19 of 20"));
  CHECK_FALSE(show(ones({11, 11}), {"query", "key"}).grid.long_one);
}

TEST_CASE("grid - columns stand under each other whatever the tokens are") {
  const std::string accent = "e\u0301te\u0301", bytes = "a\xff\x01";
  const Shown cjk = show(tensor({{0.25, 0.5, 1.0}, {0.125, 0.75, 0.5}, {0.5, 0.5, 0.5}}), {"query", "key"},
                         {}, {"注意力机制", accent, bytes});
  for (size_t row = 3; row < 6; ++row) CHECK(columns_of(cjk.lines[row]) == columns_of(cjk.lines[3]));
  CHECK(column_of(cjk.lines[3], "0.2500") == column_of(cjk.lines[4], "0.1250"));
  CHECK(column_of(cjk.lines[2], "te\u0301") - column_of(cjk.lines[3], "0.5000") == 10 - 2 - 4);

  std::string long_name;
  for (int i = 0; i < 40; ++i) long_name += "語";
  const Shown cut_names = show(ones({2, 2}), {"query", "key"}, {.columns = 44}, {long_name, "b"});
  for (const std::string& line : cut_names.lines) CHECK(columns_of(line) <= 44);
  CHECK(contains(cut_names.text(), "語.."));
}

TEST_CASE("text - measured cut and filled by columns") {
  CHECK(columns_of("journey") == 7);
  CHECK(columns_of("漢字") == 4);
  CHECK(columns_of("e\u0301") == 1);
  CHECK(columns_of("\xff\xe2\x82") == 3);
  CHECK(cut("漢字漢字", 5) == "漢..");
  CHECK(cut("abc", 3) == "abc");
  CHECK(cut("abcd", 2) == "..");
  CHECK(right_aligned("漢", 4) == "  漢");
  CHECK(printable("a\x1b\u009b[\xff") == "a??[?");
  CHECK(filled("one two three", 2, 9) == std::vector<std::string>{"  one two", "  three"});
  CHECK(filled("", 0, 9) == std::vector<std::string>{""});
  CHECK(filled("abcdef gh", 0, 4) == std::vector<std::string>{"abcd", "ef", "gh"});
  CHECK(broken("漢字漢", 4) == std::vector<std::string>{"漢字", "漢"});
  const auto code = [](std::string_view line, size_t columns) {
    std::string text;
    for (const auto& [margin, part] : broken_code(line, columns))
      text += std::string(margin, ' ') + part + "|";
    return text;
  };
  CHECK(code("  x = f(1)", 30) == "  x = f(1)|");
  CHECK(code("  x = f(first, second, third, fourth)", 30) ==
        "  x = f(first, second, third, |          fourth)|");
  CHECK(code("answer = kept if kept else \"no word\"", 32) ==
        "answer = kept if kept else |        \"no word\"|");          // strings are not cut
  CHECK(code("x = " + std::string(8, '7'), 6) == "x = |777777|77|");  // too narrow to indent
  CHECK(broken("漢", 1) == std::vector<std::string>{"漢"});
}

TEST_CASE("keys - sequences in one piece and in many") {
  const std::pair<const char*, Key::Kind> keys[] = {
      {"\033[A", Key::Kind::Up},        {"\033OB", Key::Kind::Down},       {"\033[5~", Key::Kind::PageUp},
      {"\033[6~", Key::Kind::PageDown}, {"\033[H", Key::Kind::Home},       {"\033[4~", Key::Kind::End},
      {"\033[1;5C", Key::Kind::Right},  {"\033[[A", Key::Kind::Up},        {"\r", Key::Kind::Enter},
      {"\x7f", Key::Kind::Backspace},   {"\033[200~", Key::Kind::Unknown}, {"漢", Key::Kind::Text},
      {"\033x", Key::Kind::Unknown}};
  for (const auto& [bytes, kind] : keys) {
    const std::string whole(bytes);
    std::string first, rest = whole + "q";
    const std::optional<Key> key = take_key(rest, false);
    REQUIRE(bool(key));
    CHECK_MESSAGE(key->kind == kind, whole.substr(whole[0] == '\033'));
    CHECK(rest == "q");
    for (size_t i = 0; i + 1 < whole.size(); ++i) {
      first += whole[i];
      CHECK_FALSE(bool(take_key(first, false)));
    }
  }
}

TEST_CASE("keys - a lone escape and garbage") {
  std::string escape = "\033";
  CHECK_FALSE(bool(take_key(escape, false)));
  CHECK(take_key(escape, true)->kind == Key::Kind::Escape);
  CHECK(escape.empty());

  std::string garbage;
  for (int i = 0; i < 20000; ++i) garbage += static_cast<char>((i * 7919 + i / 256) % 256);
  garbage += "\033[" + std::string(100000, '1') + "\xe6\xbc";
  size_t keys = 0, before = garbage.size();
  while (!garbage.empty()) {
    REQUIRE(bool(take_key(garbage, true)));
    REQUIRE(garbage.size() < before);
    before = garbage.size();
    ++keys;
  }
  CHECK(keys > 1000);
}
