// The classes that commands accept by name, each at small sizes that fit all of them.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "nn/module.h"

namespace glassgrad {

struct ModuleSizes {
  int64_t tokens = 6, width = 4, heads = 2;  // heads divide width
  int64_t vocab = 20, hidden = 8;
};

struct ModuleClass {
  enum class Reads : uint8_t {
    Rows,   // (tokens, width)
    Batch,  // (b, tokens, width)
    Ids,    // int64 (b, tokens), below vocab
  };
  const char*
      name;  // "journey.CausalAttention": the lesson, a dot, the class as its source names it; or "nn.GPT"
  Reads reads;
  // Makes the class with its default arguments; where there is no default, with dropout 0 and the same width
  // for input and output.
  std::unique_ptr<nn::Module> (*make)(const ModuleSizes&);
};

std::span<const ModuleClass> classes();
// Returns null if no class has that name.
const ModuleClass* class_called(std::string_view name);
// Throws UsageError, which names the nearest class, if no class has that name.
const ModuleClass& find_class(std::string_view name);
// True if the name has a dot and begins like a class. No lesson's command line begins like that.
bool names_class(std::string_view name);

}  // namespace glassgrad
