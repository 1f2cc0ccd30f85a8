// The classes that commands can be asked about by name, each at one small size that suits them all.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "nn/module.h"

namespace glassgrad {

struct ClassSizes {
  int64_t tokens = 6, width = 4, heads = 2;  // heads divide width
  int64_t vocab = 20, hidden = 8;
};

struct Class {
  enum class Reads : uint8_t {
    Rows,   // (tokens, width)
    Batch,  // (b, tokens, width)
    Ids,    // int64 (b, tokens), below vocab
  };
  const char*
      name;  // "journey.CausalAttention": the lesson, and what its source calls the class; or "nn.GPT"
  Reads reads;
  // Its defaults, and dropout 0 where it has none; as wide outside as inside.
  std::unique_ptr<nn::Module> (*make)(const ClassSizes&);
};

std::span<const Class> classes();
// Null: there is none of that name.
const Class* class_called(std::string_view name);
// UsageError: there is none; it says which comes nearest.
const Class& find_class(std::string_view name);
// A name with a dot, as no lesson's command line begins with.
bool names_class(std::string_view name);

}  // namespace glassgrad
