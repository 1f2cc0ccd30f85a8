// Random numbers: the same stream as PyTorch, printed.
#include "golden.h"

using namespace glassgrad;
using golden::dims, golden::print, golden::values;

GOLDEN("rng rand") {
  const Dims shape = dims(args["shape"]);
  print(rand(shape, golden::dtype(args)));
  if (args.contains("dtype")) print(randn(shape, golden::dtype(args)));
}
GOLDEN("rng randn") { print(randn(dims(args["shape"]))); }
GOLDEN("rng randint") { print(randint(args["low"], args["high"], dims(args["shape"]))); }
GOLDEN("rng-033") {
  print(randint(0, int64_t{1} << 40, 4));
  print(randint(0, 10, {2, 2}));
}
GOLDEN("rng randperm") { print(randperm(args["n"])); }
GOLDEN("rng bernoulli_") { print(bernoulli_(empty(dims(args["shape"])), args["p"])); }
GOLDEN("rng bernoulli") { print(bernoulli(values(args["p"]))); }
GOLDEN("rng uniform_") { print(uniform_(empty(dims(args["shape"])), args["a"], args["b"])); }
GOLDEN("rng normal_") { print(normal_(empty(dims(args["shape"])), args["mean"], args["std"])); }
GOLDEN("rng normal") {
  print(normal(tensor({1., 2., 3.}), tensor({.1, .2, .3})));
  print(normal(0, 0.02, {2, 10}));
}
GOLDEN("rng exponential_") {
  print(exponential_(empty(5)));
  print(exponential_(empty(5), 0.5));
}
GOLDEN("rng multinomial") { print(multinomial(values(args["probs"]), args["n"], args["replacement"])); }
GOLDEN("rng random_") {
  print(random_(empty(3, int64)));
  print(random_(empty(4), 0, 7));
}

GOLDEN("rng-022") {
  print(randn(3));
  print(randn(20));
  print(randn(4));
  print(rand(2));
  print(randn(4));
}
GOLDEN("rng-023") {
  print(randn(3));
  manual_seed(2481609806);
  const Tensor a = randn(1), b = randn(2), c = rand(1), d = randn(1);
  print(a, b, c, d);
}
GOLDEN("rng-060") {
  const Tensor probs = softmax(randn({1, 20}) / 0.8, -1);
  std::vector<Tensor> tokens;
  for (int i = 0; i < 10; ++i) tokens.push_back(multinomial(probs, 1));
  print(cat(tokens, 1));
}

namespace {

// What one pass of a DataLoader draws: a number for its workers always, then one that seeds the shuffling.
void print_batches(const Tensor& x, int64_t batch, bool shuffle) {
  random_(empty({}, int64));
  Tensor order = arange(x.size(0));
  if (shuffle) {
    Generator g(random_(empty({}, int64)).item<int64_t>());
    order = randperm(x.size(0), g);
  }
  for (const Tensor& rows : order.split(batch)) print(index(x, {rows}));
}

}  // namespace

GOLDEN("rng-062") {
  const Tensor x = arange(10);
  print_batches(x, 4, true);
  print(rand(2));
  print_batches(x, 5, false);
  print(rand(2));
}
GOLDEN("rng-063") {
  Generator g(7);
  print(rand(3, float32, g));
  print(randn(2, float32, g));
  print(randperm(6, g));
  print(randint(0, 9, 4, g));
}
GOLDEN("rng-064") {
  manual_seed(-370);
  print(rand(3));
  manual_seed(4294967301);
  print(rand(3));
  manual_seed(5);
  print(rand(3));
}
GOLDEN("rng-065") {
  const Tensor x = empty({3, 4}).t();
  print(rand_like(x));
  print(randn_like(empty({4, 5}).t()));
  print(randint_like(x, 0, 10));
}

TEST_CASE("golden random numbers") { golden::check_group("rng"); }
