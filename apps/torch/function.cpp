#include "function.h"

#include <optional>
#include <unordered_map>

#include "engine/autocast.h"

namespace glassgrad::GG_HOST {
namespace {

// PyTorch's autocast lists for the CPU and for a GPU, limited to the functions of the table. The engine's
// products (matmul, linear, attention) cast their operands themselves and are not listed.
struct CastList {
  Cast cpu, gpu;
  std::string_view names;
};
constexpr CastList kLists[] = {
    {Cast::Wide, Cast::Wide, " binary_cross_entropy_with_logits cdist cross_entropy kl_div prod "},
    {Cast::Wide, Cast::None, " trace quantile nanquantile "},
    {Cast::Wide, Cast::Refused, " binary_cross_entropy "},
    {Cast::None, Cast::Wide,
     " acos arccos asin arcsin cosh erfinv exp expm1 log log10 log1p log2 pow reciprocal rsqrt sinh square tan "},
    {Cast::None, Cast::Wide,
     " cosine_similarity cumprod cumsum dist group_norm layer_norm log_softmax logsumexp matrix_norm norm "
     "normalize pairwise_distance renorm softmax softmin softplus sum vector_norm "},
    {Cast::Half, Cast::Half, " addbmm baddbmm conv1d prelu "},
    {Cast::None, Cast::Half, " addmv addr mv "},
    {Cast::None, Cast::Widest,
     " addcdiv addcmul atan2 arctan2 bilinear cross dot index_put inner scatter_add tensordot vdot "},
};
CastList listed(std::string_view name) {
  if (name.ends_with("_loss") && name != "gaussian_nll_loss") return {Cast::Wide, Cast::Wide, ""};
  const std::string word = " " + std::string(name) + " ";
  for (const CastList& list : kLists)
    if (list.names.find(word) != std::string_view::npos) return list;
  return {Cast::None, Cast::None, ""};
}

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
    if (cast == Cast::None || half == float32) continue;
    off[int(type)].emplace(float32, type);
    const auto is_there = [&](const Tensor* x) { return x && x->device().type == type; };
    DType t = cast == Cast::Wide ? float32 : half;
    for (size_t i = 0; i < slots; ++i) {
      const Tensor* const x = tensor_at(a, i);
      check(
          cast != Cast::Refused || !is_there(x),
          "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
          "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
          "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
          "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
          "safe to autocast.");
      if (cast == Cast::Widest && is_there(x) && x->dtype() == float32) t = float32;
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
      const bool listed = casts[0] != Cast::None || casts[1] != Cast::None;
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

void add(Function& f, const Row& r, Place place) {
  Signature s(r.signature);
  if (place == kMethod) s.drop_out();
  if (r.places & kWrittenInPython) s.say_as_python();
  check(r.slots + (s.out() >= 0) <= int(s.parameters().size()) || r.slots == 0,
        "{}: the function reads more than the signature has", r.signature);
  check(s.out() < 0 || r.slots == 0 ||
            r.outs == (s.parameters()[size_t(s.out())].kind == Kind::Tensors ? 2 : 1),
        "{}: the function does not write what out= names", r.signature);
  f.name = s.name();
  f.method = place == kMethod;
  const CastList casts = listed(f.name);
  f.casts[0] = casts.cpu, f.casts[1] = casts.gpu;
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
