// Sentences of lessons: Markdown to words, and words to Markdown.
#include "apps/lesson/markdown.h"
#include "apps/show/sentences.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;

TEST_CASE("a sentence is words of four kinds and links") {
  const auto words =
      split_markdown("A *new term*, `a_b * c`, **bold** and [the `mask`](journey.md#masked-scores).");
  REQUIRE(words.size() == 10);
  CHECK((words[1].kind == MarkedWords::Term && words[1].text == "new term"));
  CHECK((words[3].kind == MarkedWords::Code && words[3].text == "a_b * c"));
  CHECK((words[5].kind == MarkedWords::Bold && words[5].text == "bold"));
  CHECK((words[6].text == " and " && words[6].link.empty()));
  CHECK((words[7].text == "the " && words[7].link == "journey.md#masked-scores"));
  CHECK((words[8].kind == MarkedWords::Code && words[8].link == "journey.md#masked-scores"));
}

TEST_CASE("what is no mark stands for itself") {
  for (const char* text :
       {"w * (g - sum(w * g))", "a_b and *", "2 ** 3", "[1, 2] (3)", "`", "**", "a * b*", "[x]("})
    CHECK(plain_words(text) == text);
  CHECK(plain_words(R"(\*no term\*, \`no code\`, \\)") == R"(*no term*, `no code`, \)");
  CHECK(plain_words("") == "");
}

TEST_CASE("words come back from the Markdown that is written") {
  for (const char* text :
       {"*a*b*", "`x`", "[a](b)", "_x_ <b> | ~ $ &", "1. no list", "# no heading", "-inf", "\\"}) {
    CHECK(plain_words(escaped(text)) == text);
    CHECK(plain_words(normal_markdown(escaped(text))) == text);
  }
  CHECK(normal_markdown("A *term*, `c_d`, **b** [x `y`](z.md#w).") ==
        "A *term*, `c_d`, **b** [x `y`](z.md#w).");
  CHECK(normal_markdown("- `x` of a_b") == "- `x` of a\\_b");
}

TEST_CASE("a terminal shows terms by attributes and points on lines of their own") {
  const std::vector<std::string> sentences{"One *long term* here.", "- First point of two", "- *Second*",
                                           "[End](a.md#b)."};
  const std::vector<Line> lines = said(sentences, 16);
  std::string text;
  for (const Line& line : lines) text += plain_text(line) + "\n";
  CHECK(text == "One long term\nhere.\n- First point of\n  two\n- Second\nEnd (a#b).\n");
  CHECK(text == said_text(sentences, 16));
  REQUIRE(lines[0].size() == 2);
  CHECK((lines[0][1].text == "long term" && lines[0][1].style == Style::Underline));
  CHECK(lines[4].back().style == Style::Underline);
}
