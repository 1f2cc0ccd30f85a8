// Courses of exercises: the verdicts on right answers, wrong answers, and answers that cannot run.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>

#include "apps/cli/json_number.h"
#include "apps/exercise/answer_run.h"
#include "apps/exercise/answers.h"
#include "apps/exercise/compare.h"
#include "apps/exercise/verdict.h"
#include "engine/core/error.h"
#include "engine/ops.h"
#include "engine/random.h"
#include "tests/thorough.h"

using namespace glassgrad;
using namespace glassgrad::exercise;

namespace {

uint64_t seeds() { return is_thorough() ? 5 : 1; }

Verdict check_of(const char* course, const char* exercise, std::string_view text,
                 const Limits& limits = kLimitsOfAnswers) {
  const Course& c = *course_called(course);
  return exercise::check(c, *c.find(exercise), text, 7, limits);
}

struct Case {
  const char *course, *exercise;
  std::vector<const char*> right;
  std::vector<std::pair<const char*, const char*>> wrong;  // the answer, and how its verdict begins
};

const Case kCases[] = {
    {"attention",
     "dot",
     {"score = (query * key).sum()", "score = torch.dot(key, query)",
      "total = 0\nfor q, k in zip(query, key):\n    total = total + q * k\nscore = total"},
     {{"score = query * key", "score has shape (3,), and should have ()."},
      {"score = query @ query", "score differs."},
      {"score = (query @ key).item()", "score is a float, and should be a tensor."},
      {"result = query @ key", "Your answer makes no score."},
      {"score = query @ kee",
       "Line 1, column 17: NameError: name 'kee' is not defined. Did you mean: 'key'?"}}},
    {"attention",
     "weights",
     {"weights = scores.softmax(-1)", "e = scores.exp()\nweights = e / e.sum(dim=1, keepdim=True)",
      "weights = torch.stack([torch.softmax(row, dim=0) for row in scores])",
      "weights = F.softmax(scores, -1)"},
     {{"weights = torch.softmax(scores, dim=0)", "weights differs in 36 of 36 cells."},
      {"weights = torch.exp(scores)", "weights differs in 36 of 36 cells."},
      {"weights = torch.softmax(scores, dim=2)", "Line 1, column 11: IndexError: Dimension out of range"},
      {"weights = torch.softmax(scores, dim=-1).double()",
       "weights has dtype float64, and should have float32."},
      {"weights = scores / 0 * 0", "weights is nan in 36 of 36 cells."}}},
    {"attention",
     "mask",
     {"masked = torch.where(mask, float('-inf'), scaled)",
      "scaled.masked_fill_(mask, -torch.inf)\nmasked = scaled", "scaled[mask] = -torch.inf\nmasked = scaled",
      "masked = scaled + torch.zeros(n, n).masked_fill(mask, -torch.inf)",
      "masked = scaled.clone()\nmasked[mask] = -torch.inf"},
     {{"masked = scaled.masked_fill(mask, 0.0)", "masked differs in 15 of 36 cells."},
      {"masked = scaled.masked_fill(~mask, -torch.inf)", "masked differs in 36 of 36 cells."},
      {"masked = scaled", "masked differs in 15 of 36 cells."},
      {"masked = scaled.masked_fill(mask, -1e9)", "masked differs in 15 of 36 cells."},
      {"masked = scaled.masked_fill(mask)", "Line 1, column 10: TypeError: masked_fill() received"}}},
    {"attention",
     "scale",
     {"scores /= d_out**0.5\nscaled = scores", "scaled = scores * d_out**-0.5",
      "scaled = scores.div_(keys.shape[-1]**0.5)", "keys /= d_out**0.5\nscaled = queries @ keys.T"},
     {{"scores /= d_out\nscaled = scores", "scaled differs in 36 of 36 cells."},
      {"scaled = scores / 2", "Right with these numbers, not with different ones"}}},
    {"attention",
     "context",
     {"context = weights.clone() @ x"},
     {{"context = weights @ x\nx += 1", "You changed x itself, and it is needed unchanged."},
      {"x *= 2\ncontext = weights @ (x / 2)", "You changed x itself, and it is needed unchanged."}}},
    {"gpt",
     "block",
     {"x = self.attention(self.norm1(x)) + x", "y = x.clone()\ny += self.attention(self.norm1(x))\nx = y"},
     {{"x += self.attention(self.norm1(x))", "You changed x itself, and it is needed unchanged."},
      {"x.add_(self.attention(self.norm1(x)))", "You changed x itself, and it is needed unchanged."}}},
    {"autograd",
     "mul",
     {"a.requires_grad_()\n(a * b).backward(grad_c)\ngrad_a = a.grad", "grad_a = grad_c.mul(b)"},
     {{"grad_a = _a.grad", "Line 1, column 10: NameError: name '_a' is not defined"},
      {"a.requires_grad_()\n(a * b).backward(b)\ngrad_a = a.grad", "grad_a differs in 20 of 20 cells."}}},
    {"autograd",
     "relu",
     {"grad_x = grad_y.masked_fill(x <= 0, 0.0)", "grad_x = torch.where(y > 0, grad_y, 0.0)"},
     {{"grad_x = grad_y * (x >= 0)", "grad_x differs in 1 of 20 cells."},
      {"grad_x = grad_y * torch.sign(x)", "grad_x differs"}}},
    {"attention",
     "split",
     {"heads = x.reshape(b, n, num_heads, -1).permute(0, 2, 1, 3)",
      "heads = torch.stack(x.chunk(num_heads, dim=-1), dim=1)",
      "width = d_out // num_heads\nparts = [x[:, :, i * width:(i + 1) * width] for i in range(num_heads)]\nheads = "
      "torch.stack(parts, 1)"},
     {{"heads = x.view(b, num_heads, n, d_out // num_heads)",
       "heads in split_heads differs in 40 of 48 cells."},
      {"heads = x.view(b, n, num_heads, d_out // num_heads)",
       "heads in split_heads has shape (2, 6, 2, 2), and should"},
      {"heads = x.view(2, 6, 2, 2).transpose(1, 2)",
       "Right with these numbers, not with different ones (n = 5"},
      {"heads = x.view(b, n, num_heads, d_out / num_heads).transpose(1, 2)", "Line 1, column 9: TypeError"},
      {"return x", "Your answer makes no heads in split_heads."}}},
    {"autograd",
     "softmax",
     {"grad_s = p * grad_p - p * (grad_p * p).sum(-1, keepdim=True)",
      "rows = []\nfor k in range(n):\n    jacobian = torch.diag(p[k]) - torch.outer(p[k], p[k])\n    "
      "rows.append(jacobian @ grad_p[k])\ngrad_s = torch.stack(rows)",
      "t = s.clone().requires_grad_()\ntorch.softmax(t, -1).backward(grad_p)\ngrad_s = t.grad"},
     {{"grad_s = grad_p * p * (1 - p)", "grad_s differs in 20 of 20 cells."},
      {"grad_s = p * grad_p", "grad_s differs in 20 of 20 cells."},
      {"grad_s = p * (grad_p - (grad_p * p).sum(dim=-1))",
       "Line 1, column 15: RuntimeError: The size of tensor a"},
      {"grad_s = grad_p", "grad_s differs in 20 of 20 cells."},
      {"grad_s = (p * grad_p", "Line 1, column 10: SyntaxError: '(' was never closed"}}},
};

}  // namespace

TEST_CASE("The solution of every exercise is right with any seed and its mistakes say what they are") {
  size_t looked_at = 0;
  for (const Course* course : courses())
    for (const Exercise& e : course->exercises) {
      if (looked_at++ % one_in(1) != 0) continue;
      CAPTURE(course->id);
      CAPTURE(e.id);
      for (uint64_t seed = 1; seed <= seeds(); ++seed) {
        const Verdict v = exercise::check(*course, e, text_of(e.solution), seed);
        CHECK_MESSAGE(v.kind == Verdict::Right, v.sentence);
        CHECK(v.agreed.find(" in a second run") != std::string::npos);
      }
      CHECK(e.mistakes.size() >= 3);
      CHECK(exercise::check(*course, e, "pass").kind != Verdict::Right);
      for (const Mistake& m : e.mistakes) {
        const Verdict v = exercise::check(*course, e, text_of(m.lines));
        CHECK(v.kind != Verdict::Right);
        CHECK(v.mistake == "One way to get this: " + m.sentence);
      }
    }
}

namespace {

const Limits kPlenty{.steps = 10'000'000, .bytes = 64 << 20, .seconds = 60};

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// Returns the name that a one-line solution binds; empty if it has more lines or binds something else.
std::string name_of(const std::vector<std::string>& lines) {
  std::smatch found;
  return lines.size() == 1 && std::regex_search(lines[0], found, std::regex("^(\\w+) = ")) ? found[1].str()
                                                                                           : "";
}

}  // namespace

TEST_CASE(
    "No two mistakes of an exercise coincide in the numbers of a run and none is the answer of another one") {
  size_t looked_at = 0;
  for (const Course* course : courses())
    for (const Exercise& e : course->exercises) {
      if (looked_at++ % one_in(1) != 0) continue;
      for (uint64_t seed = 7; seed < 7 + seeds(); ++seed)
        for (const bool second : {false, true}) {
          const AnswerRunOptions options{seed, second};
          const auto run = [&](const std::vector<std::string>& lines) {
            return run_answer(*course, e, lines, options, kPlenty);
          };
          const AnswerRun right = run(e.solution);
          std::vector<AnswerRun> trials;
          for (const Mistake& m : e.mistakes) {
            CAPTURE(course->id);
            CAPTURE(e.id);
            CAPTURE(m.sentence);
            trials.push_back(run(m.lines));
            CHECK(!alike(trials.back(), right));
            for (size_t i = 0; i + 1 < trials.size(); ++i)
              CHECK_MESSAGE(!alike(trials[i], trials.back()), e.mistakes[i].sentence);
          }
          const std::string name = name_of(e.solution);
          for (const Exercise& other : course->exercises) {
            const std::string others = name_of(other.solution);
            if (&other == &e || name.empty() || others.empty()) continue;
            const std::string answer = name + other.solution[0].substr(others.size());
            const AnswerRun trial = run({answer});
            for (size_t i = 0; trial.end == AnswerRun::Whole && i < trials.size(); ++i) {
              const std::string mistake = without_spaces(text_of(e.mistakes[i].lines));
              // The mistake may be this answer, or a plain copy of the other exercise's result: "masked =
              // scaled".
              const bool is_meant = mistake == without_spaces(answer) || mistake == name + "=" + others;
              CHECK_MESSAGE((is_meant || !alike(trials[i], trial)),
                            e.id << ": " << answer << " is told: " << e.mistakes[i].sentence);
            }
          }
        }
    }
}

TEST_CASE("A solution with the numbers of the first run in it is found out and told of no mistake") {
  size_t tried = 0;
  for (const Course* course : courses())
    for (const Exercise& e : course->exercises)
      for (const auto& size : course->sizes) {
        const std::string solution = text_of(e.solution), name = "\\b" + size.name + "\\b";
        const double root = std::sqrt(double(size.first));
        for (const auto& [from, to] : {std::pair(name, fmt::format("{}", size.first)),
                                       {name + "\\*\\*0\\.5", fmt::format("{}", root)}}) {
          const std::string answer = std::regex_replace(solution, std::regex(from), to);
          const bool has_parameters = solution.starts_with("class ") || solution.starts_with("def ");
          if (answer == solution || has_parameters) continue;
          ++tried;
          const Verdict v = exercise::check(*course, e, answer, 7);
          CHECK_MESSAGE(v.kind != Verdict::Right, answer);
          CHECK_MESSAGE(v.second, answer << ": " << v.sentence);
          CHECK_MESSAGE(v.mistake.empty(), answer << ": " << v.mistake);
        }
      }
  CHECK(tried > 10);
  for (const Course* course : courses()) {  // two equal sizes would hide a swap
    std::set<long long> first, second;
    for (const auto& size : course->sizes) first.insert(size.first), second.insert(size.second);
    CHECK(first.size() == course->sizes.size());
    CHECK(second.size() == course->sizes.size());
  }
}

TEST_CASE("Whatever computes the right tensors is right and the first that differs is named") {
  for (const Case& c : kCases) {
    for (const char* answer : c.right) {
      const Verdict v = check_of(c.course, c.exercise, answer);
      CHECK_MESSAGE(v.kind == Verdict::Right, answer << ": " << v.sentence);
    }
    for (const auto& wrong : c.wrong) {
      const char* const answer = wrong.first;
      const Verdict v = check_of(c.course, c.exercise, answer);
      CHECK(v.kind != Verdict::Right);
      CHECK_MESSAGE(v.sentence.starts_with(wrong.second), answer << ": " << v.sentence);
    }
  }
}

TEST_CASE("Of each answer in the table it is said what stands there") {
  // The file has "## COURSE/EXERCISE" and below it answers, each followed by its verdict: "Right." or the
  // whole text.
  std::ifstream file(GLASSGRAD_GOLDEN_DIR "/answers.md");
  REQUIRE(file.good());
  std::string line, course, exercise, answer, last;
  bool inside = false;
  size_t looked_at = 0, right = 0, wrong = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("```")) {
      inside = line != "```";
      if (inside) answer.clear();
    } else if (inside) {
      answer += line + "\n";
    } else if (line.starts_with("## ")) {
      const size_t slash = line.find('/');
      course = line.substr(3, slash - 3);
      exercise = line.substr(slash + 1);
      last = line;
    } else if (!line.empty() && !line.starts_with('#') && looked_at++ % one_in(1) == 0) {
      const Verdict v = check_of(course.c_str(), exercise.c_str(), answer);
      std::string said = v.sentence;
      for (const std::string* more : {&v.hint, &v.mistake})
        if (!more->empty()) said += " " + *more;
      CHECK_MESSAGE(said == line, last << "\n" << answer);
      const Course& c = *course_called(course);
      for (uint64_t seed = 1; v.kind == Verdict::Right && seed < seeds(); ++seed)
        CHECK_MESSAGE(exercise::check(c, *c.find(exercise), answer, seed).kind == Verdict::Right, answer);
      ++(v.kind == Verdict::Right ? right : wrong);
    }
  }
  CHECK(right >= 40 / one_in(1) / 2);
  CHECK(wrong >= 100 / one_in(1) / 2);
}

TEST_CASE("The cells that differ are marked in both matrices") {
  const Verdict v = check_of("attention", "mask", "masked = scaled");
  REQUIRE(v.right);
  REQUIRE(v.yours);
  CHECK(v.right->shape == "(6, 6)");
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 6; ++j) {
      CHECK(v.right->rows[i][j].differs == (j > i));
      CHECK((v.right->rows[i][j].text == "-inf") == (j > i));
    }
  const Json json = json_of(v);
  CHECK(json["name"] == "masked");
  CHECK(json["yours"]["differs"][0][1] == true);
}

TEST_CASE("A text that ends nowhere takes all or leaves something behind does no harm") {
  default_generator().manual_seed(5);
  const double next = rand({}).item();
  default_generator().manual_seed(5);
  const std::pair<const char*, Verdict::Kind> kHostile[] = {
      {"while True: pass", Verdict::Stopped},
      {"score = sum(1 for _ in range(10**15))", Verdict::Stopped},
      {"while True:\n    try:\n        torch.zeros(10**6, 10**6)\n    except:\n        pass",
       Verdict::Stopped},
      {"score = torch.zeros(50000, 50000)", Verdict::Stopped},
      {"score = torch.ones(1).expand(10**6, 10**6).sum()", Verdict::Stopped},
      {"kept = []\nwhile True:\n    kept.append(torch.zeros(1000, 1000))", Verdict::Stopped},
      {"score = 'x' * 10**12", Verdict::Stopped},
      {"score = list(range(10**12))", Verdict::Stopped},
      {"def f(k):\n    return f(k + 1)\nscore = f(0)", Verdict::Failed},
      {"score = open('/etc/passwd').read()", Verdict::Failed},
      {"import subprocess", Verdict::Failed},
      {"import os\nos.system('ls')", Verdict::Failed},
      {"query = torch = key = None", Verdict::Wrong},
      {"torch.set_default_dtype(torch.float64)", Verdict::Wrong},
      {"score = \"", Verdict::Failed},
      {"score = query @ key \\", Verdict::Failed},
      {"    score = (query @\n  key", Verdict::Failed},
      {"score = 1/0", Verdict::Failed},
      {"score = \x1b[31m", Verdict::Failed},
      {"score = \xff\xfe", Verdict::Failed},
      {"#: end", Verdict::Empty},
      {"  \n\n", Verdict::Empty},
  };
  for (const auto& hostile : kHostile) {
    const auto text = hostile.first;
    const Verdict v = check_of("attention", "dot", text, {.steps = 200'000, .bytes = 64 << 20, .seconds = 5});
    CHECK_MESSAGE(v.kind == hostile.second, text << ": " << v.sentence);
    CHECK(!v.sentence.empty());
  }
  CHECK(check_of("attention", "dot", std::string(100'000, '(')).kind == Verdict::Failed);
  CHECK(check_of("attention", "dot", "score = query @ key").kind == Verdict::Right);  // answers still run
  CHECK(rand({}).item() == next);
}

TEST_CASE("Answers are read back as they were written and the whole program runs with them") {
  const Course& course = *course_called("attention");
  Answers answers(course);
  CHECK(answers.first_open() == &course.exercises[0]);
  answers.set(course.exercises[0], "score = (query * key).sum()\n", true);
  answers.set(course.exercises[2], "e = scores.exp()\nweights = e\n", false);
  const Answers again(course, answers.text());
  CHECK(again.text() == answers.text());
  CHECK(again.solved() == 1);
  CHECK(again.first_open() == &course.exercises[1]);
  CHECK(again.of(course.exercises[2]) == "e = scores.exp()\nweights = e\n");
  CHECK_THROWS_AS(Answers(course, "score = 1\n"), Error);
  CHECK_THROWS_AS(Answers(course, "# == dot\n\x1b[2J\n"), Error);
  CHECK(Answers(course, "\xef\xbb\xbf# == 1\r\nscore = 1\r\n").of(course.exercises[0]) == "score = 1\n");

  std::string printed;
  run_ending(course, answers.right_ones(), 1, [&](std::string_view text) { printed += text; });
  CHECK(printed.find("[False, False, False, False, False, True]") != std::string::npos);
  CHECK(program(course, answers.right_ones()).find("score = (query * key).sum()") != std::string::npos);
}

TEST_CASE("A GPT of the learners lines learns its sentences") {
  std::string printed;
  run_ending(*course_called("gpt"), {}, 123, [&](std::string_view text) { printed += text; });
  CHECK(printed.find(
            "After training:\n  cats climb trees during storms .\n  dogs chase birds across fields .") !=
        std::string::npos);
}

TEST_CASE("What a courses file says wrong is told with its line") {
  const auto refused = [](std::string_view text) -> std::string {
    try {
      course_of(learn::read_document(text, "c.md"));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const std::string head = "# T\n```lesson\nunderstand: x\nminutes: 1\n```\n",
                    blank = head + "## A {#a}\n```python\nx = 1  #: blank\n```\n";
  CHECK(refused("x") == "c.md:1: a lesson begins with its title: # Title");
  CHECK(refused(head + "hint: x\n") == "c.md:6: a hint stands before the first step: ### Title {#address}");
  CHECK(refused(head + "## A {#a}\n```python\nx = 1\n```\n") ==
        "c.md:1: a course has a blank: lines that end with #: blank");
  CHECK(refused(head + "## A {#a}\nhint: x\n") ==
        "c.md:6: hints, mistakes and expect: belong to a step with a blank");
  CHECK(refused(blank + "hint: x\n\nhint: y\n") == "c.md:6: an exercise has three hints");
  CHECK(refused(blank + "hint: x\n\nhint: y\n\nhint: z\n\nhint: a\n") ==
        "c.md:16: an exercise has three hints");
  CHECK(refused(blank + "mistake: x\n\nwords\n") ==
        "c.md:10: the wrong lines stand below the sentence, in a block ```python or ```diff");
  CHECK(refused(blank + "mistake: x\n\n```diff\n-y = 1\n```\n") ==
        "c.md:12: lines of a diff that do not begin with + stand in the blank once, one after the other");
  CHECK(refused(blank + "expect: x\n") == "c.md:10: expect: NAME = EXPRESSION");
  CHECK(refused(blank + "The answer is {x}.\n\nhint: x\n\nhint: y\n\nhint: z\n") ==
        "c.md:10: the prose of an exercise has no values: they would tell the answer");
  CHECK(refused("# T\n```lesson\nunderstand: x\nminutes: 1\nn: 3\n```\n") ==
        "c.md:5: n: LOW..HIGH, what it is; of an exercise's size n: SIZE, SECOND SIZE");
  CHECK(refused(blank + "hint: x\n\nhint: y\n\nhint: z\n").empty());
}

TEST_CASE("A lesson with a blank is a course whose other steps run as they stand") {
  const Course course = course_of(learn::read_document(
      "# T\n```lesson\nunderstand: x\nminutes: 1\nn: 2, 3\n```\n"
      "## A {#a}\n```python\nimport torch\nx = torch.ones(n)  # (token)\n```\nThey add to {x.sum()}.\n"
      "## M {#m}\n```python\nw = x + 1  #: blank\n```\nmistake: subtracts\n\n```python\nw = x - 1\n```\n"
      "## B {#b}\nWrite `y`, a {{set}}.\n```python\nk = 2.0\nfor _ in range(2):\n    y = x * k  #: blank\nz = y\n```\n"
      "hint: x\n\nhint: y\n\nhint: z\n\n"
      "## C {#c}\nThe end.\n```python\nprint(y.sum().item())\n```\n",
      "c.md"));
  REQUIRE(course.exercises.size() == 1);
  const Exercise& e = course.exercises[0];
  CHECK(e.prose == std::vector<std::string>{"Write `y`, a {set}."});
  CHECK(e.setup == std::vector<std::string>{"import torch", "x = torch.ones(n)", "w = x + 1"});
  CHECK(e.solution == std::vector<std::string>{"y = x * k"});
  CHECK(e.indent == 4);
  CHECK(check(course, e, "y = k * x", 1).kind == Verdict::Right);
  CHECK(check(course, e, "y = x + k", 1).kind != Verdict::Right);
  std::string printed;
  run_ending(course, {}, 1, [&](std::string_view text) { printed += text; });
  CHECK(printed == "4.0\n");
  CHECK(course.ending_title == "C");
}
