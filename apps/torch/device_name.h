// torch.device: a program may name any of PyTorch's devices, but tensors are only on the CPU or a GPU.
#pragma once
#include <optional>
#include <string>

#include "host.h"

namespace glassgrad::GG_HOST {

struct DeviceName {
  std::string type;  // "cuda"
  std::optional<int64_t> index;
  bool operator==(const DeviceName&) const = default;
  std::string text() const { return index ? type + ":" + std::to_string(*index) : type; }
};

// Parses "cuda:0". Throws RuntimeError for a name that PyTorch does not have.
DeviceName parsed_device(std::string_view text);

// Throws AssertionError `Torch not compiled with CUDA enabled`, or RuntimeError for a device without
// tensors here.
Device device_named(const DeviceName& d);

}  // namespace glassgrad::GG_HOST
