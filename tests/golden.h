// Golden cases: PyTorch programs (tests/golden/GROUP.json) rewritten in C++. A program belongs to one id, or
// to all cases of a kind, whose numbers are in the case. It must print what PyTorch printed, byte for byte.
// The Python module runs every group unchanged. Only the groups whose classes exist twice, in nn/ and in
// Python, are rewritten here: modules, optimizers, schedules, the GPT.
#pragma once
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/literal.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace golden {

using Json = nlohmann::ordered_json;
using glassgrad::Dims;
using glassgrad::Tensor;

// ---- Python's print
std::string& printed();

inline std::string text(const Tensor& x) { return x ? glassgrad::repr(x) : "None"; }
inline std::string text(const char* s) { return s ? s : "None"; }
inline std::string text(const std::string& s) { return s; }
inline std::string text(bool b) { return b ? "True" : "False"; }
inline std::string text(double x) { return glassgrad::python_float(x); }
inline std::string text(int64_t x) { return std::to_string(x); }
inline std::string text(const Dims& shape) { return glassgrad::size_repr(shape); }
// "[a, b]" and "(a, b)"; a tuple of one element is "(a,)".
template <class T>
std::string joined(const std::vector<T>& items) {
  std::string all;
  for (const T& x : items) all += (all.empty() ? "" : ", ") + text(x);
  return all;
}
template <class T>
std::string list(const std::vector<T>& items) {
  return "[" + joined(items) + "]";
}
template <class T>
std::string tuple(const std::vector<T>& items) {
  return "(" + joined(items) + (items.size() == 1 ? ",)" : ")");
}

template <class First, class... Rest>
void print(const First& first, const Rest&... rest) {
  printed() += text(first);
  ((printed() += " " + text(rest)), ...);
  printed() += "\n";
}

// ---- programs
// GOLDEN("grad-318") { … } is the program of that case, GOLDEN("rng rand") that of all cases of one op in a
// group. It receives the case's args, and the generator is seeded with the case's seed.
using Program = void (*)(const Json& args);
struct RegisterProgram {
  RegisterProgram(const char* key, Program program);
};
#define GOLDEN_JOIN2(a, b) a##b
#define GOLDEN_JOIN(a, b) GOLDEN_JOIN2(a, b)
#define GOLDEN(key) GOLDEN_NAMED(key, GOLDEN_JOIN(program_, __LINE__), GOLDEN_JOIN(entry_, __LINE__))
#define GOLDEN_NAMED(key, name, entry)                   \
  static void name(const golden::Json& args);            \
  static const golden::RegisterProgram entry{key, name}; \
  static void name([[maybe_unused]] const golden::Json& args)

// Runs all cases of a group.
void check_group(const std::string& group);

}  // namespace golden
