// What a loop goes through.
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// f as an Iterator; what it gives is absent at the end.
struct FunctionIterator : Iterator {
  FunctionIterator(const char* name, std::function<Value(Interpreter&)> next_one)
      : Iterator(name), f(std::move(next_one)) {}
  void clear() override { f = nullptr; }
  bool next(Interpreter& in, Value& into) override {
    if (!f) return false;
    const Value held(this);
    into = f(in);
    if (!into) f = nullptr;
    return static_cast<bool>(into);
  }
  std::function<Value(Interpreter&)> f;
};

struct RangeIterator : Iterator {
  explicit RangeIterator(const Range& r)
      : Iterator("range_iterator"), at(r.start), step(r.step), left(r.size()) {}
  bool next(Interpreter&, Value& into) override {
    if (left == 0) return false;
    into = Value::of(at);
    if (--left) at += step;
    return true;
  }
  int64_t at, step, left;
};

struct ListIterator : Iterator {
  explicit ListIterator(Value x)
      : Iterator(x.as<List>() ? "list_iterator" : "tuple_iterator"), of(std::move(x)) {}
  void clear() override { of = Value(); }
  bool next(Interpreter&, Value& into) override {
    if (!of) return false;
    const auto& items = of.as<List>() ? of.as<List>()->items : of.as<Tuple>()->items;
    if (at >= items.size()) return of = Value(), false;
    into = items[at++];
    return true;
  }
  Value of;
  size_t at = 0;
};

Value over_text(const Value& x) {
  return iterator("str_iterator", [x, at = size_t{0}](Interpreter&) mutable {
    const std::string& text = x.as<Str>()->text;
    if (at >= text.size()) return Value();
    const size_t first = at++;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    return str(text.substr(first, at - first));
  });
}

Value over_dict(const Value& dict, View::Of of) {
  constexpr const char* kNames[] = {"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"};
  return iterator(kNames[of],
                  [dict, of, at = size_t{0}, size = dict.as<Dict>()->size()](Interpreter&) mutable {
                    const Dict& d = *dict.as<Dict>();
                    if (d.size() != size) raise("RuntimeError", "dictionary changed size during iteration");
                    while (at < d.entries.size() && !d.entries[at].key) ++at;
                    if (at >= d.entries.size()) return Value();
                    const auto& e = d.entries[at++];
                    return of == View::Keys ? e.key : of == View::Values ? e.value : tuple({e.key, e.value});
                  });
}

Value over_set(const Value& set) {
  return iterator("set_iterator", [set, at = size_t{0}, size = set.as<Set>()->size()](Interpreter&) mutable {
    const Set& s = *set.as<Set>();
    if (s.size() != size) raise("RuntimeError", "Set changed size during iteration");
    while (at < s.table.size() && !s.table[at].key) ++at;
    return at < s.table.size() ? s.table[at++].key : Value();
  });
}

// Does the exception that is handled say that there are no more?
bool ends(const Raised& e, const char* type) {
  return e.exception.as<Instance>()->type().is_a(Heap::current().types().get(type));
}

Value over_instance(Interpreter& in, const Value& x) {
  if (const Value made = call_own(in, x, "__iter__"); made && made.tag() != Tag::NotImplemented) {
    if (made.as<Iterator>()) return made;
    if (!own_method(made, "__next__"))
      raise("TypeError", "iter() returned non-iterator of type '{}'", type_name(made));
    return iterator(made.as<Instance>()->type().name.c_str(), [made](Interpreter& i) -> Value {
      try {
        return call_own(i, made, "__next__");
      } catch (const Raised& e) {
        if (!ends(e, "StopIteration")) throw;
        return {};
      }
    });
  }
  if (own_method(x, "__getitem__"))
    return iterator("iterator", [x, at = int64_t{0}](Interpreter& i) mutable -> Value {
      try {
        return call_own(i, x, "__getitem__", {Value::of(at++)});
      } catch (const Raised& e) {
        if (!ends(e, "IndexError")) throw;
        return {};
      }
    });
  return {};
}

Value over(Interpreter& in, const Value& x) {
  if (!x.object()) return {};
  switch (x.object()->kind) {
    case Kind::Iterator:
      return x;
    case Kind::List:
    case Kind::Tuple:
      return make<ListIterator>(x);
    case Kind::Range:
      return make<RangeIterator>(*x.as<Range>());
    case Kind::Str:
      return over_text(x);
    case Kind::Dict:
      return over_dict(x, View::Keys);
    case Kind::View:
      return over_dict(x.as<View>()->dict, x.as<View>()->of);
    case Kind::Set:
      return over_set(x);
    case Kind::Instance:
      return over_instance(in, x);
    case Kind::Tensor:
      return tensors().iterate(in, x);
    default:
      return {};
  }
}

}  // namespace

Value iterator(const char* type_name, std::function<Value(Interpreter&)> f) {
  return make<FunctionIterator>(type_name, std::move(f));
}

bool Interpreter::iterable(const Value& x) {
  if (x.as<Instance>()) return own_method(x, "__iter__") || own_method(x, "__getitem__");
  if (!x.object()) return false;
  switch (x.object()->kind) {
    case Kind::Iterator:
    case Kind::List:
    case Kind::Tuple:
    case Kind::Range:
    case Kind::Str:
    case Kind::Dict:
    case Kind::View:
    case Kind::Set:
    case Kind::Tensor:
      return true;
    default:
      return false;
  }
}

Value Interpreter::iterate(const Value& x) {
  Value v = over(*this, x);
  if (!v) raise("TypeError", "'{}' object is not iterable", type_name(x));
  return v;
}

std::vector<Value> Interpreter::items(const Value& x) {
  if (const List* l = x.as<List>()) return l->items;
  if (const Tuple* t = x.as<Tuple>()) return t->items;
  std::vector<Value> all;
  if (const Range* r = x.as<Range>()) {
    Heap::current().check(
        static_cast<size_t>(std::min<int64_t>(r->size(), int64_t{PTRDIFF_MAX / sizeof(Value)})) *
        sizeof(Value));
    all.reserve(static_cast<size_t>(r->size()));
  }
  each(x, [&](const Value& v) {
    if (all.size() == all.capacity()) Heap::current().check((all.size() * 2 + 1) * sizeof(Value));
    all.push_back(v);
  });
  return all;
}

void Interpreter::each(const Value& x, const std::function<void(const Value&)>& f) {
  const Value all = iterate(x);
  for (Value v; all.as<Iterator>()->next(*this, v);) {
    tick();
    f(v);
  }
}

// ---- enumerate, zip, map, filter, reversed

namespace {

bool next(Interpreter& in, const Value& iterator, Value& into) {
  return iterator.as<Iterator>()->next(in, into);
}

constexpr Row kEnumerate{
    "enumerate", 0, 2,
    [](Interpreter& in, Given a) {
      if (!a[0]) raise("TypeError", "enumerate() missing required argument 'iterable'");
      return iterator("enumerate",
                      [all = in.iterate(a[0]), k = a[1] ? index_of(in, a[1]) : 0](Interpreter& i) mutable {
                        Value x;
                        return next(i, all, x) ? tuple({Value::of(k++), x}) : Value();
                      });
    },
    "iterable start"};

constexpr Row kZip{"zip", 0, -1,
                   [](Interpreter& in, Given a) {
                     const bool strict = a[0] && in.truth(a[0]);
                     std::vector<Value> all;
                     for (const Value& x : a.subspan(1)) all.push_back(in.iterate(x));
                     return iterator("zip", [all, strict](Interpreter& i) -> Value {
                       std::vector<Value> items;
                       Value x;
                       for (size_t k = 0; k < all.size(); ++k) {
                         if (next(i, all[k], x)) {
                           items.push_back(x);
                           continue;
                         }
                         const char* const others = k > 1 ? "s 1-" : " ";
                         if (strict && k > 0)
                           raise("ValueError", "zip() argument {} is shorter than argument{}{}", k + 1,
                                 others, k);
                         for (size_t n = k + 1; strict && n < all.size(); ++n)
                           if (next(i, all[n], x))
                             raise("ValueError", "zip() argument {} is longer than argument{}{}", n + 1,
                                   n > 1 ? "s 1-" : " ", n);
                         return {};
                       }
                       return all.empty() ? Value() : tuple(std::move(items));
                     });
                   },
                   "strict"};

constexpr Row kMap{"map", 0, -1, [](Interpreter& in, Given a) -> Value {
                     if (a.size() < 2) raise("TypeError", "map() must have at least two arguments.");
                     std::vector<Value> all;
                     for (const Value& x : a.subspan(1)) all.push_back(in.iterate(x));
                     return iterator("map", [f = a[0], all](Interpreter& i) {
                       std::vector<Value> items(all.size());
                       for (size_t k = 0; k < all.size(); ++k)
                         if (!next(i, all[k], items[k])) return Value();
                       return i.call(f, {.positional = items});
                     });
                   }};

constexpr Row kFilter{"filter", 2, 2, [](Interpreter& in, Given a) {
                        return iterator("filter", [f = a[0], all = in.iterate(a[1])](Interpreter& i) {
                          for (Value x; next(i, all, x);) {
                            i.tick();
                            if (i.truth(f.is_none() ? x : i.call(f, {.positional = {&x, 1}}))) return x;
                          }
                          return Value();
                        });
                      }};

constexpr Row kReversed{
    "reversed", 1, 1, [](Interpreter& in, Given a) -> Value {
      const Value& x = a[0];
      if (const Value v = call_own(in, x, "__reversed__")) return v;
      const bool own = own_method(x, "__getitem__") && own_method(x, "__len__");
      if (x.as<Dict>() || x.as<View>()) {
        auto items = in.items(x);
        std::reverse(items.begin(), items.end());
        return in.iterate(list(std::move(items)));
      }
      if (!own && !x.as<List>() && !x.as<Tuple>() && !x.as<Str>() && !x.as<Range>() && !x.as<TensorObject>())
        raise("TypeError", "'{}' object is not reversible", type_name(x));
      return iterator(x.as<List>() ? "list_reverseiterator" : "reversed",
                      [x, k = in.length(x)](Interpreter& i) mutable {
                        if (x.as<List>()) k = std::min(k, i.length(x));
                        return k > 0 ? i.item(x, Value::of(--k)) : Value();
                      });
    }};

}  // namespace

void add_iterators(Types& types) {
  types.add("enumerate", types.object, construct<kEnumerate>);
  types.add("zip", types.object, construct<kZip>);
  types.add("map", types.object, construct<kMap>);
  types.add("filter", types.object, construct<kFilter>);
  types.add("reversed", types.object, construct<kReversed>);
}

}  // namespace glassgrad::script
