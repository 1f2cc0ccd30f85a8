// The builtin classes and their constructors.
#include "apps/script/types.h"

#include <algorithm>

#include "apps/script/number.h"

namespace glassgrad::script {

std::vector<std::string_view> split_words(std::string_view names) {
  std::vector<std::string_view> all;
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    all.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return all;
}

namespace {

[[noreturn]] void wrong_count(const BuiltinDef& row, std::string_view shown, size_t given) {
  const std::string_view name = shown.substr(shown.rfind('.') + 1);
  const bool named = *row.names, few = given < static_cast<size_t>(row.least);
  if (row.most == 0) raise("TypeError", "{}() takes no arguments ({} given)", shown, given);
  if (row.least == 1 && row.most == 1 && !named)
    raise("TypeError", "{}() takes exactly one argument ({} given)", shown, given);
  const int n = few ? row.least : row.most;
  raise("TypeError", "{} expected {}{} argument{}, got {}", name,
        row.least == row.most ? ""
        : few                 ? "at least "
                              : "at most ",
        n, n == 1 ? "" : "s", given);
}

}  // namespace

std::vector<Value> match(const BuiltinDef& row, std::string_view shown, const Arguments& a,
                         const Value& self) {
  const auto names = split_words(row.names);
  const std::string_view name = shown.substr(shown.rfind('.') + 1);
  const size_t given = a.positional.size(), least = static_cast<size_t>(row.least);
  const bool any = row.most < 0;
  if (!any && given > static_cast<size_t>(row.most)) wrong_count(row, shown, given);
  if (given < least && (names.empty() || any || names[given] == "-")) wrong_count(row, shown, given);
  const size_t parameters = any ? names.size() : std::max(names.size(), static_cast<size_t>(row.most));
  std::vector<Value> out;
  out.reserve(1 + parameters + (any ? given : 0));
  if (self) out.push_back(self);
  const size_t first = out.size();
  out.resize(first + parameters);
  if (any)
    out.insert(out.end(), a.positional.begin(), a.positional.end());
  else
    std::copy(a.positional.begin(), a.positional.end(), out.begin() + static_cast<ptrdiff_t>(first));
  for (const KeywordArgument& n : a.named) {
    if (names.empty()) raise("TypeError", "{}() takes no keyword arguments", shown);
    const auto k = static_cast<size_t>(std::find(names.begin(), names.end(), n.name) - names.begin());
    if (k == names.size()) raise("TypeError", "{}() got an unexpected keyword argument '{}'", name, n.name);
    if (out[first + k])
      raise("TypeError", "argument for {}() given by name ('{}') and position ({})", name, n.name, k + 1);
    out[first + k] = n.value;
  }
  for (size_t k = given; k < least && !any; ++k)
    if (!out[first + k])
      raise("TypeError", "{}() missing required argument '{}' (pos {})", name, names[k], k + 1);
  return out;
}

namespace {

// Lets a call with positional arguments reach row.call directly, without matching names.
Value with_direct(Builtin* made, const BuiltinDef& row, bool of_type) {
  if (row.most >= 0) {
    made->direct = row.call;
    made->least = static_cast<size_t>(row.least);
    made->most = static_cast<size_t>(row.most);
    made->parameters = std::max(split_words(row.names).size(), made->most);
    made->of_type = of_type;
  }
  return made;
}

}  // namespace

Value function(const BuiltinDef& row, const std::string& module) {
  const std::string shown = module + row.name;
  auto* const made = make<Builtin>(shown, [row, shown](Interpreter& in, const Arguments& a) {
    return row.call(in, match(row, shown, a));
  });
  return with_direct(made, row, false);
}

void add_methods(Class& type, std::span<const BuiltinDef> rows) {
  for (const BuiltinDef& row : rows) {
    const std::string shown = type.name + "." + row.name;
    const auto call = [row, &type, shown](Interpreter& in, const Arguments& a) {
      if (a.positional.empty()) raise("TypeError", "unbound method {}() needs an argument", shown);
      const Value& self = a.positional[0];
      if (type.base && !in.type(self).as<Class>()->is_a(type))
        raise("TypeError", "descriptor '{}' for '{}' objects doesn't apply to a '{}' object", row.name,
              type.name, type_name(self));
      return row.call(in, match(row, shown, {.positional = a.positional.subspan(1), .named = a.named}, self));
    };
    type.attributes.as<Dict>()->set(row.name, with_direct(make<Builtin>(shown, call), row, true));
  }
}

const std::string& text_of(const Value& x, const char* what) {
  if (!x.as<Str>()) raise("TypeError", "{}, not {}", what, type_name(x));
  return x.as<Str>()->text;
}

double float_of(const Value& x) {
  if (is_number(x)) return as_double(x);
  if (x.as<TensorObject>()) return as_double(tensors::number(x));
  raise("TypeError", "must be real number, not {}", type_name(x));
}

// ---- constructors

namespace {

Value make_object(Interpreter&, const Value& type, const Arguments&) { return PlainInstance::of(type); }

Value make_exception(Interpreter&, const Value& type, const Arguments& a) {
  const Class& c = *type.as<Class>();
  const Value* const init = c.find(Special::Init);
  if (!a.named.empty() && init && init->as<Builtin>())
    raise("TypeError", "{}() takes no keyword arguments", c.name);
  return new_exception(type, {a.positional.begin(), a.positional.end()});
}

Value make_type(Interpreter& in, const Value&, const Arguments& a) {
  if (a.positional.size() != 1 || !a.named.empty()) raise("TypeError", "type() takes 1 or 3 arguments");
  return in.type(a.positional[0]);
}

constexpr BuiltinDef kInt{
    "int", 0, 1, [](Interpreter& in, BuiltinArgs a) -> Value {
      const Value& x = a[0];
      if (!x) return Value::of(int64_t{0});
      if (const Str* s = x.as<Str>()) {
        if (const auto n = parse_int(s->text)) return Value::of(*n);
        raise("ValueError", "invalid literal for int() with base 10: {}", in.repr(x));
      }
      const Value n = x.as<TensorObject>() ? tensors::number(x) : x;
      if (is_number(n)) return Value::of(n.is_float() ? to_int(n.real()) : n.whole());
      raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            type_name(x));
    }};

constexpr BuiltinDef kFloat{
    "float", 0, 1, [](Interpreter& in, BuiltinArgs a) -> Value {
      const Value& x = a[0];
      if (!x) return Value::of(0.0);
      if (const Str* s = x.as<Str>()) {
        if (const auto y = parse_float(s->text)) return Value::of(*y);
        raise("ValueError", "could not convert string to float: {}", in.repr(x));
      }
      if (!is_number(x) && !x.as<TensorObject>())
        raise("TypeError", "float() argument must be a string or a real number, not '{}'", type_name(x));
      return Value::of(float_of(x));
    }};

constexpr BuiltinDef kBool{"bool", 0, 1,
                           [](Interpreter& in, BuiltinArgs a) { return Value::of(a[0] && in.truth(a[0])); }};
constexpr BuiltinDef kStr{"str", 0, 1,
                          [](Interpreter& in, BuiltinArgs a) { return str(a[0] ? in.str(a[0]) : ""); }};
constexpr BuiltinDef kList{"list", 0, 1, [](Interpreter& in, BuiltinArgs a) {
                             return list(a[0] ? in.items(a[0]) : std::vector<Value>());
                           }};
constexpr BuiltinDef kTuple{"tuple", 0, 1, [](Interpreter& in, BuiltinArgs a) {
                              if (a[0] && a[0].as<Tuple>() && !a[0].as<Tuple>()->type) return a[0];
                              return tuple(a[0] ? in.items(a[0]) : std::vector<Value>());
                            }};

constexpr BuiltinDef kSet{"set", 0, 1, [](Interpreter& in, BuiltinArgs a) -> Value {
                            const Value made = make<Set>();
                            if (a[0]) in.each(a[0], [&](const Value& x) { made.as<Set>()->add(x); });
                            return made;
                          }};

constexpr BuiltinDef kRange{"range", 1, 3, [](Interpreter&, BuiltinArgs a) -> Value {
                              if (!a[1]) return make<Range>(0, index_of(a[0]), 1);
                              const int64_t start = index_of(a[0]), stop = index_of(a[1]),
                                            step = a[2] ? index_of(a[2]) : 1;
                              if (step == 0) raise("ValueError", "range() arg 3 must not be zero");
                              return make<Range>(start, stop, step);
                            }};
constexpr BuiltinDef kSuper{
    "super", 0, 2, [](Interpreter& in, BuiltinArgs a) -> Value {
      if (!a[0] || !a[1]) raise("RuntimeError", "super(): no arguments");
      const Class* const start = a[0].as<Class>();
      if (!start) raise("TypeError", "super() argument 1 must be a type, not {}", type_name(a[0]));
      const Class* const of = a[1].as<Class>() ? a[1].as<Class>() : in.type(a[1]).as<Class>();
      if (!of->is_a(*start))
        raise("TypeError", "super(type, obj): obj must be an instance or subtype of type");
      return make<Super>(a[0], a[1]);
    }};

template <Descriptor::Of of>
Value describe(Interpreter&, BuiltinArgs a) {
  return make<Descriptor>(of, a[0]);
}
constexpr BuiltinDef kProperty{"property", 1, 1, describe<Descriptor::Of::Property>, "fget"},
    kStaticMethod{"staticmethod", 1, 1, describe<Descriptor::Of::Static>},
    kClassMethod{"classmethod", 1, 1, describe<Descriptor::Of::Class>};

Value make_dict(Interpreter& in, const Value&, const Arguments& a) {
  if (a.positional.size() > 1)
    raise("TypeError", "dict expected at most 1 argument, got {}", a.positional.size());
  const Value made = make<Dict>();
  if (!a.positional.empty()) update(in, *made.as<Dict>(), a.positional[0]);
  for (const KeywordArgument& n : a.named) made.as<Dict>()->set(n.name, n.value);
  return made;
}

struct Family {
  const char *base, *derived;
};
constexpr Family kExceptions[] = {
    {"BaseException", "Exception GeneratorExit SystemExit KeyboardInterrupt"},
    {"Exception",
     "ArithmeticError AssertionError AttributeError ImportError LookupError MemoryError NameError OSError "
     "RuntimeError StopIteration SyntaxError TypeError ValueError Warning"},
    {"ArithmeticError", "OverflowError ZeroDivisionError"},
    {"ImportError", "ModuleNotFoundError"},
    {"LookupError", "IndexError KeyError"},
    {"NameError", "UnboundLocalError"},
    {"OSError", "FileNotFoundError"},
    {"RuntimeError", "NotImplementedError RecursionError"},
    {"Warning", "UserWarning"}};

}  // namespace

Value as_dict(Interpreter& in, const Value& x) {
  if (x.as<Dict>()) return x;
  Value keys;
  if (!x.as<Instance>() || !in.find_attribute(x, "keys", keys)) return {};
  const Value made = make<Dict>();
  in.each(in.call(keys, {}), [&](const Value& key) { made.as<Dict>()->set(key, in.item(x, key)); });
  return made;
}

void update(Interpreter& in, Dict& into, const Value& from) {
  if (const Value d = as_dict(in, from))
    return d.as<Dict>()->each([&](const Value& key, const Value& value) { into.set(key, value); });
  size_t at = 0;
  in.each(from, [&](const Value& pair) {
    if (!in.iterable(pair))
      raise("TypeError", "cannot convert dictionary update sequence element #{} to a sequence", at);
    const auto two = in.items(pair);
    if (two.size() != 2)
      raise("ValueError", "dictionary update sequence element #{} has length {}; 2 is required", at,
            two.size());
    into.set(two[0], two[1]);
    ++at;
  });
}

Types::Types() : names(make<Dict>()) {
  Dict& all = *names.as<Dict>();
  object = add("object", {}, make_object);
  type = add("type", object, make_type);
  base_exception = add("BaseException", object, make_exception);
  for (const auto& [base, derived] : kExceptions)
    for (const auto name : split_words(derived)) add(std::string(name).c_str(), *all.find(base));

  const auto of = [](Tag x) { return static_cast<size_t>(x); };
  const auto by_kind = [&](Kind kind, const Value& c) { by_tag[8 + static_cast<size_t>(kind)] = c; };
  const Value whole = add("int", object, construct<kInt>);
  by_tag[of(Tag::Int)] = whole;
  by_tag[of(Tag::Bool)] = add("bool", whole, construct<kBool>);
  by_tag[of(Tag::Float)] = add("float", object, construct<kFloat>);
  by_kind(Kind::Str, add("str", object, construct<kStr>));
  by_kind(Kind::List, add("list", object, construct<kList>));
  by_kind(Kind::Tuple, add("tuple", object, construct<kTuple>));
  by_kind(Kind::Dict, add("dict", object, make_dict));
  by_kind(Kind::Range, add("range", object, construct<kRange>));
  by_kind(Kind::Class, type);
  by_kind(Kind::Super, add("super", object, construct<kSuper>));
  by_kind(Kind::Set, add("set", object, construct<kSet>));
  add("property", object, construct<kProperty>);
  add("staticmethod", object, construct<kStaticMethod>);
  add("classmethod", object, construct<kClassMethod>);
  all.set("NotImplemented", Value::not_implemented());
  all.set("Ellipsis", Value::ellipsis());
  all.set("__name__", str("__main__"));
  add_iterators(*this);
  add_generators(*this);
  add_functions(*this);
  add_text_methods(*this);
  add_container_methods(*this);
}

Value Types::add(const char* name, const Value& base, decltype(Class::construct) construct) {
  const Value made = make<Class>(name, base);
  made.as<Class>()->module = "builtins";
  made.as<Class>()->construct = construct;
  names.as<Dict>()->set(name, made);
  return made;
}

Class& Types::get(std::string_view name) { return *find(name)->as<Class>(); }

const Value& Types::other(const std::string& name) {
  if (const Value* known = find(name); known && known->as<Class>()) return *known;
  for (const auto& [key, made] : others)
    if (key == name) return made;
  const Value made = make<Class>(name, object);
  made.as<Class>()->module = "builtins";
  return others.emplace_back(name, made).second;
}

}  // namespace glassgrad::script
