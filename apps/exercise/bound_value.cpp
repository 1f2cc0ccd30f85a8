#include "apps/exercise/bound_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::exercise {
namespace {

using script::Value;

constexpr size_t kMostBound = 20'000, kMostItems = 64;

void add(std::vector<BoundValue>& all, const std::string& call, const std::string& name, const Value& v,
         bool always, int depth) {
  if (all.size() >= kMostBound) return;
  const NoGrad plain;
  BoundValue b{.call = call, .name = name, .kind = {}, .value = {}, .text = {}};
  const auto take = [&](const std::string& as, const Tensor& x) {
    BoundValue copy = b;
    copy.name = as;
    copy.kind = "a tensor";
    copy.value = clone(x.detach());
    all.push_back(std::move(copy));
  };
  if (const Tensor* x = script::tensor_of(v)) {
    take(name, *x);
    if (x->is_leaf() && x->requires_grad() && x->grad()) take(name + ".grad", x->grad());
    return;
  }
  if (const script::ModuleObject* m = script::as_module(v); m && m->native) {
    for (const NamedTensor& p : m->module().state_dict()) take(name + "." + p.name, p.tensor);
    for (const NamedTensor& p : m->module().named_parameters())
      if (p.tensor.grad()) take(name + "." + p.name + ".grad", p.tensor.grad());
    return;
  }
  const auto* const list = v.as<script::List>();
  const auto* const tuple = v.as<script::Tuple>();
  if ((list || tuple) && depth < 3) {
    const std::span<const script::Value> items =
        list ? std::span<const script::Value>(list->items) : tuple->items;
    script::Heap::current().count_work(kMostItems * kMostItems);  // nested lists may share their items
    for (size_t k = 0; k < std::min(items.size(), kMostItems); ++k)
      add(all, call, fmt::format("{}[{}]", name, k), items[k], always, depth + 1);
    return;
  }
  if (!always) return;
  b.is_number = v.is_int() || v.is_float() || v.is_bool();
  if (b.is_number)
    b.value = from_values(std::vector{v.is_float() ? v.real() : double(v.whole())}, {}, float64);
  if (const auto* text = v.as<script::Str>()) b.text = text->text;
  b.kind = !v            ? "nothing"
           : v.is_none() ? "None"
                         : fmt::format("{} {}", v.is_int() ? "an" : "a", script::type_name(v));
  all.push_back(std::move(b));
}

}  // namespace

void add_bound_values(std::vector<BoundValue>& all, const std::string& call, const std::string& name,
                      const Value& v, bool always) {
  add(all, call, name, v, always, 0);
}

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  return std::equal(x.begin(), x.end(), y.begin(),
                    [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

}  // namespace glassgrad::exercise
