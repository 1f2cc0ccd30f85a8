#include "apps/lesson/difference.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "apps/lesson/address.h"
#include "apps/lesson/phrases.h"

namespace glassgrad::learn {
namespace {

// Compares two tensors of the same shape and dtype element by element, in logical order.
template <class T>
class Walk {
 public:
  Walk(const Tensor& before, const Tensor& now, Difference& found)
      : before_(before), now_(now), a_(before.raw()), b_(now.raw()), found_(found) {}

  void run() {
    if (a_.shape.numel() > 0) dimension(0, 0, 0);
    if (found_.count == 0) return;
    found_.largest = at_;
    std::tie(found_.before, found_.now) = told_apart(element(before_, at_), element(now_, at_));
  }

 private:
  void dimension(int dim, int64_t a, int64_t b) {
    if (dim == a_.shape.n) return cell(a_.as<T>()[a], b_.as<T>()[b]);
    for (int64_t i = 0; i < a_.shape[dim]; ++i) {
      if (dim == index_.n) index_.push(i);
      index_[dim] = i;
      dimension(dim + 1, a + i * a_.strides[dim], b + i * b_.strides[dim]);
    }
  }

  void cell(T before, T now) {
    ++place_;
    const double x = static_cast<double>(before), y = static_cast<double>(now);
    if (x == y || (std::isnan(x) && std::isnan(y))) return;
    if (found_.cells.empty()) found_.cells.resize(size_t(a_.shape.numel()));
    found_.cells[place_ - 1] = true;
    ++found_.count;
    const double size =
        std::isfinite(x) && std::isfinite(y) ? std::abs(y - x) : std::numeric_limits<double>::infinity();
    if (found_.count > 1 && size <= found_.size) return;
    found_.size = size;
    at_ = index_;
  }

  const Tensor &before_, &now_;
  const View a_, b_;
  Difference& found_;
  Dims index_, at_;
  size_t place_ = 0;
};

using ById = std::unordered_map<std::string_view, const Step*>;
ById by_id(const Recording& recording) {
  ById steps;
  for (const Step& s : recording.steps) steps.emplace(s.id, &s);
  return steps;
}
const Step* find(const ById& steps, const std::string& id) {
  const auto found = steps.find(id);
  return found == steps.end() ? nullptr : found->second;
}
const Entry* find(const Step& step, const std::string& name) {
  for (const Entry& e : step.entries)
    if (e.value && e.name == name) return &e;
  return nullptr;
}

std::shared_ptr<const Difference> everything(const Value& now) {
  Difference d;
  d.count = now.shape().numel();
  d.cells.assign(size_t(d.count), true);
  return std::make_shared<const Difference>(std::move(d));
}

// Returns everything that a step says in words.
std::vector<std::string> words(const Step& step) {
  std::vector<std::string> all = step.sentences;
  for (const Entry& e : step.entries)
    if (!e.value) all.push_back(e.label);
  return all;
}

// Notes which printed lines have changed.
void compare_lines(const Step* before, Step& now) {
  std::vector<const std::string*> old;
  for (size_t i = 0; before && i < before->entries.size(); ++i)
    if (!before->entries[i].value) old.push_back(&before->entries[i].label);
  size_t at = 0;
  for (Entry& e : now.entries)
    if (!e.value) e.reworded = at >= old.size() || *old[at] != e.label, ++at;
}

// Notes the differences of a step. Returns whether the step has changed.
bool compare_step(const Step* before, Step& now, Differences& all) {
  bool differs = !before || words(*before) != words(now);
  compare_lines(before, now);
  for (Entry& entry : now.entries) {
    if (!entry.value) continue;
    const Entry* old = before ? find(*before, entry.name) : nullptr;
    if (old) {
      entry.changed = difference(*old->value, *entry.value);
    } else {
      Difference d = *everything(*entry.value);
      d.is_new = true;
      entry.changed = std::make_shared<const Difference>(std::move(d));
    }
    differs = differs || entry.changed;
  }
  if (before)
    for (const Entry& old : before->entries)
      if (old.value && !find(now, old.name))
        all.gone.push_back(fmt::format("{}:{}", now.id, old.name)), differs = true;
  return differs;
}

bool has_largest(const Entry& entry) {
  return entry.changed && entry.whose != Whose::View && !entry.changed->is_new &&
         !entry.changed->shape_before;
}

}  // namespace

std::pair<std::string, std::string> told_apart(const Scalar& before, const Scalar& now) {
  const auto text = [](const Scalar& x) -> std::string {
    if (x.dtype == boolean) return x.whole ? "True" : "False";
    return is_floating(x.dtype) ? digits(x.real) : std::to_string(x.whole);
  };
  const auto exact = [](const Scalar& x) {
    return x.dtype != float64 ? fmt::format("{}", static_cast<float>(x.real)) : fmt::format("{}", x.real);
  };
  std::pair<std::string, std::string> texts{text(before), text(now)};
  const bool alike = texts.first == texts.second && is_floating(before.dtype) && before.real != now.real;
  return alike ? std::pair{exact(before), exact(now)} : texts;
}

std::shared_ptr<const Difference> difference(const Value& before, const Value& now) {
  if (!(before.shape() == now.shape()) || before.dtype() != now.dtype()) {
    Difference d = *everything(now);
    d.shape_before = before.shape();
    return std::make_shared<const Difference>(std::move(d));
  }
  Difference d;
  every_type(now.dtype(), [&](auto zero) { Walk<decltype(zero)>(before.tensor(), now.tensor(), d).run(); });
  return d.count > 0 ? std::make_shared<const Difference>(std::move(d)) : nullptr;
}

void note_differences(const Recording& before, Recording& now, std::vector<std::string> set,
                      const std::function<bool(const Address&)>& is_set) {
  Differences all;
  all.set = std::move(set);
  const ById steps_before = by_id(before), steps_now = by_id(now);
  for (Step& step : now.steps) {
    if (!compare_step(find(steps_before, step.id), step, all)) {
      ++all.steps_alike;
      continue;
    }
    if (all.first_step.empty()) all.first_step = step.id;
  }
  for (const Step& step : before.steps)
    if (!find(steps_now, step.id)) all.gone.push_back(step.id);

  const Difference* most = nullptr;
  const auto look_for_most = [&](bool among_floats) {
    for (const Step& step : now.steps)
      for (const Entry& entry : step.entries) {
        if (!has_largest(entry) || (most && entry.changed->size <= most->size)) continue;
        const Address address{&step, &entry, entry.changed->largest};
        if (is_floating(entry.value->dtype()) != among_floats || is_set(address)) continue;
        most = entry.changed.get();
        all.largest = to_text(address);
        all.before = most->before;
        all.now = most->now;
      }
  };
  look_for_most(/*among_floats=*/true);
  // Only if no float differs: differences of ids and masks have no size.
  if (!most) look_for_most(/*among_floats=*/false);
  now.differences = std::make_shared<const Differences>(std::move(all));
}

std::string difference_text(const Entry& entry) {
  const Difference& d = *entry.changed;
  if (d.is_new) return "it is new";
  if (d.shape_before) return fmt::format("its shape was {}", to_string(*d.shape_before));
  const int64_t cells = entry.value->shape().numel();
  const std::string which = cells == 1        ? ""
                            : d.count < cells ? fmt::format("{} of {} cells, ", d.count, cells)
                                              : fmt::format("all {} cells, ", cells);
  return fmt::format("{}{}{}{} {} -> {}", which, d.count > 1 ? "largest " : "", entry.name,
                     cell_text(d.largest), d.before, d.now);
}

std::string brief_differences(const Recording& recording) {
  if (!recording.differences) return "As it was.";
  const Differences& d = *recording.differences;
  const size_t changed = recording.steps.size() - d.steps_alike;
  if (changed == 0) return "Nothing changes; r takes it back";
  const std::string most =
      d.largest.empty() ? "" : fmt::format(", most {} {} -> {}", d.largest, d.before, d.now);
  return fmt::format("{}{}; r takes it back",
                     changed == 1 ? "1 step changes" : fmt::format("{} steps change", changed), most);
}

std::vector<std::string> differences_text(const Recording& recording) {
  if (!recording.differences) return {};
  const Differences& d = *recording.differences;
  std::vector<std::string> text;
  for (const std::string& set : d.set) text.push_back(fmt::format("Set: {}.", set));
  const size_t steps = recording.steps.size();
  if (d.first_step.empty()) {
    text.push_back(fmt::format("Nothing changes: all {} steps are as they were.", steps));
    return text;
  }
  const Step& first = *find(by_id(recording), d.first_step);
  text.push_back(fmt::format("The first step that changes is {}, {}; {} of {} steps are as they were.",
                             first.place(), first.id, d.steps_alike, steps));
  if (d.largest.empty())
    text.push_back("No other number has changed.");
  else
    text.push_back(fmt::format("The largest change that follows: {} {} -> {}.", d.largest, d.before, d.now));
  if (!d.gone.empty()) text.push_back(fmt::format("No longer there: {}.", joined(d.gone, ", ")));
  return text;
}

}  // namespace glassgrad::learn
