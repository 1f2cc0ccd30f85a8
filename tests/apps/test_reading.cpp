// Markdown in a terminal, words of the glossary, and the ends of sentences that a model generates.
#include "apps/show/reading.h"

#include <fmt/format.h>

#include "apps/lesson/glossary.h"
#include "apps/lesson/lesson.h"
#include "apps/text/sentence_end.h"
#include "apps/text/unknown.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

std::string read(std::string_view markdown, size_t columns = 40) {
  std::string text;
  for (const Line& line : reading_lines(markdown, columns)) text += plain_text(line) + "\n";
  return text;
}

// Returns the text up to the end of its first sentence; feeds it a character at a time.
std::string first_sentence(std::string_view text, bool lines = false) {
  SentenceEnd end(lines);
  std::string sentence;
  for (const char& c : text) {
    if (end.comes_before({&c, 1})) break;
    end.add({&c, 1});
    sentence += c;
  }
  return sentence;
}

}  // namespace

TEST_CASE("marks of Markdown are read and not shown") {
  CHECK(
      read(
          "<a id=\"x\"></a>\n\n### 1. The `mask`\n\nA *new* **word**,\n[here](#x) and\n[there](cat.md#y).\n") ==
      "1. The mask\n...........\n\nA new word, here and there (cat#y).\n");
  CHECK(read("- a\n- b c\n\n1. one\n12. two") == "- a\n- b c\n\n 1. one\n12. two\n");
  CHECK(read("```python\nx = 1\n\ny\n```\nEnd") == "    x = 1\n\n    y\nEnd\n");
  CHECK(read("```\n" + std::string(39, 'x') + "\n```") == " " + std::string(39, 'x') + "\n");
  CHECK(read("```\nnever closed") == "    never closed\n");
}

TEST_CASE("a table that is too wide is a list of its rows") {
  const char* table = "| | `a` | b |\n|---|---|---|\n| row | one | *two* |\n";
  CHECK(read(table) == "     a    b  \n-------------\nrow  one  two\n");
  CHECK(read(table + std::string("| r | a longer sentence than it holds | 3 |\n")) ==
        "row\n  a: one\n  b: two\nr\n  a: a longer sentence than it holds\n  b: 3\n");
}

TEST_CASE("a step uses the words of its sentences then those of its code") {
  CHECK(term_called("Leaf, node") == nullptr);
  CHECK(term_called("leaf-node") == term_called("NODES"));
  CHECK(bare_words("Softmax of the keys, d_k=3") ==
        std::vector<std::string>{"softmax", "of", "the", "key", "d_k", "3"});
  Step step;
  step.title = "Keys in place of queries";
  step.sentences = {"A *dot product* each."};
  step.code = {"w = torch.softmax(x, dim=-1)"};
  Recording recording;
  recording.lesson = lesson_called("journey");
  std::vector<std::string> titles;
  for (const GlossaryTerm* term : terms_of(recording, step)) titles.push_back(term->title);
  CHECK(fmt::format("{}", fmt::join(titles, "; ")) == "Key; Query; Dot product; Softmax");
}

TEST_CASE("a sentence ends before white space or with its line") {
  CHECK(first_sentence("It is 3.5 of \"them.\" Yes.") == "It is 3.5 of \"them.\"");
  CHECK(first_sentence(" . is\nit? no") == " . is\nit?");
  CHECK(first_sentence("a verse\n\nand one") == "a verse\n");
  CHECK(first_sentence("cats climb\ndogs", true) == "cats climb");
  CHECK(first_sentence("\ncats", true) == "\ncats");
}

TEST_CASE("what a tokenizer has no token for is named") {
  CHECK(told_unknown(*word_tokenizer("cats climb"), "cats climb") == "");
  CHECK(told_unknown(*word_tokenizer("cats climb"), "dogs cats")
            .starts_with("the model has never read the words \"dogs\" and \"cats\" after a space: "));
  CHECK(told_unknown(*char_tokenizer("ab"), "abca")
            .starts_with("the model has never read the character \"c\": it has"));
  CHECK(told_unknown(*byte_tokenizer(), "abc") == "");
}
