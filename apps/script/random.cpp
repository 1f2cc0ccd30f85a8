// The module random: CPython 3.11's numbers, bit for bit, from one Mersenne Twister.
//
// In CPython its functions are methods written in Python, so arguments are bound and errors are worded as for
// Python functions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>

#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/script/sha512.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {
namespace drawn {

constexpr size_t kWords = Generator::kWords;

// ---- the generator

// The state that Matsumoto and Nishimura's init_by_array gives for a key of one word or more.
Generator::State state_of(const std::vector<uint32_t>& key) {
  Generator::State state{};
  uint32_t* const words = state.words;
  words[0] = 19650218;
  const auto mixed = [&](size_t k) { return words[k - 1] ^ words[k - 1] >> 30; };
  for (size_t k = 1; k < kWords; ++k) words[k] = 1812433253u * mixed(k) + static_cast<uint32_t>(k);
  size_t at = 1;
  const auto go_on = [&] {
    if (++at < kWords) return;
    words[0] = words[kWords - 1];
    at = 1;
  };
  for (size_t n = std::max(kWords, key.size()), k = 0; k < n; ++k) {
    const size_t j = k % key.size();
    words[at] = (words[at] ^ mixed(at) * 1664525u) + key[j] + static_cast<uint32_t>(j);
    go_on();
  }
  for (size_t k = 1; k < kWords; ++k) {
    words[at] = (words[at] ^ mixed(at) * 1566083941u) - static_cast<uint32_t>(at);
    go_on();
  }
  words[0] = 0x80000000u;
  state.used = Generator::kWords;
  return state;
}

std::vector<uint32_t> key_of(uint64_t seed) {
  std::vector<uint32_t> key{static_cast<uint32_t>(seed)};
  if (seed >> 32) key.push_back(static_cast<uint32_t>(seed >> 32));
  return key;
}

// The text's bytes and their SHA-512 digest as one large number: its 32-bit words, lowest first.
std::vector<uint32_t> key_of(const std::string& text) {
  const auto digest = sha512(text);
  const std::string bytes = text + std::string(digest.begin(), digest.end());
  std::vector<uint32_t> key((bytes.size() + 3) / 4);
  for (size_t k = 0; k < bytes.size(); ++k)
    key[k / 4] |= uint32_t{static_cast<uint8_t>(bytes[bytes.size() - 1 - k])} << (8 * (k % 4));
  while (key.size() > 1 && key.back() == 0) key.pop_back();
  return key;
}

// CPython's hash() of a float: its exact value modulo 2^61 - 1.
uint64_t hash_of(double x) {
  constexpr uint64_t kModulus = (uint64_t{1} << 61) - 1;
  if (std::isnan(x)) return 0;
  if (std::isinf(x)) return x > 0 ? 314159 : -uint64_t{314159};
  const auto rotated = [](uint64_t n, int by) { return (n << by & kModulus) | n >> (61 - by); };
  int exponent = 0;
  double rest = std::fabs(std::frexp(x, &exponent));
  uint64_t hash = 0;
  while (rest != 0) {
    rest *= 0x1p28;
    exponent -= 28;
    const auto whole = static_cast<uint64_t>(rest);
    rest -= static_cast<double>(whole);
    hash = (rotated(hash, 28) + whole) % kModulus;
  }
  hash = rotated(hash, ((exponent % 61) + 61) % 61);
  return x >= 0 ? hash : hash == 1 ? -uint64_t{2} : -hash;  // -1 is never a hash
}

// The seed that version 1 of seed() makes from a text.
uint64_t old_hash_of(const Str& text) {
  const auto letters = decode(text.text);
  uint64_t hash = letters.empty() ? 0 : uint64_t{letters[0]} << 7;
  for (const auto letter : letters) hash = (hash * 1000003) ^ letter;
  return hash ^ letters.size();
}

double random(Generator& g) {
  const uint32_t high = g.r32() >> 5, low = g.r32() >> 6;
  return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

// k random bits, 0 ≤ k ≤ 64.
uint64_t bits(Generator& g, int k) {
  const auto some = [&](int n) { return uint64_t{g.r32() >> (32 - n)}; };
  if (k <= 32) return k == 0 ? 0 : some(k);
  const uint64_t low = some(32);
  return some(k - 32) << 32 | low;
}

// A uniform integer from 0 to n - 1.
int64_t below(Interpreter& in, int64_t n) {
  const auto k = static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
  uint64_t drawn = bits(in.random(), k);
  while (drawn >= static_cast<uint64_t>(n)) drawn = bits(in.random(), k);
  return static_cast<int64_t>(drawn);
}

// ---- the functions; their arguments are bound, without self

Value of(double x) { return Value::of(x); }
Value of(int64_t x) { return Value::of(x); }
bool less_than(Interpreter& in, const Value& a, const Value& b) {
  return is_number(a) && is_number(b) ? less(a, b) : in.truth(in.compare(Compare::Lt, a, b));
}

Value seed(Interpreter& in, BuiltinArgs a) {
  const Value& x = a[0];
  if (const Str* const s = x.as<Str>()) {
    const int64_t version = index_of(a[1]);
    if (version != 1 && version != 2) raise("ValueError", "a text is a seed of version 1 or 2 only");
    in.random().set_state(state_of(version == 1 ? key_of(old_hash_of(*s)) : key_of(s->text)));
  } else if (x.is_float()) {
    in.random().set_state(state_of(key_of(hash_of(x.real()))));
  } else if (is_whole(x) || x.is_none()) {
    const auto n = x.is_none() ? uint64_t{0} : static_cast<uint64_t>(x.whole());
    in.random().set_state(state_of(key_of(!x.is_none() && x.whole() < 0 ? -n : n)));
  } else {
    raise("TypeError", "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.");
  }
  return Value::none();
}

Value random_number(Interpreter& in, BuiltinArgs) { return of(random(in.random())); }

Value random_bits(Interpreter& in, BuiltinArgs a) {
  const int64_t k = index_of(a[0]);
  if (k < 0) raise("ValueError", "number of bits must be non-negative");
  if (k > 63) too_large();
  return of(static_cast<int64_t>(bits(in.random(), static_cast<int>(k))));
}

Value uniform(Interpreter& in, BuiltinArgs a) {
  const Value span = in.binary(BinaryOp::Sub, a[1], a[0]);
  return in.binary(BinaryOp::Add, a[0], in.binary(BinaryOp::Mul, span, of(random(in.random()))));
}

// The Box-Muller method gives two numbers: the second one is kept for the next call.
Value gauss(Interpreter& in, BuiltinArgs a) {
  Generator::State state = in.random().state();
  double z = state.normal;
  if (!std::exchange(state.has_normal, false)) {
    const double turn = random(in.random()) * (2 * std::numbers::pi);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random(in.random())));
    z = std::cos(turn) * radius;
    state = in.random().state();
    state.has_normal = true;
    state.normal = std::sin(turn) * radius;
  }
  in.random().set_state(state);
  return in.binary(BinaryOp::Add, a[0], in.binary(BinaryOp::Mul, of(z), a[1]));
}

// Kinderman and Monahan's method: the ratio of two uniform numbers.
Value normal(Interpreter& in, BuiltinArgs a) {
  const double constant = 4 * std::exp(-0.5) / std::sqrt(2.0);
  while (true) {
    const double first = random(in.random()), second = 1.0 - random(in.random());
    const double z = constant * (first - 0.5) / second;
    if (z * z / 4.0 <= -std::log(second))
      return in.binary(BinaryOp::Add, a[0], in.binary(BinaryOp::Mul, of(z), a[1]));
  }
}

// An int, or int(x) if it equals x; throws ValueError otherwise.
int64_t whole(Interpreter& in, const Value& x, const char* error) {
  if (is_index(x)) return index_of(x);
  const Value n = in.call(*Heap::current().types().find("int"), {.positional = {&x, 1}});
  if (!in.equal(n, x)) raise("ValueError", std::string(error));
  return n.whole();
}

int64_t difference(int64_t a, int64_t b) { return arithmetic(BinaryOp::Sub, of(a), of(b)).whole(); }

Value from_range(Interpreter& in, BuiltinArgs a) {
  const int64_t start = whole(in, a[0], "non-integer arg 1 for randrange()");
  if (a[1].is_none()) {
    if (!a[2].is_int() || a[2].whole() != 1) raise("TypeError", "Missing a non-None stop argument");
    if (start > 0) return of(below(in, start));
    raise("ValueError", "empty range for randrange()");
  }
  const int64_t stop = whole(in, a[1], "non-integer stop for randrange()"), width = difference(stop, start);
  const int64_t step = whole(in, a[2], "non-integer step for randrange()");
  if (step == 0) raise("ValueError", "zero step for randrange()");
  if (step == 1 && width <= 0)
    raise("ValueError", "empty range for randrange() ({}, {}, {})", start, stop, width);
  const int64_t n = Range(start, stop, step).size();
  if (n <= 0) raise("ValueError", "empty range for randrange()");
  return of(start + step * below(in, n));
}

Value whole_between(Interpreter& in, BuiltinArgs a) {
  const Value all[] = {a[0], in.binary(BinaryOp::Add, a[1], of(int64_t{1})), of(int64_t{1})};
  return from_range(in, all);
}

Value choice(Interpreter& in, BuiltinArgs a) {
  const int64_t n = in.length(a[0]);
  if (n == 0) raise("IndexError", "Cannot choose from an empty sequence");
  return in.item(a[0], of(below(in, n)));
}

Value shuffle(Interpreter& in, BuiltinArgs a) {
  for (int64_t k = in.length(a[0]) - 1; k > 0; --k) {
    in.tick();
    const int64_t j = below(in, k + 1);
    const Value other = in.item(a[0], of(j)), here = in.item(a[0], of(k));
    in.set_item(a[0], of(k), other);
    in.set_item(a[0], of(j), here);
  }
  return Value::none();
}

// The sums of the first one, two, … items.
std::vector<Value> running_sums(Interpreter& in, const Value& x) {
  std::vector<Value> sums;
  in.each(x, [&](const Value& item) {
    Heap::current().check((sums.size() + 1) * sizeof(Value));
    sums.push_back(sums.empty() ? item : in.binary(BinaryOp::Add, sums.back(), item));
  });
  return sums;
}

// How many of the first n items of an ascending sequence are not greater than x.
int64_t place_after(Interpreter& in, const Value& sequence, const Value& x, int64_t n) {
  int64_t low = 0;
  for (int64_t high = n; low < high;) {
    const int64_t middle = low + (high - low) / 2;
    if (less_than(in, x, in.item(sequence, of(middle))))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Value choices(Interpreter& in, BuiltinArgs a) {
  const Value &population = a[0], &weights = a[1];
  const int64_t n = in.length(population);
  Value sums = a[2];
  if (sums.is_none() && is_whole(weights))
    raise("TypeError", "The number of choices must be a keyword argument: k={}", in.repr(weights));
  if (sums.is_none() && !weights.is_none())
    sums = list(running_sums(in, weights));
  else if (!weights.is_none())
    raise("TypeError", "Cannot specify both weights and cumulative weights");
  Value total = of(static_cast<double>(n));
  if (!sums.is_none()) {
    if (in.length(sums) != n) raise("ValueError", "The number of weights does not match the population");
    total = in.binary(BinaryOp::Add, in.item(sums, of(int64_t{-1})), of(0.0));
    if (in.truth(in.compare(Compare::Le, total, of(0.0))))
      raise("ValueError", "Total of weights must be greater than zero");
    if (!std::isfinite(float_of(total))) raise("ValueError", "Total of weights must be finite");
  }
  std::vector<Value> chosen;
  for (int64_t k = index_of(a[3]); k > 0; --k) {
    in.tick();
    Heap::current().check((chosen.size() + 1) * sizeof(Value));
    const double u = random(in.random());
    const int64_t at = sums.is_none() ? static_cast<int64_t>(std::floor(u * total.real()))
                                      : place_after(in, sums, in.binary(BinaryOp::Mul, of(u), total), n - 1);
    chosen.push_back(in.item(population, of(at)));
  }
  return list(std::move(chosen));
}

// k different numbers below n, drawn as sample() does: from a list of all if n is small, else without
// repeats.
std::vector<int64_t> sampled(Interpreter& in, int64_t n, int64_t k) {
  double few = 21;
  if (k > 5) few += std::pow(4.0, std::ceil(std::log(static_cast<double>(k) * 3) / std::log(4.0)));
  std::vector<int64_t> drawn, pool;
  Heap::current().check(static_cast<size_t>(k) * sizeof(int64_t));
  drawn.reserve(static_cast<size_t>(k));
  if (static_cast<double>(n) <= few) {
    Heap::current().check(static_cast<size_t>(n) * sizeof(int64_t));
    for (int64_t i = 0; i < n; ++i) pool.push_back(i);
    for (int64_t i = 0; i < k; ++i) {
      in.tick();
      const auto j = static_cast<size_t>(below(in, n - i));
      drawn.push_back(pool[j]);
      pool[j] = pool[static_cast<size_t>(n - i - 1)];
    }
    return drawn;
  }
  std::set<int64_t> known;
  while (static_cast<int64_t>(drawn.size()) < k) {
    in.tick();
    const int64_t j = below(in, n);
    if (known.insert(j).second) drawn.push_back(j);
  }
  return drawn;
}

Value sample(Interpreter& in, BuiltinArgs a) {
  const Value &population = a[0], &k = a[1];
  if (!population.as<List>() && !population.as<Tuple>() && !population.as<Str>() && !population.as<Range>())
    raise("TypeError", "Population must be a sequence.  For dicts or sets, use sorted(d).");
  int64_t n = in.length(population);
  Value sums;
  if (!a[2].is_none()) {
    auto all = running_sums(in, a[2]);
    if (static_cast<int64_t>(all.size()) != n)
      raise("ValueError", "The number of counts does not match the population");
    if (all.empty()) raise("IndexError", "pop from empty list");
    if (!is_whole(all.back())) raise("TypeError", "Counts must be integers");
    n = all.back().whole();
    if (n <= 0) raise("ValueError", "Total of counts must be greater than zero");
    all.pop_back();
    sums = list(std::move(all));
  }
  if (!in.truth(in.compare(Compare::Le, of(int64_t{0}), k)) || !in.truth(in.compare(Compare::Le, k, of(n))))
    raise("ValueError", "Sample larger than population or is negative");
  if (!is_whole(k)) in.binary(BinaryOp::Mul, list({}), k);  // throws TypeError
  std::vector<Value> chosen;
  for (const int64_t at : sampled(in, n, k.whole())) {
    Heap::current().check((chosen.size() + 1) * sizeof(Value));
    chosen.push_back(in.item(population, of(sums ? place_after(in, sums, of(at), in.length(sums)) : at)));
  }
  return list(std::move(chosen));
}

// ---- the table

struct Argument {
  const char* name;
  Value fallback = {};
  Parameter::Kind kind = Parameter::Plain;
};
struct Method {
  const char* name;
  Value (*call)(Interpreter&, BuiltinArgs);
  std::vector<Argument> parameters;
};
// Parameters in the order of Python's signatures. random() and getrandbits() are C functions in CPython, with
// the error texts of C functions: kOfC.
const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"seed", seed, {{"a", Value::none()}, {"version", of(int64_t{2})}}},
      {"uniform", uniform, {{"a"}, {"b"}}},
      {"gauss", gauss, {{"mu", of(0.0)}, {"sigma", of(1.0)}}},
      {"normalvariate", normal, {{"mu", of(0.0)}, {"sigma", of(1.0)}}},
      {"randrange", from_range, {{"start"}, {"stop", Value::none()}, {"step", of(int64_t{1})}}},
      {"randint", whole_between, {{"a"}, {"b"}}},
      {"choice", choice, {{"seq"}}},
      {"shuffle", shuffle, {{"x"}}},
      {"choices",
       choices,
       {{"population"},
        {"weights", Value::none()},
        {"cum_weights", Value::none(), Parameter::KeywordOnly},
        {"k", of(int64_t{1}), Parameter::KeywordOnly}}},
      {"sample", sample, {{"population"}, {"k"}, {"counts", Value::none(), Parameter::KeywordOnly}}}};
  return all;
}
constexpr BuiltinDef kOfC[] = {{"random", 0, 0, random_number}, {"getrandbits", 1, 1, random_bits}};

// A builtin that binds its arguments as a Python method does.
Value made(const Method& method) {
  auto code = std::make_shared<Code>();
  code->qualified_name = std::string("Random.") + method.name;
  code->parameters.push_back({.kind = Parameter::Plain, .name = "self", .fallback = {}});
  std::vector<Value> defaults{Value()};
  for (const Argument& a : method.parameters) {
    code->parameters.push_back({.kind = a.kind, .name = a.name, .fallback = {}});
    defaults.push_back(a.fallback);
  }
  return make<Builtin>(
      method.name, [code, defaults, call = method.call](Interpreter& in, const Arguments& a) {
        std::vector<Value> all{Value::none()};  // in the place of self
        all.insert(all.end(), a.positional.begin(), a.positional.end());
        const auto bound = bound_arguments(*code, defaults, {.positional = all, .named = a.named});
        return call(in, BuiltinArgs(bound).subspan(1));
      });
}

}  // namespace drawn
}  // namespace

Generator::State random_state(uint64_t n) { return drawn::state_of(drawn::key_of(n)); }

Value make_random(Interpreter&) {
  const Value module = make<Namespace>("random");
  Dict& names = *module.as<Namespace>()->attributes.as<Dict>();
  for (const BuiltinDef& row : drawn::kOfC) names.set(row.name, function(row, "Random."));
  for (const drawn::Method& method : drawn::methods()) names.set(method.name, drawn::made(method));
  return module;
}

}  // namespace glassgrad::script
