#include "apps/lesson/opening.h"

#include <cmath>

#include "apps/lesson/phrases.h"
#include "engine/literal.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

constexpr int64_t kState = 4;    // numbers that the network remembers
constexpr int64_t kTargets = 3;  // words that the decoder writes

constexpr Axes kNamed[] = {
    {"fixed-size-state:states", "token state"},
    {"fixed-size-state:last_state", "state"},
    {"fading-memory:influence", "token"},
    {"product-of-jacobians:jacobians", "step state state"},
    {"product-of-jacobians:product", "state state"},
    {"product-of-jacobians:norms", "step"},
    {"vanishing-and-exploding:turn", "row column"},
    {"vanishing-and-exploding:size", "factor steps"},
    {"dependent-steps:scores", "query key"},
    {"decoder-over-encoder:decoder", "target state"},
    {"decoder-over-encoder:e", "target key"},
    {"decoder-over-encoder:weights", "target key", kRowSums},
    {"decoder-over-encoder:context", "target state"},
};

Tensor small(const Dims& shape, Generator& g) { return rand(shape, float32, g) - 0.5; }

// A recurrent network after it has read all tokens.
struct Encoder {
  Tensor x, weight;            // the tokens, as a leaf; W_h
  std::vector<Tensor> states;  // (1, kState) each, all in one graph
};

Encoder read_all(const Settings& s, Generator& g) {
  Encoder e;
  e.x = clone(s.inputs).requires_grad_();
  const Tensor W_x = small({s.inputs.size(1), kState}, g);
  e.weight = small({kState, kState}, g);
  Tensor h = zeros({1, kState});
  for (const Tensor& token : e.x.split(1)) {
    const Tensor seen = matmul(token, W_x), remembered = matmul(h, e.weight);
    h = tanh(seen + remembered);
    h.retain_grad();
    e.states.push_back(h);
  }
  return e;
}

// d(last state)/d(x), one row for each number of the state: (kState, …shape of x).
Tensor derivative_of_last(const Encoder& e, const Tensor& x) {
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < kState; ++i) {
    x.set_grad({});
    e.states.back()[0][i].backward({}, true);
    rows.push_back(x.grad());
  }
  return stack(rows, 0);
}

void fixed_size_state(Narrator& l, const Settings& s, const char* section, const Tensor& states) {
  const int64_t tokens = s.inputs.size(0), numbers = s.inputs.numel();
  l.step("fixed-size-state", section, "The problem: a sentence squeezed into one small vector");
  l.formula("h_t = tanh(x_t W_x + h_(t-1) W_h)", R"(h_t = \tanh(x_t W_x + h_{t-1} W_h))");
  l.code("for x_t in x:\n    h = torch.tanh(x_t @ W_x + h @ W_h)");
  l.show("states", states);
  l.show("last_state", states[tokens - 1]);
  l.say("Before attention, a recurrent network read token after token and kept one vector, its state.");
  l.say("Row t is the state after token t; whoever needs the sentence afterwards gets the last row: {}.",
        joined_digits(states[tokens - 1], ", "));
  l.say("{} numbers went in, {} are left; of a sentence ten times as long, {} numbers, they would be {} too.",
        numbers, kState, 10 * numbers, kState);
}

void fading_memory(Narrator& l, const Settings& s, const char* section, const Encoder& e) {
  l.step("fading-memory", section, "The problem: what was read first fades");
  l.code(
      "h[i].backward(retain_graph=True)  # for each number i of the last state\ninfluence = x.grad.norm(dim=-1)");
  const Tensor influence = l.show("influence", norm(derivative_of_last(e, e.x), {0, 2}));
  const Tensor first = influence[0], last = influence[s.inputs.size(0) - 1];
  l.say("How far does the last state move when a token moves a little? The engine's gradients say it.");
  l.say("For the last token, {}, it is {}; for the first, {}, it is {}: {:.2g} times as much.",
        in_quotes(s.tokens.back()), digits(last), in_quotes(s.tokens[0]), digits(first),
        first.item() / last.item());
}

void product_of_jacobians(Narrator& l, const Settings& s, const char* section, const Encoder& e,
                          const Tensor& states) {
  const int64_t steps = s.inputs.size(0) - 1;
  l.step("product-of-jacobians", section, "Why: a gradient passes through a product");
  l.formula(
      "dh_T/dh_1 = J_T ... J_3 J_2,  J_t = diag(1 - h_t^2) W_h^T",
      R"(\frac{\partial h_T}{\partial h_1} = J_T \cdots J_3 J_2, \qquad J_t = \mathrm{diag}(1 - h_t^2)\, W_h^\top)");
  l.code("J_t = torch.diag(1 - h_t**2) @ W_h.T\nproduct = J_T @ ... @ J_2");
  const Tensor slopes = 1.0 - square(states.slice(0, 1, {}));
  const Tensor jacobians = l.show("jacobians", slopes.unsqueeze(2) * e.weight.T());
  Tensor product = eye(kState);
  std::vector<Tensor> norms;
  for (int64_t t = steps - 1; t >= 0; --t) {
    product = matmul(product, jacobians[t]);
    norms.push_back(norm(product));
  }
  l.show("product", product);
  l.show("norms", stack(norms, 0));
  const Tensor by_autograd = derivative_of_last(e, e.states.front()).squeeze(1);
  l.say(
      "One step back multiplies the gradient by that step's Jacobian J, so {} steps multiply it by {} of them.",
      steps, steps);
  l.say("The product's size goes from {} after one step to {} after {}.", digits(norms.front()),
        digits(norms.back()), steps);
  l.say("The backward pass of the engine finds the same matrix; the largest difference is {}.",
        largest_difference(product, by_autograd));
}

void vanishing_and_exploding(Narrator& l, const char* section) {
  constexpr double kFactors[] = {0.5, 1, 1.5};
  constexpr int64_t kSteps[] = {1, 5, 10, 20, 50};
  const Tensor turn =
      tensor({{std::cos(1.0), -std::sin(1.0)}, {std::sin(1.0), std::cos(1.0)}});  // changes no length
  std::vector<Tensor> rows;
  for (const double factor : kFactors) {
    std::vector<Tensor> row;
    Tensor product = eye(2);
    int64_t done = 0;
    for (const int64_t steps : kSteps) {
      for (; done < steps; ++done) product = matmul(product, turn * factor);
      row.push_back(norm(product) / norm(eye(2)));
    }
    rows.push_back(stack(row, 0));
  }
  l.step("vanishing-and-exploding", section, "Gradients vanish, or they explode");
  l.code("size = torch.linalg.matrix_power(factor * turn, steps).norm() / torch.eye(2).norm()");
  l.show("turn", turn);
  const Tensor size = l.show("size", stack(rows, 0));
  l.say(
      "Take a step that only turns the gradient, by the matrix turn, and multiplies it by a factor. size tells how "
      "long the gradient is afterwards: a row for each factor, 0.5, 1 and 1.5, a column for 1, 5, 10, 20 and 50 "
      "steps.");
  l.say("Halved at every step, a gradient is {:.1e} after 50 steps: it vanishes.", size[0][4].item());
  l.say(
      "Grown by half at every step it is {:.1e}: it explodes. Only exactly 1 keeps it, and nothing keeps a "
      "trained matrix there.",
      size[2][4].item());
}

void waiting_steps(Narrator& l, const Settings& s, const char* section) {
  const int64_t tokens = s.inputs.size(0), d_in = s.inputs.size(1);
  l.step("dependent-steps", section, "The problem: every step waits for the one before");
  l.formula("S = X X^T", R"(S = X X^\top)");
  l.code("scores = x @ x.T");
  const Tensor scores = l.show("scores", matmul(s.inputs, s.inputs.T()));
  std::vector<Tensor> backwards(size_t(tokens), Tensor{});
  for (int64_t i = tokens - 1; i >= 0; --i) backwards[size_t(i)] = matmul(s.inputs, s.inputs[i]);
  l.say(
      "State {0} needs state {1}: the recurrent network takes {0} steps in a chain, however many processors "
      "there are.",
      tokens, tokens - 1);
  l.say(
      "One product compares each token with each, and no row of its result needs another: computed one by one, from "
      "the last row to the first, they are the same. The largest difference is {}.",
      largest_difference(stack(backwards, 0), scores));
  l.say(
      "From the first token to the last it is one step here, {} there. The price: {} multiplications, which "
      "grow with the square of the length.",
      tokens - 1, tokens * tokens * d_in);
}

void decoder_over_encoder(Narrator& l, const Settings& s, const char* section, const Tensor& states,
                          Generator& g) {
  const Tensor decoder = small({kTargets, kState}, g) * 2;
  const Tensor W_a = small({kState, kState}, g) * 4, U_a = small({kState, kState}, g) * 4;
  const Tensor v_a = small({kState}, g) * 4;
  l.step("decoder-over-encoder", section, "A way out: look back at every state");
  l.formula(
      "e_ti = v_a . tanh(d_t W_a + h_i U_a),  weights = softmax(e),  context = weights H",
      R"(e_{ti} = v_a \cdot \tanh(d_t W_a + h_i U_a), \qquad \alpha_t = \mathrm{softmax}(e_t), \qquad c_t = \sum_i \alpha_{ti} h_i)");
  l.code(
      "e = torch.tanh((decoder @ W_a)[:, None] + (states @ U_a)[None, :]) @ v_a\n"
      "weights = torch.softmax(e, dim=-1)\ncontext = weights @ states");
  l.show("decoder", decoder);
  const Tensor to_write = matmul(decoder, W_a), read = matmul(states, U_a);
  const Tensor sums = to_write.unsqueeze(1) + read.unsqueeze(0);
  const Tensor e = l.show("e", matmul(tanh(sums), v_a));
  const Tensor weights = l.show("weights", softmax(e, -1));
  l.show("context", matmul(weights, states));
  l.say(
      "Bahdanau let a decoder that writes {} words look at all {} states of the encoder again: a row for each "
      "word to write, a column for each word read.",
      kTargets, s.inputs.size(0));
  const size_t best = position_of_largest(weights[0]);
  l.say(
      "Each row adds to 1. The first word to write takes most from {}, {}; nothing has to fit into the last state.",
      in_quotes(s.tokens[best]), digits(weights[0][int64_t(best)]));
  l.say("Self-attention is this matrix for a sentence that looks at itself.");
}

}  // namespace

const std::span<const Axes> kOpeningAxes = kNamed;

void opening(Narrator& l, const Settings& s, const char* section) {
  Generator g(1);
  const Encoder encoder = read_all(s, g);
  const Tensor states = glassgrad::cat(encoder.states, 0).detach();
  fixed_size_state(l, s, section, states);
  fading_memory(l, s, section, encoder);
  product_of_jacobians(l, s, section, encoder, states);
  vanishing_and_exploding(l, section);
  waiting_steps(l, s, section);
  decoder_over_encoder(l, s, section, states, g);
}

}  // namespace glassgrad::learn
