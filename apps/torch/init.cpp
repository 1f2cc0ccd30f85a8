// torch.nn.init: nn/'s initial values of parameters.
#include "nn/init.h"

#include <cctype>

#include "table.h"

namespace glassgrad::GG_HOST {
namespace {

using T = const Tensor&;
namespace init = nn::init;

using Kaiming = Tensor (*)(T, double, init::Fan, std::string_view, Generator&);
template <Kaiming fill>
Tensor kaiming(T x, double a, Text mode, Text nonlinearity, Generator& g) {
  if (x.numel() == 0) {
    warn("Initializing zero-element tensors is a no-op");
    return x;
  }
  std::string known(mode);
  for (char& c : known) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  check<ValueError>(known == "fan_in" || known == "fan_out",
                    "Mode {} not supported, please use one of ['fan_in', 'fan_out']", known);
  return fill(x, a, known == "fan_in" ? init::Fan::In : init::Fan::Out, nonlinearity, g);
}

}  // namespace

Rows init_rows() {
  constexpr unsigned kI = kInit | kWrittenInPython;
  return {
      row(kI, "uniform_(Tensor tensor, float a=0.0, float b=1.0, Generator? generator=None)",
          call<init::uniform_>)
          .help("U(a, b)."),
      row(kI, "normal_(Tensor tensor, float mean=0.0, float std=1.0, Generator? generator=None)",
          call<init::normal_>)
          .help("N(mean, std²)."),
      row(kI, "constant_(Tensor tensor, float val)", call<init::constant_>).help("val everywhere."),
      row(kI, "ones_(Tensor tensor)", [](T x) { return init::constant_(x, 1); }).help("1 everywhere."),
      row(kI, "zeros_(Tensor tensor)", [](T x) { return init::constant_(x, 0); }).help("0 everywhere."),
      row(kI, "eye_(Tensor tensor)", call<init::eye_>).help("1 on the diagonal of a matrix, else 0."),
      row(kI, "xavier_uniform_(Tensor tensor, float gain=1.0, Generator? generator=None)",
          call<init::xavier_uniform_>)
          .help("U(−b, b) with b = gain·√(6/(fan_in + fan_out))."),
      row(kI, "xavier_normal_(Tensor tensor, float gain=1.0, Generator? generator=None)",
          call<init::xavier_normal_>)
          .help("N(0, gain²·2/(fan_in + fan_out))."),
      row(kI,
          "kaiming_uniform_(Tensor tensor, float a=0, str mode='fan_in', str nonlinearity='leaky_relu', "
          "Generator? generator=None)",
          call<kaiming<init::kaiming_uniform_>>)
          .help(
              "U(−b, b) with b = gain·√(3/fan); gain is that of the nonlinearity that follows, for leaky_relu of "
              "slope a."),
      row(kI,
          "kaiming_normal_(Tensor tensor, float a=0, str mode='fan_in', str nonlinearity='leaky_relu', "
          "Generator? generator=None)",
          call<kaiming<init::kaiming_normal_>>)
          .help("N(0, gain²/fan); gain is that of the nonlinearity that follows, for leaky_relu of slope a."),
      row(kI,
          "trunc_normal_(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0, Generator? "
          "generator=None)",
          [](T x, double mean, double std, double a, double b, Generator& g) {
            if (mean < a - 2 * std || mean > b + 2 * std)
              warn(
                  "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values "
                  "may be incorrect.");
            return init::trunc_normal_(x, mean, std, a, b, g);
          })
          .help("N(mean, std²) without its parts outside [a, b]."),
  };
}

}  // namespace glassgrad::GG_HOST
