// The map of the modules that ran.
#include <doctest/doctest.h>

#include <algorithm>

#include "apps/ask/backward.h"
#include "apps/ask/run_map.h"
#include "apps/lesson/address.h"
#include "apps/lesson/lesson.h"
#include "engine/core/text_width.h"
#include "tests/thorough.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

Recording run(const char* id, std::vector<Settings::GivenFlag> given = {}, Keep keep = Keep::Backward) {
  const Lesson& lesson = find_lesson(id);
  return record(lesson, Settings(lesson, given), keep);
}

const Step& step_of(const Recording& recording, std::string_view id) {
  return *std::find_if(recording.steps.begin(), recording.steps.end(),
                       [&](const Step& s) { return s.id == id; });
}

std::vector<std::string> names_of(const RunMap& map, const std::vector<size_t>& nodes) {
  std::vector<std::string> names;
  for (const size_t node : nodes) names.push_back(map.nodes()[node].name);
  return names;
}

}  // namespace

TEST_CASE("the map of a GPT is its modules in their order and says where a step is") {
  const Recording gpt = run("gpt", {{"--steps", "5"}});
  const RunMap map(gpt);
  CHECK(
      map.line(step_of(gpt, "program"), 200) ==
      "tok_emb › pos_emb › + › [norm1 › att › + › norm2 › ff › +] › final_norm › out_head › softmax › loss");
  CHECK(
      map.line(step_of(gpt, "masked-scores"), 200) ==
      "tok_emb › pos_emb › + › [norm1 › ▸att: future masked◂ › + › norm2 › ff › +] › final_norm › out_head › "
      "softmax › loss");
  CHECK(map.line(step_of(gpt, "gelu"), 79) ==
        "tok_emb›pos_emb›+›[norm1›att›+›norm2›▸ff◂›+]›final_norm›out_head›softmax›loss");
  CHECK(map.line(step_of(gpt, "embeddings"), 40) == "▸tok_emb◂›pos_emb›+›[norm1›att›+›norm2›…");
  CHECK(names_of(map, map.of(step_of(gpt, "probabilities"))) == std::vector<std::string>{"softmax"});

  // A backward step has the place of the step that shows its tensor.
  const Recording backward = backward_steps(gpt);
  for (const Step& step : backward.steps)
    if (!step.about.empty()) CHECK(map.of(step) == map.of(step_of(gpt, step.about)));
}

TEST_CASE("blocks that are alike are one part of the map") {
  const Recording gpt = run("gpt", {{"--steps", "2"}, {"--blocks", "3"}});
  CHECK(
      RunMap(gpt).line(step_of(gpt, "norm"), 200) ==
      "tok_emb › pos_emb › + › [▸norm1◂ › att › + › norm2 › ff › +]×3 › final_norm › out_head › softmax › loss");
}

TEST_CASE("a number has come through parts of the map and goes on to others") {
  const Recording gpt = run("gpt", {{"--steps", "2"}});
  const RunMap map(gpt);
  const DataFlow flow(map, *gpt.trace);
  const auto way = [&](const char* tensor) { return flow.of(*find_tensor(gpt, tensor).entry); };
  using Names = std::vector<std::string>;
  CHECK(names_of(map, way("embeddings:tok_embeds").from) == Names{"tok_emb"});
  CHECK(names_of(map, way("scores:scores").from) ==
        Names{"GPT", "tok_emb", "pos_emb", "+", "norm1", "att", "W_query", "W_key", "scores"});
  const Names after = names_of(map, way("weights:weights").to);
  CHECK(std::find(after.begin(), after.end(), "found") != after.end());
  CHECK(std::find(after.begin(), after.end(), "softmax") != after.end());
  CHECK(std::find(after.begin(), after.end(), "W_key") == after.end());
}

TEST_CASE("the map of every lesson fits and is none where no module ran") {
  size_t looked_at = 0;
  for (const Lesson* lesson : lessons()) {
    if (looked_at++ % one_in(1) != 0) continue;
    CAPTURE(lesson->id);
    const bool trains = std::string_view(lesson->id) == "gpt" || std::string_view(lesson->id) == "training";
    const Recording recording = run(lesson->id, trains ? std::vector<Settings::GivenFlag>{{"--steps", "2"}}
                                                       : std::vector<Settings::GivenFlag>{});
    const RunMap map(recording);
    const DataFlow flow(map, *recording.trace);
    for (size_t i = 0; i < map.nodes().size(); ++i)
      if (const auto outer = map.nodes()[i].part_of) CHECK(*outer < i);
    for (const Step& step : recording.steps) {
      for (const size_t columns : {size_t(20), size_t(79), size_t(200)})
        CHECK(columns_of(map.line(step, columns)) <= std::max<size_t>(columns, 40));
      for (const Entry& entry : step.entries) {
        const DataFlow::Flow way = flow.of(entry);
        for (const auto* list : {&way.from, &way.to})
          for (const size_t node : *list) CHECK(node < map.nodes().size());
      }
    }
  }
  CHECK(RunMap(run("autograd.matmul")).empty());
  CHECK(RunMap(run("gpt", {{"--steps", "2"}}, Keep::Steps)).empty());
}
