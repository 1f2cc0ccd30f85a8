// What a scope changes and its end puts back, also through an exception.
#pragma once
#include <type_traits>
#include <utility>

namespace glassgrad {

// The variable has this value until the end of the scope, then again what it had before.
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
