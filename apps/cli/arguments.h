// Reads words that people type: numbers, and misspelt names. Independent of the locale.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// A mistake on the command line: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A UsageError with commands that may do what the reader wanted, one per line.
struct Elsewhere : UsageError {
  Elsewhere(const std::string& what, std::vector<std::string> commands)
      : UsageError(what + (commands.empty() || what.ends_with('?') ? "" : ":")), lines(std::move(commands)) {}
  std::vector<std::string> lines;
};

// Returns the whole text as a finite number in T's range, decimal only (010 is ten), or nothing.
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

// Reads a seed like PyTorch: -2^63 … 2^64-1; a negative seed s becomes 2^64 + s.
std::optional<uint64_t> parse_seed(std::string_view text);

// Returns the candidate with the fewest changed, missing, additional or swapped letters; "" if there is none.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// Returns whether `word` may be `name` misspelt: at most half of the name's letters differ.
bool is_near(std::string_view word, std::string_view name);

}  // namespace glassgrad
