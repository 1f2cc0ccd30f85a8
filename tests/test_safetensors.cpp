// Files of named tensors: tensors load bit for bit as they were saved, and errors of broken files name the
// place.
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/io/crc32.h"
#include "engine/io/safetensors.h"
#include "support.h"

using namespace glassgrad;
using testing::error_of, testing::contains, testing::numbers;

namespace {

namespace fs = std::filesystem;

// A file in its own folder; both are removed with the object.
class TestFile {
 public:
  TestFile() {
    static int serial = 0;
    folder_ = fs::temp_directory_path() / fmt::format("glassgrad-{}-{}", ::getpid(), serial++);
    fs::create_directory(folder_);
  }
  ~TestFile() { fs::remove_all(folder_); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  std::string path() const { return folder_ / "x.safetensors"; }
  std::string read() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

std::string with_length(const std::string& header) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header;
}

// Returns the error of loading a file with these bytes, with FILE in place of the file's name.
std::string error_of_bytes(const std::string& bytes) {
  const TestFile file;
  file.write(bytes);
  std::string text = error_of([&] { load_safetensors(file.path()); });
  if (const size_t at = text.find(file.path()); at != text.npos) text.replace(at, file.path().size(), "FILE");
  return text;
}
std::string error_of_header(const std::string& header, size_t data = 0) {
  return error_of_bytes(with_length(header) + std::string(data, '\1'));
}
// A header with one tensor `a`.
std::string entry(const std::string& inside) { return "{\"a\":{" + inside + "}}"; }

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.dtype() == y.dtype() && x.shape() == y.shape() &&
         std::memcmp(x.raw().data, y.raw().data, static_cast<size_t>(x.numel() * item_size(x.dtype()))) == 0;
}

const Tensor& found(const Safetensors& file, const std::string& name) {
  for (const NamedTensor& t : file.tensors)
    if (t.name == name) return t.tensor;
  FAIL("no tensor ", name);
  return file.tensors[0].tensor;
}

}  // namespace

TEST_CASE("crc32 of known texts") {
  const auto crc = [](const std::string& text) {
    Crc32 sum;
    sum.add(text.data(), text.size());
    return sum.value();
  };
  CHECK(crc("") == 0);
  CHECK(crc("123456789") == 0xcbf43926);
  CHECK(crc("The quick brown fox jumps over the lazy dog") == 0x414fa339);
  Crc32 pieces;
  pieces.add("12", 2);
  pieces.add("3456789", 7);
  CHECK(pieces.value() == 0xcbf43926);
  // Long texts are folded: each length ends in a different way.
  std::string text;
  for (int n = 0; n < 300; ++n, text += static_cast<char>(37 * n + n / 7)) {
    Crc32 bytes;
    for (const char byte : text) bytes.add(&byte, 1);
    CHECK(bytes.value() == crc(text));
  }
}

TEST_CASE("safetensors round trip is exact") {
  manual_seed(1);
  const Tensor floats = randn({3, 5});
  floats.raw().as<float>()[0] = NAN;
  floats.raw().as<float>()[1] = -0.0f;
  const std::vector<NamedTensor> tensors{
      {"flags", tensor({true, false, true})},
      {"w.0", floats},
      {"turned", floats.t()},
      {"ids", tensor({-1, 1LL << 62})},
      {"wide", randn({2, 2}, float64)},
      {"nothing", zeros({4, 0})},
      {"lr", full({}, 0.1, float64)},
      {"", ones(1)},
      {"Übung \"\\\n", ones(2)},
  };
  const std::map<std::string, std::string> metadata{{"step", "12"}, {"text", "a\"b\\c\n\x01 é 😀"}};
  const TestFile file;
  save_safetensors(file.path(), tensors, metadata);
  const Safetensors back = load_safetensors(file.path());
  CHECK(back.metadata == metadata);
  REQUIRE(back.tensors.size() == tensors.size());
  for (const NamedTensor& t : tensors) CHECK_MESSAGE(same_bits(found(back, t.name), t.tensor), t.name);
  CHECK(file.files() == 1);
  CHECK(file.read().find("{\"__metadata__\":{") == 8);
}

TEST_CASE("safetensors as bfloat16") {
  const Tensor x = tensor({1.0, 1.00390625, 1.01171875, -3.14159265, 3.4e38, 1e-40, NAN, INFINITY});
  const TestFile file;
  save_safetensors(file.path(), {{"x", x}, {"n", tensor({3})}}, {}, FloatFormat::BFloat16);
  const Safetensors back = load_safetensors(file.path());
  const auto y = numbers(found(back, "x"));
  // Ties go to the even neighbour: 1 + 2⁻⁸ down, 1 + 3·2⁻⁸ up.
  CHECK(y[0] == 1);
  CHECK(y[1] == 1);
  CHECK(y[2] == 1.015625);
  CHECK(y[3] == -3.140625);
  CHECK(std::isinf(y[4]));
  CHECK(std::abs(y[5] - 1e-40) <= 1e-41);
  CHECK(std::isnan(y[6]));
  CHECK(std::isinf(y[7]));
  CHECK(found(back, "n").item<int64_t>() == 3);
}

TEST_CASE("safetensors written by Python") {
  const Safetensors file = load_safetensors(GLASSGRAD_GOLDEN_DIR "/python.safetensors");
  CHECK(file.metadata == std::map<std::string, std::string>{{"format", "pt"}, {"line", "a\nb"}});
  const testing::Numbers exact{0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, 6e-8, 3e-5, INFINITY, -INFINITY};
  CHECK(numbers(found(file, "float64")) == exact);
  CHECK(same_bits(found(file, "float32"), to(from_values(exact, 10, float64), float32).view({2, 5})));
  const testing::Numbers half{0.0,     -0.0,    1.0,           -2.5,     1638 * 0x1p-14,
                              65504.0, 0x1p-24, 503 * 0x1p-24, INFINITY, -INFINITY};
  CHECK(same_bits(found(file, "float16"), from_values(half, {5, 2}, float16)));
  const Tensor brain = found(file, "bfloat16");
  CHECK(brain.dtype() == bfloat16);
  CHECK(numbers(brain)[4] == 0.10009765625);
  CHECK(numbers(brain)[5] == 65536);
  CHECK(found(file, "int64").to_vector<int64_t>() == std::vector<int64_t>{INT64_MIN, INT64_MAX, 7});
  CHECK(found(file, "int32").dtype() == int32);
  CHECK(found(file, "uint8").dtype() == uint8);
  CHECK(found(file, "int32").to_vector<int64_t>() == std::vector<int64_t>{INT32_MIN, INT32_MAX});
  CHECK(found(file, "uint8").to_vector<int64_t>() == std::vector<int64_t>{0, 255});
  CHECK(same_bits(found(file, "bool"), tensor({{true}, {false}, {true}})));
  CHECK(found(file, "scalar").shape() == Dims());
  CHECK(found(file, "scalar").item() == 3.25);
  CHECK(found(file, "empty").shape() == Dims{0, 3});
  CHECK(numbers(found(file, "Übung \"1\"")) == testing::Numbers{1});
}

TEST_CASE("a changed bit is noticed") {
  const TestFile file;
  save_safetensors(file.path(), {{"a", ones(4)}, {"b", zeros(3)}});
  std::string bytes = file.read();
  bytes[bytes.size() - 5] ^= 4;
  CHECK(contains(error_of_bytes(bytes), "FILE: tensor 'b' is damaged: bytes "));
}

TEST_CASE("safetensors cut off anywhere") {
  const TestFile file;
  save_safetensors(file.path(), {{"a", ones(2)}, {"b", ones(1)}});
  const std::string bytes = file.read();
  for (size_t n = 0; n < bytes.size(); ++n) CHECK_MESSAGE(error_of_bytes(bytes.substr(0, n)) != "nothing", n);
  CHECK(error_of_bytes(bytes) == "nothing");
  CHECK(contains(error_of_bytes(bytes.substr(0, bytes.size() - 1)), "truncated: tensor 'b' needs bytes "));
  CHECK(contains(error_of_bytes(bytes + "!"), "trailing bytes: the last tensor ends at byte "));
}

TEST_CASE("errors of a safetensors header length") {
  CHECK(error_of_bytes("") ==
        "RuntimeError: FILE: is not a .safetensors file: it has 0 bytes, and a header needs 8 at least");
  CHECK(error_of_bytes(std::string(8, '\xff')) ==
        "RuntimeError: FILE: is not a .safetensors file: its first 8 bytes claim a header of "
        "18446744073709551615 bytes, and 100000000 is the limit");
  CHECK(error_of_bytes(std::string("\x10\0\0\0\0\0\0\0{}", 10)) ==
        "RuntimeError: FILE: truncated: the header should have 16 bytes from byte 8 on, but only 2 follow");
}

TEST_CASE("errors of a safetensors text") {
  const std::string before = "RuntimeError: FILE: malformed .safetensors header: ";
  const auto is = [&](const std::string& header, const std::string& error) {
    CHECK(error_of_header(header) == before + error + "; save the tensors again");
  };
  is("", "'{' expected at byte 8");
  is("[]", "'{' expected at byte 8");
  is("{} x", "nothing expected after the last '}' at byte 11");
  is("{\"a\":" + std::string(100000, '['), "'{' expected at byte 13");
  is("{\"a\":{\"shape\":" + std::string(100000, '['),
     "a number in plain digits expected, not negative at byte 23");
  is("{\"\xc3(\":1}", "no UTF-8 at byte 10");
  is("{\"\xed\xa0\x80\":1}", "no UTF-8 at byte 10");
  is("{\"a\\q\":1}", "an unknown escape in a text at byte 12");
  is("{\"\\ud800\":1}", "half a character alone at byte 12");
  is("{\"a\nb\":1}", "a control character in a text at byte 11");
  is("{\"ab", "a text that is not closed at byte 9");
  is("{\"a\":{}}", "tensor 'a' lacks dtype, shape or data_offsets at byte 9");
  is(entry("\"type\":1"), "unknown key 'type' of tensor 'a' at byte 14");
  is(entry("\"dtype\":\"F32\",\"dtype\":\"F32\""), "key 'dtype' appears twice at byte 28");
  is("{\"__metadata__\":{\"k\":1}}", "a text in double quotes expected at byte 29");
  is("{\"__metadata__\":{\"k\":\"1\",\"k\":\"1\"}}", "the key 'k' appears twice at byte 33");
  is("{\"__metadata__\":{},\"__metadata__\":{}}", "the name '__metadata__' appears twice at byte 27");
  for (const char* number : {"-1", "1e2", "16.0", "01", "x"})
    is(entry(fmt::format("\"shape\":[{}]", number)),
       "a number in plain digits expected, not negative at byte 23");
  is(entry("\"shape\":[9223372036854775808]"), "a number below 2^63 expected at byte 23");
  is(entry("\"shape\":[1,]"), "a number in plain digits expected, not negative at byte 25");
}

TEST_CASE("errors of a safetensors layout") {
  const auto tensor_text = [](const char* name, const char* dtype, const char* shape, const char* offsets) {
    return fmt::format("\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":{}}}", name, dtype, shape,
                       offsets);
  };
  const auto one = [&](const char* dtype, const char* shape, const char* offsets, size_t data) {
    return error_of_header("{" + tensor_text("a", dtype, shape, offsets) + "}", data);
  };
  CHECK(one("F32", "[2]", "[0,8]", 8) == "nothing");
  CHECK(one("F32", "[0, 99]", "[0, 0]", 0) == "nothing");
  CHECK(contains(one("F32", "[3]", "[0,8]", 8),
                 "tensor 'a': shape [3] of F32 needs 12 bytes, but its data_offsets are [0, 8]"));
  CHECK(contains(one("F32", "[2]", "[8,0]", 8), "needs 8 bytes, but its data_offsets are [8, 0]"));
  CHECK(contains(one("F32", "[2]", "[0,8]", 7), "truncated: tensor 'a' needs bytes "));
  CHECK(contains(one("F32", "[2]", "[0,8]", 9), "trailing bytes: "));
  CHECK(contains(one("F32", "[2]", "[4,12]", 12), "a hole of 4 bytes at byte "));
  CHECK(contains(one("F8_E4M3", "[8]", "[0,8]", 8), "tensor 'a' has dtype F8_E4M3, which is not supported"));
  CHECK(contains(one("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]", 8), "tensor 'a' has more than 8 dimensions"));
  for (const char* shape : {"[4294967296,4294967296]", "[0,4294967296,4294967296]", "[1152921504606846977]"})
    CHECK(contains(one("F32", shape, "[0,0]", 0), "has more bytes than 63 bits can count"));
  const std::string first = tensor_text("a", "U8", "[4]", "[0,4]");
  CHECK(contains(error_of_header("{" + first + "," + tensor_text("b", "U8", "[2]", "[3,5]") + "}", 5),
                 "tensor 'b' begins at byte "));
  CHECK(contains(error_of_header("{" + first + "," + first + "}", 4), "the name 'a' appears twice"));
  const auto many = [&](size_t tensors, size_t metadata) {
    std::string text = "{\"__metadata__\":{";
    for (size_t i = 0; i < metadata; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":\"\"";
    text += "}";
    for (size_t i = 0; i < tensors; ++i)
      text += "," + tensor_text(std::to_string(i).c_str(), "U8", "[0]", "[0,0]");
    return error_of_header(text + "}");
  };
  CHECK(many(131072, 0) == "nothing");
  CHECK(contains(many(131073, 0), "more than 131072 tensors at byte "));
  CHECK(many(0, 262144) == "nothing");
  CHECK(contains(many(0, 262145), "more than 262144 metadata at byte "));
  const std::string long_name(1 << 20, 'x');
  const std::string long_error =
      error_of_header("{" + tensor_text(long_name.c_str(), "U8", "[4]", "[0,4]") + "}", 4);
  CHECK(contains(long_error,
                 "a name of 1048576 bytes ('" + std::string(40, 'x') + "...'), more than 512, at byte 9"));
  CHECK(long_error.size() < 300);
  CHECK(contains(error_of_header("{" + tensor_text("a\\u0000b", "U8", "[4]", "[0,4]") + "}", 4),
                 "the name 'a?b' with a zero byte at byte 9"));
  CHECK(error_of_header(" \n{ " + first + " }\n  ", 4) == "nothing");
}

TEST_CASE("what save_safetensors refuses") {
  const TestFile file;
  save_safetensors(file.path(), {{"a", ones(1)}});
  const std::string before = file.read();
  const auto error = [&](const std::vector<NamedTensor>& tensors) {
    return error_of([&] { save_safetensors(file.path(), tensors); });
  };
  CHECK(error({{"a", ones(1)}, {"a", ones(2)}}) == "ValueError: two tensors are called 'a'");
  CHECK(error({{"__metadata__", ones(1)}}) == "ValueError: a tensor must not be called __metadata__");
  CHECK(error({{std::string("a\0b", 3), ones(1)}}) ==
        "ValueError: a .safetensors file cannot have the name 'a?b' with a zero byte");
  CHECK(contains(error({{"\xff", ones(1)}}), "is no UTF-8, which a .safetensors file needs"));
  CHECK(file.read() == before);
  CHECK(file.files() == 1);
}
