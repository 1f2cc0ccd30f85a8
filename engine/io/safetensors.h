// Named tensors in one file: the .safetensors format, which Hugging Face, PyTorch and others read and write.
//
//   8 bytes          N, the length of the header, lowest byte first
//   N bytes          {"__metadata__": {"key": "text", …},
//                     "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}   in JSON
//   the rest         the elements, lowest byte first, rows one after the other; offsets count from here, and
//                    the tensors fill the file without holes
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../tensor.h"

namespace glassgrad {

struct Safetensors {
  std::vector<NamedTensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
  // The extent of the check by checksums: how many tensors, and whether the header (names, shapes, metadata).
  size_t tensors_checked = 0;
  bool header_checked = false;
};

// Each dtype of glassgrad loads as itself. The whole header is
// checked against the size of the file before memory is allocated for any element. Throws Error with the
// file, the tensor and the byte: truncated or trailing bytes; a header above 100 MB, not JSON of this form or
// not UTF-8; a name that appears twice, has more than 512 bytes or a zero byte; a dtype that glassgrad does
// not have; more than 8 dimensions or 131072 tensors; offsets that do not match the shape, overlap or leave a
// hole; a tensor or header whose checksum is not the one that save_safetensors wrote.
Safetensors load_safetensors(const std::string& path);

// Converts halves to float32 and narrow integers to int64, which hold each of their values exactly: for code
// that computes in those dtypes.
void widen(std::vector<NamedTensor>& tensors);

enum class FloatFormat { Keep, BFloat16 };

// Writes beside the target and renames: the old file stays until the new one is whole. With BFloat16, every
// float32 tensor is rounded to BF16, ties to even. Besides `metadata`, the file holds each tensor's CRC-32
// under the key "crc32:NAME", and under "crc32" the CRC-32 of the header without this key. Throws ValueError:
// more than 131072 tensors, a name twice, a name or text that is not UTF-8, the name __metadata__.
void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      FloatFormat floats = FloatFormat::Keep);

}  // namespace glassgrad
