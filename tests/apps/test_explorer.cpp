// The explorer's engine: the requests of a page, and the answers to them.
#include <doctest/doctest.h>

#include <algorithm>

#include "apps/page/answers.h"
#include "apps/page/document.h"

using namespace glassgrad;
using explorer::Engine;

namespace {

Json entry(const Json& steps, const std::string& step, const std::string& tensor) {
  for (const Json& s : steps)
    for (const Json& e : s["entries"])
      if (s["id"] == step && e["name"] == tensor) return e;
  return {};
}

std::string exact(const Json& data, const std::string& step, const std::string& tensor) {
  const Json& numbers = data["numbers"][entry(data["forward"], step, tensor)["numbers"].get<size_t>()];
  return numbers.value("exact", numbers["text"].get<std::string>());
}

}  // namespace

TEST_CASE("the engine of a page - a number is changed and taken back") {
  Engine engine;
  const std::string opened = engine.open("mask.five-ways", "{}");
  const Json before = Json::parse(opened);
  REQUIRE(before["lesson"]["id"] == "mask.five-ways");
  CHECK(before["differences"].is_null());
  const std::string step = "question", tensor = "attn_scores";
  const Json now = Json::parse(engine.set(step + ":" + tensor + "[1,0]=0.5"));
  REQUIRE_FALSE(now.contains("error"));
  CHECK(now["differences"]["set"].size() == 1);
  CHECK(entry(now["forward"], step, tensor)["changed"].size() == 1);
  CHECK(exact(now, step, tensor) != exact(before, step, tensor));
  CHECK(engine.take_back() == opened);
  CHECK(Json::parse(engine.take_back())["error"] == "nothing was set");
}

TEST_CASE("the engine of a page - settings and own numbers") {
  Engine engine;
  const Json data = Json::parse(engine.open(
      "journey",
      R"({"--seed": "7", "--inputs": {"shape": [2, 2], "data": [1, "NaN", 3, 4.5]}, "--tokens": "<b>,é"})"));
  REQUIRE_FALSE(data.contains("error"));
  CHECK(data["tokens"] == Json({"<b>", "é"}));
  CHECK(data["flags"]["--inputs"]["data"] == Json({1.0, "NaN", 3.0, 4.5}));
  CHECK(data["command"] == "glassgrad learn journey --seed 7 --inputs FILE --tokens '<b>,é'");
  CHECK(engine.open("journey", data["flags"].dump()) == data.dump());
}

TEST_CASE("the engine of a page - what goes wrong leaves everything as it was") {
  Engine engine;
  const auto error = [](const std::string& answer) { return Json::parse(answer).value("error", ""); };
  CHECK(error(engine.set("a:b[0]=1")) == "no lesson is open");
  CHECK(error(engine.cell("a:b[0]")) == "no lesson is open");
  const std::string opened = engine.open("autograd.softmax", "{}");
  for (const char* flags : {"{\"--seed\": \"x\"}", "{\"--nothing\": \"1\"}", "not json", "{\"--seed\": 7}",
                            "{\"--inputs\": {\"shape\": [2], \"data\": [1]}}"})
    CHECK_MESSAGE(error(engine.open("autograd.softmax", flags)) != "", flags);
  CHECK(error(engine.open("jorney", "{}")).find("did you mean journey?") != std::string::npos);
  CHECK(error(engine.set("nowhere:x[0]=1")) != "");
  CHECK(error(engine.tensor("nowhere:x")) != "");
  CHECK(error(engine.judge("nowhere:x[0]", "1", 0)) != "");
  CHECK(Json::parse(engine.open("autograd.softmax", "{}")) == Json::parse(opened));
}

TEST_CASE("the engine of a page - the backward side and what belongs to it") {
  Engine engine;
  engine.open("journey", "{}");
  const Json backward = Json::parse(engine.backward());
  CHECK(backward["backward"].size() > 100);
  CHECK(backward["loss"].size() == 6);
  CHECK(Json::parse(engine.picture())["boxes"].size() > 100);
  const Json cell = Json::parse(engine.cell("masked-softmax:attn_weights[2,1]"));
  CHECK(cell["value"] == "0.3097");
  CHECK(cell["op"] == "softmax");
  const auto leads_to = [](const Json& links, const char* address) {
    return std::find(links.begin(), links.end(), address) != links.end();
  };
  CHECK(leads_to(cell["from"], "masked-softmax:scaled_scores[2,1]"));
  CHECK(leads_to(cell["to"], "masked-softmax:context_vecs[2,0]"));
  const std::string gradient = cell["gradient"];
  CHECK(Json::parse(engine.cell(gradient))["gradient"] == "masked-softmax:attn_weights[2,1]");
  const Json judged = Json::parse(engine.judge("masked-softmax:attn_weights[2,1]", "0.31", 0));
  CHECK((judged["right"] == true && judged["over"] == true));
  CHECK(Json::parse(engine.judge("masked-softmax:attn_weights[2,1]", "7", 0))["over"] == false);
  CHECK(Json::parse(engine.judge("masked-softmax:attn_weights[2,1]", "7", 1))["over"] == true);
  CHECK(Json::parse(engine.questions()).size() > 20);
}

TEST_CASE("the engine of a page - a number of the forward side has its gradient after the backward passes") {
  Engine engine;
  engine.open("journey", "{}");
  const char* const weight = "masked-softmax:attn_weights[2,1]";
  CHECK(Json::parse(engine.cell(weight))["gradient"].is_null());
  engine.backward();
  CHECK(Json::parse(engine.cell(weight))["gradient"].is_string());
  engine.set("inputs:inputs[0,0]=0.5");
  CHECK(Json::parse(engine.cell(weight))["gradient"].is_null());
}

TEST_CASE("the engine of a page - a product has both its matrices through views") {
  Engine engine;
  engine.open("journey", "{}");
  const Json product = Json::parse(engine.cell("scores:attn_scores[2,1]"))["product"];
  REQUIRE(product["terms"].size() == 3);
  CHECK(product["left"]["address"] == "inputs:inputs[2,0]");
  CHECK(product["left"]["transposed"] == false);
  CHECK(product["left"]["shape"] == Json({6, 3}));
  CHECK(product["left"]["lit"] == Json({6, 7, 8}));
  CHECK(product["right"]["address"] == "inputs:inputs[1,0]");
  CHECK(product["right"]["transposed"] == true);
  CHECK(product["right"]["shape"] == Json({3, 6}));
  CHECK(product["right"]["lit"] == Json({1, 7, 13}));
  CHECK(std::string(product["right"]["cells"]).starts_with("0.4300 0.5500 0.5700"));
  CHECK(product["terms"][1]["left"]["here"] == Json({"scores:inputs.T[1,2]"}));
  CHECK(Json::parse(engine.cell("weights:attn_weights[0,0]"))["product"] == Json({{"terms", Json::array()}}));
}

TEST_CASE("the engine of a page - a softmax has its row and a mask the numbers below it") {
  Engine engine;
  const Json data = Json::parse(engine.open("journey", "{}"));
  const Json softmax = Json::parse(engine.cell("masked-softmax:attn_weights[2,1]"))["softmax"];
  REQUIRE(softmax["terms"].size() == 6);
  CHECK(softmax["own"] == 1);
  CHECK(softmax["max"] == "0.3249");
  CHECK(softmax["sum"] == "2.6318");
  CHECK(softmax["total"] == "1.0000");
  CHECK(softmax["terms"][1]["score"]["address"] == "masked-softmax:scaled_scores[2,1]");
  CHECK(softmax["terms"][1]["share"] == "0.3097");
  CHECK(softmax["terms"][1]["here"] == Json({"masked-softmax:attn_weights[2,1]"}));
  CHECK(softmax["terms"][5]["score"]["value"] == "-inf");
  CHECK(softmax["terms"][5]["exp"] == "0.0000");
  CHECK(Json::parse(engine.cell("scores:attn_scores[2,1]"))["softmax"]["count"] == 0);

  const auto entry = [&](const char* step, const char* tensor) -> Json {
    for (const Json& s : data["forward"])
      for (const Json& e : s["entries"])
        if (s["id"] == step && e["name"] == tensor) return e;
    return {};
  };
  CHECK(entry("masked-scores", "masked")["before_mask"] ==
        entry("unmasked-weights", "attn_scores")["numbers"]);
  CHECK(entry("causal-masked-scores", "attn_scores")["before_mask"] ==
        entry("causal-scores", "attn_scores")["numbers"]);
  CHECK_FALSE(entry("masked-scores", "mask").contains("before_mask"));
}

TEST_CASE("text in markup stays text") {
  CHECK(explorer::escaped("<a b='c'>&\"\x1b\n") == "&lt;a b=&#39;c&#39;&gt;&amp;&quot;?\n");
  CHECK(explorer::json_in_markup({{"a", "</script><!--"}}) == R"({"a":"\u003c/script>\u003c!--"})");
}
