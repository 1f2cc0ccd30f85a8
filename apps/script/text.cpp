// repr(), str() and format() of values of all kinds.
#include <algorithm>

#include "apps/script/format.h"
#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/text/unicode.h"

namespace glassgrad::script {
namespace {

std::string escaped(uint32_t c) {
  if (c < 0x100) return fmt::format("\\x{:02x}", c);
  return c < 0x10000 ? fmt::format("\\u{:04x}", c) : fmt::format("\\U{:08x}", c);
}

std::string quoted(const std::string& text) {
  const bool single = text.find('\'') != text.npos, twice = text.find('"') != text.npos;
  const char quote = single && !twice ? '"' : '\'';
  const auto plain = [&](char c) { return c >= ' ' && c < 0x7F && c != quote && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) return quote + text + quote;
  std::string out(1, quote);
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point(text, at);
    const char first = text[at];
    if (first == quote || first == '\\')
      (out += '\\') += first;
    else if (first == '\n')
      out += "\\n";
    else if (first == '\r')
      out += "\\r";
    else if (first == '\t')
      out += "\\t";
    else if (is_visible(c.value))
      out += text.substr(at, c.length);
    else
      out += escaped(c.value);
    Heap::current().check(out.size());
    at += c.length;
  }
  return out + quote;
}

std::string address(const Value& x) { return fmt::format("0x{:x}", reinterpret_cast<uintptr_t>(x.object())); }

std::string of_method(Interpreter& in, const Value& x, Special method) {
  const Value text = call_own(in, x, method);
  if (!text.as<Str>())
    raise("TypeError", "{} returned non-string (type {})", name_of(method), type_name(text));
  return text.as<Str>()->text;
}

std::string of_class(const Class& c) {
  const Value* const q = c.attributes.as<Dict>()->find("__qualname__");
  const std::string name = q && q->as<Str>() ? q->as<Str>()->text : c.name;
  return c.module == "builtins" ? name : c.module + "." + name;
}

std::span<const Value> arguments_of(const Value& exception) {
  const Value* const a = exception.as<Instance>()->find("args");
  return a && a->as<Tuple>() ? a->as<Tuple>()->items : std::span<const Value>();
}

}  // namespace

// Calls items(), or gives `again` ("[...]") for a container inside itself.
template <class F>
std::string Interpreter::nested(const Value& x, const char* again, F items) {
  if (std::find(shown_.begin(), shown_.end(), x.object()) != shown_.end()) return again;
  shown_.push_back(x.object());
  struct Pop {
    std::vector<const Object*>& from;
    ~Pop() { from.pop_back(); }
  } pop{shown_};
  return items();
}

template <class Items>
std::string Interpreter::repr_items(const Items& all) {
  std::string out;
  for (size_t k = 0; k < all.size(); ++k) {
    tick();
    const Value held = all[k];
    out += (k ? ", " : "") + repr(held);
    Heap::current().check(out.size());
  }
  return out;
}

std::string Interpreter::repr_dict(Dict& d) {
  std::string out = "{";
  d.each([&](const Value& key, Value& value) {
    tick();
    const Value held = value;
    out += (out.size() > 1 ? ", " : "") + repr(key) + ": " + repr(held);
    heap_.check(out.size());
  });
  return out + "}";
}

std::string Interpreter::repr(const Value& x) {
  switch (x.tag()) {
    case Tag::None:
      return "None";
    case Tag::Bool:
      return x.boolean() ? "True" : "False";
    case Tag::Int:
      return std::to_string(x.whole());
    case Tag::Float:
      return script::repr(x.real());
    case Tag::Object:
      break;
    default:
      return x.tag() == Tag::Ellipsis ? "Ellipsis" : "NotImplemented";
  }
  if (of_torch(x)) return tensors::repr(x);
  if (const Str* s = x.as<Str>()) return quoted(s->text);
  const Deeper deeper(*this, " while getting the repr of an object");
  switch (x.object()->kind) {
    case Kind::List:
      return nested(x, "[...]", [&] { return "[" + repr_items(x.as<List>()->items) + "]"; });
    case Kind::Tuple:
      return nested(x, "(...)", [&] { return repr_tuple(*x.as<Tuple>()); });
    case Kind::Dict:
      return nested(x, "{...}", [&] { return repr_dict(*x.as<Dict>()); });
    case Kind::Set:
      return nested(x, "set(...)", [&] {
        const Set& s = *x.as<Set>();
        if (!s.size()) return std::string("set()");
        const std::string all = "{" + repr_items(items(x)) + "}";
        return all;
      });
    case Kind::DictView:
      return nested(x, "...", [&] { return type_name(x) + "([" + repr_items(items(x)) + "])"; });
    case Kind::Range: {
      const Range& r = *x.as<Range>();
      const std::string step = r.step == 1 ? "" : ", " + std::to_string(r.step);
      return fmt::format("range({}, {}{})", r.start, r.stop, step);
    }
    case Kind::Slice: {
      const Slice& s = *x.as<Slice>();
      return "slice(" + repr(s.start) + ", " + repr(s.stop) + ", " + repr(s.step) + ")";
    }
    case Kind::Instance:
      return own_method(x, Special::Repr) ? of_method(*this, x, Special::Repr) : plain_repr(x);
    case Kind::Class:
      return "<class '" + of_class(*x.as<Class>()) + "'>";
    case Kind::Function:
      return "<function " + x.as<Function>()->code->qualified_name + " at " + address(x) + ">";
    case Kind::Builtin:
      return "<built-in function " + x.as<Builtin>()->name + ">";
    case Kind::Namespace:
      return "<module '" + x.as<Namespace>()->name + "'>";
    case Kind::Iterator:
      return "<" + x.as<Iterator>()->shown() + " at " + address(x) + ">";
    default:
      return "<" + type_name(x) + " object at " + address(x) + ">";
  }
}

std::string Interpreter::repr_tuple(const Tuple& t) {
  if (t.type && t.type != &kSize) {
    std::string out = std::string(t.type->name) + "(";
    for (size_t k = 0; k < t.items.size(); ++k)
      out += fmt::format("{}{}={}", k ? ",\n" : "\n", t.type->fields[k], repr(t.items[k]));
    return out + ")";
  }
  const std::string all = repr_items(t.items);
  if (t.type) return "torch.Size([" + all + "])";
  return "(" + all + (t.items.size() == 1 ? ",)" : ")");
}

// The repr of object and of BaseException.
std::string Interpreter::plain_repr(const Value& x) {
  if (!is_exception(x)) return "<" + of_class(x.as<Instance>()->type()) + " object at " + address(x) + ">";
  return x.as<Instance>()->type().name + "(" + repr_items(arguments_of(x)) + ")";
}

std::string Interpreter::plain_str(const Value& x) {
  if (!is_exception(x)) return repr(x);
  const auto& a = arguments_of(x);
  if (a.empty()) return "";
  if (a.size() > 1) return "(" + repr_items(a) + ")";
  return is_a(x, "KeyError") ? repr(a[0]) : str(a[0]);
}

std::string Interpreter::str(const Value& x) {
  if (const Str* s = x.as<Str>()) return s->text;
  if (of_torch(x)) return tensors::str(x);
  if (!x.as<Instance>()) return repr(x);
  const Deeper deeper(*this, " while getting the str of an object");
  return own_method(x, Special::Str) ? of_method(*this, x, Special::Str) : plain_str(x);
}

std::string Interpreter::format(const Value& x, std::string_view specification) {
  if (of_torch(x)) return tensors::format(*this, x, specification);
  if (specification.empty()) return str(x);
  if (!is_number(x) && !x.as<Str>())
    raise("TypeError", "unsupported format string passed to {}.__format__", type_name(x));
  return format_value(x, specification);
}

}  // namespace glassgrad::script
