// The long TypeError for a call that fits none of a function's signatures.
#include <algorithm>
#include <unordered_map>

#include "arguments.h"
#include "engine/core/joined.h"

namespace glassgrad::GG_HOST {

namespace {

// The positional arguments, then the named ones, which PyTorch's text lists in the order of an unordered map.
struct Given {
  std::vector<Object> args;
  std::unordered_map<std::string, Object> named;

  explicit Given(const HostCall& call) {
    for (int64_t k = 0; k < call.n; ++k) args.push_back(item(call.args, k));
    for (int64_t k = 0; k < call.n_names(); ++k) named.emplace(call.name(k), call.named(k));
  }
  size_t size() const { return args.size() + named.size(); }
};

std::string types_of(const Given& given) {
  std::string text = "(";
  for (Object o : given.args) text += std::string(type_name(o)) + ", ";
  for (const auto& [name, o] : given.named) text += name + "=" + type_name(o) + ", ";
  if (!given.args.empty()) text.resize(text.size() - 2);
  return text + ")";
}

std::string type_with_parts(Object o) {
  std::string text = type_name(o);
  if (!is_list(o)) return text;
  const bool tuple = is_tuple(o);
  const int64_t n = size(o);
  text += tuple ? " of (" : " of [";
  for (int64_t i = 0; i < n; ++i) text += (i ? ", " : "") + std::string(type_name(item(o, i)));
  return text + (tuple ? (n == 1 ? ",)" : ")") : "]");
}

// PyTorch is stricter here than when it binds arguments: it checks every element, and a number is not a
// Tensor.
bool matches(const Parameter& p, Object o) {
  if (p.kind == Kind::Tensors) return is_tensors(o);
  if (p.kind == Kind::TensorOrNumber) return is_tensor(o);
  if (p.kind == Kind::Number || p.kind == Kind::Name) return false;  // PyTorch does not know these type names
  return (p.allow_none && is_none(o)) || p.takes(o);
}

// The pieces of a signature's text that PyTorch compares with the arguments one by one: the parameters, and
// null for the star before keyword-only ones or for the empty text of no parameters.
std::vector<const Parameter*> pieces_of(const std::vector<Parameter>& parameters, size_t first) {
  std::vector<const Parameter*> pieces;
  for (size_t i = first; i < parameters.size(); ++i) {
    if (parameters[i].keyword_only && (i == first || !parameters[i - 1].keyword_only))
      pieces.push_back(nullptr);
    pieces.push_back(&parameters[i]);
  }
  if (pieces.empty()) pieces.push_back(nullptr);
  return pieces;
}

// "(Tensor, !str!)": exclamation marks around arguments that do not fit; a named argument is at the place of
// its parameter.
std::string marked(const std::vector<const Parameter*>& pieces, const Given& given) {
  std::string text = "(";
  for (size_t i = 0; i < given.size(); ++i) {
    const Parameter* const p = pieces[i];
    const bool named = i >= given.args.size();
    const Object o = named ? given.named.at(p->name) : given.args[i];
    const std::string shown = (named ? p->name + "=" : "") + type_with_parts(o);
    text += (i ? ", " : "") + (p && matches(*p, o) ? shown : "!" + shown + "!");
  }
  return text + ")";
}

// The names in the call that the signature lacks. PyTorch reads names back from the signature's text, where a
// default is part of the name, so it never finds parameters with a default.
std::vector<std::string> unknown_names(const std::vector<Parameter>& parameters, size_t first,
                                       const Given& given) {
  std::vector<std::string> unknown;
  for (const auto& entry : given.named) {
    const std::string& name = entry.first;
    const size_t from = first + given.args.size();
    if (from > parameters.size() ||
        std::none_of(parameters.begin() + std::ptrdiff_t(from), parameters.end(),
                     [&](const Parameter& p) { return p.name == name && !p.optional; }))
      unknown.push_back(name);
  }
  return unknown;
}
// Returns whether the names are exactly those of the parameters after the positional arguments.
bool in_order(const std::vector<const Parameter*>& pieces, const Given& given) {
  for (size_t i = given.args.size(); i < given.size(); ++i)
    if (!pieces[i] || !given.named.contains(pieces[i]->name)) return false;
  return true;
}

}  // namespace

std::string mismatch(const HostCall& call, const std::vector<const Signature*>& options, bool method) {
  const Given given(call);
  std::string text = options[0]->name() + "() received an invalid combination of arguments - ";
  const bool one = options.size() == 1;
  if (!one) text += "got " + types_of(given) + ", but expected one of:\n";
  for (const Signature* s : options) {
    const std::vector<Parameter>& parameters = s->parameters();
    const size_t first = method;
    const std::vector<std::string> unknown = unknown_names(parameters, first, given);
    const std::vector<const Parameter*> pieces = pieces_of(parameters, first);
    const bool count = given.size() == pieces.size();
    const bool comparable = count && unknown.empty() && in_order(pieces, given);
    if (one && !unknown.empty())
      return text + "got unrecognized keyword arguments: " + glassgrad::joined(unknown, ", ");
    if (one)
      return text + "got " + (comparable ? marked(pieces, given) : types_of(given)) + ", but expected " +
             s->describe(method);
    text += " * " + s->describe(method) + "\n";
    if (count && !unknown.empty())
      text += "      didn't match because some of the keywords were incorrect: " +
              glassgrad::joined(unknown, ", ") + "\n";
    else if (comparable)
      text +=
          "      didn't match because some of the arguments have invalid types: " + marked(pieces, given) +
          "\n";
  }
  return text;
}

}  // namespace glassgrad::GG_HOST
