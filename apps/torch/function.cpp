#include "function.h"

#include <algorithm>
#include <unordered_map>

#include "engine/autocast.h"

namespace glassgrad::GG_HOST {
namespace {

Result widened_call(const Overload& o, Arguments& a) {
  std::vector<Kept> held;
  held.reserve(a.slot.size());
  for (size_t i = 0; i < o.signature.parameters().size(); ++i)
    if (const Tensor* x = a.slot[i] ? as_tensor(a.slot[i]) : nullptr; x && is_autocast(*x, float32)) {
      held.push_back(kept(wrap(to(*x, float32))));
      a.slot[i] = object_of(held.back());
    }
  return o.compute(a);
}

// What PyTorch's autocast of the CPU computes in float32, of the functions that there are.
bool computes_in_float32(std::string_view name) {
  constexpr std::string_view kNames[] = {"prod",
                                         "trace",
                                         "cdist",
                                         "quantile",
                                         "nanquantile",
                                         "binary_cross_entropy",
                                         "binary_cross_entropy_with_logits",
                                         "kl_div"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         (name.ends_with("_loss") && name != "gaussian_nll_loss") || name == "cross_entropy";
}

}  // namespace

Result Function::operator()(Object self, const HostCall& call) const {
  Arguments a;
  for (const Overload& o : overloads)
    if (o.signature.accepts(call, self, a))
      return in_float32 && autocast_dtype != float32 ? widened_call(o, a) : o.compute(a);
  refuse(self, call);
}

// One overload that takes so many arguments explains itself; otherwise all that there are are listed.
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

std::string_view help_of(Place place, const std::string& name) {
  static const std::map<std::string_view, std::string_view> all = {
#define HELP(name, text) {name, text},
#include "help.def"
#undef HELP
  };
  const char* const in = place == kTorch        ? "torch."
                         : place == kMethod     ? "Tensor."
                         : place == kFunctional ? "F."
                                                : "linalg.";
  for (const std::string& known : {in + name, name})
    if (const auto found = all.find(known); found != all.end()) return found->second;
  return name.back() == '_' ? "The function of the same name without the underscore, in place." : "";
}

const Rows& all_rows() {
  static const Rows all = [] {
    Rows rows;
    for (Rows (*family)() :
         {creation_rows, random_rows, pointwise_rows, comparison_rows, in_place_rows, product_rows,
          reduction_rows, order_rows, view_rows, joining_rows, indexing_rows, functional_rows, loss_rows})
      for (Row& r : family()) rows.push_back(r);
    return rows;
  }();
  return all;
}

std::string_view name_of(const Row& r) { return r.signature.substr(0, r.signature.find('(')); }

void add(Function& f, const Row& r, Place place) {
  Signature s(r.signature);
  if (place == kMethod) s.drop_out();
  if (r.places & kWritten) s.say_as_python();
  check(r.slots + (s.out() >= 0) <= int(s.parameters().size()) || r.slots == 0,
        "{}: the function reads more than the signature has", r.signature);
  check(s.out() < 0 || r.slots == 0 ||
            r.outs == (s.parameters()[size_t(s.out())].kind == Kind::Tensors ? 2 : 1),
        "{}: the function does not write what out= names", r.signature);
  f.name = s.name();
  f.method = place == kMethod;
  f.in_float32 = computes_in_float32(f.name);
  if (f.help.empty()) f.help = r.help.empty() ? help_of(place, s.name()) : r.help;
  f.overloads.push_back({std::move(s), r.call});
}

}  // namespace

const Functions& functions_at(Place place) {
  static auto* const all = new std::map<Place, Functions>;
  Functions& here = (*all)[place];
  if (here.empty())
    for (const Row& r : all_rows())
      if (r.places & place) add(here[std::string(name_of(r))], r, place);
  return here;
}

const Function* function_at(Place place, std::string_view name) {
  using Overloads = std::unordered_map<std::string_view, std::vector<const Row*>>;
  static const auto* const rows = [] {
    auto* const made = new Overloads;
    for (const Row& r : all_rows()) (*made)[name_of(r)].push_back(&r);
    return made;
  }();
  static auto* const read = new std::map<std::pair<Place, std::string_view>, Function>;
  const auto found = rows->find(name);
  if (found == rows->end()) return nullptr;
  const auto [at, fresh] = read->try_emplace({place, found->first});
  if (fresh)
    for (const Row* r : found->second)
      if (r->places & place) add(at->second, *r, place);
  return at->second.overloads.empty() ? nullptr : &at->second;
}

}  // namespace glassgrad::GG_HOST
