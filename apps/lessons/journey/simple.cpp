// Section 3.3: attention without anything to learn.
#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::journey_parts {
namespace {

constexpr const char* kOneQuery = "3.3.1";
constexpr const char* kAllQueries = "3.3.2";

void dot_product(Narrator& l, const Settings& s, const Tensor& query) {
  l.step("dot-product", kOneQuery, "A dot product by hand");
  l.formula("x . q = x_1 q_1 + x_2 q_2 + ...", R"(x \cdot q = \sum_k x_k q_k)");
  l.code("res = 0.\nfor idx, element in enumerate(inputs[0]):\n    res += inputs[0][idx] * query[idx]");
  const Tensor first = s.inputs[0];
  const Tensor products = first * query;
  Tensor res = zeros({});
  for (const Tensor& product : products.unbind()) res = res + product;
  l.show("query", query);
  l.show("products", products);
  l.show("res", res);
  l.code("torch.dot(inputs[0], query)");
  l.show("dot", dot(first, query));
  l.say("Two vectors are multiplied number by number and the products are added: {} = {}.",
        joined_digits(products, " + ", 4), digits(res));
  l.say(
      "Vectors that point the same way get a large result, long ones all the more. Attention calls it a "
      "score: here that of the token {} for the query {}.",
      in_quotes(s.tokens[0]), in_quotes(s.tokens[1]));
}

void lengths_and_angles(Narrator& l, const Settings& s, const Tensor& query) {
  l.step("lengths-and-angles", kOneQuery, "What a dot product measures");
  l.formula("x . q = |x| |q| cos(angle)", R"(x \cdot q = |x|\,|q|\cos\angle(x, q))");
  l.code("lengths = inputs.norm(dim=-1)\ncosines = inputs @ query / (lengths * query.norm())");
  const Tensor lengths = l.show("lengths", norm(s.inputs, {1}));
  const Tensor products = matmul(s.inputs, query), both_lengths = lengths * norm(query);
  const Tensor cosines = l.show("cosines", products / both_lengths);
  l.say("Three numbers make a dot product: the two lengths and the cosine of the angle between the vectors.");
  l.say("The cosine is 1 for the same direction, 0 at a right angle, -1 for opposite directions.");
  if (all_finite(cosines))
    l.say("From {}, which is {} long, the cosine to {} is {}, to {} it is {}.", in_quotes(s.tokens[1]),
          digits(lengths[1]), in_quotes(s.tokens[0]), digits(cosines[0]), in_quotes(s.tokens.back()),
          digits(cosines[s.inputs.size(0) - 1]));
}

Tensor scores_of_one(Narrator& l, const Settings& s, const Tensor& query) {
  l.step("scores-2", kOneQuery, "One query asks every token");
  l.formula("s_i = x_i . q", R"(s_i = x_i \cdot q)");
  l.code(
      "query = inputs[1]\nattn_scores_2 = torch.empty(inputs.shape[0])\nfor i, x_i in enumerate(inputs):\n"
      "    attn_scores_2[i] = torch.dot(x_i, query)");
  const Tensor attn_scores_2 = empty({s.inputs.size(0)});
  for (int64_t i = 0; i < s.inputs.size(0); ++i) copy_(attn_scores_2[i], dot(s.inputs[i], query));
  l.show("query", query);
  l.print("attn_scores_2", attn_scores_2);
  l.say("The second token, {}, is the query; its dot product with each token is that token's score.",
        in_quotes(s.tokens[1]));
  l.say("{}", about_largest(attn_scores_2, s.tokens, "score"));
  return attn_scores_2;
}

void weights_by_sum(Narrator& l, const Tensor& attn_scores_2) {
  l.step("weights-by-sum", kOneQuery, "Scores become weights: divide by their sum");
  l.formula("a_i = s_i / (s_1 + s_2 + ...)", R"(a_i = \frac{s_i}{\sum_j s_j})");
  l.code("attn_weights_2_tmp = attn_scores_2 / attn_scores_2.sum()");
  const Tensor total = l.show("total", sum(attn_scores_2));
  const Tensor weights = l.print("attn_weights_2_tmp", attn_scores_2 / total, "Attention weights:");
  const Tensor one = l.print("sum", sum(weights), "Sum:");
  l.say("Each score is divided by the sum of all, {}.", digits(total));
  if (all_finite(weights))
    l.say("So the results, the weights, add to 1: they are the shares that the tokens get.");
  else
    l.say("That goes wrong here: not all results are finite numbers.");
  l.say("{}", about_sum(one));
  if (amin(weights, {0}).item() < 0)
    l.say("Some shares are negative here: dividing by the sum cannot prevent that, softmax can.");
}

void softmax_by_hand(Narrator& l, const Tensor& attn_scores_2) {
  l.step("softmax-naive", kOneQuery, "Softmax by hand");
  l.formula("a_i = exp(s_i) / (exp(s_1) + exp(s_2) + ...)",
            R"(a_i = \mathrm{softmax}(s)_i = \frac{e^{s_i}}{\sum_j e^{s_j}})");
  l.code("exps = torch.exp(attn_scores_2)\nattn_weights_2_naive = exps / exps.sum(dim=0)");
  const Tensor exps = l.show("exps", exp(attn_scores_2));
  const Tensor total = l.show("total", sum(exps, {0}));
  const Tensor weights = l.show("attn_weights_2_naive", exps / total);
  l.say(
      "exp turns every number, negative ones too, into a positive one and keeps their order. The weights "
      "are the exps divided by their sum, {}.",
      digits(total));
  l.say("Written like this it breaks for large scores: exp(100) in float32 is {}{}.",
        python_float(exp(full({}, 100.0)).item()),
        all_finite(weights) ? "" : ", and it does break here: not all results are finite numbers");
  l.say("PyTorch subtracts the largest score from all of them first, which changes no weight.");
}

Tensor softmax_of_one(Narrator& l, const Settings& s, const Tensor& attn_scores_2) {
  l.step("softmax-2", kOneQuery, "Softmax as PyTorch has it");
  l.code("attn_weights_2 = torch.softmax(attn_scores_2, dim=0)");
  const Tensor weights = l.print("attn_weights_2", softmax(attn_scores_2, 0), "Attention weights:");
  const Tensor one = l.print("sum", sum(weights), "Sum:");
  l.say("{}", about_largest(weights, s.tokens, "weight"));
  if (all_finite(weights)) l.say("No weight is negative, and their order is that of the scores.");
  l.say("{}", about_sum(one));
  return weights;
}

Tensor context_of_one(Narrator& l, const Settings& s, const Tensor& query, const Tensor& attn_weights_2) {
  l.step("context-2", kOneQuery, "The context vector: a weighted sum");
  l.formula("z = a_1 x_1 + a_2 x_2 + ...", R"(z = \sum_i a_i x_i)");
  l.code(
      "query = inputs[1]\ncontext_vec_2 = torch.zeros(query.shape)\nfor i, x_i in enumerate(inputs):\n"
      "    context_vec_2 += attn_weights_2[i] * x_i");
  l.show("query", query);
  l.show("weighted_inputs", attn_weights_2.unsqueeze(1) * s.inputs);
  const Tensor context_vec_2 = zeros({s.inputs.size(1)});
  for (int64_t i = 0; i < s.inputs.size(0); ++i) add_(context_vec_2, attn_weights_2[i] * s.inputs[i]);
  l.print("context_vec_2", context_vec_2);
  l.say(
      "Every token is multiplied by its weight and the {} rows are added. The sum is the context vector of "
      "{}: as wide as a token, and mixed from all tokens by their weights.",
      s.inputs.size(0), in_quotes(s.tokens[1]));
  return context_vec_2;
}

void scores_by_loops(Narrator& l, const Settings& s) {
  l.step("scores-loop", kAllQueries, "Every token asks every token: two loops");
  const int64_t tokens = s.inputs.size(0);
  l.code(fmt::format("attn_scores = torch.empty({0}, {0})", tokens));
  l.code(
      "for i, x_i in enumerate(inputs):\n    for j, x_j in enumerate(inputs):\n"
      "        attn_scores[i, j] = torch.dot(x_i, x_j)");
  const Tensor attn_scores = empty({tokens, tokens});
  for (int64_t i = 0; i < tokens; ++i)
    for (int64_t j = 0; j < tokens; ++j) copy_(attn_scores[i][j], dot(s.inputs[i], s.inputs[j]));
  l.show("attn_scores", attn_scores);
  l.say("{0} x {0} = {1} dot products. Row i belongs to the query i, column j to the key j.", tokens,
        tokens * tokens);
  l.say(
      "A dot product does not care which vector comes first, so both sides of the diagonal are the same. "
      "That ends once queries and keys get weights of their own.");
}

Tensor scores_by_product(Narrator& l, const Settings& s, const Tensor& attn_scores_2) {
  l.step("scores", kAllQueries, "All scores as one matrix product");
  l.formula("S = X X^T", R"(S = X X^\top)");
  l.code("attn_scores = inputs @ inputs.T");
  l.show("inputs.T", s.inputs.T());
  const Tensor attn_scores = l.print("attn_scores", matmul(s.inputs, s.inputs.T()));
  l.say(
      "Row i of inputs times column j of inputs.T is the dot product of tokens i and j: the two loops in one "
      "product.");
  l.say("Row 2 is the attn_scores_2 of before; the largest difference is {}.",
        largest_difference(attn_scores[1], attn_scores_2));
  return attn_scores;
}

void row_sums(Narrator& l, const Tensor& attn_weights) {
  l.step("row-sums", kAllQueries, "Does every row add to 1?");
  l.code(
      "row_2_sum = sum([...])  # row 2 as printed above\nprint(\"Row 2 sum:\", row_2_sum)\n"
      "print(\"All row sums:\", attn_weights.sum(dim=-1))");
  l.show("row_2", attn_weights[1]);
  l.print_line("Row 2 sum: " + python_float(python_sum(row_as_printed(attn_weights, 1))));
  const Tensor sums = l.print("row_sums", sum(attn_weights, {-1}), "All row sums:");
  l.say(
      "row_2_sum adds the numbers of row 2 as they were printed. Those are rounded, so such a sum can "
      "miss 1 a little; for row 1 it would be {}.",
      python_float(python_sum(row_as_printed(attn_weights, 0))));
  l.say("attn_weights.sum adds the float32 numbers themselves.");
  if (all_finite(sums)) l.say("Softmax along dim=-1 has made each row, not each column, add to 1.");
}

}  // namespace

void simple_attention(Narrator& l, const Settings& s) {
  l.step("inputs", kOneQuery, "A sentence as numbers");
  l.code("inputs = torch.tensor([...])");
  l.show("inputs", s.inputs);
  l.say("{} tokens, one row each: {}. A row, {} long, is the token's embedding.", s.inputs.size(0),
        joined(s.tokens, ", "), counted(s.inputs.size(1), "number"));
  l.say(
      "Attention turns each row into a context vector that has looked at the other rows. This first form "
      "has nothing to learn.");
  if (!all_finite(matmul(s.inputs, s.inputs.T())))
    l.say(
        "Some of these numbers are not finite, or too large to be multiplied in float32: nan and inf will "
        "spread, and where they do, weights do not add to 1.");

  const Tensor query = s.inputs[1];
  dot_product(l, s, query);
  lengths_and_angles(l, s, query);
  const Tensor attn_scores_2 = scores_of_one(l, s, query);
  weights_by_sum(l, attn_scores_2);
  softmax_by_hand(l, attn_scores_2);
  const Tensor attn_weights_2 = softmax_of_one(l, s, attn_scores_2);
  const Tensor context_vec_2 = context_of_one(l, s, query, attn_weights_2);

  scores_by_loops(l, s);
  const Tensor attn_scores = scores_by_product(l, s, attn_scores_2);

  l.step("weights", kAllQueries, "Softmax, row by row");
  l.formula("A = softmax(S), row by row", R"(A_{ij} = \frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}})");
  l.code("attn_weights = torch.softmax(attn_scores, dim=-1)");
  const Tensor attn_weights = l.print("attn_weights", softmax(attn_scores, -1));
  l.say("Each row is the softmax of one query's scores: how much of each token that query takes.");
  l.say("The scores are symmetric, the weights need not be: every row has its own sum to divide by.");
  row_sums(l, attn_weights);

  l.step("context", kAllQueries, "All context vectors as one matrix product");
  l.formula("Z = A X", R"(Z = A X)");
  l.code("all_context_vecs = attn_weights @ inputs");
  const Tensor all_context_vecs = l.print("all_context_vecs", matmul(attn_weights, s.inputs));
  l.say("Row i of the weights times the inputs is the weighted sum for token i: {} context vectors at once.",
        s.inputs.size(0));

  l.step("context-check", kAllQueries, "The same vector, found two ways");
  l.code("print(\"Previous 2nd context vector:\", context_vec_2)");
  l.show("row_2", all_context_vecs[1]);
  l.print("context_vec_2", context_vec_2, "Previous 2nd context vector:");
  l.say("Row 2 of the matrix product is the vector that the loop added up; the largest difference is {}.",
        largest_difference(all_context_vecs[1], context_vec_2));
}

}  // namespace glassgrad::learn::journey_parts
