// Python's modules beside torch, math and random: texts in Python, and what they need of C++.
#include "apps/script/library.h"

#include <chrono>

#include "apps/script/modules.h"
#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// native.bind(name, parameters, defaults, args, kwargs): the values of the parameters, or CPython's
// TypeError.
Value bind(Interpreter& in, BuiltinArgs a) {
  Code code;
  code.qualified_name = text_of(a[0], "the name must be a text");
  std::vector<Value> defaults;
  for (const Value& name : in.items(a[1])) {
    const std::string& text = text_of(name, "a parameter must be a text");
    code.parameters.push_back({.kind = Parameter::Plain, .name = text, .fallback = {}});
    const Value* const fallback = a[2].as<Dict>()->find(text);
    defaults.push_back(fallback ? *fallback : Value());
  }
  std::vector<KeywordArgument> named;
  a[4].as<Dict>()->each([&](const Value& key, const Value& value) {
    named.push_back({key.as<Str>()->text, value});
  });
  const std::vector<Value> positional = in.items(a[3]);
  return list(bound_arguments(code, defaults, {.positional = positional, .named = named}));
}

Value wrap(Interpreter&, BuiltinArgs a) {
  if (Function* const f = a[0].as<Function>()) f->wrapped = a[1];
  return a[0];
}

// Renames a class of the library, which is made inside a function.
Value rename(Interpreter&, BuiltinArgs a) {
  Class& c = *a[0].as<Class>();
  c.name = text_of(a[1], "the name must be a text");
  c.attributes.as<Dict>()->set("__qualname__", a[1]);
  c.attributes.as<Dict>()->set("__module__", a[2]);
  c.module = text_of(a[2], "the module must be a text");
  return a[0];
}

// native.blank(x): an object of the class of x without attributes; None if x is no object of a class.
Value blank(Interpreter&, BuiltinArgs a) {
  if (!a[0].as<Instance>()) return Value::none();
  if (!dynamic_cast<PlainInstance*>(a[0].as<Instance>()))
    raise("RuntimeError", "a copy of '{}' is not supported here: make a new one{}", type_name(a[0]),
          as_module(a[0]) ? ", and call its load_state_dict(old.state_dict())" : "");
  return Value(PlainInstance::of(Value(&a[0].as<Instance>()->type())));
}

template <class Clock>
Value seconds(Interpreter&, BuiltinArgs) {
  return Value::of(std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
}

constexpr BuiltinDef kOfLibrary[] = {
    {"bind", 5, 5, bind},
    {"wrap", 2, 2, wrap},
    {"rename", 3, 3, rename},
    {"blank", 1, 1, blank},
    {"id", 1, 1,
     [](Interpreter&, BuiltinArgs a) { return Value::of(reinterpret_cast<int64_t>(a[0].object())); }},
    {"write", 1, 1, [](Interpreter& in, BuiltinArgs a) { return in.print(in.str(a[0])), Value::none(); }},
    {"time", 0, 0, seconds<std::chrono::system_clock>},
    {"clock", 0, 0, seconds<std::chrono::steady_clock>}};

struct LibraryText {
  std::string_view name;
  const std::string_view& text;
  std::string_view part = {};  // the name, in the dict that the text gives, of a module inside it
};
const LibraryText kLibraryTexts[] = {{"collections", kCollections},
                                     {"contextlib", kContextlib},
                                     {"copy", kCopy},
                                     {"dataclasses", kDataclasses},
                                     {"functools", kFunctools},
                                     {"itertools", kItertools},
                                     {"json", kJson},
                                     {"os", kOs},
                                     {"os.path", kOs, "path"},
                                     {"time", kSmallModules, "time"},
                                     {"sys", kSmallModules, "sys"},
                                     {"string", kSmallModules, "string"},
                                     {"warnings", kSmallModules, "warnings"},
                                     {"typing", kSmallModules, "typing"},
                                     {"collections.abc", kSmallModules, "typing"},
                                     {"__future__", kSmallModules, "future"}};

// A module with the names of a dict. Classes get their names, and dicts inside become modules of their own.
Value module_of(const std::string& name, const Value& names) {
  const Value made = make<Namespace>(name);
  Dict& all = *made.as<Namespace>()->attributes.as<Dict>();
  names.as<Dict>()->each([&](const Value& key, const Value& value) {
    const std::string& known = key.as<Str>()->text;
    Class* const c = value.as<Class>();
    if (c && c->module == "__main__") {
      c->module = name;
      c->attributes.as<Dict>()->set("__module__", str(name));
    }
    all.set(known, value.as<Dict>() && known == "path" ? module_of("posixpath", value) : value);
  });
  return made;
}

}  // namespace

Value make_library(Interpreter& in, std::string_view name) {
  for (const LibraryText& t : kLibraryTexts) {
    if (t.name != name) continue;
    const Value native = make<Namespace>("native");
    for (const BuiltinDef& row : kOfLibrary)
      native.as<Namespace>()->attributes.as<Dict>()->set(row.name, function(row));
    const Value names = in.call(in.run_library(t.text), {.positional = {&native, 1}});
    return module_of(std::string(name), t.part.empty() ? names : *names.as<Dict>()->find(t.part));
  }
  return {};
}

}  // namespace glassgrad::script
