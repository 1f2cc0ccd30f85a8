// Where a storage's bytes live.
#pragma once
#include <cstdint>

namespace glassgrad {

enum class DeviceType : uint8_t { CPU };

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace glassgrad
