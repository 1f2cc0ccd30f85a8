#include "device.h"

#include <cstring>

#include "cuda/device.h"
#include "error.h"

namespace glassgrad {

thread_local constinit Device default_device;

std::string to_string(Device device) {
  return device.type == DeviceType::CPU ? "cpu" : fmt::format("cuda:{}", device.index);
}

DefaultDevice::DefaultDevice(Device device) : before_(default_device) {
  const std::string reason = why_unavailable(device);
  check(reason.empty(), "{}", reason);
  default_device = device;
}

std::string why_unavailable(Device device) {
  if (device == kCpu) return "";
  const int count = cuda::device_count();
  if (count == 0) return cuda::why_no_device();
  if (device.index < count) return "";
  return fmt::format("there is no {}: this machine has {} GPU{}", to_string(device), count,
                     count > 1 ? "s" : "");
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  if (to_device == kCpu && from_device == kCpu)
    std::memcpy(to, from, bytes);
  else
    cuda::copy(to, to_device, from, from_device, bytes);
}

}  // namespace glassgrad
