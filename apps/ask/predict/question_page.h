// A question as text: what the answer is computed from, and the tensor in which it stands, the number left
// out.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/questions.h"
#include "apps/show/grid.h"

namespace glassgrad::learn {

// 'query "journey", key "Your"'; empty where nobody has said what the dimensions count.
std::string where_it_stands(const Recording& recording, const Quantity& asked);
// What is asked: "attn_weights[1,0], query "journey", key "Your"".
std::string words_of(const Recording& recording, const Quantity& asked);

// A tensor as a grid without marks, whole. Of a size only the shape.
std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind);
// The tensor asked about, "?" instead of the answer and of every number that reads the same.
std::string blank_text(const Recording& recording, const Quantity& asked);

// The whole question for a terminal or a pipe, without a line to answer in.
std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of);

// What a grid hides while the question is open.
void hide_answer(GridView& view, const Quantity& asked);

}  // namespace glassgrad::learn
