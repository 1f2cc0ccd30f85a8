// Lessons' files, which are read and exported, and scripts, which are run.
#include "apps/lesson/document.h"
#include "apps/script/interpreter.h"
#include "apps/script/torch.h"
#include "engine/core/storage.h"
#include "targets.h"

using namespace glassgrad;

namespace fuzzing {
namespace {

void lesson(std::string_view bytes) {
  with_kind_errors([&] {
    const learn::Document document = learn::read_document(bytes, "fuzzed.md");
    learn::python_of(document, {});
    learn::notebook_of(document, {}, {});
  });
  with_kind_errors([&] { learn::document_of_program(bytes, "fuzzed.py"); });
}

// Not a std::exception, so that the interpreter does not catch it as an error of the program.
struct Ended {};

void script(std::string_view bytes) {
  constexpr size_t kMemory = 1 << 26;
  constexpr int kMostTurns = 10'000;
  script::warnings() = [](const std::string&) {};
  const StorageLimit storages(kMemory);
  script::Heap heap(kMemory);
  script::Program program;
  int turns = 0;
  script::Interpreter in({.print = [](std::string_view) {},
                          .interrupted =
                              [&] {
                                if (++turns > kMostTurns) throw Ended{};
                              },
                          .depth = 100,
                          .stack = 3 << 20});
  try {
    program = script::parse(bytes, "fuzzed.py", in.names());
    in.run(program);
    show("accepted");
  } catch (const script::SyntaxError& e) {
    show(e.text.c_str());
  } catch (const script::Raised& e) {
    show(script::last_line(in, e.exception).c_str());
  } catch (const Ended&) {
    show("ended");
  }
}

}  // namespace

std::vector<Target> lesson_targets() { return {{"lesson", lesson}, {"script", script}}; }

}  // namespace fuzzing
