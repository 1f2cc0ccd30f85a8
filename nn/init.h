// Fills parameters with initial values, in place and outside the graph (torch.nn.init). Each function returns
// the tensor.
//
// fan_in is the number of inputs of one output, size(1) · receptive field; fan_out is size(0) · receptive
// field; the receptive field is the product of the sizes after these two. Throws ValueError `Fan in and fan
// out can not be computed for tensor with fewer than 2 dimensions`.
#pragma once
#include <string_view>

#include "engine/random.h"
#include "engine/tensor.h"

namespace glassgrad::nn::init {

Tensor uniform_(const Tensor& x, double a = 0, double b = 1, Generator& g = default_generator());
Tensor normal_(const Tensor& x, double mean = 0, double std = 1, Generator& g = default_generator());
Tensor constant_(const Tensor& x, double value);

// U(−b, b) with b = √3·gain/√fan, and N(0, gain²/fan). fan is fan_in or fan_out; gain is
// calculate_gain(nonlinearity, a), for the nonlinearity that follows. A tensor without elements stays
// unchanged and draws nothing.
enum class Fan : uint8_t { In, Out };
Tensor kaiming_uniform_(const Tensor& x, double a = 0, Fan fan = Fan::In,
                        std::string_view nonlinearity = "leaky_relu", Generator& g = default_generator());
Tensor kaiming_normal_(const Tensor& x, double a = 0, Fan fan = Fan::In,
                       std::string_view nonlinearity = "leaky_relu", Generator& g = default_generator());

// U(−b, b) with b = √3·s and N(0, s²), where s = gain·√(2/(fan_in + fan_out)).
Tensor xavier_uniform_(const Tensor& x, double gain = 1, Generator& g = default_generator());
Tensor xavier_normal_(const Tensor& x, double gain = 1, Generator& g = default_generator());

// N(mean, std²) restricted to [a, b]: uniform numbers between the CDF at a and the CDF at b, through the
// inverse CDF.
Tensor trunc_normal_(const Tensor& x, double mean = 0, double std = 1, double a = -2, double b = 2,
                     Generator& g = default_generator());

// 1 on the diagonal, else 0. Throws ValueError `Only tensors with 2 dimensions are supported`.
Tensor eye_(const Tensor& x);

// The gain that preserves the variance through a nonlinearity: linear, convolutions and sigmoid 1, tanh 5/3,
// relu √2, leaky_relu √(2/(1 + slope²)), selu 3/4. Throws ValueError `Unsupported nonlinearity NAME`.
double calculate_gain(std::string_view nonlinearity, double negative_slope = 0.01);

}  // namespace glassgrad::nn::init
