// Comparisons, and what counts as true.
#include <algorithm>

#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

struct Comparison {
  const char* sign;
  Special method;
  Compare reflected;
};
constexpr Comparison kComparisons[] = {{"==", Special::Eq, Compare::Eq}, {"!=", Special::Eq, Compare::Ne},
                                       {"<", Special::Lt, Compare::Gt},  {"<=", Special::Le, Compare::Ge},
                                       {">", Special::Gt, Compare::Lt},  {">=", Special::Ge, Compare::Le}};

std::span<const Value> items_of(const Value& x) {
  return x.as<List>() ? std::span<const Value>(x.as<List>()->items) : x.as<Tuple>()->items;
}

// Compares two tuples, or two lists, which an __eq__ may change meanwhile. Returns 2 if the items at index
// `at` differ.
int compare_items(Interpreter& in, const Value& a, const Value& b, size_t& at) {
  for (at = 0; at < items_of(a).size() && at < items_of(b).size(); ++at) {
    in.count_work(1);
    const Value x = items_of(a)[at], y = items_of(b)[at];
    if (!identical(x, y) && !in.equal(x, y)) return 2;
  }
  const size_t n = items_of(a).size(), m = items_of(b).size();
  return n < m ? -1 : n > m;
}

bool holds(Compare op, int sign) {
  switch (op) {
    case Compare::Lt:
      return sign < 0;
    case Compare::Le:
      return sign <= 0;
    case Compare::Gt:
      return sign > 0;
    case Compare::Ge:
      return sign >= 0;
    case Compare::Eq:
      return sign == 0;
    default:
      return sign != 0;
  }
}

bool same_dicts(Interpreter& in, Dict& a, Dict& b) {
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.entries.size(); ++k) {
    if (!a.entries[k].key) continue;
    const Value key = a.entries[k].key, x = a.entries[k].value, *found = b.find(key),
                y = found ? *found : Value();
    if (!y || (!identical(x, y) && !in.equal(x, y))) return false;
  }
  return true;
}

// Returns whether two ranges have the same items.
bool same_ranges(const Range& a, const Range& b) {
  const int64_t n = a.size();
  return n == b.size() && (n == 0 || (a.start == b.start && (n == 1 || a.step == b.step)));
}

bool subset(Set& a, Set& b) {
  return a.size() <= b.size() && std::all_of(a.entries.begin(), a.entries.end(),
                                             [&](const auto& e) { return !e.key || b.find(e.key); });
}

// a op b for builtin values of the same kind; absent: the kind has no such comparison.
Value compare_objects(Interpreter& in, Compare op, const Value& a, const Value& b) {
  const bool equality = op == Compare::Eq || op == Compare::Ne;
  if (!a.object() || !b.object() || a.object()->kind != b.object()->kind) {
    return {};
  }
  const Interpreter::Deeper deeper(in, " in comparison");
  switch (a.object()->kind) {
    case Kind::Str: {
      in.count_work(std::min(a.as<Str>()->text.size(), b.as<Str>()->text.size()));
      const int sign = a.as<Str>()->text.compare(b.as<Str>()->text);
      return Value::of(holds(op, sign));
    }
    case Kind::List:
    case Kind::Tuple: {
      if (equality && items_of(a).size() != items_of(b).size()) return Value::of(op == Compare::Ne);
      size_t at = 0;
      const int sign = compare_items(in, a, b, at);
      if (sign != 2 || equality) return Value::of(holds(op, sign));
      const Value p = items_of(a)[at], q = items_of(b)[at];
      return in.compare(op, p, q);
    }
    case Kind::Dict:
      if (!equality) return {};
      return Value::of(same_dicts(in, *a.as<Dict>(), *b.as<Dict>()) == (op == Compare::Eq));
    case Kind::Set: {
      Set &x = *a.as<Set>(), &y = *b.as<Set>();
      switch (op) {
        case Compare::Lt:
          return Value::of(x.size() < y.size() && subset(x, y));
        case Compare::Le:
          return Value::of(subset(x, y));
        case Compare::Gt:
          return Value::of(y.size() < x.size() && subset(y, x));
        case Compare::Ge:
          return Value::of(subset(y, x));
        default:
          return Value::of((x.size() == y.size() && subset(x, y)) == (op == Compare::Eq));
      }
    }
    case Kind::DictView:
      return compare_objects(in, op, as_set(in, a), as_set(in, b));
    case Kind::Range:
      if (!equality) return {};
      return Value::of(same_ranges(*a.as<Range>(), *b.as<Range>()) == (op == Compare::Eq));
    default:
      return {};
  }
}

}  // namespace

Value Interpreter::compare(Compare op, const Value& a, const Value& b) {
  switch (op) {
    case Compare::Is:
      return Value::of(identical(a, b));
    case Compare::IsNot:
      return Value::of(!identical(a, b));
    case Compare::In:
      return Value::of(contains(*this, b, a));
    case Compare::NotIn:
      return Value::of(!contains(*this, b, a));
    default:
      break;
  }
  if (is_number(a) && is_number(b)) {
    if (op == Compare::Eq || op == Compare::Ne) return Value::of(same_number(a, b) == (op == Compare::Eq));
    if (op == Compare::Lt || op == Compare::Gt) return Value::of(op == Compare::Lt ? less(a, b) : less(b, a));
    if (is_whole(a) && is_whole(b))
      return Value::of(op == Compare::Le ? a.whole() <= b.whole() : a.whole() >= b.whole());
    return Value::of((op == Compare::Le ? less(a, b) : less(b, a)) || same_number(a, b));
  }
  const Comparison& c = kComparisons[static_cast<size_t>(op)];
  if (a.as<Instance>() || b.as<Instance>()) {
    if (op == Compare::Ne) return Value::of(!equal(a, b));
    const Special reflected = kComparisons[static_cast<size_t>(c.reflected)].method;
    if (Value v = of_instances(*this, c.method, reflected, a, b, true); answered(v)) return v;
  }
  if (of_torch(a) || of_torch(b)) {
    if (Value v = tensors::compare(op, a, b); answered(v)) return v;
  } else if (Value v = compare_objects(*this, op, a, b)) {
    return v;
  }
  if (op == Compare::Eq) return Value::of(identical(a, b));
  if (op == Compare::Ne) return Value::of(!identical(a, b));
  raise("TypeError", "'{}' not supported between instances of '{}' and '{}'", c.sign, type_name(a),
        type_name(b));
}

bool Interpreter::equal(const Value& a, const Value& b) { return truth(compare(Compare::Eq, a, b)); }

bool Interpreter::truth(const Value& x) {
  switch (x.tag()) {
    case Tag::Bool:
    case Tag::Int:
      return x.whole() != 0;
    case Tag::Float:
      return x.real() != 0;
    case Tag::Object:
      break;
    default:
      return x.tag() != Tag::None;
  }
  if (x.as<Instance>()) {
    if (const Value v = call_own(*this, x, Special::Bool)) {
      if (!v.is_bool()) raise("TypeError", "__bool__ should return bool, returned {}", type_name(v));
      return v.boolean();
    }
    return !own_method(x, Special::Len) || length(x) != 0;
  }
  if (of_torch(x)) return tensors::truth(x);
  switch (x.object()->kind) {
    case Kind::Str:
    case Kind::List:
    case Kind::Tuple:
    case Kind::Dict:
    case Kind::Set:
    case Kind::Range:
    case Kind::DictView:
      return length(x) != 0;
    default:
      return true;
  }
}

}  // namespace glassgrad::script
