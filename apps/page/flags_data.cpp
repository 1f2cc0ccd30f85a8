#include "apps/page/flags_data.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include "apps/cli/arguments.h"
#include "apps/lesson/settings.h"
#include "engine/core/error.h"
#include "engine/ops.h"

namespace glassgrad::explorer {
namespace {

using learn::Lesson, learn::SettingSpec, learn::Settings;

constexpr const char *kInputs = "--inputs", *kWeights = "--weights", *kTokens = "--tokens";

Json numbers_json(const Tensor& x) {
  Json data = Json::array();
  for (const double value : x.to_vector<double>()) data.push_back(json_number(value));
  return {{"shape", std::vector<int64_t>(x.shape().begin(), x.shape().end())}, {"data", std::move(data)}};
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.get<std::string>();
  return text == "NaN" ? std::nan("") : text == "Infinity" ? INFINITY : -INFINITY;
}

Tensor tensor_of(const Json& json) {
  Dims shape;
  for (const Json& size : json.at("shape")) shape.push(size.get<int64_t>());
  std::vector<double> values;
  for (const Json& value : json.at("data")) values.push_back(number_of(value));
  check(checked_numel(shape, float32) == std::ssize(values), "{} numbers do not make the shape {}",
        values.size(), to_string(shape));
  return from_values(values, shape);
}

// Returns whether the tokens have names other than those from the lesson or from the numbers given to it.
bool has_own_names(const Lesson& lesson, const Settings& settings) {
  if (!settings.inputs) return false;
  Settings plain(lesson, {});
  if (settings.own_inputs) plain.take_inputs(settings.inputs, kInputs);
  return plain.tokens.size() != settings.tokens.size() || plain.tokens != settings.tokens;
}

}  // namespace

Json flags_json(const Lesson& lesson, const Settings& settings) {
  Json flags = Json::object();
  for (const SettingSpec& p : lesson.setting_specs)
    if (settings.was_given(p.flag)) flags[p.flag] = settings.text(p.flag);
  if (settings.own_inputs) flags[kInputs] = numbers_json(settings.inputs);
  for (const auto& [name, own] : settings.weights) flags[kWeights][name] = numbers_json(own.values);
  if (has_own_names(lesson, settings)) flags[kTokens] = joined(settings.tokens, ",");
  return flags;
}

Settings settings_of(const Lesson& lesson, const Json& flags) {
  std::vector<Settings::GivenFlag> given;
  for (const auto& [flag, value] : flags.items())
    if (flag != kInputs && flag != kWeights && flag != kTokens)
      given.push_back({flag, value.get<std::string>()});
  Settings settings(lesson, given);
  if (flags.contains(kInputs)) settings.take_inputs(tensor_of(flags[kInputs]), kInputs);
  if (flags.contains(kWeights))
    for (const auto& [name, numbers] : flags[kWeights].items())
      settings.weights[name] = {.path = name, .values = tensor_of(numbers)};
  if (flags.contains(kTokens)) settings.name_tokens(flags[kTokens].get<std::string>());
  return settings;
}

std::string flags_as_typed(const Lesson& lesson, const Settings& settings) {
  std::string text;
  const Json flags = flags_json(lesson, settings);
  for (const auto& [flag, value] : flags.items()) {
    if (value.is_string())
      text += learn::as_typed(flag, value.get<std::string>());
    else if (flag == kInputs)
      text += fmt::format(" {} FILE", flag);
    else
      for (const auto& [name, numbers] : value.items()) text += fmt::format(" {} {}=FILE", flag, name);
  }
  return text;
}

}  // namespace glassgrad::explorer
