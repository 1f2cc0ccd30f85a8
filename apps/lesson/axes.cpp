#include "apps/lesson/axes.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

namespace glassgrad::learn {
namespace {

constexpr AxisRule kTable[] = {
    {"inputs batch x_2", "token d_in"},
    {"queries keys values query_2 key_2 value_2 keys_2 query key value", "token d_out"},
    {"context_vec context_vecs", "token d_out"},
    {"W_query W_key W_value", "d_in d_out"},
    {"W_query.weight W_key.weight W_value.weight", "d_out d_in"},
    {"W_query.bias W_key.bias W_value.bias out_proj.bias", "d_out"},
    {"out_proj.weight", "d_out d_out"},
    {"attn_scores attn_scores_2 scaled_scores scaled_scores_2 masked_scores mask mask_bool", "query key"},
    {"attn_weights attn_weights_2 causal_weights", "query key", kRowSums},
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool has_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  for (size_t at = 0; (at = words.find(word, at)) != words.npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

const AxisRule* find(std::span<const AxisRule> table, std::string_view key) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const AxisRule& a) { return has_word(a.tensors, key); });
  return row == table.end() ? nullptr : &*row;
}

// Returns "W_query.weight" for "heads.0.W_query.weight".
std::string owner_and(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == 0 || dot == name.npos) return {};
  const size_t before = name.rfind('.', dot - 1);
  return std::string(before == name.npos ? name : name.substr(before + 1));
}

const AxisRule* find(std::span<const std::span<const AxisRule>> tables, std::string_view step,
                     std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);  // "keys" of heads.0.keys
  const std::string in_step = fmt::format("{}:{}", step, name),
                    last_in_step = fmt::format("{}:{}", step, last), owned = owner_and(name);
  for (const std::span<const AxisRule> table : tables)
    for (const std::string_view key :
         {std::string_view(in_step), std::string_view(last_in_step), name, std::string_view(owned), last})
      if (const AxisRule* row = find(table, key)) return row;
  return nullptr;
}

bool counts_tokens(std::string_view word) { return word == "query" || word == "key" || word == "token"; }

}  // namespace

const std::span<const AxisRule> kSharedAxes = kTable;

std::vector<std::string> axes_of(std::span<const std::span<const AxisRule>> tables, std::string_view step,
                                 std::string_view name, int dims, bool& row_sums) {
  const AxisRule* row = find(tables, step, name);
  if (!row || dims == 0) return {};
  row_sums = row->row_sums;
  const std::vector<std::string_view> words = split(row->words);
  std::vector<std::string> axes;
  constexpr std::string_view kBefore[] = {"batch", "head"};
  const int more = dims - static_cast<int>(words.size());
  for (int i = 0; i < more; ++i) axes.emplace_back(i < 2 ? kBefore[i] : "dim");
  axes.insert(axes.end(), words.end() - std::min<ptrdiff_t>(dims, std::ssize(words)), words.end());
  return axes;
}

namespace {

// Returns the letter of a dimension as the sources abbreviate it: "T" for queries, keys and tokens.
std::string letter_of(const std::string& word) {
  return word == "batch" ? "B" : word == "head" ? "h" : counts_tokens(word) ? "T" : word;
}

// Returns "T=6 queries", "d_out=2".
std::string part_text(const std::string& word, int64_t size) {
  const std::string part = fmt::format("{}={}", letter_of(word), size);
  if (word == "batch") return part + " batch";
  if (word == "query") return part + " queries";
  return word == "head" || counts_tokens(word) ? fmt::format("{} {}s", part, word) : part;
}

}  // namespace

std::string shape_text(const Entry& entry) {
  const Dims& shape = entry.value->shape();
  if (entry.axes.empty()) return fmt::format("({}{})", joined(shape, ", "), shape.n == 1 ? "," : "");
  std::vector<std::string> parts;
  for (int i = 0; i < shape.n; ++i) parts.push_back(part_text(entry.axes[size_t(i)], shape[i]));
  return fmt::format("({})", joined(parts, ", "));
}

std::string asked_shape_text(const Entry& entry) {
  const Dims& shape = entry.value->shape();
  std::vector<std::string> parts;
  for (int i = 0; i + 1 < shape.n; ++i) parts.push_back(part_text(entry.axes[size_t(i)], shape[i]));
  parts.push_back(letter_of(entry.axes.back()) + "=?");
  return fmt::format("({})", joined(parts, ", "));
}

bool named_by_tokens(const Recording& recording, const Entry& entry, int dim) {
  return !entry.axes.empty() && counts_tokens(entry.axes[size_t(dim)]) &&
         entry.value->shape()[dim] == std::ssize(recording.tokens);
}

std::vector<std::string> labels(const Recording& recording, const Entry& entry, int dim) {
  if (named_by_tokens(recording, entry, dim)) return recording.tokens;
  const int64_t size = entry.value->shape()[dim];
  const std::string word = entry.axes.empty() ? "" : entry.axes[size_t(dim)];
  std::vector<std::string> numbers;
  for (int64_t i = 0; i < size; ++i)
    numbers.push_back(word == "head" || word == "batch" ? fmt::format("{} {}", word, i) : std::to_string(i));
  return numbers;
}

}  // namespace glassgrad::learn
