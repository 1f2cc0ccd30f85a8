// The graph of the lessons autograd.order and autograd.accumulate, and engines that walk it by their own
// rule.
//
//   c = a + b,  d = a·b,  e = c + d,  f = c·d,  y = e + f
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/autograd.h"

namespace glassgrad::learn {

struct TwoPaths {
  TwoPaths(double a, double b);

  static constexpr int kSize = 7;
  static constexpr std::array<const char*, kSize> kNames = {"a", "b", "c", "d", "e", "f", "y"};
  static constexpr int kA = 0, kY = 6;

  std::array<Tensor, kSize> tensors;  // in the order of their making
  const Tensor& y() const { return tensors[kY]; }
  Tensor values() const;  // (7,)
  // The lines of Python that make a and b, whatever they have been set to.
  std::string leaves_code() const;
  // The positions of the two tensors that tensor i was made of, left operand first; none for a and b.
  std::vector<int> inputs(int i) const;
  // How many tensors were made of it: (7,).
  Tensor users() const;
  // What the node of tensor i gives its inputs when it receives the gradient g: the engine's own rule.
  std::vector<double> step(int i, double g) const;

 private:
  int position(const Edge& edge) const;
};

// "25": the graph's numbers are whole.
std::string whole(double x);
inline std::string whole(const Tensor& x) { return whole(x.item()); }

using Visits = std::vector<int>;  // positions of tensors, in the order in which their nodes ran
std::string names_of(const Visits& visits);

// A backward pass as somebody might write it first. It keeps a gradient for every tensor.
class NaiveEngine {
 public:
  explicit NaiveEngine(const TwoPaths& graph) : graph_(graph), grads_(TwoPaths::kSize, 0.0) {}

  // Runs a node: what it gives its inputs is added to their gradients.
  void run(int node);
  void start();  // dy/dy = 1
  // Each node runs, then its inputs do the same; once for each way that leads to it.
  void recurse(bool left_first);
  // The same, but no node runs twice.
  void visit_once(bool left_first);
  // Every node after all that use it: the reverse of an order in which inputs come first.
  void in_topological_order(bool left_first);

  double grad(int i) const { return grads_[size_t(i)]; }
  Tensor grads() const;   // (7,)
  Tensor counts() const;  // how often each tensor's turn came: (7,)
  const Visits& visits() const { return visits_; }

 private:
  std::vector<int> inputs(int node, bool left_first) const;

  const TwoPaths& graph_;
  std::vector<double> grads_;
  Visits visits_;
};

}  // namespace glassgrad::learn
