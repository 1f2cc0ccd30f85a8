// Iterators over all kinds of values, and enumerate, zip, map, filter, reversed.
#include <algorithm>

#include "apps/script/number.h"
#include "apps/script/types.h"
#include "engine/core/utf8.h"

namespace glassgrad::script {
namespace {

// Wraps f as an Iterator; f returns an absent value at the end.
struct FunctionIterator : Iterator {
  FunctionIterator(const char* name, std::function<Value(Interpreter&)> next_one)
      : Iterator(name), f(std::move(next_one)) {}
  void clear() override { f = nullptr; }
  bool next(Interpreter& in, Value& into) override {
    if (!f) return false;
    in.count_work(1);
    in.check_stack();  // iterators may be nested deeply
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
    const List* const l = of.as<List>();
    const std::span<const Value> items = l ? std::span<const Value>(l->items) : of.as<Tuple>()->items;
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
    while (at < text.size() && is_continuation(text[at])) ++at;
    return str(text.substr(first, at - first));
  });
}

Value over_dict(const Value& dict, DictView::Of of) {
  constexpr const char* kNames[] = {"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"};
  return iterator(
      kNames[of], [dict, of, at = size_t{0}, size = dict.as<Dict>()->size()](Interpreter&) mutable {
        const Dict& d = *dict.as<Dict>();
        if (d.size() != size) raise("RuntimeError", "dictionary changed size during iteration");
        while (at < d.entries.size() && !d.entries[at].key) ++at;
        if (at >= d.entries.size()) return Value();
        const auto& e = d.entries[at++];
        return of == DictView::Keys ? e.key : of == DictView::Values ? e.value : tuple({e.key, e.value});
      });
}

// Iterates in ascending order if all members are numbers or all are texts. (In CPython, the order of texts
// differs from run to run.)
Value over_set(const Value& set) {
  std::vector<Value> all;
  set.object()->heap().count_work(set.as<Set>()->entries.size());
  set.as<Set>()->each([&](const Value& x, Value&) { all.push_back(x); });
  const auto is_text = [](const Value& x) { return x.as<Str>() != nullptr; };
  if (std::all_of(all.begin(), all.end(), [](const Value& x) { return is_number(x); }))
    std::sort(all.begin(), all.end(), less);
  else if (std::all_of(all.begin(), all.end(), is_text))
    std::sort(all.begin(), all.end(),
              [](const Value& x, const Value& y) { return x.as<Str>()->text < y.as<Str>()->text; });
  return iterator("set_iterator", [set, all, at = size_t{0}](Interpreter&) mutable {
    if (set.as<Set>()->size() != all.size()) raise("RuntimeError", "Set changed size during iteration");
    return at < all.size() ? all[at++] : Value();
  });
}

// Returns whether the exception is of the type that ends an iteration.
bool ends(const Raised& e, const char* type) {
  return e.exception.as<Instance>()->type().is_a(Heap::current().types().get(type));
}

Value over_instance(Interpreter& in, const Value& x) {
  if (const Value made = call_own(in, x, Special::Iter); made && made.tag() != Tag::NotImplemented) {
    if (made.as<Iterator>()) return made;
    if (!own_method(made, Special::Next))
      raise("TypeError", "iter() returned non-iterator of type '{}'", type_name(made));
    return iterator(made.as<Instance>()->type().name.c_str(), [made](Interpreter& i) -> Value {
      try {
        return call_own(i, made, Special::Next);
      } catch (const Raised& e) {
        if (!ends(e, "StopIteration")) throw;
        return {};
      }
    });
  }
  if (own_method(x, Special::GetItem))
    return iterator("iterator", [x, at = int64_t{0}](Interpreter& i) mutable -> Value {
      try {
        const Value k = Value::of(at++);
        return call_own(i, x, Special::GetItem, {&k, 1});
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
      return over_dict(x, DictView::Keys);
    case Kind::DictView:
      return over_dict(x.as<DictView>()->dict, x.as<DictView>()->of);
    case Kind::Set:
      return over_set(x);
    case Kind::Instance:
      return over_instance(in, x);
    case Kind::Tensor:
      return tensors::iterate(x);
    default:
      return {};
  }
}

}  // namespace

Value iterator(const char* type_name, std::function<Value(Interpreter&)> f) {
  return make<FunctionIterator>(type_name, std::move(f));
}

bool Interpreter::iterable(const Value& x) {
  if (x.as<Instance>()) return own_method(x, Special::Iter) || own_method(x, Special::GetItem);
  constexpr Kind kKinds[] = {Kind::Iterator, Kind::List,     Kind::Tuple, Kind::Range, Kind::Str,
                             Kind::Dict,     Kind::DictView, Kind::Set,   Kind::Tensor};
  return x.object() && std::find(std::begin(kKinds), std::end(kKinds), x.object()->kind) != std::end(kKinds);
}

Value Interpreter::iterate(const Value& x) {
  Value v = over(*this, x);
  if (!v) raise("TypeError", "'{}' object is not iterable", type_name(x));
  return v;
}

std::vector<Value> Interpreter::items(const Value& x) {
  if (const List* l = x.as<List>()) return l->items;
  if (const Tuple* t = x.as<Tuple>()) return {t->items.begin(), t->items.end()};
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

constexpr BuiltinDef kEnumerate{
    "enumerate", 0, 2,
    [](Interpreter& in, BuiltinArgs a) {
      if (!a[0]) raise("TypeError", "enumerate() missing required argument 'iterable'");
      return iterator("enumerate",
                      [all = in.iterate(a[0]), k = a[1] ? index_of(a[1]) : 0](Interpreter& i) mutable {
                        Value x;
                        return next(i, all, x) ? tuple({Value::of(k++), x}) : Value();
                      });
    },
    "iterable start"};

struct ZipIterator : Iterator {
  explicit ZipIterator(std::vector<Value> iterators) : Iterator("zip"), all(std::move(iterators)) {}
  void clear() override { all.clear(), last = Value(); }
  bool next(Interpreter& in, Value& into) override {
    if (all.empty()) return false;
    in.count_work(1);
    in.check_stack();  // iterators may be nested deeply
    const Value held(this);
    into = Value();
    // Reuse the previous tuple if nothing else holds it.
    Value made = std::exchange(last, {});
    if (!made || made.object()->count > 1) made = tuple(std::vector<Value>(all.size()));
    for (size_t k = 0; k < all.size(); ++k) {
      Value item;
      if (!all[k].as<Iterator>()->next(in, item)) return all.clear(), false;
      made.as<Tuple>()->replace(k, std::move(item));
    }
    last = made;
    into = std::move(made);
    return true;
  }
  std::vector<Value> all;
  Value last;
};

constexpr BuiltinDef kZip{"zip", 0, -1, [](Interpreter& in, BuiltinArgs a) -> Value {
                            std::vector<Value> all;
                            for (const Value& x : a) all.push_back(in.iterate(x));
                            return make<ZipIterator>(std::move(all));
                          }};

constexpr BuiltinDef kMap{"map", 0, -1, [](Interpreter& in, BuiltinArgs a) -> Value {
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

constexpr BuiltinDef kFilter{"filter", 2, 2, [](Interpreter& in, BuiltinArgs a) {
                               return iterator("filter", [f = a[0], all = in.iterate(a[1])](Interpreter& i) {
                                 for (Value x; next(i, all, x);) {
                                   i.tick();
                                   if (i.truth(f.is_none() ? x : i.call(f, {.positional = {&x, 1}})))
                                     return x;
                                 }
                                 return Value();
                               });
                             }};

constexpr BuiltinDef kReversed{"reversed", 1, 1, [](Interpreter& in, BuiltinArgs a) {
                                 const Value& x = a[0];
                                 if (!x.as<List>() && !x.as<Tuple>() && !x.as<Str>() && !x.as<Range>() &&
                                     !x.as<Dict>() && !x.as<DictView>() && !x.as<TensorObject>())
                                   raise("TypeError", "'{}' object is not reversible", type_name(x));
                                 return iterator("reversed", [items = in.items(x)](Interpreter&) mutable {
                                   Value last = items.empty() ? Value() : std::move(items.back());
                                   if (last) items.pop_back();
                                   return last;
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
