// Devices: where a storage's bytes are, and where new tensors are made.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "for_scope.h"

namespace glassgrad {

// Meta: tensors with shapes, dtypes and strides, but without numbers and memory. Ops compute their results'
// shapes and run no kernel.
enum class DeviceType : uint8_t { CPU, CUDA, Meta };

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};
inline constexpr Device kCpu{}, kMeta{DeviceType::Meta};
constexpr bool is_cuda(Device device) { return device.type == DeviceType::CUDA; }

// "cpu", "cuda" or "meta": torch.device.type.
const char* device_type_name(DeviceType type);
// "cpu", "cuda:0" or "meta": str(torch.device).
std::string to_string(Device device);

// The device of new tensors that are not made from other tensors: torch.get_default_device(). The CPU at
// first; each thread has its own.
extern thread_local constinit Device default_device;
// torch.set_default_device for a scope. Throws Error, with the reason, if it cannot compute there.
struct DefaultDevice : ForScope<Device> {
  explicit DefaultDevice(Device device);
};

// Returns why this device cannot compute: no CUDA in the build, no driver, or no such GPU. Empty if it can.
std::string why_unavailable(Device device);

// Copies bytes between the memories of two devices, or within one. A copy to the CPU is complete when this
// returns; on a GPU, copies and kernels run in the order of their calls. A copy to Meta does nothing; throws
// NotImplementedError `Cannot copy out of meta tensor; no data!` for a copy from there.
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

}  // namespace glassgrad
