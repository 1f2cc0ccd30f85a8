// The functions that a program finds without an import, and the methods of object and BaseException.
#include <algorithm>
#include <bit>
#include <cmath>

#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

Value print(Interpreter& in, BuiltinArgs a) {
  const auto part = [&](const Value& x, const char* name, const char* otherwise) -> std::string {
    if (!x || x.is_none()) return otherwise;
    if (!x.as<Str>()) raise("TypeError", "{} must be None or a string, not {}", name, type_name(x));
    return x.as<Str>()->text;
  };
  const std::string separator = part(a[0], "sep", " "), end = part(a[1], "end", "\n");
  std::string line;
  // Python writes piece after piece: an object of the program that is given as file= sees that.
  const Value write = a[3] && !a[3].is_none() ? in.attribute(a[3], "write") : Value();
  const auto put = [&](std::string text) {
    if (!write) return void(line += text);
    const Value piece = str(std::move(text));
    in.call(write, {.positional = {&piece, 1}});
  };
  for (size_t k = 4; k < a.size(); ++k) {
    if (k > 4) put(separator);
    put(in.str(a[k]));
    Heap::current().check(line.size());
  }
  put(end);
  if (!write) in.print(line);
  return Value::none();
}

Value extreme(Interpreter& in, BuiltinArgs a, Compare better, const char* name) {
  const Value &key = a[0], &otherwise = a[1];
  const BuiltinArgs given = a.subspan(2);
  if (given.size() > 1 && otherwise)
    raise("TypeError", "Cannot specify a default for {}() with multiple positional arguments", name);
  Value best, best_key;
  const auto look = [&](const Value& x) {
    const Value k = key && !key.is_none() ? in.call(key, {.positional = {&x, 1}}) : x;
    if (best && !in.truth(in.compare(better, k, best_key))) return;
    best = x;
    best_key = k;
  };
  if (given.size() > 1)
    for (const Value& x : given) look(x);
  else
    in.each(given[0], look);
  if (best) return best;
  if (otherwise) return otherwise;
  raise("ValueError", "{}() iterable argument is empty", name);
}

// Adds floats with Neumaier's error compensation, as CPython does since 3.12.
Value sum(Interpreter& in, BuiltinArgs a) {
  Value total = a[1] ? a[1] : Value::of(int64_t{0});
  if (total.as<Str>()) raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
  double error = 0;
  const auto settle = [&] {
    if (total.is_float() && error != 0 && std::isfinite(error)) total = Value::of(total.real() + error);
    error = 0;
  };
  in.each(a[0], [&](const Value& x) {
    if (total.is_float() && x.is_float()) {
      const double s = total.real(), y = x.real(), t = s + y;
      error += std::fabs(s) >= std::fabs(y) ? (s - t) + y : (y - t) + s;
      total = Value::of(t);
    } else if (total.is_float() && is_whole(x)) {
      total = Value::of(total.real() + as_double(x));
    } else {
      settle();
      total = in.binary(BinaryOp::Add, total, x);
    }
  });
  settle();
  return total;
}

Value absolute(Interpreter& in, BuiltinArgs a) {
  const Value& x = a[0];
  if (is_whole(x)) return x.whole() < 0 ? in.unary(UnaryOp::Neg, x) : Value::of(x.whole());
  if (x.is_float()) return Value::of(std::fabs(x.real()));
  if (x.as<TensorObject>()) return tensors::absolute(x);
  raise("TypeError", "bad operand type for abs(): '{}'", type_name(x));
}

Value round(Interpreter& in, BuiltinArgs a) {
  const Value& x = a[0];
  const bool plain = !a[1] || a[1].is_none();
  if (is_whole(x) && (plain || index_of(a[1]) >= 0)) return Value::of(x.whole());
  if (x.is_float() && plain) return Value::of(to_int(std::nearbyint(x.real())));
  if (is_number(x)) {
    const double y = round_to(as_double(x), index_of(a[1]));
    return x.is_float() ? Value::of(y) : Value::of(to_int(y));
  }
  Value method;
  if (!in.find_attribute(x, "__round__", method))
    raise("TypeError", "type {} doesn't define __round__ method", type_name(x));
  return in.call(method, {.positional = plain ? BuiltinArgs() : a.subspan(1, 1)});
}

// Returns whether a class derives from `from`, or from one class of a tuple, tested up to the first match.
bool derives(Interpreter& in, const Class& c, const Value& from, const char* doing, const char* refused) {
  in.count_work(1);
  if (const Tuple* any = from.as<Tuple>()) {
    const Interpreter::Deeper deeper(in, doing);
    return std::any_of(any->items.begin(), any->items.end(),
                       [&](const Value& f) { return derives(in, c, f, doing, refused); });
  }
  if (!from.as<Class>()) raise("TypeError", std::string(refused));
  return c.is_a(*from.as<Class>());
}

Value is_instance(Interpreter& in, BuiltinArgs a) {
  return Value::of(derives(in, *in.type(a[0]).as<Class>(), a[1], " in __instancecheck__",
                           "isinstance() arg 2 must be a type, a tuple of types, or a union"));
}

Value is_subclass(Interpreter& in, BuiltinArgs a) {
  if (!a[0].as<Class>()) raise("TypeError", "issubclass() arg 1 must be a class");
  return Value::of(derives(in, *a[0].as<Class>(), a[1], " in __subclasscheck__",
                           "issubclass() arg 2 must be a class, a tuple of classes, or a union"));
}

const std::string& attribute_name(const Value& x) {
  if (!x.as<Str>()) raise("TypeError", "attribute name must be string, not '{}'", type_name(x));
  return x.as<Str>()->text;
}

Value get_attribute(Interpreter& in, BuiltinArgs a) {
  const std::string& name = attribute_name(a[1]);
  Value v;
  if (!a[2]) return in.attribute(a[0], name);
  return in.find_attribute(a[0], name, v) ? v : a[2];
}

Value next(Interpreter& in, BuiltinArgs a) {
  const Value& x = a[0];
  Value v;
  if (Iterator* i = x.as<Iterator>()) {
    if (i->next(in, v)) return v;
  } else {
    if (!own_method(x, Special::Next)) raise("TypeError", "'{}' object is not an iterator", type_name(x));
    try {
      return call_own(in, x, Special::Next);
    } catch (const Raised& e) {
      if (!a[1] || !is_a(e.exception, "StopIteration")) throw;
    }
  }
  if (!a[1]) raise_stop(x);
  return a[1];
}

Value quantified(Interpreter& in, const Value& x, bool stop) {
  const Value all = in.iterate(x);
  for (Value v; all.as<Iterator>()->next(in, v);) {
    in.tick();
    if (in.truth(v) == stop) return Value::of(stop);
  }
  return Value::of(!stop);
}

Value character(Interpreter&, BuiltinArgs a) {
  const int64_t c = index_of(a[0]);
  if (c < 0 || c > 0x10FFFF) raise("ValueError", "chr() arg not in range(0x110000)");
  return str(utf8(static_cast<uint32_t>(c)));
}

Value ordinal(Interpreter&, BuiltinArgs a) {
  const Str* const s = a[0].as<Str>();
  if (!s) raise("TypeError", "ord() expected string of length 1, but {} found", type_name(a[0]));
  if (s->length != 1)
    raise("TypeError", "ord() expected a character, but string of length {} found", s->length);
  return Value::of(int64_t{decode(s->text)[0]});
}

Value sorted(Interpreter& in, BuiltinArgs a) {
  if (a.size() != 3) raise("TypeError", "sorted expected 1 argument, got {}", a.size() - 2);
  auto items = in.items(a[2]);
  sort(in, items, a[0], a[1] && in.truth(a[1]));
  return list(std::move(items));
}

constexpr BuiltinDef kFunctions[] = {
    {"print", 0, -1, print, "sep end flush file"},
    {"len", 1, 1, [](Interpreter& in, BuiltinArgs a) { return Value::of(in.length(a[0])); }},
    {"abs", 1, 1, absolute},
    {"round", 1, 2, round, "number ndigits"},
    {"min", 1, -1, [](Interpreter& in, BuiltinArgs a) { return extreme(in, a, Compare::Lt, "min"); },
     "key default"},
    {"max", 1, -1, [](Interpreter& in, BuiltinArgs a) { return extreme(in, a, Compare::Gt, "max"); },
     "key default"},
    {"sum", 1, 2, sum, "- start"},
    {"sorted", 1, -1, sorted, "key reverse"},
    {"isinstance", 2, 2, is_instance},
    {"issubclass", 2, 2, is_subclass},
    {"getattr", 2, 3, get_attribute},
    {"setattr", 3, 3,
     [](Interpreter& in, BuiltinArgs a) {
       return in.set_attribute(a[0], attribute_name(a[1]), a[2]), Value::none();
     }},
    {"hasattr", 2, 2,
     [](Interpreter& in, BuiltinArgs a) {
       Value v;
       return Value::of(in.find_attribute(a[0], attribute_name(a[1]), v));
     }},
    {"repr", 1, 1, [](Interpreter& in, BuiltinArgs a) { return str(in.repr(a[0])); }},
    {"iter", 1, 1, [](Interpreter& in, BuiltinArgs a) { return in.iterate(a[0]); }},
    {"next", 1, 2, next},
    {"any", 1, 1, [](Interpreter& in, BuiltinArgs a) { return quantified(in, a[0], true); }},
    {"all", 1, 1, [](Interpreter& in, BuiltinArgs a) { return quantified(in, a[0], false); }},
    {"pow", 2, 2, [](Interpreter& in, BuiltinArgs a) { return in.binary(BinaryOp::Pow, a[0], a[1]); }},
    {"chr", 1, 1, character},
    {"ord", 1, 1, ordinal}};

Value set_arguments(Interpreter&, BuiltinArgs a) {
  a[0].as<Instance>()->set("args", tuple({a.begin() + 1, a.end()}));
  return Value::none();
}

constexpr BuiltinDef kObject[] = {
    {"__init__", 0, -1, [](Interpreter&, BuiltinArgs) { return Value::none(); }},
    {"__repr__", 0, 0,
     [](Interpreter& in, BuiltinArgs a) {
       return str(a[0].as<Instance>() ? in.plain_repr(a[0]) : in.repr(a[0]));
     }},
    {"__str__", 0, 0,
     [](Interpreter& in, BuiltinArgs a) {
       return str(a[0].as<Instance>() ? in.plain_str(a[0]) : in.str(a[0]));
     }},
    {"__setattr__", 2, 2, [](Interpreter& in, BuiltinArgs a) {
       if (a[0].as<Instance>())
         in.set_plain_attribute(a[0], attribute_name(a[1]), a[2]);
       else
         in.set_attribute(a[0], attribute_name(a[1]), a[2]);
       return Value::none();
     }}};

constexpr BuiltinDef kBaseException[] = {{"__init__", 0, -1, set_arguments}};

struct Refused {
  std::string_view names, instead;
};
// Functions of CPython that are not supported here, and what to write instead.
constexpr Refused kRefused[] = {
    {"input", "nobody types while a program runs"},
    {"open", "a program reads and writes no files"},
    {"eval exec compile", "write the statements themselves"},
    {"frozenset bytes bytearray complex memoryview", "use a tuple, a list or a text"},
    {"slice", "write x[start:stop]"},
    {"divmod", "write a // b and a % b"},
    {"hex oct bin ascii format", "write an f-string: f\"{x:#x}\""},
    {"id hash", "a set or a dict takes the object itself"},
    {"callable vars dir globals locals delattr breakpoint help", "print what you want to know"}};

}  // namespace

std::string_view instead_of(std::string_view name) {
  for (const auto& [names, instead] : kRefused)
    for (const std::string_view one : split_words(names))
      if (one == name) return instead;
  return "";
}

// Merge sort: inconsistent comparisons are safe, and if one raises, no item is lost.
void sort(Interpreter& in, std::vector<Value>& items, const Value& key, bool reverse) {
  std::vector<Value> made;
  if (key && !key.is_none())
    for (const Value& x : items) made.push_back(in.call(key, {.positional = {&x, 1}}));
  const auto& keys = made.empty() ? items : made;
  std::vector<size_t> order(items.size()), other(items.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto before = [&](size_t a, size_t b) {
    const Value &x = keys[reverse ? b : a], &y = keys[reverse ? a : b];
    in.tick();
    return is_number(x) && is_number(y) ? less(x, y) : in.truth(in.compare(Compare::Lt, x, y));
  };
  const bool whole = std::all_of(keys.begin(), keys.end(), [](const Value& k) { return k.is_int(); });
  if (whole) {
    in.count_work(order.size() * static_cast<size_t>(std::bit_width(order.size())));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return reverse ? keys[a].whole() > keys[b].whole() : keys[a].whole() < keys[b].whole();
    });
  }
  for (size_t run = whole ? order.size() : 1; run < order.size(); run *= 2) {
    for (size_t first = 0; first < order.size(); first += 2 * run) {
      const size_t middle = std::min(first + run, order.size()),
                   last = std::min(first + 2 * run, order.size());
      for (size_t a = first, b = middle, k = first; k < last; ++k)
        other[k] = b < last && (a == middle || before(order[b], order[a])) ? order[b++] : order[a++];
    }
    order.swap(other);
  }
  std::vector<Value> out;
  out.reserve(items.size());
  for (const size_t k : order) out.push_back(items[k]);
  items.swap(out);
}

void add_functions(Types& types) {
  for (const BuiltinDef& row : kFunctions) types.names.as<Dict>()->set(row.name, function(row));
  add_methods(*types.object.as<Class>(), kObject);
  add_methods(*types.base_exception.as<Class>(), kBaseException);
}

}  // namespace glassgrad::script
