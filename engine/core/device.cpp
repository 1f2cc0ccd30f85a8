#include "device.h"

#include <cstring>

#include "error.h"
#include "gpu.h"

namespace glassgrad {

thread_local constinit Device default_device;

const char* device_type_name(DeviceType type) {
  return type == DeviceType::CPU ? "cpu" : type == DeviceType::CUDA ? "cuda" : "meta";
}

std::string to_string(Device device) {
  return is_cuda(device) ? fmt::format("cuda:{}", device.index) : device_type_name(device.type);
}

DefaultDevice::DefaultDevice(Device device) : ForScope(default_device, device) {
  const std::string reason = why_unavailable(device);
  check(reason.empty(), "{}", reason);
}

std::string why_unavailable(Device device) {
  if (!is_cuda(device)) return "";
  const int count = gpu::device_count();
  if (count == 0) return gpu::why_no_device();
  if (device.index < count) return "";
  return fmt::format("there is no {}: this machine has {} GPU{}", to_string(device), count,
                     count > 1 ? "s" : "");
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0 || to_device == kMeta) return;
  check<NotImplementedError>(from_device != kMeta, "Cannot copy out of meta tensor; no data!");
  if (to_device == kCpu && from_device == kCpu)
    std::memcpy(to, from, bytes);
  else
    gpu::copy(to, to_device, from, from_device, bytes);
}

}  // namespace glassgrad
