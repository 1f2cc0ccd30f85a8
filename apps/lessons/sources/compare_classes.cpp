// The classes themselves: what they compute, their biases, how they are drawn.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/sources/compare.h"
#include "engine/ops.h"
#include "nn/cat.h"
#include "nn/climb.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad::learn::compare_parts {
namespace {

using Modules = std::vector<std::unique_ptr<nn::QkvModule>>;
constexpr const char* kNames[] = {"journey", "gpt-attention", "single-and-multi", "cat", "climb"};
constexpr const char* kOrder = "journey, gpt-attention, single-and-multi, cat, climb";

// One head of each source, d wide in and out, nothing dropped; each drawn with the lesson's seed.
Modules one_head_each(const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  const auto seeded = [&] { manual_seed(s.seed("--seed")); };
  Modules all;
  seeded();
  all.push_back(std::make_unique<nn::journey::CausalAttention>(d, d, tokens, 0.0));
  seeded();
  all.push_back(std::make_unique<nn::gpt_attention::CausalAttention>(d, d, tokens, 0.0));
  seeded();
  all.push_back(std::make_unique<nn::single_and_multi::SingleHeadAttention>(d));
  seeded();
  all.push_back(std::make_unique<nn::cat::CausalAttention>(d, d, tokens));
  seeded();
  all.push_back(std::make_unique<nn::climb::SingleSelfAttentionHead>(tokens, d, d));
  return all;
}

// The several heads of the four that have such a class.
Modules many_heads_each(const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1), heads = s.count("--heads");
  Modules all;
  all.push_back(std::make_unique<nn::journey::MultiHeadAttention>(d, d, tokens, 0.0, heads));
  all.push_back(std::make_unique<nn::gpt_attention::MultiHeadAttention>(d, d, heads, tokens, 0.0));
  all.push_back(std::make_unique<nn::single_and_multi::MultiHeadAttention>(d, heads));
  all.push_back(std::make_unique<nn::cat::MultiHeadAttention>(d, d, tokens, 0.0, heads));
  return all;
}

Tensor outputs_of(const Modules& modules, const Tensor& x) {
  std::vector<Tensor> outputs;
  for (const auto& module : modules) outputs.push_back((*module)(x.unsqueeze(0))[0]);
  return stack(outputs, 0);
}

// Those of the first for all; biases 0.
void share_weights(const Modules& modules) {
  const NoGrad off;
  const nn::QkvModule& first = *modules.front();
  const Tensor query = clone(first.W_query.weight), key = clone(first.W_key.weight),
               value = clone(first.W_value.weight);
  for (const auto& module : modules) {
    copy_(module->W_query.weight, query);
    copy_(module->W_key.weight, key);
    copy_(module->W_value.weight, value);
    for (const nn::Linear* layer : {&module->W_query, &module->W_key, &module->W_value})
      if (layer->bias) zero_(layer->bias);
  }
}

Tensor differences_from_first(const Tensor& outputs) { return amax(abs(outputs - outputs[0]), {1, 2}); }

int64_t biases_of(const nn::QkvModule& module) {
  int64_t count = 0;
  for (const nn::NamedTensor& p : module.named_parameters())
    if (p.name.ends_with("bias")) count += p.tensor.numel();
  return count;
}

Tensor counts(const Modules& modules, int64_t (*count)(const nn::QkvModule&)) {
  std::vector<int64_t> found;
  for (const auto& module : modules) found.push_back(count(*module));
  const int64_t n = std::ssize(found);
  return from_values(found, {n});
}

std::string joined_counts(const Tensor& counts) {
  std::vector<std::string> words;
  for (const int64_t n : counts.to_vector<int64_t>()) words.push_back(std::to_string(n));
  return joined(words, ", ");
}

std::string last_layer_of(const nn::QkvModule& module) {
  for (const auto& child : module.named_children())
    if (child.name == "out_proj" || child.name == "fc_out") return child.name;
  return "none";
}

std::string joined_names(const Modules& modules, std::string (*name)(const nn::QkvModule&)) {
  std::vector<std::string> names;
  for (const auto& module : modules) names.push_back(name(*module));
  return joined(names, ", ");
}

std::string layers_of(const nn::QkvModule& module) {
  std::vector<std::string> names;
  for (const auto& child : module.named_children()) names.push_back(child.name);
  return joined(names, " ", 3);
}

// The gradients of all biases, in one row.
Tensor bias_gradients(const Modules& modules) {
  std::vector<Tensor> found;
  for (const auto& module : modules)
    for (const nn::NamedTensor& p : module->named_parameters())
      if (p.name.ends_with("bias")) found.push_back(p.tensor.grad());
  return cat(found, 0);
}

void one_gradient(Narrator& l, const Modules& modules, const Tensor& x) {
  for (size_t i = 0; i < modules.size(); ++i) l.given(kNames[i], *modules[i]);
  l.step("one-gradient", "One loss for all five: do they learn the same?");
  l.code(
      "outputs = torch.stack([module(inputs[None])[0] for module in modules])\n"
      "loss = (outputs ** 2).mean()\nloss.backward()\n"
      "gradients = torch.stack([module.W_query.weight.grad for module in modules])");
  const Tensor outputs = l.show("outputs", outputs_of(modules, x));
  const Tensor loss = l.show("loss", mean(square(outputs)));
  l.loss("loss", loss);
  loss.backward();
  std::vector<Tensor> grads;
  for (const auto& module : modules) grads.push_back(module->W_query.weight.grad());
  const Tensor gradients = l.show("gradients", stack(grads, 0));
  const Tensor of_first = gradients[0].expand(gradients.shape());
  l.say(
      "The loss, {}, is the mean of the squared outputs of all. The largest difference between the five "
      "gradients of the query matrix is {}{}.",
      digits(loss), largest_difference(gradients, of_first),
      allclose(gradients, of_first) ? ": what computes the same learns the same" : "");
  const Tensor biases = bias_gradients(modules);
  if (max(abs(biases)).item() > 0)
    l.say(
        "The {} of biases that are 0 here get gradients up to {}. After one step of training they are 0 no "
        "longer, and the class that has them goes its own way.",
        counted(biases.numel(), "number"), digits(max(abs(biases))));
}

}  // namespace

void one_computation(Narrator& l, const Settings& s) {
  const Modules modules = one_head_each(s);
  l.step("question", "Five pages, five classes. Is it one attention?");
  l.code(
      "torch.manual_seed(seed)  # before each\noutputs = [module(inputs[None])[0] for module in modules]\n"
      "differences = [(out - outputs[0]).abs().max() for out in outputs]");
  l.show("inputs", s.inputs);
  const Tensor as_drawn = l.show("outputs", outputs_of(modules, s.inputs).detach());
  l.show("differences", differences_from_first(as_drawn));
  l.say(
      "One causal head of each source, as wide as the inputs, drawn with the same seed, nothing dropped. "
      "The sources stand in this order: {}.",
      kOrder);
  l.say("differences has how far each is from the first: {}.",
        joined_digits(differences_from_first(as_drawn), ", "));
  l.say(
      "journey and cat are the same code, so theirs is {}. Who wants to know about the others must take the "
      "drawing out.",
      digits(differences_from_first(as_drawn)[3]));

  share_weights(modules);
  l.step("one-computation", "The same weights for all");
  l.formula("softmax(mask(Q K^T / sqrt(d))) V",
            R"(\mathrm{softmax}\left(\mathrm{mask}\left(\frac{Q K^\top}{\sqrt{d}}\right)\right) V)");
  l.code(
      "for module in modules:  # the first one's layers; biases 0\n"
      "    module.load_state_dict(weights, strict=False)");
  const Tensor outputs = l.show("outputs", outputs_of(modules, s.inputs).detach());
  const Tensor differences = l.show("differences", differences_from_first(outputs));
  l.say("With the first one's matrices and without biases the largest difference between the five is {}.",
        digits(max(differences)));
  l.say(
      "The formula is the same on all pages. The rest of this lesson is about all that made the numbers of "
      "the step before differ, and about what each page calls it.");
  one_gradient(l, modules, s.inputs);
}

void biases(Narrator& l, const Settings& s) {
  const Modules single = one_head_each(s), many = many_heads_each(s);
  l.step("biases", "Who adds a bias?");
  l.code(
      "biases = [sum(p.numel() for name, p in module.named_parameters()\n"
      "              if name.endswith('bias')) for module in modules]");
  const Tensor of_one = l.show("biases", counts(single, biases_of));
  l.say("Numbers in the biases of one head: {} in the order {}.", joined_counts(of_one), kOrder);
  l.say(
      "single-and-multi always has biases, climb never; the others have an argument qkv_bias, False unless "
      "one says so.");
  l.say(
      "gpt-attention changes its mind: SelfAttention and MultiHeadAttention have biases, CausalAttention "
      "has not. With biases a token of zeros still asks and answers.");

  l.step("last-layer", "Who mixes the heads at the end?");
  l.code("print([name for name, _ in module.named_children()])");
  l.show("biases", counts(many, biases_of));
  l.show("parameters", counts(many, [](const nn::QkvModule& m) { return numbers_in(m.named_parameters()); }));
  l.say(
      "With {} the last layers are called {}, in the order journey, gpt-attention, single-and-multi, cat. "
      "climb has one head and no such layer.",
      counted(s.count("--heads"), "head"), joined_names(many, last_layer_of));
  l.say("All of these have a bias, also where query, key and value have none: {} numbers in biases in all.",
        joined_counts(counts(many, biases_of)));
  l.say("In single-and-multi the name fc_out is used twice: here, and for the layer that makes logits.");
}

void drawing(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const Tensor uniform = rand({d, d});
  manual_seed(s.seed("--seed"));
  const nn::Linear layer(d, d, false);
  l.step("layout", "Where do the first weights come from?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("drawn_uniform = torch.rand({0}, {0})  # (d_in, d_out)", d));
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("layer = torch.nn.Linear({0}, {0}, bias=False).weight  # (d_out, d_in)", d));
  l.show("drawn_uniform", uniform);
  l.show("layer", layer.weight.detach());
  l.say(
      "journey's and cat's first steps draw with torch.rand: from 0 to 1, here {} to {}. All classes but "
      "SelfAttention_v1 have Linear layers, which draw both signs, and smaller numbers the wider the input "
      "is: here {} to {}.",
      digits(min(uniform)), digits(max(uniform)), digits(min(layer.weight)), digits(max(layer.weight)));
  const Tensor bound = from_values(std::vector<double>{1 / std::pow(double(d), 0.5)}, {});
  l.say(
      "The same draws stand behind both: u becomes (2u - 1) / sqrt(d_in), the bound here being {}. The "
      "largest difference from that rule is {}.",
      digits(bound), largest_difference((uniform * 2 - 1) * bound, layer.weight.detach()));
  l.say(
      "A Linear layer also keeps its matrix the other way round, (d_out, d_in). Copy one into the other and "
      "it has to be transposed.");

  const Modules modules = one_head_each(s);
  std::vector<Tensor> queries;
  for (const auto& module : modules) queries.push_back(module->W_query.weight.detach());
  l.step("order", "The same seed, other matrices");
  l.code(
      "torch.manual_seed(seed)  # before each\n"
      "queries_of = torch.stack([module.W_query.weight for module in modules])");
  const Tensor all = l.show("queries_of", stack(queries, 0));
  l.say("The layers are made, and drawn, in the order in which the class writes them: {}.",
        joined_names(modules, layers_of));
  std::vector<std::string> alike;
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (equal(all[int64_t(i)], all[0])) alike.emplace_back(kNames[i]);
  l.say(
      "So the query matrix is the first draw in some and the second in others. Like journey's is that of {}.",
      alike.empty() ? "none" : joined(alike, ", "));
  l.say(
      "And a bias draws as well: after the first layer, single-and-multi's stream of numbers is {} further "
      "on than journey's.",
      counted(biases_of(*modules[2]) / 3, "number"));
}

}  // namespace glassgrad::learn::compare_parts
