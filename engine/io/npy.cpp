#include "npy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../core/joined.h"
#include "../ops/layout.h"
#include "../ops/promote.h"
#include "file.h"

namespace glassgrad {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr size_t kMaxNpyHeader = 65536;  // real headers have about 120 bytes
constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

// An element type: its name in the file, without the byte order, and its dtype.
struct Kind {
  std::string_view text;
  DType dtype;
};
constexpr Kind kKinds[] = {
#define DTYPE(dtype, T, name, scalar_type, cpp_type, range_type, npy, ...) {npy, dtype},
#include "../core/dtypes.def"
};
// "float16 to float64, int8 to int64, uint8 and bool": the smallest and the largest of each kind.
std::string dtypes_of_npy() {
  std::string text;
  for (const bool floats : {true, false})
    for (const bool is_signed : {true, false}) {
      std::string least, most;
      for (const int64_t size : {1, 2, 4, 8})
        for (const Kind& k : kKinds)
          if (!k.text.empty() && k.dtype != boolean && is_floating(k.dtype) == floats &&
              is_unsigned(k.dtype) != is_signed && item_size(k.dtype) == size)
            (least.empty() ? least : most) = dtype_name(k.dtype) + std::strlen("torch.");
      if (!least.empty()) text += (text.empty() ? "" : ", ") + least + (most.empty() ? "" : " to " + most);
    }
  return text + " and bool";
}
struct Descr {
  std::string text;
  DType dtype;
};

struct NpyHeader {
  Descr descr;
  bool fortran_order = false;
  Dims shape;
};

// Parses the header: a Python dictionary literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), },
// keys in any order, spaces anywhere.
class HeaderParser {
 public:
  HeaderParser(const InputFile& file, std::string_view text) : file_(file), text_(text) {}

  NpyHeader parse() {
    std::optional<Descr> descr;
    std::optional<bool> fortran_order;
    std::optional<Dims> shape;
    expect('{');
    while (!accept('}')) {
      const size_t start = at_;
      const std::string_view key = in_quotes();
      expect(':');
      bool first = false;
      if (key == "descr")
        first = !std::exchange(descr, this->descr());
      else if (key == "fortran_order")
        first = !std::exchange(fortran_order, boolean_value());
      else if (key == "shape")
        first = !std::exchange(shape, this->shape());
      else
        wrong_at(start, fmt::format("unknown key '{}'", excerpt(key)));
      if (!first) wrong_at(start, fmt::format("key '{}' appears twice", key));
      if (!accept(',') && peek() != '}') wrong("',' or '}' expected");
    }
    skip_spaces();
    if (at_ != text_.size()) wrong("nothing expected after '}'");
    if (!descr || !fortran_order || !shape)
      wrong("one of the keys 'descr', 'fortran_order', 'shape' is missing");
    return {*descr, *fortran_order, *shape};
  }

 private:
  [[noreturn]] void wrong_at(size_t at, std::string_view what) const {
    fail("{}: malformed .npy header: {} at byte {}; save the array again with numpy.save", file_.path(), what,
         file_.offset() - text_.size() + at);
  }
  [[noreturn]] void wrong(std::string_view what) const { wrong_at(at_, what); }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    const bool found = peek() == c;
    if (found) ++at_;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) wrong(fmt::format("'{}' expected", c));
  }

  std::string_view in_quotes() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') wrong("a quoted text expected");
    const size_t start = ++at_, end = text_.find(quote, start);
    if (end == std::string_view::npos) wrong("a quote is not closed");
    at_ = end + 1;
    return text_.substr(start, end - start);
  }

  Descr descr() {
    if (peek() == '[') unsupported("a structured dtype");
    const std::string_view name = in_quotes();
    for (const Kind& k : kKinds) {
      const std::string_view orders = item_size(k.dtype) == 1 ? "|<>=" : "<>=";  // '=': the machine's own
      const bool in_order = !name.empty() && orders.find(name[0]) != orders.npos;
      if (in_order && !k.text.empty() && name.substr(1) == k.text) return {std::string(name), k.dtype};
    }
    unsupported(fmt::format("dtype '{}'", excerpt(name)));
  }
  [[noreturn]] void unsupported(std::string_view what) const {
    fail(
        "{}: {} is not supported; supported are {}: convert the array, for example with "
        "numpy.save(path, array.astype('float32'))",
        file_.path(), what, dtypes_of_npy());
  }

  bool boolean_value() {
    skip_spaces();
    for (const std::string_view word : {"True"sv, "False"sv})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True"sv;
      }
    wrong("True or False expected");
  }

  Dims shape() {
    expect('(');
    Dims sizes;
    bool comma = true;
    while (!accept(')')) {
      if (!comma) wrong("',' or ')' expected");
      check(sizes.n < kMaxDims, "{}: the array has more than {} dimensions; reshape it", file_.path(),
            kMaxDims);
      sizes.push(size());
      comma = accept(',');
    }
    if (sizes.n == 1 && !comma) wrong("a tuple expected, not a number in parentheses");
    return sizes;
  }
  int64_t size() {
    if (peek() < '0' || peek() > '9') wrong("a size expected");
    int64_t n = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text_[at_] - '0', &n))
        wrong("a size below 2^63 expected");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote 3L
    return n;
  }

  const InputFile& file_;
  std::string_view text_;
  size_t at_ = 0;
};

// Reads up to the first element. Checks each size against the file before it allocates.
NpyHeader read_npy_header(InputFile& file) {
  char magic[kMagic.size() + 2] = {};
  file.read(magic, std::min<size_t>(sizeof magic, file.left()));
  const std::string_view start(magic, sizeof magic);
  check(!start.starts_with("PK"), "{}: is a .npz archive, not a .npy file; save one array with numpy.save",
        file.path());
  check(file.offset() == sizeof magic && start.starts_with(kMagic),
        "{}: is not a .npy file: it does not begin with \\x93NUMPY; save an array with numpy.save",
        file.path());
  const int version = magic[kMagic.size()];
  check(version >= 1 && version <= 3,
        "{}: unknown .npy version {} at byte {}; versions 1, 2 and 3 are supported", file.path(),
        static_cast<unsigned char>(version), kMagic.size());
  unsigned char bytes[4] = {};
  file.read(bytes, version == 1 ? 2 : 4);
  const size_t length = bytes[0] | size_t{bytes[1]} << 8 | size_t{bytes[2]} << 16 | size_t{bytes[3]} << 24;
  check(length <= file.left(),
        "{}: truncated: the header should have {} bytes from byte {} on, but only {} follow", file.path(),
        length, file.offset(), file.left());
  check(length <= kMaxNpyHeader,
        "{}: its header claims {} bytes, more than the {} a .npy header may have here", file.path(), length,
        kMaxNpyHeader);
  std::string text(length, '\0');
  file.read(text.data(), length);
  return HeaderParser(file, text).parse();
}

// Checks that the rest of the file is exactly as long as the header says.
void check_size(const InputFile& file, const NpyHeader& h) {
  int64_t bytes = item_size(h.descr.dtype), counted = 1;
  bool fits = true;  // checked even if a size is 0, because strides are products of the other sizes
  for (int64_t size : h.shape) {
    fits = fits && !__builtin_mul_overflow(counted, std::max<int64_t>(size, 1), &counted);
    if (size == 0) bytes = 0;
  }
  fits = fits && !__builtin_mul_overflow(counted, bytes, &bytes);
  check(fits, "{}: shape {} has more bytes than 63 bits can count", file.path(), h.shape);
  const uint64_t needed = static_cast<uint64_t>(bytes);
  check(needed <= file.left(),
        "{}: truncated: shape {} of {} needs {} bytes from byte {} on, but only {} follow", file.path(),
        h.shape, h.descr.text, needed, file.offset(), file.left());
  check(needed == file.left(),
        "{}: trailing bytes: shape {} of {} ends at byte {}, the file at byte {}; save one array per file",
        file.path(), h.shape, h.descr.text, file.offset() + needed, file.size());
}

Dims column_major_strides(const Dims& shape) {
  Dims strides;
  int64_t step = 1;
  for (int64_t size : shape) {
    strides.push(step);
    step *= std::max<int64_t>(size, 1);
  }
  return strides;
}

}  // namespace

Tensor load_npy(const std::string& path) {
  InputFile file(path);
  const NpyHeader h = read_npy_header(file);
  check_size(file, h);
  const Dims strides = h.fortran_order ? column_major_strides(h.shape) : contiguous_strides(h.shape);
  Tensor x = empty_strided(h.shape, strides, h.descr.dtype);
  char* const to = x.raw().as<char>();
  const size_t bytes = static_cast<size_t>(x.numel() * item_size(x.dtype()));
  file.read(to, bytes);
  if (x.dtype() == boolean)  // any byte but 0 is true
    std::transform(to, to + bytes, to, [](char byte) { return char(byte != 0); });
  const size_t size = h.descr.text[0] == kNativeOrder || h.descr.text[0] == '='
                          ? 1
                          : static_cast<size_t>(item_size(x.dtype()));
  for (size_t at = 0; size > 1 && at < bytes; at += size) std::reverse(to + at, to + at + size);
  return x;
}

void save_npy(const Tensor& x, const std::string& path) {
  const Tensor values = on_host(dense(x));
  const std::string_view kind = kKinds[int(x.dtype())].text;
  check<TypeError>(!kind.empty(), "{}: .npy files have no {}: convert to float32", path,
                   dtype_name(x.dtype()));
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   item_size(x.dtype()) == 1 ? '|' : kNativeOrder, kind,
                                   joined(x.shape(), ", "), x.dim() == 1 ? "," : "");
  constexpr size_t kAlign = 64, kBefore = 10;  // magic, version, length
  header.resize((kBefore + header.size() + 1 + kAlign - 1) / kAlign * kAlign - kBefore, ' ');
  header.back() = '\n';
  OutputFile file(path);
  const char length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                         static_cast<char>(header.size() >> 8)};
  file.write(kMagic.data(), kMagic.size());
  file.write(length, sizeof length);
  file.write(header.data(), header.size());
  file.write(values.raw().data, static_cast<size_t>(values.numel() * item_size(values.dtype())));
  file.commit();
}

}  // namespace glassgrad
