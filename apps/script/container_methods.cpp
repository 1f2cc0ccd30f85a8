// Methods of list, tuple, dict and set.
#include <algorithm>

#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// ---- sequences

std::vector<Value>& items(BuiltinArgs a) { return a[0].as<List>()->items; }
std::span<const Value> sequence(BuiltinArgs a) {
  return a[0].as<List>() ? std::span<const Value>(items(a)) : a[0].as<Tuple>()->items;
}

bool same(Interpreter& in, const Value& a, const Value& b) { return identical(a, b) || in.equal(a, b); }

Value append(Interpreter&, BuiltinArgs a) {
  items(a).push_back(a[1]);
  a[0].as<List>()->charge();
  return Value::none();
}

Value extend(Interpreter& in, BuiltinArgs a) {
  in.in_place(BinaryOp::Add, a[0], a[1]);
  return Value::none();
}

Value insert(Interpreter&, BuiltinArgs a) {
  const auto n = static_cast<int64_t>(items(a).size());
  int64_t k = index_of(a[1]);
  if (k < 0) k += n;
  items(a).insert(items(a).begin() + std::clamp<int64_t>(k, 0, n), a[2]);
  a[0].as<List>()->charge();
  return Value::none();
}

Value pop(Interpreter&, BuiltinArgs a) {
  int64_t k = a[1] ? index_of(a[1]) : -1;
  const auto n = static_cast<int64_t>(items(a).size());
  if (n == 0) raise("IndexError", "pop from empty list");
  if (k < 0) k += n;
  if (k < 0 || k >= n) raise("IndexError", "pop index out of range");
  Value x = std::move(items(a)[static_cast<size_t>(k)]);
  items(a).erase(items(a).begin() + k);
  return x;
}

// Returns the index of a[1], or -1.
int64_t find(Interpreter& in, BuiltinArgs a) {
  for (size_t k = 0; k < sequence(a).size(); ++k) {
    in.tick();
    const Value held = sequence(a)[k];
    if (same(in, held, a[1])) return static_cast<int64_t>(k);
  }
  return -1;
}

Value index(Interpreter& in, BuiltinArgs a) {
  const int64_t k = find(in, a);
  if (k >= 0) return Value::of(k);
  if (a[0].as<Tuple>()) raise("ValueError", "tuple.index(x): x not in tuple");
  raise("ValueError", "{} is not in list", in.repr(a[1]));
}

Value count(Interpreter& in, BuiltinArgs a) {
  int64_t n = 0;
  for (size_t k = 0; k < sequence(a).size(); ++k) {
    in.tick();
    const Value held = sequence(a)[k];
    n += same(in, held, a[1]);
  }
  return Value::of(n);
}

Value remove(Interpreter& in, BuiltinArgs a) {
  const int64_t k = find(in, a);
  if (k < 0) raise("ValueError", "list.remove(x): x not in list");
  if (k < static_cast<int64_t>(items(a).size())) {
    const Value old = items(a)[static_cast<size_t>(k)];
    items(a).erase(items(a).begin() + k);
  }
  return Value::none();
}

Value clear(Interpreter&, BuiltinArgs a) {
  const auto old = std::exchange(items(a), {});
  a[0].as<List>()->charge();
  return Value::none();
}

// The list is empty while it is sorted, as in CPython: changing it meanwhile is an error.
Value sort_list(Interpreter& in, BuiltinArgs a) {
  const bool reverse = a[2] && in.truth(a[2]);
  auto all = std::exchange(items(a), {});
  const auto put_back = [&] {
    const bool changed = !items(a).empty();
    items(a) = std::move(all);
    a[0].as<List>()->charge();
    return changed;
  };
  try {
    sort(in, all, a[1], reverse);
  } catch (...) {
    put_back();
    throw;
  }
  if (put_back()) raise("ValueError", "list modified during sort");
  return Value::none();
}

constexpr BuiltinDef kList[] = {{"append", 1, 1, append},
                                {"extend", 1, 1, extend},
                                {"insert", 2, 2, insert},
                                {"pop", 0, 1, pop},
                                {"remove", 1, 1, remove},
                                {"clear", 0, 0, clear},
                                {"index", 1, 1, index},
                                {"count", 1, 1, count},
                                {"copy", 0, 0, [](Interpreter&, BuiltinArgs a) { return list(items(a)); }},
                                {"reverse", 0, 0,
                                 [](Interpreter&, BuiltinArgs a) {
                                   return std::reverse(items(a).begin(), items(a).end()), Value::none();
                                 }},
                                {"sort", 0, 0, sort_list, "key reverse"}};

constexpr BuiltinDef kTuple[] = {{"index", 1, 1, index}, {"count", 1, 1, count}};

// ---- dict

Dict& dict(BuiltinArgs a) { return *a[0].as<Dict>(); }

Value get(Interpreter&, BuiltinArgs a) {
  const Value* const v = dict(a).find(a[1]);
  return v ? *v : a[2] ? a[2] : Value::none();
}

Value set_default(Interpreter&, BuiltinArgs a) {
  if (const Value* v = dict(a).find(a[1])) return *v;
  Value v = a[2] ? a[2] : Value::none();
  dict(a).set(a[1], v);
  return v;
}

Value pop_key(Interpreter&, BuiltinArgs a) {
  if (const Value* found = dict(a).find(a[1])) {
    Value v = *found;
    dict(a).erase(a[1]);
    return v;
  }
  if (!a[2]) throw_new("KeyError", {a[1]});
  return a[2];
}

template <DictView::Of of>
Value view(Interpreter&, BuiltinArgs a) {
  return make<DictView>(a[0], of);
}

Value copy_dict(Interpreter& in, BuiltinArgs a) {
  const Value made = make<Dict>();
  update(in, *made.as<Dict>(), a[0]);
  return made;
}

constexpr BuiltinDef kDict[] = {
    {"get", 1, 2, get},
    {"setdefault", 1, 2, set_default},
    {"pop", 1, 2, pop_key},
    {"keys", 0, 0, view<DictView::Keys>},
    {"values", 0, 0, view<DictView::Values>},
    {"items", 0, 0, view<DictView::Items>},
    {"clear", 0, 0, [](Interpreter&, BuiltinArgs a) { return dict(a).clear(), Value::none(); }},
    {"copy", 0, 0, copy_dict}};

// ---- set

Set& set(BuiltinArgs a) { return *a[0].as<Set>(); }

// Returns a new set: self op each of the other arguments in turn.
template <BinaryOp op>
Value combined(Interpreter& in, BuiltinArgs a) {
  Value out = a[0];
  for (const Value& x : a.subspan(1)) out = in.binary(op, out, as_set(in, x));
  return out;
}

template <Compare op>
Value compared(Interpreter& in, BuiltinArgs a) {
  return in.compare(op, a[0], as_set(in, a[1]));
}

constexpr BuiltinDef kSet[] = {
    {"union", 1, -1, combined<BinaryOp::BitOr>},
    {"intersection", 1, -1, combined<BinaryOp::BitAnd>},
    {"difference", 1, -1, combined<BinaryOp::Sub>},
    {"issubset", 1, 1, compared<Compare::Le>},
    {"issuperset", 1, 1, compared<Compare::Ge>},
    {"add", 1, 1, [](Interpreter&, BuiltinArgs a) { return set(a).add(a[1]), Value::none(); }},
    {"discard", 1, 1, [](Interpreter&, BuiltinArgs a) { return set(a).erase(a[1]), Value::none(); }},
    {"remove", 1, 1,
     [](Interpreter&, BuiltinArgs a) {
       if (!set(a).erase(a[1])) throw_new("KeyError", {a[1]});
       return Value::none();
     }},
    {"clear", 0, 0, [](Interpreter&, BuiltinArgs a) { return set(a).clear(), Value::none(); }},
    {"copy", 0, 0, [](Interpreter& in, BuiltinArgs a) { return in.binary(BinaryOp::BitOr, a[0], a[0]); }},
    {"update", 1, 1, [](Interpreter& in, BuiltinArgs a) {
       in.each(a[1], [&](const Value& x) { set(a).add(x); });
       return Value::none();
     }}};

}  // namespace

Value as_set(Interpreter& in, const Value& x) {
  if (x.as<Set>()) return x;
  const Value made = make<Set>();
  in.each(x, [&](const Value& item) { made.as<Set>()->add(item); });
  return made;
}

void add_container_methods(Types& types) {
  add_methods(types.get("list"), kList);
  add_methods(types.get("tuple"), kTuple);
  add_methods(types.get("dict"), kDict);
  add_methods(types.get("set"), kSet);
  Dict& names = *types.get("dict").attributes.as<Dict>();
  names.set("update", make<Builtin>("dict.update", [](Interpreter& in, const Arguments& a) {
              if (a.positional.empty() || !a.positional[0].as<Dict>())
                raise("TypeError", "unbound method dict.update() needs an argument");
              if (a.positional.size() > 2)
                raise("TypeError", "update expected at most 1 argument, got {}", a.positional.size() - 1);
              Dict& into = *a.positional[0].as<Dict>();
              if (a.positional.size() == 2) update(in, into, a.positional[1]);
              for (const KeywordArgument& n : a.named) into.set(n.name, n.value);
              return Value::none();
            }));
}

}  // namespace glassgrad::script
