#include "apps/lessons/mistakes/two_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// A float32 in Python: "2.", "2.5", "3.3333e+34", "float('nan')".
std::string literal(const Tensor& x) {
  const std::string text = fmt::format("{}", x.item<float>());
  if (!std::isfinite(x.item())) return fmt::format("float('{}')", text);
  return text.find_first_of(".e") == text.npos ? text + "." : text;
}

}  // namespace

TwoPaths::TwoPaths(double a, double b) {
  tensors[0] = full({}, a).requires_grad_();
  tensors[1] = full({}, b).requires_grad_();
  tensors[2] = tensors[0] + tensors[1];
  tensors[3] = tensors[0] * tensors[1];
  tensors[4] = tensors[2] + tensors[3];
  tensors[5] = tensors[2] * tensors[3];
  tensors[6] = tensors[4] + tensors[5];
}

Tensor TwoPaths::values() const {
  std::vector<double> values;
  for (const Tensor& x : tensors) values.push_back(x.item());
  return from_values(values, {kSize});
}

int TwoPaths::position(const Edge& edge) const {
  for (int i = 0; i < kSize; ++i)
    if (edge_of(tensors[size_t(i)]).node.get() == edge.node.get()) return i;
  return -1;
}

std::vector<int> TwoPaths::inputs(int i) const {
  std::vector<int> positions;
  if (const Ref<Node>& node = grad_fn(tensors[size_t(i)]); node.get())
    for (const Edge& edge : node->inputs()) positions.push_back(position(edge));
  return positions;
}

Tensor TwoPaths::users() const {
  std::vector<int64_t> users(kSize, 0);
  for (int i = 0; i < kSize; ++i)
    for (const int input : inputs(i)) ++users[size_t(input)];
  return from_values(users, {kSize});
}

std::vector<double> TwoPaths::step(int i, double g) const {
  const Ref<Node>& node = grad_fn(tensors[size_t(i)]);
  if (!node.get()) return {};
  const NoGrad off;
  const Tensor grad = from_values(std::vector<double>{g}, {});
  std::vector<Tensor> out(node->n_edges);
  const std::array<bool, 2> wanted = {true, true};
  Back back{*node, {&grad, 1}, grad, out.data(), wanted.data()};
  node->run(*node, back);
  std::vector<double> given;
  for (const Tensor& x : out) given.push_back(x.item());
  return given;
}

std::string TwoPaths::leaves_code() const {
  return fmt::format("a = torch.tensor({}, requires_grad=True)\nb = torch.tensor({}, requires_grad=True)",
                     literal(tensors[0]), literal(tensors[1]));
}

std::string whole(double x) { return fmt::format("{:.12g}", x); }

std::string names_of(const Visits& visits) {
  std::string names;
  for (const int i : visits) names += std::string(names.empty() ? "" : " ") + TwoPaths::kNames[size_t(i)];
  return names;
}

std::vector<int> NaiveEngine::inputs(int node, bool left_first) const {
  std::vector<int> positions = graph_.inputs(node);
  if (!left_first) std::reverse(positions.begin(), positions.end());
  return positions;
}

void NaiveEngine::start() { grads_[TwoPaths::kY] = 1; }

void NaiveEngine::run(int node) {
  visits_.push_back(node);
  const std::vector<int> to = graph_.inputs(node);
  const std::vector<double> given = graph_.step(node, grad(node));
  for (size_t k = 0; k < to.size(); ++k) grads_[size_t(to[k])] += given[k];
}

void NaiveEngine::recurse(bool left_first) {
  const std::function<void(int)> visit = [&](int node) {
    run(node);
    for (const int input : inputs(node, left_first)) visit(input);
  };
  start();
  visit(TwoPaths::kY);
}

void NaiveEngine::visit_once(bool left_first) {
  std::array<bool, TwoPaths::kSize> seen{};
  const std::function<void(int)> visit = [&](int node) {
    if (std::exchange(seen[size_t(node)], true)) return;
    run(node);
    for (const int input : inputs(node, left_first)) visit(input);
  };
  start();
  visit(TwoPaths::kY);
}

void NaiveEngine::in_topological_order(bool left_first) {
  std::array<bool, TwoPaths::kSize> seen{};
  Visits order;
  const std::function<void(int)> visit = [&](int node) {
    if (std::exchange(seen[size_t(node)], true)) return;
    for (const int input : inputs(node, left_first)) visit(input);
    order.push_back(node);
  };
  visit(TwoPaths::kY);
  start();
  for (auto node = order.rbegin(); node != order.rend(); ++node) run(*node);
}

Tensor NaiveEngine::grads() const { return from_values(grads_, {TwoPaths::kSize}); }

Tensor NaiveEngine::counts() const {
  std::vector<int64_t> counts(TwoPaths::kSize, 0);
  for (const int node : visits_) ++counts[size_t(node)];
  return from_values(counts, {TwoPaths::kSize});
}

}  // namespace glassgrad::learn
