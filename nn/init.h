// Initial values of parameters: fills in place, outside the graph (torch.nn.init). Each gives the tensor
// back.
//
// fan_in is the number of inputs of one output, size(1) · receptive field; fan_out is size(0) · receptive
// field; the receptive field is the product of the further sizes. ValueError `Fan in and fan out can not be
// computed for tensor with fewer than 2 dimensions`.
#pragma once
#include <string_view>

#include "engine/random.h"
#include "engine/tensor.h"

namespace glassgrad::nn::init {

Tensor uniform_(const Tensor& x, double a = 0, double b = 1, Generator& g = default_generator());
Tensor normal_(const Tensor& x, double mean = 0, double std = 1, Generator& g = default_generator());
Tensor constant_(const Tensor& x, double value);

// U(−b, b) with b = √3·gain/√fan_in and N(0, gain²/fan_in), where gain = √(2/(1 + a²)) suits leaky_relu of
// slope a. A tensor without elements stays as it is and draws nothing.
Tensor kaiming_uniform_(const Tensor& x, double a = 0, Generator& g = default_generator());
Tensor kaiming_normal_(const Tensor& x, double a = 0, Generator& g = default_generator());

// U(−b, b) with b = √3·s and N(0, s²), where s = gain·√(2/(fan_in + fan_out)).
Tensor xavier_uniform_(const Tensor& x, double gain = 1, Generator& g = default_generator());
Tensor xavier_normal_(const Tensor& x, double gain = 1, Generator& g = default_generator());

// The gain that keeps the variance through a nonlinearity: linear, sigmoid 1, tanh 5/3, relu √2,
// leaky_relu √(2/(1 + slope²)). ValueError `Unsupported nonlinearity NAME`.
double calculate_gain(std::string_view nonlinearity, double negative_slope = 0.01);

}  // namespace glassgrad::nn::init
