#include "function.h"

#include <mutex>

namespace glassgrad::GG_HOST {

Result Function::operator()(Object self, const HostCall& call) const {
  Arguments a;
  for (const Overload& o : overloads)
    if (o.signature.accepts(call, self, a)) return o.compute(a);
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

void add(const Row& r, Place place, Function& f) {
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
  if (f.help.empty()) f.help = r.help.empty() ? help_of(place, s.name()) : r.help;
  f.overloads.push_back({std::move(s), r.call});
}

std::string_view name_in(std::string_view signature) { return signature.substr(0, signature.find('(')); }

Functions collect(Place place) {
  Functions here;
  for (const Row& r : all_rows())
    if (r.places & place) add(r, place, here[std::string(name_in(r.signature))]);
  return here;
}

}  // namespace

const Function* function_at(Place place, std::string_view name) {
  static const auto& rows = *[] {
    auto* const by_name = new std::multimap<std::string_view, const Row*>;
    for (const Row& r : all_rows()) by_name->emplace(name_in(r.signature), &r);
    return by_name;
  }();
  static auto& read = *new std::map<std::pair<Place, std::string_view>, Function>;
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  if (const auto known = read.find({place, name}); known != read.end()) return &known->second;
  Function f;
  std::string_view kept;
  for (auto [row, end] = rows.equal_range(name); row != end; ++row)
    if (row->second->places & place) add(*row->second, place, f), kept = row->first;
  return kept.empty() ? nullptr : &read.emplace(std::pair(place, kept), std::move(f)).first->second;
}

const Functions& functions_at(Place place) {
  static const auto* const all = new std::map<Place, Functions>{{kTorch, collect(kTorch)},
                                                                {kMethod, collect(kMethod)},
                                                                {kFunctional, collect(kFunctional)},
                                                                {kLinalg, collect(kLinalg)}};
  return all->at(place);
}

}  // namespace glassgrad::GG_HOST
