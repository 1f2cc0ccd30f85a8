#include "apps/page/tensor_data.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/show/masked.h"
#include "apps/show/render_json.h"
#include "engine/glass/cell_page.h"
#include "engine/ops/layout.h"

namespace glassgrad::explorer {
namespace {

using learn::Entry, learn::Recording, learn::TensorTable, learn::Value;

void add_word(std::string& words, std::string_view word) {
  if (!words.empty()) words += ' ';
  words += word;
}

std::string all_digits(const Scalar& x) {
  return is_floating(x.dtype) && std::isnan(x.real) ? "nan" : why::digits_of(x, true);
}

Json row_sums(const Recording& recording, const Entry& entry) {
  const TensorTable table(recording, entry);
  if (!table.has_row_sums()) return {};
  std::string sums;
  each_table(table, [&](TensorTable::Slice slice, const std::string&) {
    for (int64_t row = 0; row < table.row_count(); ++row) add_word(sums, table.row_sum(slice, row));
  });
  return sums;
}

// The cells that differ, or true for all of them.
Json changed(const learn::Difference& d) {
  if (size_t(d.count) == d.cells.size()) return true;
  Json cells = Json::array();
  for (size_t i = 0; i < d.cells.size(); ++i)
    if (d.cells[i]) cells.push_back(i);
  return cells;
}

// The cells that a mask made 0; a page finds those of -inf by itself.
Json masked_weights(const Recording& recording, const Entry& entry) {
  const learn::Masked masked(recording, entry);
  Json cells = Json::array();
  if (!masked.is_possible()) return cells;
  const Tensor x = entry.value->tensor();
  for (int64_t i = 0; i < x.numel(); ++i)
    if (const Dims at = index_of(x.shape(), i); to_double(element(x, at)) == 0 && masked.at(at))
      cells.push_back(i);
  return cells;
}

// Returns the numbers that a mask was laid over, as the lesson shows them if it does; none for other tensors.
std::optional<Value> before_mask(const Recording& recording, const Value& masked) {
  const auto writer = recording.trace ? recording.trace->writer(masked) : std::nullopt;
  if (!writer) return {};
  const RecordedCall& call = recording.trace->calls()[writer->call];
  if (call.op->name != std::string_view("masked_fill") || !same_elements(call.out[0], masked) ||
      call.in[0].shape() != masked.shape())
    return {};
  for (const learn::Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.value && same_elements(*entry.value, call.in[0])) return entry.value;
  Value unshown;
  static_cast<Snapshot&>(unshown) = call.in[0];
  return unshown;
}

Json folded(const Tensor& x, int64_t most_cells) {
  return {{"checksum", learn::checksum(x)},
          {"cells", x.numel()},
          {"why", fmt::format("It has {} numbers, and the page keeps tensors of at most {}.", x.numel(),
                              most_cells)}};
}

// The cells' texts as in PyTorch's repr.
std::string cells_of(const Tensor& x) {
  const auto write = element_writer(x.raw());
  std::string words;
  for (int64_t i = 0; i < x.numel(); ++i)
    add_word(words, write(offset_of_index(index_of(x.shape(), i), x.strides())));
  return words;
}

}  // namespace

TensorTextCache::Texts TensorTextCache::of(const Value& x, bool has_cells) {
  constexpr size_t kMost = 5000;
  const Tensor tensor = x.tensor();
  std::string key;
  if (has_cells && tensor.numel() <= kMostCells) {
    const Tensor values = dense(tensor);
    key.assign(static_cast<const char*>(values.raw().data),
               size_t(tensor.numel() * item_size(tensor.dtype())));
    key += fmt::format("{} {} {} {} {}", dtype_name(tensor.dtype()), joined(tensor.shape(), ","), x.grad_fn,
                       x.requires_grad, x.is_parameter);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  Texts texts{.repr = x.repr(), .cells = {}, .exact = {}};
  if (!has_cells) return texts;
  texts.in_repr = !is_summarised(tensor.shape());
  texts.cells = cells_of(tensor);
  for (int64_t i = 0; i < tensor.numel(); ++i)
    add_word(texts.exact, all_digits(element(tensor, index_of(tensor.shape(), i))));
  if (known_.size() >= kMost) known_.clear();
  if (!key.empty()) known_.emplace(std::move(key), texts);
  return texts;
}

size_t TensorList::add(const Value& x, bool whole) {
  auto [repr, cells, exact, in_repr] = cache_.of(x, whole || x.numel() <= most_cells_);
  const auto [known, is_new] = known_.try_emplace(repr + '\n' + exact, list_.size());
  if (!is_new) return known->second;
  Json numbers = {{"text", std::move(repr)}};
  if (exact != cells) numbers["exact"] = std::move(exact);
  if (!in_repr) numbers["texts"] = std::move(cells);
  list_.push_back(std::move(numbers));
  return known->second;
}

Json entry_json(const Recording& recording, const Entry& entry, TensorList& numbers, bool whole) {
  Json json = {{"name", entry.name},
               {"line", entry.label},
               {"printed", entry.printed},
               {"whose", learn::whose_word(entry.whose)}};
  json["numbers"] = nullptr;
  if (entry.reworded) json["reworded"] = true;
  if (!entry.value) return json;
  const Tensor x = entry.value->tensor();
  Json named = Json::array();
  for (int d = 0; d < x.dim(); ++d)
    if (learn::named_by_tokens(recording, entry, d)) named.push_back(d);
  const bool is_folded = !whole && x.numel() > numbers.most_cells();
  json["shape"] = std::vector<int64_t>(x.shape().begin(), x.shape().end());
  json["shape_text"] = learn::shape_text(entry);
  json["axes"] = entry.axes;
  json["named"] = std::move(named);
  json["dtype"] = learn::type_name(x.dtype());
  json["numbers"] = numbers.add(*entry.value, whole);
  json["row_sums"] = entry.row_sums && !is_folded ? row_sums(recording, entry) : Json();
  json["changed"] = entry.changed ? changed(*entry.changed) : Json();
  json["changed_text"] = entry.changed ? Json(learn::difference_text(entry)) : Json();
  if (Json cells = is_folded ? Json() : masked_weights(recording, entry); !cells.empty())
    json["masked"] = std::move(cells);
  if (const auto before = is_folded ? std::nullopt : before_mask(recording, *entry.value))
    json["before_mask"] = numbers.add(*before, whole);
  json["folded"] = is_folded ? folded(x, numbers.most_cells()) : Json();
  return json;
}

}  // namespace glassgrad::explorer
