// Changes a variable for a scope and restores it at the end, even when an exception leaves the scope.
#pragma once
#include <type_traits>
#include <utility>

namespace glassgrad {

// Sets the variable to `value` until the end of the scope, then restores its previous value.
template <class T>
class ForScope {
 public:
  ForScope(T& variable, std::type_identity_t<T> value)
      : variable_(variable), before_(std::exchange(variable, value)) {}
  ~ForScope() { variable_ = before_; }
  ForScope(const ForScope&) = delete;
  ForScope& operator=(const ForScope&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace glassgrad
