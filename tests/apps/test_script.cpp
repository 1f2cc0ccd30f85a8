// The parts of the interpreter that only its host can see. tests/script/test_differential.py compares the
// output of programs with CPython.
#include <new>

#include <doctest/doctest.h>

#include "apps/script/interpreter.h"

using namespace glassgrad::script;

namespace {

struct Stop {};

struct Watched : Watcher {
  std::string seen;
  void assigned(const Expr& target, const Value& v, Frame&) override {
    seen += target.text + "=" + (v.is_int() ? std::to_string(v.whole()) : type_name(v)) + " ";
  }
  void entered(Frame& frame) override { seen += "(" + frame.code->name + " "; }
  void left(Frame&, const Value& result) override { seen += result ? ") " : "raised) "; }
  void evaluated(const Expr& x, Value& v, Frame&) override {
    if (x.kind == Expr::Constant && v.is_int() && v.whole() == 40) v = Value::of(int64_t{41});
  }
};

// Returns the output of a program, and the last line of its error if it raises.
std::string output(std::string_view text, Interpreter::Options options = {}, size_t budget = size_t{1} << 28,
                   size_t* used = nullptr) {
  std::string out;
  options.print = [&](std::string_view s) { out += s; };
  Heap heap(budget);
  Program program;
  Interpreter in(std::move(options));
  try {
    program = parse(text, "a.py", in.names());
    in.run(program);
  } catch (const Raised& e) {
    out += last_line(in, e.exception);
  }
  if (used) *used = heap.used();
  return out;
}

Value make_faulty(Interpreter&) {
  const Value made = make<Namespace>("faulty");
  Dict& names = *made.as<Namespace>()->attributes.as<Dict>();
  names.set("index", make<Builtin>("index", [](Interpreter&, const Arguments&) -> Value {
              throw glassgrad::IndexError("Dimension out of range");
            }));
  names.set("memory",
            make<Builtin>("memory", [](Interpreter&, const Arguments&) -> Value { throw std::bad_alloc(); }));
  return made;
}

}  // namespace

TEST_CASE("script an interrupt ends whatever runs and no program catches it") {
  for (const char* text :
       {"while True: pass", "sum(range(10**12))", "[x for x in range(10**12) if x < 0]",
        "def f():\n  while True:\n    try: f\n    except BaseException: pass\n    finally: pass\nf()",
        "10**12 in iter(range(10**13))", "for x in range(10**12): continue", "max(range(10**12))",
        "sorted([3, 1], key=lambda x: sum(range(10**12)))", "a, *b = range(10**7)"}) {
    CAPTURE(text);
    int left = 1000;
    CHECK_THROWS_AS(output(text, {.interrupted =
                                      [&] {
                                        if (--left == 0) throw Stop();
                                      }}),
                    Stop);
  }
}

TEST_CASE("script errors of the engine are exceptions of their name") {
  provide("faulty", make_faulty);
  CHECK(output("import faulty\ntry: faulty.index()\nexcept LookupError as e: print(type(e).__name__, e)") ==
        "IndexError Dimension out of range\n");
  CHECK(output("import faulty\nfaulty.index()") == "IndexError: Dimension out of range");
  CHECK(output("import faulty\ntry: faulty.memory()\nexcept MemoryError: print('too much')") == "too much\n");
}

TEST_CASE("script many turns of a loop take no more memory than a few") {
  const std::string text =
      "class A: pass\ndef f(n):\n  t = 0\n  for i in range(n):\n    a = A()\n    a.x = [i, str(i), {i: i}]\n"
      "    t += len(a.x)\n    try: raise ValueError(i)\n    except ValueError as e: pass\n  return t\n";
  size_t few = 0, many = 0;
  output(text + "f(10)", {}, size_t{1} << 28, &few);
  output(text + "f(20000)", {}, size_t{1} << 28, &many);
  CHECK(many < few + 1000);
}

TEST_CASE("script an object goes back to its own heap while another is the current one") {
  Heap outer(1 << 24);
  const size_t before = outer.used();
  std::vector<Value> kept;
  for (int k = 0; k < 2000; ++k) kept.push_back(tuple({str(std::string(300, 'a')), list({}), tuple({})}));
  for (int k = 0; k < 100; ++k) kept.push_back(tuple({kept.back()}));  // deeper than release() nests
  {
    Heap inner(1 << 20);
    const size_t none = inner.used();
    kept.clear();
    CHECK(inner.used() == none);
    const Value loop = list({});  // only the end of the heap frees it
    loop.as<List>()->items.push_back(loop);
  }
  CHECK(outer.used() == before);
  CHECK(str("a").as<Str>()->text == "a");
}

TEST_CASE("script what is too large for the budget is a MemoryError and the program goes on") {
  CHECK(output("try:\n  x = []\n  while True: x.append(0)\nexcept MemoryError: del x\nprint(len([0] * 1000))",
               {}, 1 << 20) == "1000\n");
  CHECK(output("'a' * 10**12", {}, 1 << 20) == "MemoryError");
}

TEST_CASE("script calls end at the depth or where the stack does") {
  const char* const text = "def f(n): return 1 + f(n + 1)\ntry: f(0)\nexcept RecursionError as e: print(e)";
  CHECK(output(text, {.depth = 50}) == "maximum recursion depth exceeded\n");
  CHECK(output(text, {.depth = 1 << 30, .stack = 100000}) == "maximum recursion depth exceeded\n");
}

TEST_CASE("script a watcher sees names and calls and values and may put others in their place") {
  Watched watched;
  CHECK(
      output(
          "def f(a):\n  b = a + 40\n  return b\nx = f(1)\ny, x = 5, [x]\nprint(x)\ntry: f('a')\nexcept TypeError: pass",
          {.watcher = &watched}) == "[42]\n");
  CHECK(watched.seen == "f=function (f b=42 ) x=42 y=5 x=list (f raised) ");
}

TEST_CASE("script random gives the numbers of CPython") {
  const auto drawn = [](const std::string& seed, const std::string& what) {
    return output("import random\nrandom.seed(" + seed + ")\nprint(" + what + ")");
  };
  CHECK(drawn("42", "random.random(), random.getrandbits(40)") == "0.6394267984578837 811856239313\n");
  CHECK(drawn("-7", "random.random(), random.uniform(-1, 1)") == "0.32383276483316237 -0.6983016521509962\n");
  CHECK(drawn("2**40 + 3", "random.randint(1, 6), random.randrange(0, 100, 7)") == "2 0\n");
  CHECK(drawn("'the cat'", "random.random()") == "0.2542976012359698\n");
  CHECK(drawn("''", "random.random()") == "0.9602256525641875\n");
  CHECK(drawn("0.1", "random.random()") == "0.8062579873336703\n");
  CHECK(drawn("1", "random.gauss(0, 1), random.gauss(5, 2), random.gauss()") ==
        "1.2881847531554629 7.898891217399542 0.06633580893826191\n");
  CHECK(drawn("1", "random.sample(range(30), 5), random.sample(range(10**9), 3)") ==
        "[4, 18, 27, 25, 24] [67760436, 273878287, 126614242]\n");
  CHECK(drawn("3", "random.choice('abc'), random.choices('abc', weights=[1, 2, 7], k=5)") ==
        "a ['c', 'b', 'c', 'c', 'c']\n");
  CHECK(output("import random\nrandom.seed(5)\nx = list(range(8))\nrandom.shuffle(x)\nprint(x)") ==
        "[6, 3, 1, 0, 7, 2, 5, 4]\n");
}

TEST_CASE("script random begins in the same state in each run") {
  const char* const text = "import random\nprint(random.random() == (random.seed(0), random.random())[1])";
  CHECK(output(text) == "True\n");
}
