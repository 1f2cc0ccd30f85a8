// The twelve screens, in order.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/start/page.h"
#include "apps/start/story.h"

namespace glassgrad::start {

inline constexpr std::array<std::string_view, 12> kPages = {
    "guess",   "untrained",    "training", "head",       "without-head", "dot-product",
    "softmax", "weighted-sum", "mask",     "your-guess", "learned",      "onward"};
inline constexpr size_t kTraining = 2;  // its index; the pages after it need a finished story

// The learner's guess, and where the last page can lead.
struct Learner {
  std::optional<std::string> guess;
  std::vector<Choice> onward;
};
Page make_page(size_t place, const Story& story, const Learner& learner);

// Shared by the pages.
std::string quoted(const std::string& word);
std::string name_of(inspect::Head head);  // "head 3 of layer 1"
// Returns the words that may end the sentence with their probabilities, a column for each; `answer` is
// highlighted.
NumberTable next_words(const Story& story, std::vector<std::string> columns,
                       const std::vector<const Tensor*>& probabilities);

// The pages about the two heads at work, from dot-product to mask.
Page dot_product_page(const Story& story);
Page softmax_page(const Story& story);
Page weighted_sum_page(const Story& story);
Page mask_page(const Story& story);

}  // namespace glassgrad::start
