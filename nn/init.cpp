#include "nn/init.h"

#include <cmath>
#include <numbers>

#include "engine/ops.h"

namespace glassgrad::nn::init {

namespace {

struct Fans {
  double in, out;
};

Fans fans(const Tensor& x) {
  check<ValueError>(x.dim() >= 2,
                    "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
  int64_t receptive_field = 1;
  for (int64_t d = 2; d < x.dim(); ++d) receptive_field *= x.size(d);
  return {double(x.size(1) * receptive_field), double(x.size(0) * receptive_field)};
}

// Follow PyTorch's order of operations: the last bit of a bound changes the values drawn.
double kaiming_std(const Tensor& x, double a, Fan fan, std::string_view nonlinearity) {
  const auto [in, out] = fans(x);
  return calculate_gain(nonlinearity, a) / std::sqrt(fan == Fan::In ? in : out);
}

double xavier_std(const Tensor& x, double gain) {
  const Fans fan = fans(x);
  return gain * std::sqrt(2.0 / (fan.in + fan.out));
}

Tensor symmetric_uniform_(const Tensor& x, double std, Generator& g) {
  const double bound = std::sqrt(3.0) * std;
  return init::uniform_(x, -bound, bound, g);
}

}  // namespace

Tensor uniform_(const Tensor& x, double a, double b, Generator& g) {
  const NoGrad no_grad;
  return glassgrad::uniform_(x, a, b, g);
}

Tensor normal_(const Tensor& x, double mean, double std, Generator& g) {
  const NoGrad no_grad;
  return glassgrad::normal_(x, mean, std, g);
}

Tensor constant_(const Tensor& x, double value) {
  const NoGrad no_grad;
  return fill_(x, value);
}

Tensor kaiming_uniform_(const Tensor& x, double a, Fan fan, std::string_view nonlinearity, Generator& g) {
  return x.numel() == 0 ? x : symmetric_uniform_(x, kaiming_std(x, a, fan, nonlinearity), g);
}

Tensor kaiming_normal_(const Tensor& x, double a, Fan fan, std::string_view nonlinearity, Generator& g) {
  return x.numel() == 0 ? x : init::normal_(x, 0, kaiming_std(x, a, fan, nonlinearity), g);
}

Tensor xavier_uniform_(const Tensor& x, double gain, Generator& g) {
  return symmetric_uniform_(x, xavier_std(x, gain), g);
}

Tensor xavier_normal_(const Tensor& x, double gain, Generator& g) {
  return init::normal_(x, 0, xavier_std(x, gain), g);
}

Tensor trunc_normal_(const Tensor& x, double mean, double std, double a, double b, Generator& g) {
  const NoGrad no_grad;
  // 2·CDF(bound) − 1, between −1 and 1.
  const auto share = [&](double bound) { return std::erf((bound - mean) / std / std::numbers::sqrt2); };
  glassgrad::uniform_(x, share(a), share(b), g);
  const Tensor normal = mean + std * std::numbers::sqrt2 * erfinv(x);
  return copy_(x, clamp(normal, a, b));
}

Tensor eye_(const Tensor& x) {
  check<ValueError>(x.dim() == 2, "Only tensors with 2 dimensions are supported");
  const NoGrad no_grad;
  return copy_(x, eye(x.size(0), x.size(1)));
}

double calculate_gain(std::string_view nonlinearity, double negative_slope) {
  const bool linear = nonlinearity == "linear" || nonlinearity == "sigmoid";
  if (linear || nonlinearity.starts_with("conv")) return 1;
  if (nonlinearity == "selu") return 0.75;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  check<ValueError>(nonlinearity == "leaky_relu", "Unsupported nonlinearity {}", nonlinearity);
  return std::sqrt(2.0 / (1 + negative_slope * negative_slope));
}

}  // namespace glassgrad::nn::init
