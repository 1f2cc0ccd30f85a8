#include "safetensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "../ops/layout.h"
#include "../ops/promote.h"
#include "crc32.h"
#include "file.h"
#include "safetensors_header.h"

namespace glassgrad {
namespace {

using safetensors::Entry, safetensors::Header;

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr size_t kChunk = 65536;

// ---- elements
struct StoredType {
  std::string_view name;
  DType dtype;
};
constexpr StoredType kStoredTypes[] = {
#define DTYPE(dtype, T, name, scalar_type, cpp_type, range_type, npy, safetensors, ...) {safetensors, dtype},
#include "../core/dtypes.def"
};

// "F32, F64, F16, BF16, I64, I32, I16, I8, U8 and BOOL".
std::string dtypes_of_safetensors() {
  std::string floats, integers;
  for (const StoredType& t : kStoredTypes)
    if (is_floating(t.dtype)) floats += std::string(t.name) + ", ";
  for (const int64_t size : {8, 4, 2, 1})
    for (const bool is_signed : {true, false})
      for (const StoredType& t : kStoredTypes)
        if (is_integer(t.dtype) && item_size(t.dtype) == size && is_unsigned(t.dtype) != is_signed)
          integers += std::string(t.name) + ", ";
  integers.resize(integers.size() - 2);
  return floats + integers + " and BOOL";
}

const StoredType& stored_type(const InputFile& file, const Entry& e) {
  for (const StoredType& t : kStoredTypes)
    if (t.name == e.dtype) return t;
  fail(
      "{}: tensor '{}' has dtype {}, which is not supported; supported are {}: convert the tensor and save it "
      "again",
      file.path(), excerpt(e.name), excerpt(e.dtype), dtypes_of_safetensors());
}

// ---- reading
void read_into(const View& x, InputFile& file, int64_t n, Crc32& crc) {
  const size_t bytes = static_cast<size_t>(n * item_size(x.dtype));
  char* const to = x.as<char>();
  for (size_t done = 0; done < bytes; done += kChunk) {
    const size_t count = std::min(kChunk, bytes - done);
    file.read(to + done, count);
    crc.add(to + done, count);
  }
  if (x.dtype == boolean)  // any byte but 0 is true
    std::transform(to, to + bytes, to, [](char byte) { return char(byte != 0); });
}

Header read_header(InputFile& file) {
  check(file.size() >= 8, "{}: is not a .safetensors file: it has {} bytes, and a header needs 8 at least",
        file.path(), file.size());
  uint64_t length = 0;
  file.read(&length, sizeof length);
  check(length <= kMaxHeader,
        "{}: is not a .safetensors file: its first 8 bytes claim a header of {} bytes, and {} is the limit",
        file.path(), length, kMaxHeader);
  check(length <= file.left(),
        "{}: truncated: the header should have {} bytes from byte 8 on, but only {} follow", file.path(),
        length, file.left());
  std::string text(length, '\0');
  file.read(text.data(), length);
  return safetensors::parse(file, text);
}

// Returns how many bytes an entry's elements take, by its shape.
uint64_t byte_count(const InputFile& file, const Entry& e) {
  uint64_t bytes = uint64_t(item_size(stored_type(file, e).dtype)),
           counted = sizeof(double);  // the widest of our dtypes
  // Checked even if a size is 0, because strides are products of the other sizes.
  bool fits = true;
  for (const int64_t size : e.shape) {
    bytes *= static_cast<uint64_t>(size);
    fits =
        fits && !__builtin_mul_overflow(counted, static_cast<uint64_t>(std::max<int64_t>(size, 1)), &counted);
  }
  check(fits && counted <= uint64_t{INT64_MAX},
        "{}: tensor '{}': shape {} has more bytes than 63 bits can count", file.path(), excerpt(e.name),
        e.shape);
  return bytes;
}

// Sorts the tensors and checks that they fill the rest of the file, one after the other.
void check_layout(const InputFile& file, std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const uint64_t start = file.offset();
  uint64_t end = 0;
  for (const Entry& e : entries) {
    const uint64_t bytes = byte_count(file, e);
    check(e.begin <= e.end && e.end - e.begin == bytes,
          "{}: tensor '{}': shape {} of {} needs {} bytes, but its data_offsets are [{}, {}]", file.path(),
          excerpt(e.name), e.shape, e.dtype, bytes, e.begin, e.end);
    check(e.begin >= end,
          "{}: tensor '{}' begins at byte {}, inside the one before it, which ends at byte {}", file.path(),
          excerpt(e.name), start + e.begin, start + end);
    check(e.begin == end, "{}: a hole of {} bytes at byte {}, before tensor '{}'", file.path(), e.begin - end,
          start + end, excerpt(e.name));
    check(e.end <= file.left(),
          "{}: truncated: tensor '{}' needs bytes {} to {}, but the file ends at byte {}", file.path(),
          excerpt(e.name), start + e.begin, start + e.end, file.size());
    end = e.end;
  }
  check(end == file.left(), "{}: trailing bytes: the last tensor ends at byte {}, the file at byte {}",
        file.path(), start + end, file.size());
}

constexpr const char* kHeaderCrc = "crc32";
std::string crc_key(const std::string& name) { return "crc32:" + name; }
std::string crc_text(const Crc32& crc) { return fmt::format("{:08x}", crc.value()); }

// Returns the checksum of the header as it is written without its own checksum.
std::string header_crc(const Header& header) {
  const std::string text = safetensors::format(header);
  Crc32 crc;
  crc.add(text.data(), text.size());
  return crc_text(crc);
}

// Checks the header's checksum and removes it from the metadata; returns false if there is none.
bool check_header(const std::string& path, Header& header) {
  const auto found = header.metadata.find(kHeaderCrc);
  if (found == header.metadata.end()) return false;
  const std::string written = std::move(found->second);
  header.metadata.erase(found);
  const std::string crc = header_crc(header);
  check(
      crc == written,
      "{}: the header is damaged: it has the checksum {}, but {} was written; take another copy of the file",
      path, crc, excerpt(written));
  return true;
}

Tensor read_tensor(InputFile& file, const Entry& e, std::map<std::string, std::string>& metadata) {
  const StoredType& type = stored_type(file, e);
  const uint64_t start = file.offset();
  const Tensor x = empty_contiguous(e.shape, type.dtype);
  Crc32 crc;
  read_into(x.raw(), file, x.numel(), crc);
  if (const auto written = metadata.find(crc_key(e.name)); written != metadata.end()) {
    check(
        written->second == crc_text(crc),
        "{}: tensor '{}' is damaged: bytes {} to {} have the checksum {}, but {} was written; take another copy of "
        "the file",
        file.path(), excerpt(e.name), start, file.offset(), crc_text(crc), excerpt(written->second));
    metadata.erase(written);
  }
  return x;
}

// ---- writing
const StoredType& written_type(DType dtype, FloatFormat floats) {
  return kStoredTypes[int(dtype == float32 && floats == FloatFormat::BFloat16 ? bfloat16 : dtype)];
}

// Passes the bytes of the elements to put(bytes, n).
template <class Put>
void write_elements(const Tensor& x, const StoredType& type, Put put) {
  const Tensor values = on_host(dense(x));
  const Tensor written = values.dtype() == type.dtype ? values : converted(values, type.dtype);
  put(written.raw().data, static_cast<size_t>(written.numel() * item_size(type.dtype)));
}

void check_names(const std::vector<NamedTensor>& tensors) {
  std::unordered_set<std::string_view> names;
  for (const NamedTensor& t : tensors) {
    check<ValueError>(t.name != safetensors::kMetadataKey, "a tensor must not be called {}", t.name);
    check<ValueError>(names.insert(t.name).second, "two tensors are called '{}'", excerpt(t.name));
  }
}

}  // namespace

Safetensors load_safetensors(const std::string& path) {
  InputFile file(path);
  Header header = read_header(file);
  check_layout(file, header.entries);
  Safetensors loaded;
  loaded.header_checked = check_header(path, header);
  const size_t before = header.metadata.size();
  for (const Entry& e : header.entries)
    loaded.tensors.push_back({e.name, read_tensor(file, e, header.metadata)});
  loaded.tensors_checked = before - header.metadata.size();
  loaded.metadata = std::move(header.metadata);
  return loaded;
}

void widen(std::vector<NamedTensor>& tensors) {
  for (NamedTensor& t : tensors) t.tensor = widened(t.tensor);
}

void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata, FloatFormat floats) {
  check_names(tensors);
  // Wide elements first, so that each tensor begins at a multiple of its element size.
  std::vector<NamedTensor> ordered = tensors;
  std::stable_sort(ordered.begin(), ordered.end(), [&](const NamedTensor& a, const NamedTensor& b) {
    const auto bytes = [&](const NamedTensor& t) {
      return item_size(written_type(t.tensor.dtype(), floats).dtype);
    };
    return bytes(a) > bytes(b);
  });
  Header header{{}, metadata};
  uint64_t end = 0;
  for (const auto& [name, tensor] : ordered) {
    const StoredType& type = written_type(tensor.dtype(), floats);
    Crc32 crc;
    write_elements(tensor, type, [&](const void* bytes, size_t n) { crc.add(bytes, n); });
    header.metadata[crc_key(name)] = crc_text(crc);
    const uint64_t begin =
        std::exchange(end, end + static_cast<uint64_t>(tensor.numel() * item_size(type.dtype)));
    header.entries.push_back({name, std::string(type.name), tensor.shape(), begin, end});
  }
  header.metadata.erase(kHeaderCrc);
  header.metadata[kHeaderCrc] = header_crc(header);
  const std::string text = safetensors::format(header);
  check<ValueError>(text.size() <= kMaxHeader, "{}: a header of {} bytes is above the limit of {}", path,
                    text.size(), kMaxHeader);
  OutputFile file(path);
  const uint64_t length = text.size();
  file.write(&length, sizeof length);
  file.write(text.data(), text.size());
  for (const auto& [name, tensor] : ordered)
    write_elements(tensor, written_type(tensor.dtype(), floats),
                   [&](const void* bytes, size_t n) { file.write(bytes, n); });
  file.commit();
}

}  // namespace glassgrad
