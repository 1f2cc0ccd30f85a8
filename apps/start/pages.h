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
inline constexpr size_t kTraining = 2;  // its place; the pages behind it need a story that is finished

// What the learner brings along, and where the last page can lead.
struct Learner {
  std::optional<std::string> guess;
  std::vector<Choice> onward;
};
Page make_page(size_t place, const Story& story, const Learner& learner);

// What the pages share.
std::string quoted(const std::string& word);
std::string name_of(inspect::Head head);  // "head 3 of layer 1"
// The words that may end the sentence with their probabilities, a column for each; `answer` stands out.
NumberTable next_words(const Story& story, std::vector<std::string> columns,
                       const std::vector<const Tensor*>& probabilities);

// About the two heads at work: of the pages, those from dot-product to mask.
Page dot_product_page(const Story& story);
Page softmax_page(const Story& story);
Page weighted_sum_page(const Story& story);
Page mask_page(const Story& story);

}  // namespace glassgrad::start
