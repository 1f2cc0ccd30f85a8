// torch.device: any of PyTorch's may be named, tensors lie on the CPU or a GPU.
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

// "cuda:0". RuntimeError for what names none of PyTorch's.
DeviceName parsed_device(std::string_view text);

// AssertionError `Torch not compiled with CUDA enabled`, RuntimeError for others that tensors cannot lie on
// here.
Device device_named(const DeviceName& d);

}  // namespace glassgrad::GG_HOST
