// What the build has embedded. The definition is written by the build itself (embed.cmake).
#pragma once
#include <span>
#include <string_view>

namespace glassgrad::explorer {

struct EmbeddedFile {
  std::string_view name, bytes;
};
std::span<const EmbeddedFile> embedded_files();

}  // namespace glassgrad::explorer
