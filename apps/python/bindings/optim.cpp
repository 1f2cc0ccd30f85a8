// The steps of torch.optim's Python classes: one call of the engine for each parameter.
#include "bind.h"
#include "convert.h"

namespace py = pybind11;

namespace glassgrad::python {

void bind_optim(py::module_& parent) {
  py::module_ m = parent.def_submodule("_optim", "The steps of optimizers");
  // step, a tensor, counts the steps of this parameter and becomes one more.
  m.def("adam_",
        [](const Tensor& p, const Tensor& g, const Tensor& mean, const Tensor& square, const Tensor& step,
           double lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled) {
          const NoGrad no_grad;
          add_(step, 1);
          adam_(p, g, mean, square,
                {.lr = lr,
                 .beta1 = beta1,
                 .beta2 = beta2,
                 .eps = eps,
                 .weight_decay = weight_decay,
                 .decoupled = decoupled,
                 .step = step.item<int64_t>()});
        });
  // momentum_buffer None: the first step of a parameter with momentum. Gives back the buffer, if there is
  // one.
  m.def("sgd_", [](const Tensor& p, const Tensor& g, Tensor momentum_buffer, double lr, double momentum,
                   double dampening, double weight_decay, bool nesterov) {
    const NoGrad no_grad;
    const bool first = !momentum_buffer;
    if (first && momentum != 0) momentum_buffer = zeros(p.shape(), p.dtype(), p.device());
    sgd_(p, g, momentum_buffer,
         {.lr = lr,
          .momentum = momentum,
          .dampening = dampening,
          .weight_decay = weight_decay,
          .nesterov = nesterov,
          .step = first ? 1 : 2});
    return momentum_buffer;
  });
}

}  // namespace glassgrad::python
