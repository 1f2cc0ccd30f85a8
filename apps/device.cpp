#include "apps/device.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/arguments.h"
#include "engine/error.h"
#include "engine/threads.h"

namespace glassgrad {
namespace {

constexpr const char* kNoCuda = "this glassgrad is built without CUDA";

bool names_cuda(std::string_view name) {
  constexpr std::string_view kCuda = "cuda", kNumbered = "cuda:";
  if (name == kCuda) return true;
  return name.starts_with(kNumbered) && parse_number<uint8_t>(name.substr(kNumbered.size())).has_value();
}

}  // namespace

void check_device(const CLI::Option* option) {
  const std::string name = given(option).value_or("cpu");
  if (name == "cpu") return;
  if (name == "auto") {
    std::fputs(fmt::format("glassgrad: --device auto: {}, so it computes on the CPU\n", kNoCuda).c_str(),
               stderr);
    return;
  }
  check<UsageError>(names_cuda(name), "--device takes cpu, cuda, cuda:N or auto, not '{}'", name);
  fail("--device {}: {}: take cpu or auto", name, kNoCuda);
}

void use_threads(const CLI::Option* option) {
  if (const auto n = given_integer(option, 1, kMostThreads)) set_threads(static_cast<int>(*n));
}

void check_environment() {
  try {
    threads();
    instruction_set();
  } catch (const ValueError& e) {
    fail<UsageError>("{}", e.what());
  }
}

}  // namespace glassgrad
