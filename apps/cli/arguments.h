// Reading what people type: numbers, and names they almost got right. Independent of the locale.
#pragma once
#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// Something is wrong on the command line: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The same, with commands that lead where the reader wants to go, a line each.
struct Elsewhere : UsageError {
  Elsewhere(const std::string& what, std::vector<std::string> commands)
      : UsageError(what + (commands.empty() || what.ends_with('?') ? "" : ":")), lines(std::move(commands)) {}
  std::vector<std::string> lines;
};

// The whole text as a number of type T, or nothing: decimal only (010 is ten), in T's range, finite.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return {};
  return value;
}
template <>
std::optional<double> parse_number(std::string_view text);

// A seed as PyTorch takes it, -2^63 … 2^64-1; negative ones count from 2^64 down.
std::optional<uint64_t> parse_seed(std::string_view text);

// The candidate with the fewest changed, missing, additional or swapped letters; empty if there are no
// candidates.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// Can somebody who types `word` have meant `name`? At most half of its letters differ.
bool is_near(std::string_view word, std::string_view name);

}  // namespace glassgrad
