// The lessons that there are, in the order in which they are listed. A file is read when first asked for.
#include <algorithm>
#include <array>
#include <memory>

#include "apps/lesson/program.h"
#include "apps/lessons/lesson_texts.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kOrder[] = {"journey",
                                       "gpt-attention",
                                       "single-and-multi",
                                       "cat",
                                       "climb",
                                       "autograd.order",
                                       "autograd.accumulate",
                                       "autograd.broadcast",
                                       "autograd.matmul",
                                       "autograd.softmax",
                                       "rnn.why",
                                       "mask.five-ways",
                                       "scale.why",
                                       "dropout.factor",
                                       "heads.same",
                                       "lab",
                                       "gpt",
                                       "training",
                                       "compare",
                                       "errata"};
constexpr size_t kLessons = std::size(kOrder);

const Lesson& read(size_t k) {
  static std::array<std::unique_ptr<ProgramLesson>, kLessons> read_already;
  if (!read_already[k]) {
    const std::string name = std::string(kOrder[k]) + ".md";
    const EmbeddedFile& file = *std::ranges::find(lesson_texts(), name, &EmbeddedFile::name);
    read_already[k] = std::make_unique<ProgramLesson>(read_document(file.bytes, name));
  }
  return read_already[k]->lesson();
}

}  // namespace

std::span<const Lesson* const> lessons() {
  static const auto all = [] {
    std::array<const Lesson*, kLessons> made{};
    for (size_t k = 0; k < kLessons; ++k) made[k] = &read(k);
    return made;
  }();
  return all;
}

const Lesson* lesson_called(std::string_view id) {
  const auto at = std::find(std::begin(kOrder), std::end(kOrder), id);
  return at == std::end(kOrder) ? nullptr : &read(static_cast<size_t>(at - std::begin(kOrder)));
}

}  // namespace glassgrad::learn
