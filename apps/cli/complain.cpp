#include "apps/cli/complain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "engine/io/file.h"

namespace glassgrad {
namespace {

constexpr size_t kLongest = 300, kKept = 100;  // bytes

// Returns how many bytes of the text's beginning stand in the word; 0 if not more than kLongest.
size_t common(std::string_view text, std::string_view word) {
  if (word.size() <= kLongest || text.size() <= kLongest) return 0;
  const size_t at = word.find(text.substr(0, kLongest + 1));
  if (at == word.npos) return 0;
  word.remove_prefix(at);
  return size_t(std::mismatch(text.begin(), text.end(), word.begin(), word.end()).first - text.begin());
}

std::string without_long_words(std::string_view text, std::span<const char* const> arguments) {
  std::string brief;
  while (!text.empty()) {
    const size_t word = std::min(text.find_first_of(" \n\t"), text.size());
    size_t taken = word > kLongest ? word : 0;
    for (const char* argument : arguments) taken = std::max(taken, common(text, argument));
    if (taken > 0)
      brief += fmt::format("{} ... {}", text.substr(0, kKept), text.substr(taken - kKept, kKept));
    else
      brief += text[0], taken = 1;
    text.remove_prefix(taken);
  }
  return brief;
}

}  // namespace

void complain(std::string_view text, std::span<const char* const> arguments) {
  std::string line = without_long_words(text, arguments);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  std::fputs(fmt::format("glassgrad: {}\n", printable(line)).c_str(), stderr);
}

void complain_further(std::span<const std::string> lines) {
  for (const std::string& line : lines) std::fputs(fmt::format("{}\n", printable(line)).c_str(), stderr);
}

std::string message_of(const std::exception& e) {
  if (dynamic_cast<const Error*>(&e) || dynamic_cast<const UsageError*>(&e)) return e.what();
  if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const std::length_error*>(&e))
    return "out of memory: give fewer rows, a smaller --d-out or fewer --heads";
  if (const auto* refused = dynamic_cast<const std::filesystem::filesystem_error*>(&e))
    return fmt::format("{}: {}", refused->path1().string(), system_text(refused->code().value()));
  if (const auto* refused = dynamic_cast<const std::system_error*>(&e))
    return fmt::format("the system refuses: {}", system_text(refused->code().value()));
  return "a fault in glassgrad: report it with this command line and what glassgrad --version prints";
}

}  // namespace glassgrad
