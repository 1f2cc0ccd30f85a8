#include "apps/lessons/mistakes/mistakes.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/address.h"
#include "apps/lesson/difference.h"

namespace glassgrad::learn {
namespace {

constexpr Axes kAxes[] = {
    {"queries keys values context_vec", "token d_out"},
    {"heads:queries heads:keys heads:values", "head token head_dim"},
    {"attn_scores masked_scores scaled_scores", "head query key"},
    {"attn_weights", "head query key", kRowSums},
    {"kept dropped_weights masked_weights normalised_weights", "query key", kRowSums},
    {"w grad", "feature"},
};

// What the recordings of mistakes are of.
const Lesson kMistakes{.id = "bug",
                       .source = "",
                       .understand = "",
                       .minutes = 0,
                       .parameters = {},
                       .axes = kAxes,
                       .tokens = {},
                       .inputs = nullptr,
                       .tell = nullptr};

}  // namespace

Lab lab(const Lesson& lesson, const Settings& settings) {
  const auto given = [&](const char* flag) { return settings.has(flag) && settings.was_given(flag); };
  Lab lab{.lesson = &lesson, .x = {}, .tokens = settings.tokens, .seed_text = {}};
  const Tensor& inputs = settings.inputs;
  const bool vectors = inputs && (inputs.dim() == 2 || inputs.dim() == 3) && is_floating(inputs.dtype());
  if (vectors && inputs.numel() > 0) lab.x = inputs.dim() == 3 ? inputs[0] : inputs;
  lab.seed = settings.has("--seed") ? settings.seed("--seed") : 123;
  lab.seed_text = settings.has("--seed") ? settings.text("--seed") : "123";
  if (given("--heads")) lab.heads = settings.count("--heads");
  if (given("--dropout")) lab.dropout = settings.fraction("--dropout");
  if (given("--a")) lab.a = double(settings.count("--a"));
  if (given("--b")) lab.b = double(settings.count("--b"));
  if (given("--d-out")) {
    const int64_t d_out = settings.count("--d-out");
    check_heads(fmt::format("--d-out {}", d_out), "d_out", d_out, lab.heads);
    lab.head_dim = d_out / lab.heads;
  }
  if (lab.x) {
    const double tokens = double(lab.x.size(0)), width = double(lab.d_model());
    check_memory(20 * double(lab.heads) * tokens * tokens + 20 * tokens * width,
                 "fewer rows, a smaller --d-out or fewer --heads", lesson.id);
  }
  return lab;
}

std::span<const Mistake> mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    for (const std::span<const Mistake> rows : {kMistakesOfAttention, kMistakesOfGradients})
      list.insert(list.end(), rows.begin(), rows.end());
    return list;
  }();
  return all;
}

const Mistake& find_mistake(std::string_view name) {
  std::vector<std::string> names;
  for (const Mistake& m : mistakes()) {
    if (m.name == name) return m;
    names.emplace_back(m.name);
  }
  fail<UsageError>("--bug has no '{}': did you mean {}? There are {}; --bug list says what they are", name,
                   nearest(name, names), fmt::join(names, ", "));
}

MistakeRun run_mistake(const Mistake& mistake, const Lab& lab) {
  check<UsageError>(!mistake.needs_tokens || lab.x,
                    "--bug {} needs inputs of (tokens, features), and the lesson {} has none: try journey",
                    mistake.name, lab.lesson->id);
  const auto recorded = [&](bool wrong) {
    return record(kMistakes, lab.tokens, [&](Narrator& narrator) { mistake.tell(narrator, lab, wrong); });
  };
  MistakeRun run{.mistake = &mistake,
                 .lesson = lab.lesson,
                 .right = recorded(false),
                 .wrong = recorded(true),
                 .explanation = {}};
  note_differences(run.right, run.wrong, {}, [](const Address&) { return false; });
  for (const Step& step : run.wrong.steps)
    for (const Entry& entry : step.entries)
      if (entry.changed && !run.entry) run.step = &step, run.entry = &entry;
  if (run.entry) run.explanation = mistake.explain(lab, run.right, run.wrong);
  return run;
}

Tensor tensor_of(const Recording& recording, std::string_view name) {
  const size_t colon = name.find(':');
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (colon == name.npos ? entry.name == name
                             : step.id == name.substr(0, colon) && entry.name == name.substr(colon + 1))
        return entry.value->tensor();
  throw std::logic_error("no step shows " + std::string(name));
}

}  // namespace glassgrad::learn
