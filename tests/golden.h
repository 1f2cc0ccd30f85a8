// Golden cases: PyTorch programs (tests/golden/GROUP.json) rewritten in C++, one program an id, or one for
// all cases of a kind, whose numbers stand in the case. What a program prints must be what PyTorch printed,
// byte for byte.
#pragma once
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
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
// "[a, b]", "(a, b)", a tuple of one: "(a,)".
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
// GOLDEN("grad-318") { … } is the program of that case, GOLDEN("rng rand") of a group's cases of one op. It
// sees the case's args; the generator has the case's seed.
using Program = void (*)(const Json& args);
struct Programs {
  Programs(const char* key, Program program);
};
#define GOLDEN_JOIN2(a, b) a##b
#define GOLDEN_JOIN(a, b) GOLDEN_JOIN2(a, b)
#define GOLDEN(key) GOLDEN_NAMED(key, GOLDEN_JOIN(program_, __LINE__), GOLDEN_JOIN(entry_, __LINE__))
#define GOLDEN_NAMED(key, name, entry)            \
  static void name(const golden::Json& args);     \
  static const golden::Programs entry{key, name}; \
  static void name([[maybe_unused]] const golden::Json& args)

// Expressions of a group: their text in Python, and what prints them in C++ from the values they speak of.
template <class Values>
class Expressions {
 public:
  using Print = void (*)(const Values&);
  Expressions(std::initializer_list<std::pair<const std::string, Print>> all) : all_(all) {}

  // False if it is not one of these.
  bool run(const std::string& expression, const Values& values) const {
    const auto found = all_.find(expression);
    if (found == all_.end()) return false;
    used_.insert(expression);
    found->second(values);
    return true;
  }
  void check_all_used() const {
    for (const auto& one : all_) CHECK_MESSAGE(used_.count(one.first), one.first, " is in no case");
  }

 private:
  std::map<std::string, Print> all_;
  mutable std::set<std::string> used_;
};

// Prints the expressions one after the other, each from the family it belongs to.
template <class Values>
void run_all(const Json& expressions, const Values& values,
             std::initializer_list<const Expressions<Values>*> families) {
  for (const std::string expression : expressions) {
    bool found = false;
    for (const auto* family : families) found = found || family->run(expression, values);
    if (!found) print("no C++ for the expression " + expression);
  }
}

// Runs all cases of a group. `known` says of those that differ why; one that matches after all fails, so that
// the list stays true.
void check_group(const std::string& group, const std::map<std::string, std::string>& known = {});

// ---- values of a case
Dims dims(const Json& shape);
Tensor values(const Json& data, glassgrad::DType dtype = glassgrad::float32);
glassgrad::DType dtype(const Json& args);

}  // namespace golden
