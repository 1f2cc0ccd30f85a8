// The classes that commands can be asked about by name, each at a small size, with something for it to read.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "nn/module.h"

namespace glassgrad {

struct ModelClass {
  const char* name;                       // "journey.CausalAttention"
  const char* built;                      // "CausalAttention(3, 2, 6, 0.0)"
  std::unique_ptr<nn::Module> (*make)();  // draws its weights from the default generator
  Tensor (*input)();                      // draws from a generator of its own
};

std::span<const ModelClass> model_classes();
// Null: there is none of that name.
const ModelClass* find_class(std::string_view name);

}  // namespace glassgrad
