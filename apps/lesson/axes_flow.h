// Follows the names of dimensions through a program: a @ b has the names of a without the last, and b's last.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/lesson/document.h"
#include "apps/script/interpreter.h"

namespace glassgrad::learn {

class AxesFlow {
 public:
  // Returns the axes of exactly this view of its storage; no words if they are unknown.
  const AxisWords& of(const Tensor& x) const;
  // Throws Error if there are not as many words as dimensions.
  void set(const Tensor& x, AxisWords axes);
  // Notes that expression x of the program has the value v. Call it for the operands first.
  void evaluated(const script::Expr& x, const script::Value& v);
  // Forgets the operands when a top-level statement of the program has ended.
  void ended() { operands_.clear(); }

 private:
  struct Known {
    int64_t offset;
    Dims shape, strides;
    AxisWords axes;
  };
  // The last value of an operand.
  struct Operand {
    AxisWords axes;
    script::Value number;  // an int, or absent
    std::string layer;     // the class of a module that is called
  };
  const Operand& operand(const script::Expr* x) const;
  AxisWords derived(const script::Expr& x, const Tensor& y) const;
  AxisWords called(const script::Expr& x, const Tensor& y) const;
  AxisWords indexed(const script::Expr& x) const;
  std::optional<int64_t> argument(const script::Expr& call, size_t position, std::string_view name) const;

  std::unordered_map<uint64_t, std::vector<Known>> known_;  // by the storage's id
  std::unordered_map<const script::Expr*, Operand> operands_;
};

}  // namespace glassgrad::learn
