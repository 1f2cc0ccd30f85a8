#include "signature.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "engine/core/utf8.h"

namespace glassgrad::GG_HOST {

namespace {

struct KindName {
  std::string_view schema;  // as signatures write it
  Kind kind;
  const char* shown;  // as errors write it
  const char* stub;
};
constexpr KindName kKinds[] = {
    {"Tensor", Kind::Tensor, "Tensor", "Tensor"},
    {"TensorOrNumber", Kind::TensorOrNumber, "Tensor", "Union[Tensor, Number]"},
    {"Tensor[]", Kind::Tensors, "tuple of Tensors", "Sequence[Tensor]"},
    {"Scalar", Kind::Number, "Number", "Number"},
    {"int", Kind::Int, "int", "int"},
    {"float", Kind::Float, "float", "float"},
    {"bool", Kind::Bool, "bool", "bool"},
    {"int[]", Kind::Ints, "tuple of ints", "Sequence[int]"},
    {"int[1]", Kind::Ints, "tuple of ints", "Union[int, Sequence[int]]"},
    {"str", Kind::Text, "str", "str"},
    {"ScalarType", Kind::DType, "torch.dtype", "dtype"},
    {"Generator", Kind::Generator, "torch.Generator", "Generator"},
    {"Device", Kind::Device, "torch.device", "Union[device, str, int]"},
    {"Layout", Kind::Layout, "torch.layout", "Any"},
    {"MemoryFormat", Kind::MemoryFormat, "torch.memory_format", "Any"},
    {"Dimname", Kind::Name, "name", "str"},
    {"Dimname[]", Kind::Names, "tuple of names", "Sequence[str]"},
    {"object", Kind::Anything, "object", "Any"},
};
const KindName& kind_named(std::string_view text) {
  const auto* at =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) { return k.schema == text; });
  if (at == std::end(kKinds)) throw Error("a signature names an unknown type: " + std::string(text));
  return *at;
}
const KindName& kind_of(const Parameter& p) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) {
    return k.kind == p.kind && (p.kind != Kind::Ints || (k.schema == "int[1]") == p.one_int);
  });
}

// All names of a parameter: PyTorch also accepts numpy's.
std::vector<std::string_view> names_of(std::string_view name) {
  if (name == "dim") return {"dim", "axis"};
  if (name == "keepdim") return {"keepdim", "keepdims"};
  if (name == "input") return {"input", "x", "a", "x1"};
  if (name == "other") return {"other", "x2"};
  return {name};
}

// The number at the start of a text; 0 if there is none.
double number_in(const std::string& text) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
#else  // a standard library without from_chars for double
  return std::strtod(text.c_str(), nullptr);
#endif
}

bool is_size(Object o) { return is_int(o) || (is_index(o) && !is_truth(o)); }
bool are_ints(Object o) { return is_list(o) && (size(o) == 0 || is_size(item(o, 0))); }
// The argument that p names, null if none does.
Object named(const HostCall& call, const Parameter& p) {
  for (int64_t k = 0; k < call.n_names(); ++k)
    for (const Key& key : p.keys)
      if (call.is_named(k, key)) return call.named(k);
  return nullptr;
}

}  // namespace

const char* Parameter::type_name() const { return kind_of(*this).shown; }

bool Parameter::takes(Object o) const {
  switch (kind) {
    case Kind::Tensor:
      return is_tensor(o);
    case Kind::TensorOrNumber:
      return is_tensor(o) || is_number(o);
    case Kind::Tensors:
      return is_list(o);  // elements that are not tensors are refused when read
    case Kind::Number:
    case Kind::Float:
      return is_float(o);
    case Kind::Int:
      return is_int(o);
    case Kind::Bool:
      return is_bool(o);
    case Kind::Ints:
      return are_ints(o) || (one_int && is_int(o));
    case Kind::Text:
    case Kind::Name:
      return is_text(o);
    case Kind::Names:
      return is_text(o) || (is_list(o) && size(o) > 0 && is_text(item(o, 0)));
    case Kind::DType:
      return is_dtype(o);
    case Kind::Generator:
      return is_generator(o);
    case Kind::Device:
      return is_device(o);
    case Kind::Layout:
    case Kind::MemoryFormat:
    case Kind::Anything:
      return true;
  }
  return false;
}

// ---- reading the text
Signature::Signature(std::string_view text) {
  const size_t open = text.find('('), close = text.rfind(')');
  name_ = text.substr(0, open);
  hidden_ = text.ends_with("|hidden");
  std::string_view rest = text.substr(open + 1, close - open - 1);
  bool keyword_only = false;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(", "), rest.size());
    const std::string_view part = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
    if (part == "*")
      keyword_only = true;
    else
      add(part, keyword_only);
  }
  check(parameters_.size() <= size_t(Arguments::kSlots), "{} has too many parameters", name_);
}

void Signature::add(std::string_view text, bool keyword_only) {
  const size_t space = text.find(' '), equals = text.find('=');
  std::string_view type = text.substr(0, space);
  Parameter p;
  p.rest = type.starts_with('*');
  if (p.rest) type.remove_prefix(1);
  p.allow_none = type.ends_with('?');
  if (p.allow_none) type.remove_suffix(1);
  p.kind = kind_named(type).kind;
  p.one_int = type == "int[1]";
  p.keyword_only = keyword_only;
  p.name = text.substr(space + 1, equals == std::string_view::npos ? equals : equals - space - 1);
  p.optional = equals != std::string_view::npos;
  if (p.optional) {
    p.fallback = text.substr(equals + 1);
    p.allow_none = p.allow_none || p.fallback == "()";  // PyTorch accepts None for ()
    p.number = p.fallback == "True";
    if (p.number == 0) p.number = number_in(p.fallback);
  }
  for (std::string_view name : names_of(p.name)) p.keys.push_back(key_of(name));
  if (p.name == "out") out_ = int(parameters_.size());
  positional_ += !keyword_only;
  required_ += !p.optional;
  parameters_.push_back(std::move(p));
}

int Signature::parameter_of(Kind kind) const {
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].kind == kind) return int(i);
  return -1;
}

void Signature::drop_out() {
  if (out_ < 0) return;
  if (!parameters_[size_t(out_)].keyword_only) --positional_;
  parameters_.erase(parameters_.begin() + out_);
  out_ = -1;
}

// ---- fitting a call
bool Signature::accepts(const HostCall& call, Object self, Arguments& into, bool explain) const {
  const size_t first = self ? 1 : 0, positional = positional_ - first, n = size_t(call.n);
  const bool variadic = positional == 1 && parameters_[first].kind == Kind::Ints;
  const bool rest = positional > 0 && parameters_[first + positional - 1].rest;
  if (n > positional && !variadic && !rest) {
    if (explain) refuse_count(call, first);
    return false;
  }
  into.signature = this;
  into.variadic_slot = -1;
  if (self) into.slot[0] = self;
  size_t at = 0;
  int64_t names_left = call.n_names();
  for (size_t i = first; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    const bool by_name = at >= n;
    const Object given = !by_name ? item(call.args, at) : names_left ? named(call, p) : nullptr;
    if (!by_name && p.keyword_only) {
      if (explain) refuse_count(call, first);
      return false;
    }
    if (given ? p.allow_none && is_none(given) : p.optional) {
      into.slot[i] = nullptr;
    } else if (!given) {
      if (explain) refuse_missing(i);
      return false;
    } else if (p.rest && !by_name && (p.kind == Kind::Anything || is_tensor(given))) {
      into.slot[i] = given;
      into.variadic_slot = int(i), into.items = call.args + at, into.n_items = call.n - int64_t(at);
      at = n;
      continue;
    } else if (p.takes(given) && !(variadic && at == 0 && n > 1 && !by_name)) {
      into.slot[i] = given;
    } else if (variadic && at == 0 && !by_name && is_size(given)) {
      into.slot[i] = given;
      into.variadic_slot = int(i), into.items = call.args, into.n_items = call.n;
      at = n;
      continue;
    } else {
      if (explain) refuse(i, given, by_name, at + 1, call);
      return false;
    }
    at += !by_name;
    names_left -= by_name && given;
  }
  if (names_left > 0 && explain) refuse_keyword(call, first);
  return names_left == 0;
}

bool Signature::fits_count(size_t n, bool method) const {
  return n >= required_ - method && n <= parameters_.size() - method;
}

// ---- errors for a call that does not fit
void Signature::refuse(size_t i, Object given, bool by_name, size_t position, const HostCall& call) const {
  const Parameter& p = parameters_[i];
  if (by_name)
    fail<TypeError>("{}(): argument '{}' must be {}, not {}", name_, p.name, p.type_name(),
                    GG_HOST::type_name(given));
  const size_t first = i + 1 - position;          // 1 for a method, where self comes first
  if (p.takes(given)) refuse_count(call, first);  // a list, and more arguments after it
  if (p.kind == Kind::Ints && (is_list(given) || positional_ - first == 1)) {
    const Object element = item(is_list(given) ? items_of(given) : call.args, 0);
    fail<TypeError>("{}(): argument '{}' (position {}) must be {}, but found element of type {} at pos 0",
                    name_, p.name, position, p.type_name(), GG_HOST::type_name(element));
  }
  fail<TypeError>("{}(): argument '{}' (position {}) must be {}, not {}", name_, p.name, position,
                  p.type_name(), GG_HOST::type_name(given));
}

void Signature::refuse_count(const HostCall& call, size_t first) const {
  const size_t most = positional_ - first, least = required_ - first;
  if (most == 0) fail<TypeError>("TensorBase.{}() takes no arguments ({} given)", name_, call.n);
  if (least != most)
    fail<TypeError>("{}() takes from {} to {} positional arguments but {} were given", name_, least, most,
                    call.n);
  fail<TypeError>("{}() takes {} positional argument{} but {} {} given", name_, most, most == 1 ? "" : "s",
                  call.n, call.n == 1 ? "was" : "were");
}

namespace {

// 'a', 'a' and 'b', 'a', 'b', and 'c'
std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (size_t k = 0; k < names.size(); ++k)
    text += (k == 0                 ? ""
             : k + 1 < names.size() ? ", "
             : names.size() == 2    ? " and "
                                    : ", and ") +
            ("'" + names[k] + "'");
  return text;
}

}  // namespace

void Signature::refuse_missing(size_t i) const {
  std::vector<std::string> names;
  std::string quoted;
  for (; i < parameters_.size(); ++i) {
    if (parameters_[i].optional) continue;
    names.push_back(parameters_[i].name);
    quoted += (names.size() > 1 ? ", \"" : "\"") + names.back() + "\"";
  }
  const size_t n = names.size();
  if (as_python_)
    fail<TypeError>("{}() missing {} required positional argument{}: {}", name_, n, n == 1 ? "" : "s",
                    enumerated(names));
  fail<TypeError>("{}() missing {} required positional argument{}: {}", name_, n, n == 1 ? "s" : "", quoted);
}

void Signature::refuse_keyword(const HostCall& call, size_t first) const {
  for (int64_t k = 0; k < call.n_names(); ++k) {
    const auto known =
        std::find_if(parameters_.begin() + std::ptrdiff_t(first), parameters_.end(), [&](auto& p) {
          return std::any_of(p.keys.begin(), p.keys.end(),
                             [&](const Key& key) { return call.is_named(k, key); });
        });
    if (known == parameters_.end())
      fail<TypeError>("{}() got an unexpected keyword argument '{}'", name_, call.name(k));
    if (known - parameters_.begin() < call.n + std::ptrdiff_t(first))
      fail<TypeError>("{}() got multiple values for argument '{}'", name_, call.name(k));
  }
  fail<TypeError>("invalid keyword arguments");
}

// ---- the texts of a signature
namespace {

// `from` is a keyword of Python.
std::string python_name(const Parameter& p) { return p.name == "from" ? "from_" : p.name; }

// "(self, one, *, another)": each parameter as `text` writes it, after `self` (none if empty), from `first`
// on. starred: no "*" is needed after a parameter that takes the rest.
template <class F>
std::string listed(std::string self, const std::vector<Parameter>& parameters, size_t first, bool starred,
                   F text) {
  bool keywords = false;
  for (size_t i = first; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    self += self.empty() ? "" : ", ";
    if (p.keyword_only && !std::exchange(keywords, true)) self += "*, ";
    keywords = keywords || (starred && p.rest);
    self += text(p);
  }
  return "(" + self + ")";
}

}  // namespace

std::string Signature::describe(bool method) const {
  return listed("", parameters_, method, false, [](const Parameter& p) {
    return std::string(p.type_name()) + " " + p.name + (p.optional ? " = " + p.fallback : "");
  });
}

std::string Signature::python(bool method) const {
  return listed(method ? "$self" : "", parameters_, method, true, [](const Parameter& p) {
    return (p.rest ? "*" : "") + python_name(p) + (p.optional && !p.rest ? "=" + p.fallback : "");
  });
}

std::string Signature::stub(bool method) const {
  return listed(method ? "self" : "", parameters_, method, true, [](const Parameter& p) {
    const std::string type =
        p.rest && p.kind == Kind::Tensors ? "Union[Tensor, Sequence[Tensor]]" : kind_of(p).stub;
    if (p.rest) return "*" + python_name(p) + ": " + type;
    return python_name(p) + ": " + (p.allow_none ? "Optional[" + type + "]" : type) +
           (p.optional ? " = " + p.fallback : "");
  });
}

}  // namespace glassgrad::GG_HOST
