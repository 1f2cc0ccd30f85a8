// Generators check the limits of their run, and a watcher does not see their bodies.
#include <doctest/doctest.h>

#include "apps/script/interpreter.h"

using namespace glassgrad::script;

namespace {

struct LimitReached {};

constexpr const char* kEndless = R"(
def endless():
    while True: yield 1
def delegate(x): yield from x
def deep(n):
    x = iter([1])
    for _ in range(n): x = delegate(x)
    return x
def itself(): yield from itself()
)";

// Runs a program up to 200,000 checks of its limits; returns the last line of its error.
std::string end_of_run(const std::string& text, Watcher* watcher = nullptr) {
  Heap heap(size_t{1} << 24);
  int checks = 0;
  const auto check = [&checks] {
    if (++checks > 200'000) throw LimitReached();
  };
  Interpreter in({.print = [](std::string_view) {}, .interrupted = check, .watcher = watcher});
  const Program program = parse(kEndless + text, "a.py", in.names());
  try {
    in.run(program);
  } catch (const LimitReached&) {
    return "end of time";
  } catch (const Raised& e) {
    return last_line(in, e.exception);
  }
  return "";
}

}  // namespace

TEST_CASE("script generators end with their run") {
  for (const char* const text :
       {"list(endless())", "for x in endless(): pass", "sum(endless())", "2 in endless()",
        "a, *b = endless()", "max(delegate(endless()))", "print(*endless())",
        "[x for x in endless() if x > 1]", "{*endless()}", "list(filter(lambda x: x > 1, endless()))",
        "any(x == 2 for x in endless())", "def f():\n yield from endless()\nlist(f())"})
    CHECK_MESSAGE(end_of_run(text) == "end of time", text);
  CHECK(end_of_run("next(deep(5000))") == "RecursionError: maximum recursion depth exceeded");
  CHECK(end_of_run("next(itself())") == "RecursionError: maximum recursion depth exceeded");
  CHECK(end_of_run("all = []\nwhile True: all.append(endless())") == "MemoryError");
  CHECK(end_of_run("a = [endless() for _ in range(1000)]\nfor x in a: next(x)\nx = a = deep(5000)") == "");
}

TEST_CASE("script generators are left out by a watcher") {
  struct Count : Watcher {
    void before(const Statement&, Frame& frame) override { seen += frame.code->name + " "; }
    void entered(Frame& frame) override { seen += "+" + frame.code->name + " "; }
    void left(Frame& frame, const Value&) override { seen += "-" + frame.code->name + " "; }
    std::string seen;
  } watcher;
  CHECK(end_of_run("def f(x): return x\ndef g():\n  for x in 1, 2: yield f(x)\nlist(g())", &watcher) == "");
  CHECK(watcher.seen.ends_with("<module> +f f -f +f f -f "));
}
