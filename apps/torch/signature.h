// PyTorch-like signatures: "softmax(Tensor input, int dim, ScalarType? dtype=None, *, Tensor? out=None)".
//
// A signature binds a call's arguments to the slots of its parameters, or throws PyTorch's error. The texts
// of errors, help() and the stubs are made from it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "out.h"

namespace glassgrad::GG_HOST {

enum class Kind : uint8_t {
  Tensor,
  TensorOrNumber,  // PyTorch also takes a number, but names the type Tensor
  Tensors,
  Number,
  Int,
  Float,
  Bool,
  Ints,
  Text,
  DType,
  Generator,
  Device,
  Layout,
  MemoryFormat,
  Name,  // a dimension's name; glassgrad's tensors have none
  Names,
  Anything
};

struct Parameter {
  Kind kind = Kind::Anything;
  bool optional = false, allow_none = false, keyword_only = false;
  bool one_int = false;        // int[1]: a single int stands for itself
  bool rest = false;           // *Tensor[], *object: takes all remaining arguments one by one
  std::string name, fallback;  // fallback: the default, as written
  double number = 0;           // the default as a number
  std::vector<Key> keys;       // the names that a call may use

  const char* type_name() const;  // "tuple of ints"
  bool takes(Object object) const;
};

class Signature;

// The arguments of one call, one slot per parameter. Borrowed.
struct Arguments {
  static constexpr int kSlots = 12;
  const Signature* signature = nullptr;
  std::array<Object, kSlots> slot;  // null: left out, or None for a parameter that treats None so
  int variadic_slot = -1;           // the slot whose items were given one by one: view(2, 3)
  Items items = {};
  int64_t n_items = 0;

  Object operator[](int i) const { return slot[size_t(i)]; }
  inline const Parameter& parameter(int i) const;
};

class Signature {
 public:
  explicit Signature(std::string_view text);

  // True for a form that PyTorch accepts but does not list in errors: "|hidden" after the text.
  bool hidden() const { return hidden_; }
  // Use the error texts of Python's interpreter, because PyTorch implements this function in Python.
  void say_as_python() { as_python_ = true; }
  // Removes the parameter `out`, which functions have but methods do not.
  void drop_out();

  // Binds a call's arguments to slots. A method's first parameter is `self`, which is not among the call's
  // arguments. Returns false if the call does not fit; with `explain` throws TypeError in PyTorch's words.
  bool accepts(const HostCall& call, Object self, Arguments& into, bool explain = false) const;

  const std::string& name() const { return name_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  int out() const { return out_; }  // the parameter `out`, or -1
  const OutRule& out_rule() const { return *out_rule_; }
  void set_out_rule(const OutRule& rule) { out_rule_ = &rule; }  // kept by reference
  int parameter_of(Kind kind) const;                             // the first of this kind, or -1
  bool fits_count(size_t n, bool method) const;
  std::string describe(bool method) const;  // "(Tensor input, int dim, torch.dtype dtype = None)"
  std::string python(bool method) const;    // "($self, dim, dtype=None)", as inspect reads it
  std::string stub(bool method) const;      // "(self, dim: int, dtype: Optional[dtype] = None)"

 private:
  void add(std::string_view text, bool keyword_only);
  [[noreturn]] void refuse(size_t i, Object given, bool named, size_t position, const HostCall& call) const;
  [[noreturn]] void refuse_count(const HostCall& call, size_t first) const;
  [[noreturn]] void refuse_missing(size_t i) const;
  [[noreturn]] void refuse_keyword(const HostCall& call, size_t first) const;

  std::string name_;
  std::vector<Parameter> parameters_;
  size_t positional_ = 0, required_ = 0;
  int out_ = -1;
  const OutRule* out_rule_ = &kUsual;
  bool hidden_ = false, as_python_ = false;
};

const Parameter& Arguments::parameter(int i) const { return signature->parameters()[size_t(i)]; }

// "add() received an invalid combination of arguments - got (Tensor, str), but expected one of: …"
std::string mismatch(const HostCall& call, const std::vector<const Signature*>& options, bool method);

}  // namespace glassgrad::GG_HOST
