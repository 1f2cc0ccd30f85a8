#include <fmt/core.h>

#include "apps/cli/json_number.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/markdown.h"
#include "apps/show/render.h"
#include "apps/show/render_json.h"
#include "engine/io/crc32.h"
#include "engine/ops/layout.h"

namespace glassgrad::learn {
namespace {

constexpr int64_t kMostElements = 100'000, kMostChanged = 1000;

// The elements from dimension `dim` on, taken from `next` one by one.
template <class T>
Json nested(const Dims& shape, int dim, typename std::vector<T>::const_iterator& next) {
  if (dim == shape.n) return json_number(T(*next++));
  Json list = Json::array();
  for (int64_t i = 0; i < shape[dim]; ++i) list.push_back(nested<T>(shape, dim + 1, next));
  return list;
}

template <class T>
Json nested(const Tensor& x) {
  const std::vector<T> values = x.to_vector<T>();
  auto next = values.begin();
  return nested<T>(x.shape(), 0, next);
}

Json data(const Tensor& x) {
  if (is_floating(x.dtype())) return nested<double>(x);
  return x.dtype() == boolean ? nested<bool>(x) : nested<int64_t>(x);
}

// Returns the indices of the changed cells, or their number.
Json changed_json(const Entry& entry) {
  const Difference& d = *entry.changed;
  if (d.count > kMostChanged) return d.count;
  const Dims& shape = entry.value->shape();
  Json list = Json::array();
  for (size_t i = 0; i < d.cells.size(); ++i) {
    if (!d.cells[i]) continue;
    std::vector<int64_t> index(size_t(shape.n));
    for (auto [dim, rest] = std::pair(shape.n, int64_t(i)); dim-- > 0; rest /= shape[dim])
      index[size_t(dim)] = rest % shape[dim];
    list.push_back(index);
  }
  return list;
}

}  // namespace

std::string_view type_name(DType dtype) {
  const std::string_view name = dtype_name(dtype);
  return name.substr(name.find('.') + 1);
}

const char* whose_word(Whose whose) {
  switch (whose) {
    case Whose::Source:
      return "source";
    case Whose::OurPrint:
      return "our print";
    case Whose::Ours:
      return "ours";
    case Whose::Wrong:
      return "wrong";
    case Whose::View:
      return "view";
  }
  return "";
}

std::string checksum(const Tensor& x) {
  const Tensor values = dense(x);
  Crc32 crc;
  crc.add(values.raw().data, static_cast<size_t>(values.numel() * item_size(values.dtype())));
  return fmt::format("crc32:{:08x}", crc.value());
}

Json differences_json(const Differences& d) {
  Json json = {{"set", d.set}, {"steps_alike", d.steps_alike}, {"gone", d.gone}};
  json["first_step"] = d.first_step.empty() ? Json() : Json(d.first_step);
  json["largest"] =
      d.largest.empty() ? Json() : Json{{"cell", d.largest}, {"before", d.before}, {"now", d.now}};
  return json;
}

Json tensor_json(const Entry& entry) {
  const Tensor x = entry.value->tensor();
  Json json = {{"name", entry.name},
               {"shape", std::vector<int64_t>(x.shape().begin(), x.shape().end())},
               {"dtype", type_name(x.dtype())}};
  const bool complete = x.numel() <= kMostElements;
  json["data"] = complete ? data(x) : Json();
  if (!complete) json["checksum"] = checksum(x);
  if (entry.changed) json["changed"] = changed_json(entry);
  return json;
}

namespace {

// Returns the first tensor that the wrong lines change; null if there is none.
Json first_wrong(const Step& step) {
  for (const Entry& entry : step.entries)
    if (entry.changed && entry.name.starts_with(kWrong)) return step.id + ":" + entry.name;
  return {};
}

// Adds the mistake of a step that shows one.
void add_mistake(const Step& step, Json& json) {
  for (const CodeBlock& block : step.code_blocks) {
    if (block.whose != Whose::Wrong) continue;
    Json right = Json::array();
    for (const auto& line : block.edited) right.push_back(line.second);
    json["mistake"] = {{"what", plain_words(block.mistake)},
                       {"right", right},
                       {"wrong", step.lines(block)},
                       {"first", first_wrong(step)}};
    if (!step.sentences.empty()) json["said"] = step.sentences;
  }
}

}  // namespace

void render_json(const Recording& recording, Steps steps, Output& out) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json tensors = Json::array();
    for (const Entry& entry : step.entries)
      if (entry.value) {
        tensors.push_back(tensor_json(entry));
        tensors.back()["whose"] = whose_word(entry.whose);
        tensors.back()["printed"] = entry.printed;
      }
    list.push_back({{"id", step.id}, {"number", step.number}, {"title", step.title}, {"tensors", tensors}});
    add_mistake(step, list.back());
  }
  Json whole = {{"lesson", recording.lesson->id}, {"tokens", recording.tokens}, {"steps", list}};
  if (recording.differences) whole["changes"] = differences_json(*recording.differences);
  out.write(json_text(whole) + "\n");
}

}  // namespace glassgrad::learn
