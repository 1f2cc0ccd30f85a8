#include "apps/device.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/arguments.h"
#include "engine/error.h"
#include "engine/matmul_precision.h"
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

void use_matmul(const CLI::Option* option) {
  const std::string word = given(option).value_or("fp32");
  check<UsageError>(word == "fp32" || word == "bf16", "--matmul takes fp32 or bf16, not '{}'", word);
  check(word == "fp32" || has_bf16_matmul(),
        "--matmul bf16: needs a processor with AVX512-BF16; these are the instructions of {}: leave it out",
        instruction_set());
  set_bf16_matmul(word == "bf16");
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
