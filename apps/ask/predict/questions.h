// The questions that are worth asking about a lesson, for each step in this order: the lesson's own; shapes
// of products; the largest weights of a softmax and the effects of a mask; numbers that this step shows first
// and that can be computed by hand from earlier ones. The same recording gives the same questions.
#pragma once
#include <vector>

#include "apps/ask/predict/quantity.h"
#include "apps/show/render.h"

namespace glassgrad::learn {

enum class QuizMode : uint8_t {
  First,  // one question for each step that has any
  Cells,  // several questions for each step
  Exam,   // kExamQuestions, spread over all questions
};
constexpr size_t kExamQuestions = 10;

// A tensor that the answer is computed from.
struct AnswerOperand {
  const Step* step;
  const Entry* entry;
};
struct Question {
  Quantity asked;
  std::vector<AnswerOperand> given;
};

// Returns the questions about `steps`. The recording must have kept its calls and must outlive the questions.
std::vector<Question> questions(const Recording& recording, Steps steps, QuizMode mode);

}  // namespace glassgrad::learn
