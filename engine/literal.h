// torch.tensor: tensors from literal values.
#pragma once
#include <initializer_list>
#include <optional>
#include <vector>

#include "tensor.h"

namespace glassgrad {

// A number or a list of literals, nested to any depth: tensor({{1.0, 2}, {3, 4}}).
class Literal {
 public:
  enum class Kind : uint8_t { Bool, Int, Float, List };

  Literal() = default;  // an empty list
  template <Number N>
  Literal(N number)
      : kind_(std::is_same_v<N, bool> ? Kind::Bool
              : std::is_integral_v<N> ? Kind::Int
                                      : Kind::Float),
        integer_(static_cast<int64_t>(std::is_integral_v<N> ? number : N(0))),
        number_(static_cast<double>(number)) {}
  Literal(std::initializer_list<Literal> items) : items_(items) {}
  explicit Literal(std::vector<Literal> items) : items_(std::move(items)) {}

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }  // exact, for a bool or an integer
  double number() const { return number_; }
  const std::vector<Literal>& items() const { return items_; }

 private:
  Kind kind_ = Kind::List;
  int64_t integer_ = 0;
  double number_ = 0;
  std::vector<Literal> items_;
};

// Without dtype: float32 if any value is a float or the list is empty, bool if all are bools, else int64.
// Throws ValueError `expected sequence of length 2 at dim 1 (got 1)`, TypeError `not a sequence` for ragged
// lists.
Tensor tensor(const Literal& values, std::optional<DType> dtype = {});

}  // namespace glassgrad
