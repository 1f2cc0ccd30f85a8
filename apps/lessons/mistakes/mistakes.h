// Classic mistakes of those who write attention or its gradients themselves, each beside the right
// computation on the inputs of a lesson.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/output.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// What they compute with.
struct Lab {
  const Lesson* lesson = nullptr;
  Tensor x;  // (tokens, features); of a lesson with batches the first; undefined: it has no tokens
  std::vector<std::string> tokens;
  uint64_t seed = 0;
  std::string seed_text;
  int64_t heads = 2, head_dim = 2;
  double dropout = 0.5;
  double a = 2, b = 3;  // of the graph

  int64_t d_model() const { return heads * head_dim; }
};
// From what was asked for: --heads, --d-out, --dropout, --seed, --a and --b where they were given.
// UsageError: heads that do not divide the width.
Lab lab(const Lesson& lesson, const Settings& settings);

// Sentences with numbers of the two runs.
struct Explanation {
  std::string why;     // it is wrong
  std::string reveal;  // what would have shown it
};

struct Mistake {
  const char* name;
  const char* what;   // "divides the scores by sqrt(d_model) instead of sqrt(head_dim)"
  bool needs_tokens;  // it is shown on the lesson's inputs
  void (*tell)(Narrator& lesson, const Lab& lab, bool wrong);
  Explanation (*explain)(const Lab& lab, const Recording& right, const Recording& wrong);
};
std::span<const Mistake> mistakes();
// UsageError: there is none of that name; it says which there are.
const Mistake& find_mistake(std::string_view name);

// Both ways. The steps have the same ids and tensors; those of `wrong` say how they differ from `right`.
struct MistakeRun {
  const Mistake* mistake = nullptr;
  const Lesson* lesson = nullptr;
  Recording right, wrong;
  const Step* step =
      nullptr;  // of `wrong`: with the first tensor that differs; null: on these numbers none does
  const Entry* entry = nullptr;  // that tensor
  Explanation explanation;
};
// UsageError: the lesson has no tokens for it.
MistakeRun run_mistake(const Mistake& mistake, const Lab& lab);

// "text", "markdown" or "json".
void render_mistake(const MistakeRun& run, std::string_view format, Output& out);
// A line each: name and what it is.
void render_mistakes(Output& out);

// The rows of the table, by what they are about.
extern const std::span<const Mistake> kMistakesOfAttention, kMistakesOfGradients;
// The tensor of that name in the recording.
Tensor tensor_of(const Recording& recording, std::string_view name);

}  // namespace glassgrad::learn
