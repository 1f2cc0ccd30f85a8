// Section 4: the two analogies, with numbers.
#include "apps/lesson/phrases.h"
#include "apps/lessons/climb/climb.h"
#include "engine/literal.h"
#include "engine/ops.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kDatabase = "4.1";
constexpr const char* kParty = "4.2";

// Four rows of a database: keys that have nothing in common, and what is stored under them.
struct Database {
  Tensor keys = eye(4);
  Tensor values = tensor({10., 20., 40., 80.});
  Tensor query = keys[1];
  Tensor between = (keys[1] + keys[2]) / 2;
};

int64_t matches(const Database& d, const Tensor& query) {
  return sum(sum(d.keys == query, {-1}) == d.keys.size(1)).item<int64_t>();
}

void hard_lookup(Narrator& l, const Database& d) {
  l.step("database", kDatabase, "A database: the query equals a key, or it does not");
  l.code("matches = (keys == query).all(dim=-1)\nfound = values[matches]");
  l.show("keys", d.keys);
  l.show("values", d.values);
  l.show("query", d.query);
  const Tensor hits = l.show("matches", sum(d.keys == d.query, {-1}) == d.keys.size(1));
  l.show("between", d.between);
  l.say(
      "A table with two columns, key and value. Whoever wants the value under key 2 sends that key as query.");
  l.say(
      "The query is compared with every key; {} is equal and hands over its value, {}. The others give nothing.",
      counted(matches(d, d.query), "key"), digits(sum(where(hits, d.values, 0.0))));
  l.say("A query half way between the keys 2 and 3 equals {} of them, and the answer is empty.",
        matches(d, d.between));
}

void soft_lookup(Narrator& l, const Database& d) {
  constexpr int kFactors[] = {0, 1, 2, 4, 8, 16};
  const auto weights_of = [&](const Tensor& query) {
    std::vector<Tensor> rows;
    for (const int factor : kFactors) rows.push_back(softmax(matmul(d.keys, query) * factor, -1));
    return stack(rows, 0);
  };
  l.step("soft-lookup", kDatabase, "A soft lookup: every key answers a little");
  l.formula("found = a_1 v_1 + a_2 v_2 + ...,  a = softmax(c K q)",
            R"(\mathrm{found} = \sum_j a_j v_j, \qquad a = \mathrm{softmax}(c\, K q))");
  l.code(
      "scores = keys @ query\nweights = torch.softmax(c * scores, dim=-1)  # for c = 0, 1, 2, 4, 8, 16\n"
      "found = weights @ values");
  l.show("scores", matmul(d.keys, d.query));
  const Tensor weights = l.show("weights", weights_of(d.query));
  const Tensor found = l.show("found", matmul(weights, d.values));
  const Tensor found_between = l.show("found_between", matmul(weights_of(d.between), d.values));
  l.say(
      "Attention asks how well query and key agree: a dot product in place of ==, softmax makes it shares, and all "
      "values are mixed.");
  l.say(
      "With scores multiplied by 0 everyone counts the same: {}, the mean of the values. The sharper the scores, the "
      "nearer to the hard answer: {}.",
      digits(found[0]), joined_digits(found.slice(0, 1, {}), ", "));
  l.say(
      "The query half way between two keys found nothing before; now it comes near the middle of their values: {} at "
      "the last. And as nothing jumps, all of it has a gradient: it can be learned.",
      digits(found_between[5]));
}

void party(Narrator& l) {
  l.step("party", kParty, "At a party");
  l.code("dots = keys @ query\nweights = torch.softmax(dots, dim=-1)\nheard = weights @ values");
  const Tensor query = l.show("query", tensor({2., 0.5}));
  const Tensor keys = l.show("keys", tensor({{2., 0.}, {0., 2.}, {1., 1.}}));
  const Tensor values = l.show("values", tensor({1., 2., 3.}));
  const Tensor dots = l.show("dots", matmul(keys, query));
  const Tensor weights = l.show("weights", softmax(dots, -1));
  const Tensor heard = l.show("heard", dot(weights, values));
  l.say("You come to a party and want to hear about cats, a little about the weather too: your query is {}.",
        joined_digits(query, ", "));
  l.say(
      "Each of three guests wears a badge with what they know of the two, the key. Query times badge says whom to listen "
      "to: {}.",
      joined_digits(dots, ", "));
  l.say(
      "What a guest then tells is the value, which the badge does not say. You take {} of the first, {} of the second, "
      "{} of the third, and go home with {}.",
      digits(weights[0]), digits(weights[1]), digits(weights[2]), digits(heard));
  l.say(
      "In self-attention every token is guest and visitor at once. Query, key and value are made from its own row, and "
      "training decides how.");
}

}  // namespace

void lookups(Narrator& l) {
  const Database database;
  hard_lookup(l, database);
  soft_lookup(l, database);
  party(l);
}

}  // namespace glassgrad::learn::climb_parts
