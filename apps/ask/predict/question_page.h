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
// The question as a sentence: 'Query "journey" looks at key "Your": what number does attn_weights have
// there?', "At which key is attn_weights largest?"
std::string words_of(const Recording& recording, const Quantity& asked);

// "a) Your   b) journey"; empty where nothing is to be chosen.
std::string choices_text(const Recording& recording, const Quantity& asked);

// A tensor as a grid without marks, whole. Of shapes only the shape.
std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind);
// The tensor asked about, "?" instead of the whole row of the answer and of every number that reads like one
// of it: of weights, those that are shown would be subtracted from 1. What is chosen needs none of them.
std::string blank_text(const Recording& recording, const Quantity& asked);

// What there is to see beside the question: formulas, code, what the answer is computed from.
std::string material_text(const Recording& recording, const Question& question);
// The whole question for a terminal or a pipe, without a line to answer in.
std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of);

// Lines that are too long for a terminal are prose, and filled.
std::string wrapped(std::string_view text);

}  // namespace glassgrad::learn
