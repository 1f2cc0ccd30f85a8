// An edited line of a lesson's program: what it changes, and that undoing it restores everything.
#include <doctest/doctest.h>

#include "apps/ask/what_if.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/program.h"
#include "apps/script/host.h"
#include "engine/core/error.h"
#include "engine/print.h"
#include "engine/random.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

constexpr const char* kText = R"(# Half of everything

```lesson
understand: what a half is
minutes: 1
rows: 1..9, how many rows
```

## One

### The class {#class}

```python
import torch
from torch import nn
class Half(nn.Module):
    def forward(self, x):
        y = x / 2
        return y
x = torch.ones(2)  #: rows
half = Half()
z = half(x)
```

### Its line {#line}

```python inside half(x)
y = x / 2
```

### A line that ends {#ends}

```python
print("sum", z.sum().item())
```

The last one is {z[1]:.1f}.
)";

constexpr int kClassLine = 18, kInsideLine = 28;  // y = x / 2

const CodeBlock& block(const Recording& recording, size_t step) {
  return recording.steps.at(step).code_blocks.at(0);
}

struct Fixture {
  DocumentLesson lesson{read_document(kText, "half.md"), true};
  Settings settings{lesson.lesson(), {}};
  WhatIf what_if{runner(lesson.lesson(), settings), "", Keep::Calls};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an edited line of a call runs in its function") {
  const Recording& base = what_if.recording();
  REQUIRE(block(base, 1).line == kInsideLine);
  CHECK(block(base, 1).function_lines == std::vector<int>{kClassLine});
  what_if.edit(kInsideLine, "y = x * 3");
  const Recording& now = what_if.recording();
  CHECK(now.steps[0].code[4] == "        y = x * 3");  // with the indentation of that step
  CHECK(now.steps[1].code == std::vector<std::string>{"y = x * 3"});
  CHECK(block(now, 0).edited.at(4) == "        y = x / 2");
  CHECK(block(now, 1).edited.at(0) == "y = x / 2");
  CHECK(now.steps[2].outputs == "sum 6.0\n");
  CHECK(now.steps[2].entries[0].reworded);
  CHECK(now.steps[2].sentences == std::vector<std::string>{"The last one is 3.0."});
  CHECK(now.differences->set == std::vector<std::string>{"line 18: y = x / 2 -> y = x * 3"});
  CHECK(now.differences->steps_alike == 0);
}

TEST_CASE_FIXTURE(Fixture, "edited lines and set numbers are taken back in turn") {
  what_if.edit(kClassLine, "        y = x + 1");
  what_if.set("class:x[0]=5");
  CHECK(what_if.recording().steps[2].outputs == "sum 8.0\n");
  what_if.edit(kClassLine + 2, "x = torch.ones(4)");  // the line of a setting, typed with a number
  CHECK(what_if.recording().steps[2].outputs == "sum 12.0\n");
  CHECK(what_if.recording().differences->set.size() == 3);
  CHECK(what_if.take_back());
  CHECK(what_if.take_back());
  CHECK(what_if.recording().steps[2].outputs == "sum 4.0\n");
  CHECK(what_if.take_back());
  CHECK(what_if.recording().steps[2].outputs == "sum 1.0\n");
  CHECK(block(what_if.recording(), 0).edited.empty());
}

TEST_CASE_FIXTURE(Fixture, "a line that cannot run says where it ended and changes nothing") {
  const auto error = [&](int line, const std::string& text) -> std::string {
    try {
      what_if.edit(line, text);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  CHECK(error(kInsideLine, "y = (x") == "half.md:18: SyntaxError: '(' was never closed");
  CHECK(error(kInsideLine, "y = nothing") == "half.md:18: NameError: name 'nothing' is not defined");
  CHECK(error(kClassLine, "\ty = 1") == "half.md:18: there is a tab here: write spaces");
  CHECK(error(kClassLine, "        y = '\x1b'") ==
        "half.md:18: there is a control character here, or bytes that are no UTF-8");
  CHECK(error(1, "x") == "no step shows a line 1 of the lesson's program");
  CHECK(error(kInsideLine, "y = x / 2") == "line 18 is that already");
  CHECK_FALSE(what_if.is_changed());
  // A sentence whose value no longer exists is left out; the rest of the step stays.
  CHECK(error(kClassLine, "        y = x.sum()") == "");
  CHECK(what_if.recording().steps[2].sentences.empty());
  CHECK(what_if.recording().steps[2].outputs == "sum 2.0\n");
}

TEST_CASE("What a program sets for its whole thread is as before when it has run") {
  std::string text = kText;
  const std::string line = "from torch import nn\n";
  text.replace(text.find(line), line.size(),
               line +
                   "torch.set_default_dtype(torch.float64)\ntorch.set_printoptions(precision=2)\n"
                   "torch.manual_seed(5)\n");
  const DocumentLesson lesson(read_document(text, "half.md"), true);
  for (int run = 0; run < 2; ++run) {
    const Recording recording = record(lesson.lesson(), Settings(lesson.lesson(), {}));
    CHECK(recording.steps.at(0).entries.at(0).value->tensor().dtype() == float64);
  }
  CHECK(default_generator().initial_seed() != 5);
  CHECK(print_options().precision == 4);
  CHECK(script::rows::default_dtype() == float32);
}
