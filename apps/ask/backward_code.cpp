#include "apps/ask/backward_code.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace glassgrad::learn {
namespace {

struct Words : AttrVisitor {
  std::vector<std::string> words;
  void operator()(const char* name, int64_t value) override {
    words.push_back(fmt::format("{}={}", name, value));
  }
  void operator()(const char* name, double value) override {
    words.push_back(fmt::format("{}={}", name, value));
  }
  void operator()(const char* name, bool value) override {
    words.push_back(fmt::format("{}={}", name, value ? "True" : "False"));
  }
  void operator()(const char* name, const Dims& value) override {
    words.push_back(fmt::format("{}=({})", name, joined(value, ", ")));
  }
};

std::string attributes_text(const RecordedCall& call) {
  Words found;
  call.attr.each(found);
  return joined(found.words, ", ");
}

// Returns whether the letter is a name in the formula.
bool names(std::string_view formula, char letter) {
  const auto is_word = [&](size_t i) {
    return i < formula.size() && (std::isalnum(uint8_t(formula[i])) || formula[i] == '_');
  };
  for (size_t i = formula.find(letter); i != formula.npos; i = formula.find(letter, i + 1))
    if (!(i > 0 && is_word(i - 1)) && !is_word(i + 1)) return true;
  return false;
}

std::string rule_text(const Op& op) {
  const bool g = names(op.formula, 'g'), y = names(op.formula, 'y');
  return fmt::format("{}: {}{}{}{}", op.name, op.formula, g ? " (g: what arrives" : "",
                     g && y ? ", y: the result"
                     : y    ? " (y: the result"
                            : "",
                     g || y ? ")" : "");
}

}  // namespace

std::string call_text(const RecordedCall& call, std::vector<std::string> inputs) {
  const std::string attributes = attributes_text(call);
  if (!attributes.empty()) inputs.push_back(attributes);
  std::erase(inputs, std::string());
  return fmt::format("{}({})", call.op->name, joined(inputs, ", "));
}

std::string GradientText::of(const Snapshot& x) {
  for (size_t i = known_.size(); i-- > 0;)
    if (same_elements(known_[i].first, x)) return known_[i].second;
  return names_.of(x);
}

void GradientText::add(const RecordedCall& call) {
  std::vector<std::string> inputs;
  for (const Snapshot& x : call.in) inputs.push_back(of(x));
  const std::string text = call_text(call, std::move(inputs));
  for (const Snapshot& y : call.out) known_.emplace_back(y, text);
  const bool is_known = std::find(ops_.begin(), ops_.end(), call.op) != ops_.end();
  if (!call.is_view && !call.in.empty() && !is_known) ops_.push_back(call.op);
}

std::vector<std::string> GradientText::rules() const {
  std::vector<std::string> lines;
  for (const Op* op : ops_) lines.push_back(rule_text(*op));
  return lines;
}

}  // namespace glassgrad::learn
