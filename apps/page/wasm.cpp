// The calls of a page: zero-terminated UTF-8 texts in and out. An answer is valid until the next call.
#include "apps/cli/clock.h"
#include "apps/cli/memory.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/program.h"
#include "apps/page/answers.h"
#include "apps/page/exercise_engine.h"
#include "apps/page/model_engine.h"
#include "engine/core/for_scope.h"

namespace glassgrad {

double seconds_now() { return 0; }
double available_memory() { return 0x1p31; }  // the linker's MAXIMUM_MEMORY
// The linker gives the stack 1 MiB. A browser's own stack is about as large, and each call takes about as
// much of it as of this stack: when the browser's stack overflows, the engine ends.
size_t stack_for_programs() { return 640 << 10; }

}  // namespace glassgrad

namespace glassgrad::learn {
namespace {

std::vector<const Lesson*> carried;  // never destroyed: a page never exits

void read(std::string_view file, std::string_view text, bool own) {
  Document document = file.ends_with(".py") ? document_of_program(text, std::string(file))
                                            : read_document(text, std::string(file));
  carried.push_back(&(new DocumentLesson(std::move(document), own))->lesson());
}

}  // namespace

std::span<const Lesson* const> lessons() { return carried; }

const Lesson* lesson_called(std::string_view id) {
  for (const Lesson* lesson : carried)
    if (lesson->id == id) return lesson;
  return nullptr;
}

}  // namespace glassgrad::learn

// Reports to the page how many multiplications the call has made. Returns 0 if the page wants the call to
// end.
extern "C" __attribute__((import_module("page"), import_name("goes_on"))) int glassgrad_goes_on(
    double multiplications);

namespace glassgrad::explorer {
namespace {

class Page final : public learn::RunMonitor {
 public:
  void multiplied(int64_t count) override {
    multiplications_ += double(count);
    is_over_ = is_over_ || !glassgrad_goes_on(multiplications_);
  }
  bool wants_end() override {
    constexpr unsigned kSeldom = 64;  // a call into JavaScript is not free
    if (++asked_ % kSeldom == 0) multiplied(0);
    return is_over_;
  }

 private:
  double multiplications_ = 0;
  unsigned asked_ = 0;
  bool is_over_ = false;
};

Engine& engine() {
  static Engine& one = *new Engine;
  return one;
}
ExerciseEngine& exercise_engine() {
  static ExerciseEngine& one = *new ExerciseEngine;
  return one;
}
ModelEngine& model_engine() {
  static ModelEngine& one = *new ModelEngine;
  return one;
}

template <class F>
const char* json_or_error(const F& ask) {
  static std::string answer;
  Page page;
  const ForScope<learn::RunMonitor*> monitored(learn::run_monitor, &page);
  try {
    answer = ask();
    return answer.c_str();
  } catch (const learn::Cancelled&) {
    return R"({"error":"stopped"})";
  } catch (...) {  // no memory left even for an error's text
    return R"({"error":"out of memory"})";
  }
}

}  // namespace
}  // namespace glassgrad::explorer

#define GG_EXPORT(name) __attribute__((export_name(#name))) const char* glassgrad_##name

extern "C" {

using glassgrad::explorer::engine, glassgrad::explorer::exercise_engine, glassgrad::explorer::model_engine,
    glassgrad::explorer::json_or_error;

GG_EXPORT(read)(const char* file, const char* text, int own) {
  return json_or_error([&] {
    glassgrad::learn::read(file, text, own);
    return "{}";
  });
}
GG_EXPORT(open)(const char* lesson, const char* flags, int most_cells) {
  return json_or_error([&] { return engine().open(lesson, flags, most_cells); });
}
GG_EXPORT(set)(const char* change) {
  return json_or_error([&] { return engine().set(change); });
}
GG_EXPORT(edit)(int line, const char* text) {
  return json_or_error([&] { return engine().edit(line, text); });
}
GG_EXPORT(take_back)() {
  return json_or_error([&] { return engine().take_back(); });
}
GG_EXPORT(backward)() {
  return json_or_error([&] { return engine().backward(); });
}
GG_EXPORT(picture)() {
  return json_or_error([&] { return engine().picture(); });
}
GG_EXPORT(questions)() {
  return json_or_error([&] { return engine().questions(); });
}
GG_EXPORT(cell)(const char* address) {
  return json_or_error([&] { return engine().cell(address); });
}
GG_EXPORT(tensor)(const char* address) {
  return json_or_error([&] { return engine().tensor(address); });
}
GG_EXPORT(judge)(const char* question, const char* answer, int tries) {
  return json_or_error([&] { return engine().judge(question, answer, tries); });
}
GG_EXPORT(course)(const char* file, const char* text) {
  return json_or_error([&] { return exercise_engine().read(file, text); });
}
GG_EXPORT(check)(const char* exercise, const char* text, const char* seed) {
  return json_or_error([&] { return exercise_engine().check(exercise, text, seed); });
}
GG_EXPORT(answers)(const char* file) {
  return json_or_error([&] { return exercise_engine().answers(file); });
}
GG_EXPORT(ending)(const char* file) {
  return json_or_error([&] { return exercise_engine().ending(file); });
}
GG_EXPORT(model)(const char* config, const char* tokenizer, const char* weights) {
  return json_or_error([&] { return model_engine().read(config, tokenizer, weights); });
}
GG_EXPORT(read_text)(const char* text, int layer, int head, int top) {
  return json_or_error([&] { return model_engine().read_text(text, layer, head, top); });
}

}  // extern "C"
