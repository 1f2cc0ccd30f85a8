#include "apps/ask/diff/side.h"

#include <fmt/core.h>

#include <map>

#include "apps/ask/classes.h"
#include "apps/ask/named_recorder.h"
#include "apps/cli/arguments.h"
#include "apps/lesson/lesson.h"
#include "engine/ops.h"
#include "engine/random.h"

namespace glassgrad::diff {
namespace {

constexpr uint64_t kSeed = 123;

// Returns the name inside a head: "keys" for "heads.0.keys", and for "heads.keys", which stands for all
// heads.
std::string_view inside_head(std::string_view name) {
  if (!name.starts_with("heads.")) return name;
  name.remove_prefix(6);
  if (const size_t dot = name.find('.'); dot != name.npos && parse_number<int64_t>(name.substr(0, dot)))
    name.remove_prefix(dot + 1);
  return name;
}

// The parameters with the same meaning: a single one, or one for each head.
using Parts = std::vector<NamedTensor>;
std::map<std::string, Parts> by_meaning(const nn::Module& module) {
  std::map<std::string, Parts> parts;
  for (const NamedTensor& p : module.named_parameters()) parts[meaning_of(inside_head(p.name))].push_back(p);
  return parts;
}

// A plain matrix is multiplied from the right, x·W; a Linear layer keeps Wᵀ.
bool is_plain(const NamedTensor& p) { return p.tensor.dim() == 2 && !p.name.ends_with(".weight"); }

// Joins the parts as one Linear layer stores them: the rows of all heads one below the other.
Tensor whole(const Parts& parts) {
  std::vector<Tensor> rows;
  for (const NamedTensor& p : parts) rows.push_back(is_plain(p) ? p.tensor.T() : p.tensor);
  return cat(rows, 0);
}

void write(const Tensor& from, const Parts& parts) {
  int64_t row = 0;
  for (const NamedTensor& p : parts) {
    const int64_t rows = p.tensor.size(is_plain(p) ? 1 : 0);
    const Tensor part = from.narrow(0, row, rows);
    copy_(p.tensor, is_plain(p) ? part.T() : part);
    row += rows;
  }
}

// Sets parameters that the other class lacks so that they have no effect, if possible. Returns a sentence
// about it.
std::string neutralise(const std::string& meaning, const Parts& parts) {
  const Tensor values = whole(parts);
  if (meaning.ends_with("bias")) {
    write(zeros(values.shape()), parts);
    return fmt::format("The {} is 0: only one of the two has it.", meaning);
  }
  if (meaning == "output weights" && values.size(0) == values.size(1)) {
    write(eye(values.size(0)), parts);
    return "The output weights are the unit matrix: only one of the two has them.";
  }
  return fmt::format("The {} of one has no counterpart.", meaning);
}

std::vector<std::string> share_weights(const nn::Module& a, const nn::Module& b) {
  const NoGrad no_grad;
  const auto left = by_meaning(a), right = by_meaning(b);
  std::vector<std::string> notes;
  for (const auto& [meaning, parts] : left) {
    const auto other = right.find(meaning);
    if (other == right.end()) {
      notes.push_back(neutralise(meaning, parts));
      continue;
    }
    const Tensor from = whole(parts), to = whole(other->second);
    if (from.shape() == to.shape())
      write(from, other->second);
    else
      notes.push_back(fmt::format("The {} have the shapes {} and {}, so each keeps its own.", meaning,
                                  to_string(from.shape()), to_string(to.shape())));
  }
  for (const auto& [meaning, parts] : right)
    if (!left.contains(meaning)) notes.push_back(neutralise(meaning, parts));
  return notes;
}

// Returns the vectors of one sentence, four numbers a token.
Tensor vectors() { return learn::Settings(learn::find_lesson("cat"), {}).inputs; }

Tensor inputs_of(const ModuleClass& c, const ModuleSizes& sizes) {
  if (c.reads == ModuleClass::Reads::Ids) return arange(sizes.tokens).view({1, sizes.tokens});
  return c.reads == ModuleClass::Reads::Rows ? vectors() : stack({vectors()}, 0);
}

// Joins the heads' values along a new dimension and puts the result in the place of the first head's value.
void join_heads(std::vector<Value>& values) {
  std::vector<Value> joined;
  std::map<std::string, std::vector<size_t>> of_heads;  // by name: indices of the values to join
  std::map<std::string, size_t> seen;                   // how often each head's name came before
  for (const Value& v : values) {
    const size_t dot = v.name.starts_with("heads.") ? v.name.find('.', 6) : v.name.npos;
    if (dot == v.name.npos || v.x.dim() != 3) {
      if (dot == v.name.npos || v.name.starts_with("heads.0.")) joined.push_back(v);
      continue;
    }
    const std::string own = v.name.substr(dot + 1);
    std::vector<size_t>& places = of_heads[own];
    const size_t turn = seen[v.name]++;
    if (turn == places.size()) {
      places.push_back(joined.size());
      joined.push_back({v.step, "heads." + own, v.meaning, stack({v.x}, 1)});
    } else {
      Tensor& x = joined[places[turn]].x;
      x = cat({x, stack({v.x}, 1)}, 1);
    }
  }
  values = std::move(joined);
}

Side run(const std::string& title, const nn::Module& module, const Tensor& x) {
  Side side{title, {}};
  NamedRecorder trace;
  Tensor y;
  manual_seed(kSeed);
  {
    const Watch watch(&trace);
    y = module(x);
  }
  for (const NamedRecorder::Value& v : trace.values()) {
    const bool is_weight = !v.node && v.tensor().dim() > 0 && v.requires_grad;
    if (!is_weight) side.values.push_back({{}, v.name, meaning_of(inside_head(v.name)), v.tensor()});
  }
  const NoGrad no_grad;
  side.values.push_back({{}, "output", "output", y.detach()});
  join_heads(side.values);
  return side;
}

}  // namespace

Sides run_classes(const std::string& left, const std::string& right) {
  const ModuleClass &a = find_class(left), &b = find_class(right);
  const bool ids = a.reads == ModuleClass::Reads::Ids;
  check<UsageError>(ids == (b.reads == ModuleClass::Reads::Ids),
                    "{} reads {}, but {} reads {}: they have no inputs in common", a.name,
                    ids ? "token numbers" : "vectors", b.name, ids ? "vectors" : "token numbers");
  const ModuleSizes sizes;
  manual_seed(kSeed);
  const auto first = a.make(sizes);
  manual_seed(kSeed);
  const auto second = b.make(sizes);
  Sides sides;
  sides.notes.push_back(fmt::format(
      "Both read {} tokens of width {}, in training, and have the same weights.", sizes.tokens, sizes.width));
  for (std::string& note : share_weights(*first, *second)) sides.notes.push_back(std::move(note));
  sides.left = run(left, *first, inputs_of(a, sizes));
  sides.right = run(right, *second, inputs_of(b, sizes));
  return sides;
}

}  // namespace glassgrad::diff
