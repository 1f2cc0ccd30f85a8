// Tokenizers, which accept any bytes, and text that people type.
#include <cmath>
#include <map>
#include <memory>

#include "apps/ask/predict/quantity.h"
#include "apps/ask/what_if.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/selection.h"
#include "apps/text/corpus.h"
#include "apps/text/tokenizer.h"
#include "targets.h"

using namespace glassgrad;

namespace fuzzing {
namespace {

void tokenizers(std::string_view bytes) {
  static const std::string text = generate_corpus().substr(0, 4000);
  static const std::unique_ptr<Tokenizer> fixed[] = {byte_tokenizer(), char_tokenizer(text),
                                                     word_tokenizer(text), bpe_tokenizer(text, 400)};
  const auto check = [&](const Tokenizer& t) {
    const std::vector<int64_t> ids = t.encode(bytes);
    for (const int64_t id : ids) require(id >= 0 && id < t.size(), "tokens of the vocabulary");
    require(t.decode(ids) == bytes, "decode(encode(text)) == text");
  };
  for (const auto& tokenizer : fixed) check(*tokenizer);
  for (const char* kind : {"char", "word", "bpe"}) {  // learned from this same text
    const auto own = make_tokenizer(kind, bytes, 300);
    check(*own);
    require(tokenizer_from_json(own->to_json(), kind)->to_json() == own->to_json(), "descriptions last");
  }
}

const learn::Lesson& lesson() { return learn::find_lesson("autograd.order"); }

// Parses the same line as a number, a seed, a value, an address, a section and an answer.
void typed(std::string_view bytes) {
  static const learn::Recording recording = learn::record(lesson(), learn::Settings(lesson(), {}));
  if (const auto number = parse_number<double>(bytes)) require(std::isfinite(*number), "finite numbers");
  if (const auto whole = parse_number<int64_t>(bytes)) {
    require(std::to_string(*whole).size() <= bytes.size(), "no digits beyond those typed");
    require(parse_seed(bytes) == static_cast<uint64_t>(*whole), "whole numbers are seeds");
  }
  learn::parse_answer(bytes);
  for (const DType dtype : {float32, float64, int64, boolean})
    with_kind_errors([&] { learn::parse_value(bytes, dtype); });
  with_kind_errors([&] {
    const learn::Address at = learn::find_cell(recording, bytes);
    for (int d = 0; d < at.cell.n; ++d)
      require(at.cell[d] >= 0 && at.cell[d] < at.entry->value->shape()[d], "a cell of its tensor");
    const learn::Address again = learn::find_cell(recording, learn::to_text(at));
    require(again.entry == at.entry && again.cell == at.cell, "an address leads back");
  });
  with_kind_errors([&] { learn::find_quantity(recording, bytes).value_text(); });
  with_kind_errors([&] { learn::find_steps(recording, bytes); });
}

// Returns the short lesson of this name (short lessons have a dot in their names); lesson() for any other
// name.
const learn::WhatIf& unchanged(std::string_view name) {
  static std::map<std::string_view, learn::WhatIf> all;
  const learn::Lesson* chosen = &lesson();
  for (const learn::Lesson* one : learn::lessons())
    if (one->id == name && name.find('.') != name.npos) chosen = one;
  const auto found = all.find(chosen->id);
  if (found != all.end()) return found->second;
  return all.try_emplace(chosen->id, learn::runner(*chosen, learn::Settings(*chosen, {})), "").first->second;
}

// The parts of the input: an argument of --set, a flag's value, and the name of a lesson.
void set(std::string_view bytes) {
  const auto given = parts(bytes, 3);
  with_kind_errors([&] {
    learn::WhatIf changed = unchanged(given[2]);
    changed.set(given[0]);
    require(changed.is_changed() && changed.take_back() && !changed.is_changed(), "a change can be undone");
  });
  with_kind_errors([&] {
    const learn::Settings::GivenFlag flag{"--a", std::string(given[1])};
    learn::Settings(lesson(), {&flag, 1});
  });
}

}  // namespace

std::vector<Target> text_targets() { return {{"tokenizers", tokenizers}, {"typed", typed}, {"set", set}}; }

}  // namespace fuzzing
