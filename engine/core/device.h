// Where a storage's bytes live, and where new tensors are made.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "for_scope.h"

namespace glassgrad {

enum class DeviceType : uint8_t { CPU, CUDA };

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};
inline constexpr Device kCpu{};

// "cpu" or "cuda:0": str(torch.device).
std::string to_string(Device device);

// The device of new tensors that are not made from others: torch.get_default_device(). The CPU at first; each
// thread has its own.
extern thread_local constinit Device default_device;
// torch.set_default_device, until the end of the scope. Error, with the reason: cannot compute there.
struct DefaultDevice : ForScope<Device> {
  explicit DefaultDevice(Device device);
};

// Why nothing can be computed on this device here: this build has no CUDA, this machine no driver, no such
// GPU. Empty if it can.
std::string why_unavailable(Device device);

// Copies bytes from one device's memory to another's or its own. Bytes on their way to the CPU have arrived
// when this returns; on a GPU, copies and kernels follow each other in the order of their calls.
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

}  // namespace glassgrad
