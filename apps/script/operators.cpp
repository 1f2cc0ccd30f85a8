// Operators: + - * / and so on.
#include <algorithm>

#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// The operators as errors show them.
constexpr const char* kSigns[] = {"+", "-", "*", "/", "//", "%", "** or pow()",
                                  "@", "&", "|", "^", "<<", ">>"};

// n copies of a sequence, one after the other.
Value repeated(const Value& x, int64_t n) {
  const auto copies = static_cast<uint64_t>(std::max<int64_t>(n, 0));
  const Str* const s = x.as<Str>();
  const std::span<const Value> items = s              ? std::span<const Value>()
                                       : x.as<List>() ? std::span<const Value>(x.as<List>()->items)
                                                      : x.as<Tuple>()->items;
  const size_t one = s ? s->text.size() : items.size() * sizeof(Value);
  if (copies && one > SIZE_MAX / 2 / copies) raise("MemoryError", "");
  const auto times = static_cast<size_t>(one ? copies : 0);
  Heap::current().check(one * times);
  if (s) {
    std::string text;
    text.reserve(one * times);
    for (size_t k = 0; k < times; ++k) text += s->text;
    return str(std::move(text));
  }
  std::vector<Value> all;
  all.reserve(items.size() * times);
  for (size_t k = 0; k < times; ++k) all.insert(all.end(), items.begin(), items.end());
  return x.as<List>() ? list(std::move(all)) : tuple(std::move(all));
}

Value joined(std::span<const Value> a, std::span<const Value> b, bool lists) {
  Heap::current().check((a.size() + b.size()) * sizeof(Value));
  std::vector<Value> all;
  all.reserve(a.size() + b.size());
  all.insert(all.end(), a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return lists ? list(std::move(all)) : tuple(std::move(all));
}

Value of_sets(BinaryOp op, const Set& x, const Set& y) {
  const Value made = make<Set>();
  // Adds the members of `from`; those that `other` has too only if `if_in_both`.
  const auto add = [&](const Set& from, const Set& other, bool if_in_both) {
    for (const auto& e : std::vector(from.entries))
      if (e.key && (if_in_both || !const_cast<Set&>(other).find(e.key))) made.as<Set>()->add(e.key);
  };
  if (op == BinaryOp::BitAnd) {
    for (const auto& e : std::vector(x.entries))
      if (e.key && const_cast<Set&>(y).find(e.key)) made.as<Set>()->add(e.key);
    return made;
  }
  add(x, y, op == BinaryOp::BitOr);
  if (op != BinaryOp::Sub) add(y, x, op == BinaryOp::BitOr);
  return made;
}

Value of_sequences(Interpreter& in, BinaryOp op, const Value& a, const Value& b) {
  const auto sequence = [](const Value& x) { return x.as<Str>() || x.as<List>() || x.as<Tuple>(); };
  if (op == BinaryOp::Mul) {
    if (sequence(a) && is_whole(b)) return repeated(a, b.whole());
    if (sequence(b) && is_whole(a)) return repeated(b, a.whole());
    if (sequence(a)) raise("TypeError", "can't multiply sequence by non-int of type '{}'", type_name(b));
    if (sequence(b)) raise("TypeError", "can't multiply sequence by non-int of type '{}'", type_name(a));
  }
  if (op == BinaryOp::Add && sequence(a)) {
    if (a.as<Str>() && b.as<Str>()) {
      Heap::current().check(a.as<Str>()->text.size() + b.as<Str>()->text.size());
      return str(a.as<Str>()->text + b.as<Str>()->text);
    }
    if (a.as<List>() && b.as<List>()) return joined(a.as<List>()->items, b.as<List>()->items, true);
    if (a.as<Tuple>() && b.as<Tuple>()) return joined(a.as<Tuple>()->items, b.as<Tuple>()->items, false);
    const std::string name = type_name(a);
    raise("TypeError", "can only concatenate {0} (not \"{1}\") to {0}", name, type_name(b));
  }
  if (op == BinaryOp::Mod && a.as<Str>())
    raise("RuntimeError", "text % values is not supported here: write an f-string");
  const bool algebra =
      op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor || op == BinaryOp::Sub;
  const auto keys = [](const Value& x) {
    return x.as<Set>() || (x.as<DictView>() && x.as<DictView>()->of != DictView::Values);
  };
  if (algebra && keys(a) && keys(b)) {
    const Value x = as_set(in, a), y = as_set(in, b);
    return of_sets(op, *x.as<Set>(), *y.as<Set>());
  }
  if (op == BinaryOp::BitOr && a.as<Dict>() && b.as<Dict>()) {
    const Value made = make<Dict>();
    for (const Value& x : {a, b})
      x.as<Dict>()->each([&](const Value& key, const Value& value) { made.as<Dict>()->set(key, value); });
    return made;
  }
  return {};
}

[[noreturn]] void unsupported(BinaryOp op, const Value& a, const Value& b, bool in_place) {
  std::string sign = kSigns[static_cast<size_t>(op)];
  if (in_place) sign = op == BinaryOp::Pow ? "**=" : sign + "=";
  raise("TypeError", "unsupported operand type(s) for {}: '{}' and '{}'", sign, type_name(a), type_name(b));
}

Value operate(Interpreter& in, BinaryOp op, const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return arithmetic(op, a, b);
  if (a.as<Instance>() || b.as<Instance>()) {
    const auto method = static_cast<Special>(op),
               reflected =
                   static_cast<Special>(static_cast<size_t>(op) + static_cast<size_t>(Special::Reflected));
    if (Value v = of_instances(in, method, reflected, a, b); answered(v)) return v;
  }
  if (of_torch(a) || of_torch(b))
    if (Value v = tensors::binary(op, a, b); answered(v)) return v;
  return a.object() || b.object() ? of_sequences(in, op, a, b) : Value();
}

}  // namespace

// Calls the methods of instances; a derived class's reflected method comes first.
Value of_instances(Interpreter& in, Special method, Special reflected, const Value& a, const Value& b,
                   bool comparison) {
  const Instance *x = a.as<Instance>(), *y = b.as<Instance>();
  const bool derived = y && x && &x->type() != &y->type() && y->type().is_a(x->type());
  if (derived && y->type().find(reflected) != x->type().find(reflected))
    if (Value v = call_own(in, b, reflected, {&a, 1}); answered(v)) return v;
  if (x)
    if (Value v = call_own(in, a, method, {&b, 1}); answered(v)) return v;
  const bool same_type = x && y && &x->type() == &y->type();
  if (y && (comparison || !same_type)) return call_own(in, b, reflected, {&a, 1});
  return {};
}

const Value* own_method(const Value& x, Special method) {
  const Instance* const i = x.as<Instance>();
  const Value* const f = i ? i->type().find(method) : nullptr;
  if (!f || !f->as<Builtin>()) return f;
  // A method of object or of a builtin exception does not count.
  const Class* c = &i->type();
  while (!c->attributes.as<Dict>()->find(name_of(method))) c = c->base.as<Class>();
  return c->module == "builtins" ? nullptr : f;
}

Value call_own(Interpreter& in, const Value& x, Special method, BuiltinArgs others) {
  const Value* const found = own_method(x, method);
  if (!found) return {};
  const Value f = *found;
  if (f.is_none()) return Value::not_implemented();
  const Interpreter::Deeper deeper(in);
  // A callable that is no method does not get x.
  if (!f.as<Function>() && !f.as<Builtin>()) return in.call(f, {.positional = others});
  return in.call_method(f, x, {.positional = others});
}

Value Interpreter::binary(BinaryOp op, const Value& a, const Value& b) {
  Value v = operate(*this, op, a, b);
  if (!answered(v)) unsupported(op, a, b, false);
  return v;
}

Value Interpreter::in_place(BinaryOp op, const Value& a, const Value& b) {
  if (is_number(a) && is_number(b))
    if (Value v = arithmetic(op, a, b)) return v;
  if (a.as<List>() && op == BinaryOp::Add) {
    const auto more = items(b);
    auto& all = a.as<List>()->items;
    all.insert(all.end(), more.begin(), more.end());
    a.as<List>()->charge();
    return a;
  }
  if (a.as<List>() && op == BinaryOp::Mul && is_whole(b)) {
    const Value more = repeated(a, b.whole());
    a.as<List>()->items = more.as<List>()->items;
    a.as<List>()->charge();
    return a;
  }
  if (a.as<Dict>() && b.as<Dict>() && op == BinaryOp::BitOr) {
    b.as<Dict>()->each([&](const Value& key, const Value& value) { a.as<Dict>()->set(key, value); });
    return a;
  }
  if (a.as<Set>() && b.as<Set>())
    if (const Value v = of_sequences(*this, op, a, b)) {
      Set& into = *a.as<Set>();
      into.clear();
      v.as<Set>()->each([&](const Value& x, Value&) { into.add(x); });
      return a;
    }
  if (of_torch(a))
    if (Value v = tensors::in_place(op, a, b); answered(v)) return v;
  Value v = operate(*this, op, a, b);
  if (!answered(v)) unsupported(op, a, b, true);
  return v;
}

Value Interpreter::unary(UnaryOp op, const Value& x) {
  if (op == UnaryOp::Not) return Value::of(!truth(x));
  if (is_whole(x)) {
    if (op == UnaryOp::Pos) return Value::of(x.whole());
    return op == UnaryOp::Neg ? arithmetic(BinaryOp::Sub, Value::of(int64_t{0}), x) : Value::of(~x.whole());
  }
  if (x.is_float() && op != UnaryOp::Invert) return op == UnaryOp::Pos ? x : Value::of(-x.real());
  if (Value v = op == UnaryOp::Neg ? call_own(*this, x, Special::Neg) : Value()) return v;
  if (of_torch(x))
    if (Value v = tensors::unary(op, x); answered(v)) return v;
  constexpr const char* kUnarySigns[] = {"-", "+", "~"};
  raise("TypeError", "bad operand type for unary {}: '{}'", kUnarySigns[static_cast<size_t>(op)],
        type_name(x));
}

}  // namespace glassgrad::script
