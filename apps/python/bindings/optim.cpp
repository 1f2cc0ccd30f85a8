// The steps of torch.optim's Python classes: one call of the engine for all parameters of a group.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/ops.h"

namespace py = pybind11;

namespace glassgrad::python {

using List = std::vector<Tensor>;

void bind_optim(py::module_& parent) {
  py::module_ m = parent.def_submodule("_optim", "The steps of optimizers");
  // `steps` are tensors that count the steps of each parameter; each is increased by one.
  m.def("adam_",
        [](const List& params, const List& grads, const List& means, const List& squares, const List& steps,
           double lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled) {
          const NoGrad no_grad;
          AdamStep a{.lr = lr,
                     .beta1 = beta1,
                     .beta2 = beta2,
                     .eps = eps,
                     .weight_decay = weight_decay,
                     .decoupled = decoupled};
          std::vector<AdamOperands> all;
          for (size_t i = 0; i < params.size(); ++i) {
            a.step = add_(steps[i], 1).item<int64_t>();
            all.push_back({params[i], grads[i], means[i], squares[i], a});
          }
          adam_(all);
        });
  // A momentum_buffer of None means a parameter's first step with momentum. Returns the buffers, None without
  // momentum.
  m.def("sgd_", [](const List& params, const List& grads, List momentum_buffers, double lr, double momentum,
                   double dampening, double weight_decay, bool nesterov) {
    const NoGrad no_grad;
    SgdStep a{.lr = lr,
              .momentum = momentum,
              .dampening = dampening,
              .weight_decay = weight_decay,
              .nesterov = nesterov};
    std::vector<SgdOperands> all;
    for (size_t i = 0; i < params.size(); ++i) {
      const Tensor& p = params[i];
      Tensor& buffer = momentum_buffers[i];
      a.step = buffer ? 2 : 1;
      if (!buffer && momentum != 0) buffer = zeros(p.shape(), p.dtype(), p.device());
      all.push_back({p, grads[i], buffer, a});
    }
    sgd_(all);
    return momentum_buffers;
  });
}

}  // namespace glassgrad::python
