// A question as text: the tensors from which the answer is computed, and the tensor that holds the answer,
// with the number left out.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/questions.h"
#include "apps/show/grid.h"

namespace glassgrad::learn {

// Returns 'query "journey", key "Your"'; empty if the meaning of the dimensions is unknown.
std::string where_it_stands(const Recording& recording, const Quantity& asked);
// Returns the question as a sentence: 'Query "journey" looks at key "Your": what number does attn_weights
// have there?', "At which key is attn_weights largest?"
std::string question_sentence(const Recording& recording, const Quantity& asked);

// Returns "a) Your   b) journey"; empty if there is nothing to choose.
std::string choices_text(const Recording& recording, const Quantity& asked);

// Writes a whole tensor as a grid without marks. For questions about shapes, writes only its shape.
std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind);
// Writes the tensor that holds the answer. Shows "?" for the answer's whole row, because otherwise the other
// weights could be subtracted from 1, and for every number that prints like one of that row. For a choice,
// writes no numbers.
std::string blank_text(const Recording& recording, const Quantity& asked);

// Writes the material for the answer: formulas, code, the tensors that the answer is computed from.
std::string material_text(const Recording& recording, const Question& question);
// Writes the whole question for a terminal or a pipe, without a line to answer in.
std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of);

// Wraps lines that are too long for a terminal.
std::string wrapped(std::string_view text);

}  // namespace glassgrad::learn
