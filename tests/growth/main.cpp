// Checks that a reader's work grows in proportion to its input. Measures no times: counts allocations, their
// bytes, the peak of bytes held, and executed blocks of the readers' code, where the compiler calls
// __sanitizer_cov_trace_pc at the start of each block. `glassgrad_growth WORD` runs the inputs that contain
// the word, and prints all numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/threads.h"
#include "tests/fuzz/targets.h"
#include "tests/growth/growing_inputs.h"
#include "tests/memory/allocations.h"

namespace {

int64_t passed = 0;  // blocks of code

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++passed; }

namespace growing {
namespace {

using testing::allocations;

enum Count { Allocations, Bytes, Most, Blocks, kCounts };
constexpr const char* kNames[] = {"allocations", "bytes allocated", "bytes at once", "blocks of code"};
using Counts = std::array<int64_t, kCounts>;

// For an input four times as long, a quadratic reader does 16 times the work. Sorting does about 4.8 times
// the work.
constexpr int64_t kTimes = 4;
constexpr double kMost = 5.5;
constexpr size_t kShort = 2000, kLong = 1'000'000;
constexpr int64_t kSlack = 16 << 20;
// The limits per byte of input, and those of an empty input.
constexpr Counts kPerByte = {15, 1000, 300, 4000}, kAtOnce = {3000, 1 << 20, 1 << 20, 1 << 20};

fuzzing::Target target_called(const std::string& name) {
  for (const auto& some : {fuzzing::file_targets(), fuzzing::text_targets()})
    for (const fuzzing::Target& target : some)
      if (target.name == name) return target;
  fuzzing::require(false, "a target of that name");
  return {};
}

Counts count(const fuzzing::Target& target, const std::string& input) {
  const testing::Allocations before = allocations;
  allocations.most_bytes = before.bytes;
  const int64_t blocks = passed;
  target.run(input);
  return {allocations.made - before.made, allocations.asked - before.asked,
          allocations.most_bytes - before.bytes, passed - blocks};
}

// Returns a message if the work grows too fast; else "".
std::string grows(const GrowingInput& one, bool tell) {
  const fuzzing::Target target = target_called(one.target);
  target.run(one.input(10));  // does one-time initialisation
  const std::string small = one.input(kShort), large = one.input(kTimes * kShort);
  const Counts a = count(target, small), b = count(target, large);
  std::string wrong;
  for (size_t i = 0; i < kCounts; ++i) {
    if (tell)
      fmt::print("{}: {}: {}: {} for {} bytes, {} for {}\n", one.target, one.name, kNames[i], a[i],
                 small.size(), b[i], large.size());
    const double allowed = kMost * double(std::max(a[i], kAtOnce[i] / 16));
    const double per_byte = double(kAtOnce[i]) + double(kPerByte[i]) * double(large.size());
    if (double(b[i]) > allowed || double(b[i]) > per_byte)
      wrong += fmt::format("{}: {}: {}: {} for {} bytes, but {} for {}\n", one.target, one.name, kNames[i],
                           a[i], small.size(), b[i], large.size());
  }
  return wrong;
}

// Returns a message if a reader that should keep only known keys keeps too much of a large file; else "".
std::string holds(const GrowingInput& one) {
  const bool keeps_little = one.target == "log" || one.target == "huggingface-config" ||
                            one.target == "checkpoint" || one.target == "watch";
  const bool hard = one.name == "JSON: objects in a list" || one.name == "JSON: keys" ||
                    one.name == "JSON: texts" || one.name == "short lines" || one.name == "recordings";
  if (!keeps_little || !hard) return {};
  const std::string input = one.input(kLong);
  const int64_t most = count(target_called(one.target), input)[Most];
  if (most <= 4 * std::ssize(input) + kSlack) return {};
  return fmt::format("{}: {}: {} bytes at once for {}\n", one.target, one.name, most, input.size());
}

}  // namespace
}  // namespace growing

int main(int argc, char** argv) {
  using namespace growing;
  glassgrad::set_threads(1);
  const std::string_view word = argc > 1 ? argv[1] : "";
  size_t tried = 0;
  std::string wrong;
  for (const GrowingInput& one : growing_inputs()) {
    if ((one.target + ": " + one.name).find(word) == std::string::npos) continue;
    ++tried;
    wrong += grows(one, argc > 1) + holds(one);
  }
  fmt::print("{}growth: {} inputs that grow, {} that what reads them grows faster than\n", wrong, tried,
             std::count(wrong.begin(), wrong.end(), '\n'));
  return tried > 0 && wrong.empty() && passed > 0 ? 0 : 1;
}
