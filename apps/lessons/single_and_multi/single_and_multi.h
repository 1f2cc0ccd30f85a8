// The lesson `single-and-multi`: one head, several heads, and a small GPT that can have either.
#pragma once
#include <memory>

#include "apps/lesson/lesson.h"
#include "nn/single_and_multi.h"

namespace glassgrad::learn {

extern const Lesson single_and_multi;

// Its parts, in the source's order. What one part hands to another is all there is between them.
namespace single_and_multi_parts {

using nn::single_and_multi::MultiHeadAttention;
using nn::single_and_multi::MyGPT;
using nn::single_and_multi::SingleHeadAttention;

void single_head(Narrator& lesson, const Settings& settings, const SingleHeadAttention& single,
                 const Tensor& x);
void multi_head(Narrator& lesson, const Settings& settings, const MultiHeadAttention& multi, const Tensor& x);
void single_against_multi(Narrator& lesson, const SingleHeadAttention& single,
                          const MultiHeadAttention& multi, int64_t heads, const Tensor& x);

// A model, newly drawn, with what it is to read and to guess, and its first guesses.
struct Guesser {
  bool multi = false;  // the switch use_multiple_head
  std::unique_ptr<MyGPT> model;
  Tensor ids, inputs, targets;
  Tensor logits, loss;
};
Guesser draw(const Settings& settings, bool use_multiple_head);
// Begins a step about it: "gpt-multi-logits".
void step(Narrator& lesson, const Guesser& g, const char* about, const char* section, const char* title);

void model(Narrator& lesson, const Settings& settings, const Guesser& g);
void forward(Narrator& lesson, Guesser& g);
void training(Narrator& lesson, const Guesser& g);
// Both models read the same ids.
void same_ids(Narrator& lesson, const Settings& settings, const Guesser& first);

}  // namespace single_and_multi_parts
}  // namespace glassgrad::learn
