#include "apps/ask/backward_words.h"

#include <fmt/core.h>

#include <cmath>

#include "apps/lesson/address.h"
#include "apps/lesson/phrases.h"
#include "engine/autograd.h"
#include "engine/core/geometry.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

struct Rule {
  const char *nodes, *words;  // nodes: without "Backward0", separated and enclosed by spaces
};

constexpr Rule kRules[] = {
    {" Mm Bmm ",
     "In a product of two matrices each one gets the gradient that arrives times the other one, transposed."},
    {" Mv ", "Matrix times vector: each one gets the gradient that arrives times the other one."},
    {" Addmm ",
     "In a product with a bias each matrix gets the gradient that arrives times the other one, transposed; the bias gets "
     "it summed over the rows."},
    {" Softmax ",
     "The weights of one softmax share a total of 1, so what counts is how far a weight's gradient lies above their "
     "weighted mean; the gradients that go on add to 0."},
    {" LogSoftmax ",
     "Each number keeps the gradient that arrives, less its probability's share of their sum; the gradients that go on "
     "add to 0."},
    {" NllLoss ", "Only the log-probability of the right token gets a gradient; all others get 0."},
    {" MaskedFill ",
     "Where the mask has put a number of its own, nothing that came before can move the loss: 0 goes back there."},
    {" Add ", "A sum hands the gradient on as it is."},
    {" Sub ",
     "A difference hands the gradient on: as it is to the left, with its sign changed to the right."},
    {" Mul ", "In a product each factor gets the gradient that arrives times the other factor."},
    {" Div ", "A numerator's gradient is divided by what the numerator was divided by."},
    {" Sum ", "Every number of a sum counts once, so each gets the gradient that arrives."},
    {" Mean ", "Every number of a mean gets an equal share of the gradient that arrives."},
    {" Relu ",
     "Where relu has let a number through, the gradient goes through; where it has put 0, 0 goes back."},
    {" Expand ", "Where the forward pass repeats a number, the backward pass sums."},
    {" View UnsafeView Transpose T Permute Unsqueeze Squeeze ",
     "The op only arranges the numbers differently, and the way back undoes that."},
    {" Clone ", "A copy hands the gradient on as it is."},
    {" Cat Stack ", "Each part gets its own piece of the gradient back."},
    {" Select Slice Index Split ", "What was taken gets the gradient; what was left out gets 0."},
    {" Embedding ", "Each token's gradient is added to the row that was looked up for it; other rows get 0."},
};

}  // namespace

std::string meaning_of(std::string_view name, std::string_view origin, const Snapshot& gradient, bool part) {
  if (!gradient || gradient.shape().numel() == 0) return {};
  const NoGrad no_grad;
  const Tensor x = gradient.tensor();
  const Dims cell = index_of(x.shape(), static_cast<int64_t>(argmax(abs(x)).item()));
  const double slope = to_double(element(x, cell));
  if (!std::isfinite(slope)) return {};
  const std::string who = origin.empty() ? "" : fmt::format(" ({}, arranged differently)", origin);
  if (slope == 0)
    return fmt::format("{} number of {}{} moves the loss: its gradient is 0 everywhere.",
                       part ? "By this way no" : "No", name, who);
  const char* rest = x.numel() > 1 ? "; none of its other numbers moves it more" : "";
  return fmt::format("{} {}{}{} by a little {} the loss by {} times as much{}.",
                     part ? "By this way alone, raising" : "Raising", name, cell_text(cell), who,
                     slope > 0 ? "raises" : "lowers", digits(std::abs(slope)), rest);
}

std::string_view rule_of(std::string_view node) {
  constexpr std::string_view kEnd = "Backward0";
  if (!node.ends_with(kEnd)) return {};
  const std::string word = fmt::format(" {} ", node.substr(0, node.size() - kEnd.size()));
  for (const auto& [nodes, words] : kRules)
    if (std::string_view(nodes).find(word) != std::string_view::npos) return words;
  return {};
}

}  // namespace glassgrad::learn
