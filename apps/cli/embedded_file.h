// A file that the build has embedded (embed.cmake).
#pragma once
#include <span>
#include <string_view>

namespace glassgrad {

struct EmbeddedFile {
  std::string_view name, bytes;
};

}  // namespace glassgrad
