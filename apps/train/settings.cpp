#include "apps/train/settings.h"

#include <fmt/core.h>

#include "apps/train/json_fields.h"

namespace glassgrad::train {
namespace {

using nlohmann::json;

// Visits each field, to read it or to write it.
template <class Config, class Visit>
void each_field(Config& c, Visit visit) {
  visit("vocab_size", c.vocab_size);
  visit("context_length", c.context_length);
  visit("width", c.width);
  visit("layers", c.layers);
  visit("heads", c.heads);
  visit("dropout", c.dropout);
  visit("bias", c.bias);
  visit("tie_weights", c.tie_weights);
  visit("tanh_gelu", c.tanh_gelu);
}
// Visits the parts that may differ from GPT-2's; a file names only those that do.
template <class Config, class Visit>
void each_part(Config& c, Visit visit) {
  visit("norm", c.norm);
  visit("positions", c.positions);
  visit("mlp", c.mlp);
  visit("kv_heads", c.kv_heads);
  visit("window", c.window);
}
template <class S, class Visit>
void each_setting(S& s, Visit visit) {
  visit("text", s.text);
  visit("token_file", s.token_file);
  visit("tokenizer", s.tokenizer);
  visit("vocabulary", s.vocabulary);
  visit("validation", s.validation);
  visit("batch", s.batch);
  visit("steps", s.steps);
  visit("lr", s.lr);
  visit("weight_decay", s.weight_decay);
  visit("seed", s.seed);
  visit("eval_every", s.eval_every);
  visit("checkpoint_every", s.checkpoint_every);
  visit("watch_every", s.watch_every);
}

template <class Part>
void read_part(const json& object, const char* key, std::string_view where, Part& part) {
  if constexpr (std::is_enum_v<Part>) {
    std::string name;
    read_field(object, key, where, name);
    const auto found = nn::part_called<Part>(name);
    check(found.has_value(), "{}: {} cannot be {}", where, key, excerpt(name));
    part = *found;
  } else {
    read_field(object, key, where, part);
  }
}

}  // namespace

Settings Settings::preset(std::string_view name) {
  Settings s;
  s.model = nn::GPTConfig::preset(name, s.model.vocab_size);
  if (name == "small") s.batch = 12, s.lr = 1e-3, s.weight_decay = 0.1;
  if (name == "gpt2-124m") s.batch = 4, s.lr = 6e-4, s.weight_decay = 0.1;
  return s;
}

std::string parts_text(const nn::GPTConfig& c) {
  std::string text;
  const auto add = [&](const char* key, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if (value == Value()) return;
    if constexpr (std::is_enum_v<Value>)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, names_of(value)[size_t(value)]);
    else
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value);
  };
  each_part(c, add);
  return text;
}

std::string sizes_text(const nn::GPTConfig& c) {
  const std::string parts = parts_text(c);
  return fmt::format("{} layers of {} heads, width {}, context {}{}{}: {} parameters", c.layers, c.heads,
                     c.width, c.context_length, parts.empty() ? "" : ", ", parts, c.parameters());
}

json to_json(const nn::GPTConfig& config) {
  json object;
  each_field(config, [&](const char* key, const auto& value) { object[key] = value; });
  each_part(config, [&](const char* key, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if (value == Value()) return;
    if constexpr (std::is_enum_v<Value>)
      object[key] = names_of(value)[size_t(value)];
    else
      object[key] = value;
  });
  return object;
}

json to_json(const Settings& settings) {
  json object;
  each_setting(settings, [&](const char* key, const auto& value) { object[key] = value; });
  return object;
}

nn::GPTConfig config_from_json(std::string_view text, std::string_view where) {
  const json object = parse_object(text, where);
  nn::GPTConfig config;
  each_field(config, [&](const char* key, auto& value) { read_field(object, key, where, value); });
  each_part(config, [&](const char* key, auto& value) {
    if (object.contains(key)) read_part(object, key, where, value);
  });
  try {
    config.check();
  } catch (const Error& e) {
    fail("{}: {}", where, e.what());
  }
  return config;
}

Settings settings_from_json(const json& object, std::string_view where) {
  Settings s;
  each_setting(s, [&](const char* key, auto& value) { read_field(object, key, where, value); });
  const auto check_range = [&](const char* name, int64_t value, int64_t least) {
    check(value >= least && value <= kMany, "{}: {} must be between {} and {}, but is {}", where, name, least,
          kMany, value);
  };
  check_range("batch", s.batch, 1);
  check_range("steps", s.steps, 1);
  check_range("eval_every", s.eval_every, 1);
  check_range("checkpoint_every", s.checkpoint_every, 1);
  check_range("watch_every", s.watch_every, 0);
  return s;
}

}  // namespace glassgrad::train
