#include "apps/lesson/settings.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {
namespace {

bool is_flag(const SettingSpec& p, std::string_view flag) { return p.flag == flag; }

std::string flags_of(const Lesson& lesson) {
  std::vector<std::string_view> flags;
  for (const SettingSpec& p : lesson.setting_specs) flags.push_back(p.flag);
  return joined(flags, ", ");
}

bool is_within(const SettingSpec& p, double x) { return !(p.low && x < *p.low) && !(p.high && x > *p.high); }

// Returns the names, and x5, x6, … for rows without one.
std::vector<std::string> names_for(std::span<const char* const> names, int64_t tokens) {
  std::vector<std::string> list;
  for (int64_t i = 0; i < tokens; ++i)
    list.push_back(i < std::ssize(names) ? names[size_t(i)] : fmt::format("x{}", i + 1));
  return list;
}

}  // namespace

std::optional<std::string> number_of(const SettingSpec& p, std::string_view text) {
  if (p.kind == SettingSpec::Kind::Real) {
    const auto x = parse_number<double>(text);
    if (!x || !is_within(p, *x)) return {};
    return python_float(*x + 0.0);  // -0 is 0
  }
  const auto whole = parse_number<int64_t>(text);
  if (p.kind == SettingSpec::Kind::Integer && (!whole || !is_within(p, double(*whole)))) return {};
  if (whole) return std::to_string(*whole);
  const auto seed = parse_seed(text);
  return seed ? std::optional(std::to_string(*seed)) : std::nullopt;
}

std::string range_of(const SettingSpec& p) {
  if (p.kind == SettingSpec::Kind::Seed) return "an integer from -2^63 to 2^64-1";
  const bool real = p.kind == SettingSpec::Kind::Real;
  const auto bound = [&](double x) { return real ? fmt::format("{}", x) : fmt::format("{:.0f}", x); };
  return (real ? "a number" : "an integer") +
         (p.low && p.high ? fmt::format(" from {} to {}", bound(*p.low), bound(*p.high))
          : p.low         ? fmt::format(" of at least {}", bound(*p.low))
          : p.high        ? fmt::format(" of at most {}", bound(*p.high))
                          : "");
}

Settings::Settings(const Lesson& lesson, std::span<const GivenFlag> given) : lesson_(lesson.id) {
  for (const GivenFlag& g : given) {
    const bool known = std::any_of(lesson.setting_specs.begin(), lesson.setting_specs.end(),
                                   [&](const SettingSpec& p) { return is_flag(p, g.flag); });
    check<UsageError>(known, "the lesson {} has no {}; it has {}", lesson.id, g.flag, flags_of(lesson));
  }
  for (const SettingSpec& p : lesson.setting_specs) {
    Value value{.spec = &p, .text = p.default_text};
    for (const GivenFlag& g : given)
      if (is_flag(p, g.flag)) value.text = g.text, value.given = true;
    const auto number = number_of(p, value.text);
    check<UsageError>(number.has_value(), "{} takes {}, not '{}'", p.flag, range_of(p), value.text);
    value.text = *number;
    values_.push_back(std::move(value));
  }
  if (!lesson.inputs) {
    tokens = names_for(lesson.tokens, std::ssize(lesson.tokens));
    return;
  }
  inputs = lesson.inputs(*this);
  tokens = names_for(lesson.tokens, inputs.size(-2));
}

void Settings::take_inputs(Tensor loaded, std::string_view from) {
  check<UsageError>(bool(inputs), "the lesson {} takes no --inputs: it is about no tokens", lesson_);
  const bool batches = inputs.dim() == 3;
  if (batches && loaded.dim() == 2) loaded = stack({loaded, loaded}, 0);
  check(
      loaded.dim() == inputs.dim() && loaded.size(-2) >= 2 && loaded.size(-1) >= 1 && loaded.size(0) >= 1,
      "{} holds an array of shape {}; inputs are {}(tokens, features) like {}, with at least 2 tokens and 1 "
      "feature: reshape the array and save it again",
      from, to_string(loaded.shape()), batches ? "(batch, tokens, features) or " : "",
      to_string(inputs.shape()));
  inputs = std::move(loaded);
  own_inputs = true;
  tokens = names_for({}, inputs.size(-2));
}

void Settings::name_tokens(std::string_view list) {
  check<UsageError>(bool(inputs), "the lesson {} takes no --tokens: it is about no tokens", lesson_);
  tokens.clear();
  for (size_t start = 0; start <= list.size();) {
    const size_t comma = std::min(list.find(',', start), list.size());
    tokens.emplace_back(list.substr(start, comma - start));
    check<UsageError>(!tokens.back().empty(), "--tokens: name {} of '{}' is empty", tokens.size(), list);
    start = comma + 1;
  }
  check<UsageError>(printable(list) == list,
                    "--tokens: a name holds a control character, or bytes that are no UTF-8");
  check<UsageError>(std::ssize(tokens) == inputs.size(-2),
                    "--tokens names {} tokens, but the inputs {} have {} rows: "
                    "give {} names, separated by commas",
                    tokens.size(), to_string(inputs.shape()), inputs.size(-2), inputs.size(-2));
}

uint64_t Settings::seed(std::string_view flag) const { return parse_seed(find(flag).text).value(); }
int64_t Settings::count(std::string_view flag) const {
  return parse_number<int64_t>(find(flag).text).value();
}
double Settings::fraction(std::string_view flag) const {
  return parse_number<double>(find(flag).text).value();
}

const Settings::Value* Settings::find_or_null(std::string_view flag) const {
  for (const Value& v : values_)
    if (is_flag(*v.spec, flag)) return &v;
  return nullptr;
}

const Settings::Value& Settings::find(std::string_view flag) const {
  if (const Value* v = find_or_null(flag)) return *v;
  throw std::logic_error("the lesson declares no parameter " + std::string(flag));
}

}  // namespace glassgrad::learn
