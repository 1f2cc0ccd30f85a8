// Makes exceptions, and the last line of a traceback.
#include <algorithm>

#include "apps/script/run.h"

#include "engine/core/utf8.h"

namespace glassgrad::script {
namespace {

constexpr size_t kMostOfText = 10'000;  // at most this many bytes of an exception's text are shown

int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int corner = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int changed = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Suggests the nearest name, at most a third of whose letters differ; the first of equally near ones.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& names) {
  if (names.size() >= 750 || wrong.size() > 40) return "";
  std::string best;
  int least = INT32_MAX;
  for (const auto& name : names) {
    if (name == wrong || name.size() > 40) continue;
    const int most = std::min(static_cast<int>(name.size() + wrong.size() + 3) / 6, least - 1);
    if (const int d = distance(wrong, name); d <= most) {
      best = name;
      least = d;
    }
  }
  return best;
}

void add_keys(const Value& dict, std::vector<std::string>& into) {
  for (const auto& e : dict.as<Dict>()->entries)
    if (e.key.as<Str>()) into.push_back(e.key.as<Str>()->text);
}

Value local(const Frame& frame, std::string_view name) {
  const Code& code = *frame.code;
  for (size_t k = 0; k < code.slot_names.size() && k < frame.slots.size(); ++k)
    if (code.slot_names[k] == name && frame.slots[k]) return frame.slots[k];
  return {};
}

// Methods of CPython's str, list, dict, set, tuple and exceptions that are not supported here.
constexpr std::string_view kMethods =
    " casefold encode expandtabs format format_map isascii isdecimal isidentifier isnumeric isprintable istitle "
    "maketrans partition removeprefix removesuffix rindex rpartition rsplit swapcase translate fromkeys "
    "popitem difference_update intersection_update isdisjoint symmetric_difference symmetric_difference_update "
    "add_note with_traceback ";

Exception& new_of(std::string_view type, const std::string& text, Value& held) {
  Types& types = Heap::current().types();
  const Value* c = types.find(type);
  if (!c) c = types.find("RuntimeError");
  held = new_exception(*c, text.empty() ? std::vector<Value>() : std::vector{str(text)});
  return static_cast<Exception&>(*held.object());
}

}  // namespace

bool is_exception(const Value& x) {
  const Instance* const i = x.as<Instance>();
  return i && i->type().is_a(*Heap::current().types().base_exception.as<Class>());
}

bool is_a(const Value& exception, std::string_view type) {
  return exception.as<Instance>()->type().is_a(Heap::current().types().get(type));
}

Value new_exception(const Value& type, std::vector<Value> arguments) {
  const Value made = make<Exception>(type);
  made.as<Instance>()->set("args", tuple(std::move(arguments)));
  return made;
}

void Interpreter::remember(Exception& x) {
  x.trace.clear();
  for (const Frame* f = frame_; f; f = f->outer)
    if (f->code && !f->code->library) x.trace.push_back({f->code, f->at ? f->at->where.line : 0});
  std::reverse(x.trace.begin(), x.trace.end());
}

void raise(std::string_view type, const std::string& text) {
  Value held;
  Exception& x = new_of(type, text, held);
  if (Interpreter* in = Heap::current().interpreter) in->remember(x);
  throw Raised{held};
}

void throw_new(std::string_view type, std::vector<Value> arguments) {
  const Value x = new_exception(*Heap::current().types().find(type), std::move(arguments));
  if (Interpreter* in = Heap::current().interpreter) in->remember(static_cast<Exception&>(*x.object()));
  throw Raised{x};
}

void Interpreter::no_name(std::string_view name, const std::string& text) {
  if (const auto instead = instead_of(name); !instead.empty())
    raise("RuntimeError", "{}() is not supported here: {}", name, instead);
  Value held;
  Exception& x = new_of("NameError", text, held);
  remember(x);
  const Value self = local(*frame_, "self");
  if (Value v; self && find_attribute(self, name, v)) {
    x.hint = fmt::format(". Did you mean: 'self.{}'?", name);
  } else {
    std::vector<std::string> names;
    for (size_t k = 0; k < frame_->slots.size() && k < frame_->code->slot_names.size(); ++k)
      if (frame_->slots[k]) names.push_back(frame_->code->slot_names[k]);
    for (size_t k = 0; k < names_.names.size() && k < globals_.size(); ++k)
      if (globals_[k]) names.push_back(names_.names[k]);
    add_keys(Heap::current().types().names, names);
    if (const auto meant = nearest_name(name, names); !meant.empty())
      x.hint = ". Did you mean: '" + meant + "'?";
    if (name == "math" || name == "torch") x.hint = fmt::format(". Did you forget to import '{}'?", name);
  }
  throw Raised{held};
}

std::vector<std::string> names_in(Interpreter& in, const Value& x) {
  std::vector<std::string> names;
  if (x.as<Instance>()) add_keys(&x.as<Instance>()->attributes(), names);
  if (x.as<Namespace>()) add_keys(x.as<Namespace>()->attributes, names);
  const Value type = x.as<Class>() || x.as<Namespace>() ? x : in.type(x);
  for (const Class* c = type.as<Class>(); c; c = c->base.as<Class>()) add_keys(c->attributes, names);
  in.count_work(names.size());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void no_attribute(Interpreter& in, const Value& x, std::string_view name) {
  std::string text = fmt::format("'{}' object has no attribute '{}'", type_name(x), name);
  if (const Namespace* n = x.as<Namespace>())
    text = fmt::format("module '{}' has no attribute '{}'", n->name, name);
  if (const Class* c = x.as<Class>())
    text = fmt::format("type object '{}' has no attribute '{}'", c->name, name);
  if (x.object() && in.type(x).as<Class>()->module == "builtins" && !of_torch(x) &&
      kMethods.find(" " + std::string(name) + " ") != kMethods.npos)
    raise("RuntimeError", "{}.{}() is not supported here", type_name(x), name);
  auto names = names_in(in, x);
  const Value self = in.frame()->code ? local(*in.frame(), "self") : Value();
  if (!name.starts_with('_') && !(self && identical(self, x)))
    std::erase_if(names, [](const std::string& n) { return n.starts_with('_'); });
  Value held;
  Exception& error = new_of("AttributeError", text, held);
  in.remember(error);
  if (const auto meant = nearest_name(name, names); !meant.empty())
    error.hint = ". Did you mean: '" + meant + "'?";
  throw Raised{held};
}

std::string last_line(Interpreter& in, const Value& exception) {
  const Class& type = exception.as<Instance>()->type();
  std::string name = type.name;
  if (type.module != "builtins") {
    const Value* const qualified = type.attributes.as<Dict>()->find("__qualname__");
    if (qualified && qualified->as<Str>()) name = qualified->as<Str>()->text;
    if (type.module != "__main__") name = type.module + "." + name;
  }
  std::string text;
  try {
    text = in.str(exception);
  } catch (const Raised&) {
    text = "<exception str() failed>";
  }
  if (text.size() > kMostOfText) {
    size_t end = kMostOfText;
    while (is_continuation(text[end])) --end;
    text = fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
  }
  return (text.empty() ? name : name + ": " + text) + static_cast<Exception&>(*exception.object()).hint;
}

std::vector<std::pair<std::string, int>> traceback(const Value& exception) {
  std::vector<std::pair<std::string, int>> lines;
  for (const auto& place : static_cast<Exception&>(*exception.object()).trace)
    lines.emplace_back(place.code->name.empty() ? "<module>" : place.code->name, place.line);
  return lines;
}

}  // namespace glassgrad::script
