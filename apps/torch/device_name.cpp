#include "device_name.h"

#include <algorithm>

#include "engine/gpus.h"

namespace glassgrad::GG_HOST {

DeviceName parsed_device(std::string_view text) {
  constexpr std::string_view types[] = {"cpu", "cuda", "mps", "xpu", "meta"};
  const size_t colon = text.find(':');
  DeviceName d{std::string(text.substr(0, colon)), {}};
  const std::string digits(colon == std::string_view::npos ? "0" : text.substr(colon + 1));
  const bool number =
      !digits.empty() && digits.size() < 4 && digits.find_first_not_of("0123456789") == std::string::npos;
  check(number, "Invalid device string: '{}'", text);
  check(
      std::find(std::begin(types), std::end(types), d.type) != std::end(types),
      "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, "
      "meta, hpu, mtia, privateuseone device type at start of device string: {}",
      d.type);
  if (colon != std::string_view::npos) d.index = std::stoll(digits);
  return d;
}

Device device_named(const DeviceName& d) {
  if (d.type == "cpu") return kCpu;
  if (d.type == "meta") return kMeta;
  check(d.type == "cuda",
        "glassgrad computes on the CPU and on NVIDIA's GPUs: it has no tensors on the device {}", d.text());
  check<AssertionError>(!cuda_version().empty(), "Torch not compiled with CUDA enabled");
  const int64_t index = d.index.value_or(0);
  const Device device{DeviceType::CUDA, int8_t(std::clamp<int64_t>(index, 0, INT8_MAX))};
  const std::string reason = why_unavailable(device);
  check(index >= 0 && reason.empty(), "{}", index < 0 ? "Device index must not be negative" : reason);
  return device;
}

}  // namespace glassgrad::GG_HOST
