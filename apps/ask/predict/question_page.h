// A question as text: what the answer is computed from, and the tensor that holds the answer, with the number
// left out.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/questions.h"
#include "apps/show/grid.h"

namespace glassgrad::learn {

// Returns 'query "journey", key "Your"'; empty if nothing says what the dimensions count.
std::string where_it_stands(const Recording& recording, const Quantity& asked);
// Returns the question as a sentence: 'Query "journey" looks at key "Your": what number does attn_weights
// have there?', "At which key is attn_weights largest?"
std::string question_sentence(const Recording& recording, const Quantity& asked);

// Returns "a) Your   b) journey"; empty if there is nothing to choose.
std::string choices_text(const Recording& recording, const Quantity& asked);

// Writes a whole tensor as a grid without marks. For questions about shapes, writes only its shape.
std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind);
// Writes the tensor of the answer, with "?" for the answer's whole row and for every number that reads like
// one of that row: else the weights that are shown could be subtracted from 1. For a choice, writes no
// numbers.
std::string blank_text(const Recording& recording, const Quantity& asked);

// Writes the material for the answer: formulas, code, the tensors that the answer is computed from.
std::string material_text(const Recording& recording, const Question& question);
// Writes the whole question for a terminal or a pipe, without a line to answer in.
std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of);

// Fills lines that are too long for a terminal, as prose.
std::string wrapped(std::string_view text);

}  // namespace glassgrad::learn
