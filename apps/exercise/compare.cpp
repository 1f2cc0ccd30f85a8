#include "apps/exercise/compare.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/ops.h"

namespace glassgrad::exercise {
namespace {

// The tolerance for rounding, relative to a number and to the largest number of its tensor. Two right ways to
// compute a number may round differently.
constexpr double kRelative = 1e-6;

DifferingCells cells_that_differ(const Tensor& right, const Tensor& yours, bool nan_is_nan) {
  const auto a = right.to_vector<double>(), b = yours.to_vector<double>();
  double largest = 0;
  for (const double x : a)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  DifferingCells cells;
  cells.differs.resize(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const bool near = std::isfinite(a[i]) && std::abs(a[i] - b[i]) <= kRelative * (std::abs(a[i]) + largest);
    if (a[i] == b[i] || near || (nan_is_nan && std::isnan(a[i]) && std::isnan(b[i]))) continue;
    cells.differs[i] = 1;
    cells.nans += std::isnan(b[i]);
    if (cells.count++ == 0) cells.first = static_cast<int64_t>(i);
  }
  return cells;
}

bool is_same_place(const BoundValue& a, const BoundValue& b) {
  return a.name == b.name && a.call == b.call && a.at_end == b.at_end;
}

// Returns the value in `yours` that corresponds to `a`, searched from `next` on, or null. Values bound during
// the run must come in the same order, except that additional gradients are skipped. Values at the end of the
// run may come in any order.
const BoundValue* counterpart(const BoundValue& a, const AnswerRun& yours, size_t& next) {
  const auto& all = yours.bound;
  if (a.at_end) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const BoundValue& b) { return is_same_place(a, b); });
    return found == all.end() ? nullptr : &*found;
  }
  while (next < all.size() && all[next].name.ends_with(".grad") && !is_same_place(a, all[next])) ++next;
  return next < all.size() && is_same_place(a, all[next]) ? &all[next++] : nullptr;
}

// Returns the name by which a reader knows the value: "losses" for "losses[3]", "model" for
// "model.head.weight", "self.W_query" for "self.W_query.weight"; "x.grad" stays.
std::string root_of(const std::string& name) {
  const std::string whole = name.substr(0, name.find('['));
  const size_t first = whole.find('.'),
               second = first == std::string::npos ? first : whole.find('.', first + 1);
  if (whole.starts_with("self.") || (second == std::string::npos && whole.ends_with(".grad")))
    return whole.substr(0, second);
  return whole.substr(0, first);
}

}  // namespace

std::string agreed_text(const AnswerRun& right) {
  std::map<std::string, int64_t> numbers;  // the size of each name's last value
  for (const BoundValue& b : right.bound)
    if (b.value && !(b.at_end ? b.untouched : b.before)) numbers[b.name] = b.value.numel();
  std::vector<std::string> names;
  int64_t all = 0;
  for (const auto& [whole, count] : numbers) {
    all += count;
    if (const std::string name = root_of(whole); std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  constexpr size_t kMostNames = 3;
  const std::string who = names.size() > kMostNames ? fmt::format("{} names", names.size())
                          : names.size() == 3 ? fmt::format("{}, {} and {}", names[0], names[1], names[2])
                                              : joined(names, " and ");
  const char* const verb = names.size() == 1 ? "agrees" : "agree";
  return all == 1 ? fmt::format("{} {}", who, verb) : fmt::format("{} {} in all {} numbers", who, verb, all);
}

std::optional<Difference> compare(const AnswerRun& right, const AnswerRun& yours, const CompareOptions& how) {
  size_t next = 0;
  for (size_t i = 0; i < right.bound.size(); ++i) {
    const BoundValue& a = right.bound[i];
    if (a.untouched && !a.needed) continue;
    const BoundValue* const found = counterpart(a, yours, next);
    const bool has_items =
        !found && std::any_of(yours.bound.begin(), yours.bound.end(), [&](const BoundValue& b) {
          return b.call == a.call && b.name.starts_with(a.name + "[");
        });
    if (!found && how.begun && !has_items) return {};
    if (!found) {
      BoundValue none{.call = a.call,
                      .name = a.name,
                      .kind = has_items ? "a list or a tuple" : "nothing",
                      .value = {},
                      .text = {}};
      return Difference{i, none, {}};
    }
    const BoundValue& b = *found;
    if (a.is_number != b.is_number || (!a.is_number && a.kind != b.kind) || a.text != b.text)
      return Difference{i, b, {}};
    if (!a.value) continue;
    if (a.value.shape() != b.value.shape() || a.value.dtype() != b.value.dtype()) return Difference{i, b, {}};
    DifferingCells cells = cells_that_differ(a.value, b.value, how.nan_is_nan);
    if (cells.count > 0) return Difference{i, b, std::move(cells)};
  }
  return {};
}

bool alike(const AnswerRun& a, const AnswerRun& b) {
  if (a.end != b.end) return false;
  if (a.end == AnswerRun::Raised) return a.error == b.error && (a.line > 0) == (b.line > 0);
  return a.end == AnswerRun::Whole && !compare(a, b, {.nan_is_nan = true}) &&
         !compare(b, a, {.nan_is_nan = true});
}

}  // namespace glassgrad::exercise
