// Reads and writes the header of a .safetensors file, in JSON. The parser is our own for three reasons: the
// engine depends on nothing but fmt, every error names the byte, and the grammar is so small that input
// cannot nest deeply.
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

// Parses the header whose text was just read from the file. Throws Error `FILE: malformed .safetensors
// header: WHAT at byte N`.
Header parse(const InputFile& file, std::string_view text);

// Returns JSON, padded with spaces to a multiple of 8 bytes. Throws ValueError for text that is not UTF-8.
std::string format(const Header& header);

// The key in the header that holds the metadata instead of a tensor.
inline constexpr std::string_view kMetadataKey = "__metadata__";

}  // namespace glassgrad::safetensors
