// The header of a .safetensors file: its JSON read and written. A parser of our own, for three reasons: the
// engine is a library that needs nothing but fmt, every error names the byte, and the grammar is so small
// that nothing can nest deeper than it allows.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../core/types.h"
#include "file.h"

namespace glassgrad::safetensors {

struct Entry {
  std::string name, dtype;
  Dims shape;
  uint64_t begin = 0, end = 0;  // bytes of the data
};

struct Header {
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

// The header whose text was just read from the file. Error: `FILE: malformed .safetensors header: WHAT at
// byte N`.
Header parse(const InputFile& file, std::string_view text);

// The JSON, padded with spaces to a multiple of 8 bytes. ValueError for text that is no UTF-8.
std::string format(const Header& header);

// The key beside the names of tensors.
inline constexpr std::string_view kMetadataKey = "__metadata__";

}  // namespace glassgrad::safetensors
