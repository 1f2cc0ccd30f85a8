#include "function.h"

#include <optional>
#include <unordered_map>

#include "engine/autocast.h"

namespace glassgrad::GG_HOST {
namespace {

// Returns whether the call itself sets the dtype of its result, with dtype= or out=.
bool says_dtype(const Overload& o, const Arguments& a) {
  const int dtype = o.signature.parameter_of(Kind::DType), out = o.signature.out();
  return (dtype >= 0 && a.slot[size_t(dtype)]) || (out >= 0 && a.slot[size_t(out)]);
}

const Tensor* tensor_at(const Arguments& a, size_t i) { return a.slot[i] ? as_tensor(a.slot[i]) : nullptr; }

}  // namespace

// Turns autocast off within the call, so that nothing is cast twice.
Result Function::cast_call(const Overload& o, Arguments& a) const {
  if (says_dtype(o, a)) return o.compute(a);
  std::vector<Owned> held;
  std::optional<Autocast> off[2];
  const size_t slots = o.signature.parameters().size();
  held.reserve(slots);
  for (const DeviceType type : {DeviceType::CPU, DeviceType::CUDA}) {
    const DType half = autocast_dtype(type);
    const Cast cast = casts[int(type)];
    if (cast == kNoCast || half == float32) continue;
    off[int(type)].emplace(float32, type);
    const auto is_there = [&](const Tensor* x) { return x && x->device().type == type; };
    DType t = cast == kWide ? float32 : half;
    for (size_t i = 0; i < slots; ++i) {
      const Tensor* const x = tensor_at(a, i);
      check(
          cast != kRefused || !is_there(x),
          "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
          "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
          "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
          "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
          "safe to autocast.");
      if (cast == kWidest && is_there(x) && x->dtype() == float32) t = float32;
    }
    for (size_t i = 0; i < slots; ++i)
      if (const Tensor* const x = tensor_at(a, i); is_there(x) && is_autocast(*x, t)) {
        held.push_back(as_owned(wrap(to(*x, t))));
        a.slot[i] = object_of(held.back());
      }
  }
  return o.compute(a);
}

Result Function::operator()(Object self, const HostCall& call) const {
  Arguments a;
  for (const Overload& o : overloads)
    if (o.signature.accepts(call, self, a)) {
      const bool listed = casts[0] != kNoCast || casts[1] != kNoCast;
      return listed && autocasts() ? cast_call(o, a) : o.compute(a);
    }
  refuse(self, call);
}

// If only one overload takes this number of arguments, throws its error; else lists all overloads.
void Function::refuse(Object self, const HostCall& call) const {
  std::vector<const Signature*> all, plausible;
  for (const Overload& o : overloads) {
    if (o.signature.hidden()) continue;
    all.push_back(&o.signature);
    if (o.signature.fits_count(size_t(call.n + call.n_names()), method)) plausible.push_back(&o.signature);
  }
  if (overloads.size() == 1) plausible = all;
  Arguments a;
  if (plausible.size() == 1) plausible[0]->accepts(call, self, a, true);
  throw TypeError(mismatch(call, all, method));
}

std::string Function::documentation() const {
  std::string text = name + overloads[0].signature.python(method) + "\n--\n\n";
  if (!help.empty()) text += help + "\n";
  for (const Overload& o : overloads)
    if (!o.signature.hidden()) text += "\n    " + name + o.signature.describe(method);
  return text;
}

namespace {

const Rows& all_rows() {
  static const Rows all = [] {
    Rows rows;
    for (Rows (*family)() :
         {creation_rows, random_rows, pointwise_rows, special_rows, comparison_rows, in_place_rows,
          product_rows, matrix_rows, reduction_rows, order_rows, scan_rows, view_rows, joining_rows,
          indexing_rows, scatter_rows, functional_rows, loss_rows, attention_rows, init_rows})
      for (Row& r : family()) rows.push_back(r);
    add_in_place_forms(rows);
    return rows;
  }();
  return all;
}

std::string_view name_of(const Row& r) { return r.signature.substr(0, r.signature.find('(')); }

// All rows of a name.
using Overloads = std::vector<const Row*>;
const std::unordered_map<std::string_view, Overloads>& overloads() {
  static const auto* const all = [] {
    auto* const made = new std::unordered_map<std::string_view, Overloads>;
    for (const Row& r : all_rows()) (*made)[name_of(r)].push_back(&r);
    return made;
  }();
  return *all;
}

std::string_view help_of(const Overloads& rows, Place place, std::string_view name) {
  for (const unsigned among : {unsigned(place), ~0u})
    for (const Row* r : rows)
      if ((r->places & among) && !r->said().help.empty()) return r->said().help;
  return name.back() == '_' ? "The function of the same name without the underscore, in place." : "";
}

Overload overload_of(const Row& r, Place place) {
  Signature s(r.signature);
  if (place == kMethod) s.drop_out();
  if (r.places & kWrittenInPython) s.say_as_python();
  if (r.said().out) s.set_out_rule(*r.said().out);
  check(r.slots + (s.out() >= 0) <= int(s.parameters().size()) || r.slots == 0,
        "{}: the function reads more than the signature has", r.signature);
  check(s.out() < 0 || r.slots == 0 ||
            r.outs == (s.parameters()[size_t(s.out())].kind == Kind::Tensors ? 2 : 1),
        "{}: the function does not write what out= names", r.signature);
  return {std::move(s), r.call};
}

// Returns a function without overloads if the name has no row in this place.
Function function_of(std::string_view name, const Overloads& rows, Place place) {
  Function f;
  f.name = name;
  f.method = place == kMethod;
  for (const Row* r : rows) {
    for (int type = 0; type < 2; ++type)
      if (const Cast cast = r->said().casts[type]; cast != kNoCast) f.casts[type] = cast;
    if (r->places & place) f.overloads.push_back(overload_of(*r, place));
  }
  if (!f.overloads.empty()) f.help = help_of(rows, place, name);
  return f;
}

}  // namespace

const Functions& functions_at(Place place) {
  static auto* const all = new std::map<Place, Functions>;
  Functions& here = (*all)[place];
  if (here.empty())
    for (const auto& [name, rows] : overloads())
      if (Function f = function_of(name, rows, place); !f.overloads.empty())
        here.emplace(std::string(name), std::move(f));
  return here;
}

const Function* function_at(Place place, std::string_view name) {
  static auto* const read = new std::map<std::pair<Place, std::string_view>, Function>;
  const auto found = overloads().find(name);
  if (found == overloads().end()) return nullptr;
  const auto [at, fresh] = read->try_emplace({place, found->first});
  if (fresh) at->second = function_of(found->first, found->second, place);
  return at->second.overloads.empty() ? nullptr : &at->second;
}

}  // namespace glassgrad::GG_HOST
