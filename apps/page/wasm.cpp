// What a page calls: UTF-8 texts that end in a zero, in and out. An answer lives until the next call.
#include "apps/cli/clock.h"
#include "apps/cli/memory.h"
#include "apps/lesson/program.h"
#include "apps/page/answers.h"
#include "apps/page/exercises.h"

namespace glassgrad {

double seconds_now() { return 0; }
double available_memory() { return 0x1p31; }  // as the linker was told
// The linker was told 1 MiB. Browsers give as much to their own stack, of which each call takes about as much
// again, and where that ends, so does the engine.
size_t stack_for_programs() { return 640 << 10; }

}  // namespace glassgrad

namespace glassgrad::learn {
namespace {

std::vector<const Lesson*> carried;  // never destroyed, for a page has no end

void read(std::string_view file, std::string_view text, bool own) {
  const auto read = file.ends_with(".py") ? document_of_program : read_document;
  carried.push_back(&(new ProgramLesson(read(text, std::string(file)), own))->lesson());
}

}  // namespace

std::span<const Lesson* const> lessons() { return carried; }

const Lesson* lesson_called(std::string_view id) {
  for (const Lesson* lesson : carried)
    if (lesson->id == id) return lesson;
  return nullptr;
}

}  // namespace glassgrad::learn

namespace glassgrad::explorer {
namespace {

Engine& engine() {
  static Engine& one = *new Engine;
  return one;
}
Exercises& exercises() {
  static Exercises& one = *new Exercises;
  return one;
}

template <class F>
const char* told(const F& ask) {
  static std::string answer;
  try {
    answer = ask();
    return answer.c_str();
  } catch (...) {  // not even the room for an error's text
    return R"({"error":"out of memory"})";
  }
}

}  // namespace
}  // namespace glassgrad::explorer

#define GG_EXPORT(name) __attribute__((export_name(#name))) const char* glassgrad_##name

extern "C" {

using glassgrad::explorer::engine, glassgrad::explorer::exercises, glassgrad::explorer::told;

GG_EXPORT(read)(const char* file, const char* text, int own) {
  return told([&] {
    glassgrad::learn::read(file, text, own);
    return "{}";
  });
}
GG_EXPORT(open)(const char* lesson, const char* flags, int most_cells) {
  return told([&] { return engine().open(lesson, flags, most_cells); });
}
GG_EXPORT(set)(const char* change) {
  return told([&] { return engine().set(change); });
}
GG_EXPORT(edit)(int line, const char* text) {
  return told([&] { return engine().edit(line, text); });
}
GG_EXPORT(take_back)() {
  return told([&] { return engine().take_back(); });
}
GG_EXPORT(backward)() {
  return told([&] { return engine().backward(); });
}
GG_EXPORT(graph)() {
  return told([&] { return engine().graph(); });
}
GG_EXPORT(questions)() {
  return told([&] { return engine().questions(); });
}
GG_EXPORT(cell)(const char* address) {
  return told([&] { return engine().cell(address); });
}
GG_EXPORT(product)(const char* address) {
  return told([&] { return engine().product(address); });
}
GG_EXPORT(tensor)(const char* address) {
  return told([&] { return engine().tensor(address); });
}
GG_EXPORT(judge)(const char* question, const char* answer, int tries) {
  return told([&] { return engine().judge(question, answer, tries); });
}
GG_EXPORT(course)(const char* file, const char* text) {
  return told([&] { return exercises().read(file, text); });
}
GG_EXPORT(check)(const char* exercise, const char* text, const char* seed) {
  return told([&] { return exercises().check(exercise, text, seed); });
}
GG_EXPORT(answers)(const char* file) {
  return told([&] { return exercises().answers(file); });
}
GG_EXPORT(ending)(const char* file) {
  return told([&] { return exercises().ending(file); });
}

}  // extern "C"
