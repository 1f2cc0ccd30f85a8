#include "apps/cli/device.h"

#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "engine/autocast.h"
#include "engine/core/error.h"
#include "engine/core/threads.h"
#include "engine/gpus.h"
#include "engine/matmul_precision.h"

namespace glassgrad {
namespace {

constexpr Device kFirstGpu{DeviceType::CUDA, 0};

std::optional<Device> device_called(std::string_view name) {
  constexpr std::string_view kNumbered = "cuda:";
  if (name == "cpu") return kCpu;
  if (name == "cuda") return kFirstGpu;
  if (!name.starts_with(kNumbered)) return {};
  const auto index = parse_number<int8_t>(name.substr(kNumbered.size()));
  if (!index || *index < 0) return {};
  return Device{DeviceType::CUDA, *index};
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names{"cpu"};
  for (int i = 0; i < gpu_count(); ++i)
    names.push_back(fmt::format("{} ({})", to_string(Device{DeviceType::CUDA, int8_t(i)}), gpu_name(i)));
  return names;
}

DefaultDevice use_device(const CLI::Option* option) {
  const std::string name = given(option).value_or("cpu");
  if (name == "auto") {
    const std::string reason = why_unavailable(kFirstGpu);
    if (reason.empty()) return DefaultDevice(kFirstGpu);
    complain(fmt::format("--device auto: {}, so it computes on the CPU", reason));
    return DefaultDevice(kCpu);
  }
  const std::optional<Device> device = device_called(name);
  check<UsageError>(device.has_value(), "--device takes cpu, cuda, cuda:N or auto, not '{}'", name);
  const std::string reason = why_unavailable(*device);
  check(reason.empty(), "--device {}: {}: take cpu or auto", name, reason);
  return DefaultDevice(*device);
}

void use_threads(const CLI::Option* option) {
  if (const auto n = given_integer(option, 1, kMostThreads)) set_threads(static_cast<int>(*n));
}

void use_matmul(const CLI::Option* option) {
  const std::string word = given(option).value_or("fp32");
  check<UsageError>(word == "fp32" || word == "tf32" || word == "bf16",
                    "--matmul takes fp32, tf32 or bf16, not '{}'", word);
  const bool on_cpu = default_device == kCpu;
  check(word != "tf32" || !on_cpu, "--matmul tf32: is for GPUs: give --device cuda, or leave it out");
  check(word != "bf16" || !on_cpu || has_bf16_matmul(),
        "--matmul bf16: needs a processor with AVX512-BF16; these are the instructions of {}: leave it out",
        instruction_set());
  if (word == "bf16" && !on_cpu) {
    autocast_dtype(DeviceType::CUDA) = bfloat16;
    return;
  }
  set_matmul_precision(word == "fp32"   ? MatmulPrecision::fp32
                       : word == "tf32" ? MatmulPrecision::tf32
                                        : MatmulPrecision::bf16,
                       default_device);
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
