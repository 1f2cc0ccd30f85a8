#include "device.h"

#include <cstring>

#include "error.h"
#include "gpu.h"

namespace glassgrad {

thread_local constinit Device default_device;

std::string to_string(Device device) {
  return device.type == DeviceType::CPU ? "cpu" : fmt::format("cuda:{}", device.index);
}

DefaultDevice::DefaultDevice(Device device) : ForScope(default_device, device) {
  const std::string reason = why_unavailable(device);
  check(reason.empty(), "{}", reason);
}

std::string why_unavailable(Device device) {
  if (device == kCpu) return "";
  const int count = gpu::device_count();
  if (count == 0) return gpu::why_no_device();
  if (device.index < count) return "";
  return fmt::format("there is no {}: this machine has {} GPU{}", to_string(device), count,
                     count > 1 ? "s" : "");
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  if (to_device == kCpu && from_device == kCpu)
    std::memcpy(to, from, bytes);
  else
    gpu::copy(to, to_device, from, from_device, bytes);
}

}  // namespace glassgrad
