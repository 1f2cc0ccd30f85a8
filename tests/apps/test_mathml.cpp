// Formulas of lessons as MathML.
#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"
#include "apps/text/mathml.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

std::string inside(std::string_view latex) {
  const std::string all = mathml(latex, "");
  const std::string before = R"(<math display="block" aria-label=""><mrow><mrow>)",
                    after = "</mrow></mrow></math>";
  REQUIRE(all.starts_with(before));
  REQUIRE(all.ends_with(after));
  return all.substr(before.size(), all.size() - before.size() - after.size());
}

}  // namespace

TEST_CASE("MathML of fractions and roots and scripts and brackets") {
  CHECK(inside("x^2") == "<msup><mi>x</mi><mn>2</mn></msup>");
  CHECK(inside("d_\\mathrm{head}") == "<msub><mi>d</mi><mi>head</mi></msub>");
  CHECK(inside("W_1^\\top") == "<msubsup><mi>W</mi><mn>1</mn><mi>⊤</mi></msubsup>");
  CHECK(inside("\\frac{1}{\\sqrt{n}}") == "<mfrac><mn>1</mn><msqrt><mi>n</mi></msqrt></mfrac>");
  CHECK(inside("\\left(x\\right)") == "<mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow>");
  CHECK(inside("\\sum_{j \\le i} x") ==
        "<munder><mo>∑</mo><mrow><mi>j</mi><mo>≤</mo><mi>i</mi></mrow></munder><mi>x</mi>");
  CHECK(inside("\\mathrm{silu}'") == "<mrow><mi>silu</mi><mo>′</mo></mrow>");
  CHECK(inside("\\begin{cases} 1 & a \\\\ 0 & b \\end{cases}") ==
        R"(<mrow><mo>{</mo><mtable columnalign="left"><mtr><mtd><mn>1</mn></mtd><mtd><mi>a</mi></mtd></mtr>)"
        "<mtr><mtd><mn>0</mn></mtd><mtd><mi>b</mi></mtd></mtr></mtable></mrow>");
}

TEST_CASE("MathML of a sign and of a name") {
  CHECK(inside("-x") == R"(<mo form="prefix">−</mo><mi>x</mi>)");
  CHECK(inside("a - b") == "<mi>a</mi><mo>−</mo><mi>b</mi>");
  CHECK(inside("\\log p") == R"(<mi>log</mi><mspace width="0.167em"/><mi>p</mi>)");
  CHECK(inside("\\tanh(x)") ==
        R"(<mi>tanh</mi><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo>)");
}

TEST_CASE("MathML of a formula that needs several lines") {
  CHECK(inside("a = b") == R"(<mi>a</mi></mrow><mrow><mo form="infix">=</mo><mi>b</mi>)");
  CHECK(inside("a = -b + c") ==
        R"(<mi>a</mi></mrow><mrow><mo form="infix">=</mo><mo form="prefix">−</mo><mi>b</mi></mrow>)"
        R"(<mrow><mo form="infix">+</mo><mi>c</mi>)");
  CHECK(
      inside("a, \\qquad -b") ==
      R"(<mi>a</mi><mo>,</mo><mspace width="2em"/></mrow></mrow><mrow><mrow><mo form="prefix">−</mo><mi>b</mi>)");
  CHECK(inside("\\sqrt{a + b}") == "<msqrt><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msqrt>");
}

TEST_CASE("nothing in a formula becomes markup") {
  CHECK(
      mathml("x", "a < \"b\"") ==
      "<math display=\"block\" aria-label=\"a &lt; &quot;b&quot;\"><mrow><mrow><mi>x</mi></mrow></mrow></math>");
  CHECK(inside("\\text{ <b> & }") == "<mtext>\u00a0&lt;b&gt; &amp;\u00a0</mtext>");
  CHECK(inside("a < b") == "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
}

TEST_CASE("LaTeX that no lesson uses is refused by its name") {
  const auto refused = [](const char* latex, const char* words) {
    CHECK_THROWS_WITH_AS(mathml(latex, ""), doctest::Contains(words), Error);
  };
  refused("\\oint x", "has \\oint, which a page cannot show");
  refused("\\begin{align} x \\end{align}", "has \\begin{align}, which a page cannot show");
  refused("x ~ y", "has '~', which a page cannot show");
  for (const char* text :
       {"\\frac{1}", "{x", "x}", "x_1_2", "x^", "_", "\\left(x", "x \\right)", "\\", "\\mathrm{x",
        "\\begin{cases} x", "a & b", "\\begin{cases} x \\end{bmatrix}", "\\left[x\\right]"})
    CHECK_THROWS_AS(mathml(text, ""), Error);
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "\\sqrt{";
  CHECK_THROWS_AS(mathml(deep, ""), Error);
  CHECK(mathml_or_text("\\oint x", "a < b").find("<mtext>a &lt; b</mtext>") != std::string::npos);
}

TEST_CASE("every formula of every lesson has its MathML") {
  size_t count = 0;
  const auto show = [&](const auto& item) {
    if (const auto* math = std::get_if<Math>(&item)) {
      CHECK(mathml(math->latex, math->text).ends_with("</math>"));
      ++count;
    }
  };
  for (const Lesson* lesson : lessons())
    for (const DocumentStep& step : lesson->document->steps)
      for (const Item& item : step.items) {
        show(item);
        if (const auto* condition = std::get_if<Condition>(&item)) {
          for (const auto& part : condition->then) show(part);
          for (const auto& part : condition->otherwise) show(part);
        }
      }
  CHECK(count > 100);
}
