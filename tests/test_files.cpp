// Arrays and tables in files, and UTF-8: files load as they were saved, and errors say where a file is
// broken.
#include <algorithm>

#include "engine/autograd.h"
#include "engine/core/utf8.h"
#include "engine/io/csv.h"
#include "engine/io/npy.h"
#include "scratch_file.h"
#include "support.h"

using namespace glassgrad;
using namespace std::string_literals;
using testing::contains, testing::error_of, testing::Numbers, testing::numbers, testing::ScratchFile;

namespace {

// A .npy file with this version, header and data.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  const auto byte = [&](int shift) { return char(header.size() >> shift & 0xff); };
  return "\x93NUMPY"s + version + '\0' + byte(0) + byte(8) + (version > 1 ? "\0\0"s : "") + header + data;
}
std::string header(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}
std::string npy_error(const std::string& bytes) {
  const ScratchFile file(bytes);
  return error_of([&] { load_npy(file.path()); });
}
std::string csv_error(const std::string& text) {
  const ScratchFile file(text);
  return error_of([&] { load_csv(file.path()); });
}

}  // namespace

TEST_CASE("arrays of every dtype come back from their files") {
  for (const DType t : {boolean, int64, float32, float64})
    for (const Dims& shape : {Dims{}, Dims{3}, Dims{2, 3}, Dims{0, 2}}) {
      const Tensor x = to(randn(shape) * 3, t);
      const ScratchFile file;
      save_npy(x, file.path());
      const Tensor y = load_npy(file.path());
      CHECK(y.dtype() == t);
      CHECK(y.shape() == shape);
      CHECK(numbers(y) == numbers(x));
    }
  const ScratchFile turned;
  save_npy(arange(6).view({2, 3}).t(), turned.path());
  CHECK(numbers(load_npy(turned.path())) == Numbers{0, 3, 1, 4, 2, 5});
}

TEST_CASE("arrays by columns of either byte order and of narrow integers are read") {
  const ScratchFile columns(
      npy(header("<i4", "(2, 2)", "True"), "\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff"s, 2));
  const Tensor x = load_npy(columns.path());
  CHECK(x.strides() == Dims{1, 2});
  CHECK(numbers(x) == Numbers{1, 3, 2, -1});
  const ScratchFile swapped(npy(header(">f4", "(1,)"), "\x3f\xc0\0\0"s, 3));
  CHECK(numbers(load_npy(swapped.path())) == Numbers{1.5});
  const ScratchFile of_python_2(
      npy("{'descr':\t'=i2', 'fortran_order': False, 'shape': (2L,\t1L), }\n", "\1\0\2\0"s));
  CHECK(numbers(load_npy(of_python_2.path())) == Numbers{1, 2});
}

TEST_CASE("what is no array says at which byte") {
  const std::string four = "\0\0\x80\x3f"s;
  const auto of_header = [&](const std::string& text) { return npy_error(npy(text, four)); };
  CHECK(contains(npy_error("PK\3\4"), "is a .npz archive"));
  CHECK(contains(npy_error("text"), "is not a .npy file"));
  CHECK(contains(npy_error(npy("{}", "", 9)), "unknown .npy version 9 at byte 6"));
  CHECK(contains(npy_error("\x93NUMPY\1\0\xff\0{}"s), "the header should have 255 bytes from byte 10 on"));
  CHECK(contains(npy_error(npy(std::string(70000, ' '), "", 2).replace(8, 4, "\x70\x11\1\0"s)),
                 "its header claims 70000 bytes"));
  CHECK(contains(of_header("(1)"), "'{' expected at byte 10"));
  CHECK(contains(of_header("{1: 2}"), "a quoted text expected"));
  CHECK(contains(of_header("{'descr: 2}"), "a quote is not closed"));
  CHECK(contains(of_header("{'name': 2}"), "unknown key 'name'"));
  CHECK(contains(of_header("{'descr': '<f4' 'shape': ()}"), "',' or '}' expected"));
  CHECK(contains(of_header("{'descr': '<f4', 'descr': '<f4'}"), "key 'descr' appears twice"));
  CHECK(contains(of_header("{'descr': '<f4'} x"), "nothing expected after '}'"));
  CHECK(contains(of_header("{'descr': '<f4'}"), "is missing"));
  CHECK(contains(of_header("{'fortran_order': 1}"), "True or False expected"));
  CHECK(contains(of_header("{'descr': [('a', '<f4')]}"), "a structured dtype is not supported"));
  CHECK(contains(of_header(header("<c8", "(1,)")), "dtype '<c8' is not supported"));
  CHECK(contains(of_header(header("<f4", "(1)")), "a tuple expected"));
  CHECK(contains(of_header(header("<f4", "(1 1)")), "',' or ')' expected"));
  CHECK(contains(of_header(header("<f4", "(-1,)")), "a size expected"));
  CHECK(contains(of_header(header("<f4", "(9223372036854775808,)")), "a size below 2^63 expected"));
  CHECK(contains(of_header(header("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)")), "more than"));
  CHECK(contains(of_header(header("<f4", "(4294967296, 4294967296)")), "more bytes than 63 bits can count"));
  CHECK(contains(of_header(header("<f4", "(2,)")), "needs 8 bytes"));
  CHECK(contains(of_header(header("<f4", "(0, 1)")), "trailing bytes"));
}

TEST_CASE("tables of numbers are read as a spreadsheet saves them") {
  const ScratchFile file("\xef\xbb\xbf 1, +2.5,nan\r\n\n-inf,1e-3 ,0\r\n");
  const Tensor x = load_csv(file.path());
  CHECK(x.shape() == Dims{2, 3});
  CHECK(numbers(x.slice(1, 0, 2)) == Numbers{1, 2.5, -INFINITY, 1e-3});
  CHECK(std::isnan(x[0][2].item()));
  CHECK(contains(csv_error("1,2\n\n3,x\n"), "row 3, column 2: 'x' is no number"));
  CHECK(contains(csv_error("1e999"), "too large or too small for float64"));
  const ScratchFile corner(",a\n0\n1\n");
  CHECK(load_csv(corner.path()).shape() == Dims{2, 1});
  CHECK(contains(csv_error("1,2\n3\n"), "row 2 has 1 numbers, but row 1 has 2"));
  CHECK(contains(csv_error("\n"), "holds no numbers"));
  std::string note;
  const ScratchFile german("sep=;\r\n\"x\";y\r\n0,5;nan\r\n");
  CHECK(load_csv(german.path(), &note)[0][0].item() == 0.5);
  CHECK(contains(note, "row 3, column 2 is nan"));
}

TEST_CASE("code points become bytes and bytes code points") {
  for (const char32_t code : {0x41u, 0xe9u, 0x20acu, 0x1f600u, 0x10ffffu}) {
    std::string text;
    append_utf8(text, code);
    char32_t back = 0;
    CHECK(utf8_length(text, back) == text.size());
    CHECK(back == code);
  }
  CHECK(trimmed(" \ta b\r") == "a b");
}

TEST_CASE("a leaf that is given other numbers stays itself") {
  const Tensor x = ones(2).requires_grad_(), y = ones(2).requires_grad_(), z = x * y * x;
  const std::vector<Tensor> leaves = leaves_of(z);
  CHECK(leaves.size() == 2);
  CHECK(std::count_if(leaves.begin(), leaves.end(), [&](const Tensor& t) { return t.ref() == x.ref(); }) ==
        1);
  set_data(x, tensor({3., 4.}));
  grad({z}, {y}, {ones(2)}, {}, false, true);
  (x * 2).backward(ones(2));
  CHECK(numbers(x.grad()) == Numbers{2, 2});
}

TEST_CASE("tensors that retain their gradient are found in a graph") {
  const Tensor x = ones(2).requires_grad_(), y = x * 2, z = y * y;
  CHECK(retaining_grad(z).empty());
  y.retain_grad();
  const std::vector<Tensor> found = retaining_grad(z);
  REQUIRE(found.size() == 1);
  CHECK(found[0].ref() == y.ref());
}
