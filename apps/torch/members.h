// The properties and methods of a tensor that compute nothing. They are not in the table of functions, so
// that a host can bind each one directly.
#pragma once
#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

// Tensor.T, .mT, .mH, .H: transposes, with PyTorch's warnings and errors for tensors that are not matrices.
Tensor reversed(const Tensor& x);
Tensor mt_of(const Tensor& x);
Tensor mh_of(const Tensor& x);
Tensor h_of(const Tensor& x);

Result to_list(const Tensor& x);  // all values, as nested lists

// x.grad = value, and so on; null: del x.grad. Throw TypeError, RuntimeError.
void set_grad(const Tensor& x, Object value);
void set_requires_grad(const Tensor& x, Object value);
void assign_data(const Tensor& x, Object value);

struct Member {
  const char* name;
  Result (*get)(const Tensor& x);
  const char* help;
};
constexpr Member kProperties[] = {
    {"shape", [](const Tensor& x) { return wrap_size(x.shape()); },
     "The sizes of its dimensions, a torch.Size"},
    {"dtype", [](const Tensor& x) { return wrap(x.dtype()); }, "The type of its elements"},
    {"device", [](const Tensor& x) { return wrap(x.device()); },
     "Where it lies: cpu, or a GPU such as cuda:0"},
    {"ndim", [](const Tensor& x) { return wrap(x.dim()); }, "How many dimensions it has"},
    {"itemsize", [](const Tensor& x) { return wrap(item_size(x.dtype())); }, "Bytes of one element"},
    {"nbytes", [](const Tensor& x) { return wrap(item_size(x.dtype()) * x.numel()); },
     "Bytes of all elements"},
    {"T", [](const Tensor& x) { return wrap(reversed(x)); },
     "A view with the dimensions reversed: (a, b) → (b, a)"},
    {"mT", [](const Tensor& x) { return wrap(mt_of(x)); },
     "A view with the last two dimensions exchanged: (…, a, b) → (…, b, a)"},
    {"H", [](const Tensor& x) { return wrap(h_of(x)); }, "Of a real matrix the same as mT"},
    {"mH", [](const Tensor& x) { return wrap(mh_of(x)); }, "Of real matrices the same as mT"},
    {"grad", [](const Tensor& x) { return wrap(x.grad()); },
     "d(result)/d(this), which backward() adds to; None before the first"},
    {"requires_grad", [](const Tensor& x) { return wrap(x.requires_grad()); },
     "Does backward() look for its gradient?"},
    {"is_leaf", [](const Tensor& x) { return wrap(x.is_leaf()); },
     "Was it made by no function that is recorded?"},
    {"retains_grad", [](const Tensor& x) { return wrap(bool(x->retains_grad)); },
     "Does it keep its gradient though it is no leaf?"},
    {"data", [](const Tensor& x) { return wrap(x.data()); }, "The same numbers outside the graph"},
    {"output_nr", [](const Tensor& x) { return wrap(int64_t(x->nr)); }, "Which output of grad_fn it is"},
    {"_version",
     [](const Tensor& x) {
       check(!x->storage->for_inference, "Inference tensors do not track version counter.");
       return wrap(int64_t(x.version()));
     },
     "How often it was written in place"},
    {"_base", [](const Tensor& x) { return wrap(Tensor(x->base)); }, "The tensor it is a view of, or None"},
    {"name", [](const Tensor&) { return none(); }, "None: tensors have no names"},
    {"real", [](const Tensor& x) { return wrap(x); }, "Itself: all dtypes are real"},
    {"is_cuda", [](const Tensor& x) { return wrap(x.device().type == DeviceType::CUDA); },
     "Does it lie on a GPU?"},
    {"is_mps", [](const Tensor&) { return wrap(false); }, "False"},
    {"is_sparse", [](const Tensor&) { return wrap(false); }, "False"},
    {"is_quantized", [](const Tensor&) { return wrap(false); }, "False"},
};

// Methods without arguments.
constexpr Member kMethods[] = {
    {"dim", [](const Tensor& x) { return wrap(x.dim()); }, "dim() -> int\n\nThe number of dimensions."},
    {"ndimension", [](const Tensor& x) { return wrap(x.dim()); }, "ndimension() -> int\n\nAs dim()."},
    {"numel", [](const Tensor& x) { return wrap(x.numel()); }, "numel() -> int\n\nThe number of elements."},
    {"nelement", [](const Tensor& x) { return wrap(x.numel()); }, "nelement() -> int\n\nAs numel()."},
    {"element_size", [](const Tensor& x) { return wrap(item_size(x.dtype())); },
     "element_size() -> int\n\nBytes of one element."},
    {"storage_offset", [](const Tensor& x) { return wrap(int64_t(x->offset)); },
     "storage_offset() -> int\n\nWhere in its memory the first element lies, in elements."},
    {"data_ptr",
     [](const Tensor& x) {
       return wrap(x.device() == kMeta ? 0 : int64_t(reinterpret_cast<uintptr_t>(x.raw().data)));
     },
     "data_ptr() -> int\n\nThe address of the first element."},
    {"is_floating_point", [](const Tensor& x) { return wrap(is_floating(x.dtype())); },
     "is_floating_point() -> bool"},
    {"is_complex", [](const Tensor&) { return wrap(false); }, "is_complex() -> bool\n\nFalse."},
    {"is_signed", [](const Tensor& x) { return wrap(x.dtype() != boolean && !is_unsigned(x.dtype())); },
     "is_signed() -> bool"},
    {"is_inference", [](const Tensor& x) { return wrap(x->storage->for_inference); },
     "is_inference() -> bool\n\nWas its memory made by an inference_mode?"},
    {"item", [](const Tensor& x) { return wrap_item(x); },
     "item() -> number\n\nThe value of a tensor with one element, as a number of Python's."},
    {"tolist", [](const Tensor& x) { return to_list(x); },
     "tolist() -> list or number\n\nAll values, as nested lists."},
    {"detach", [](const Tensor& x) { return wrap(x.detach()); },
     "detach() -> Tensor\n\nThe same numbers, which no gradient leaves."},
    {"retain_grad", [](const Tensor& x) { return x.retain_grad(), none(); },
     "retain_grad() -> None\n\nKeeps .grad in backward() though it is no leaf."},
};

// Methods that read their arguments, or return the tensor's own object.
struct CallMember {
  const char* name;
  Result (*call)(Object self, const HostCall& call);
  const char* help;
};
Result size_of(Object self, const HostCall& call);
Result stride_of(Object self, const HostCall& call);
Result require_grad(Object self, const HostCall& call);
Result detach_in_place(Object self, const HostCall& call);
constexpr CallMember kCalls[] = {
    {"size", size_of, "size(dim=None) -> torch.Size or int\n\nThe sizes, or that of one dimension."},
    {"stride", stride_of,
     "stride(dim=None) -> tuple or int\n\nHow many elements lie between neighbours along each dimension, or "
     "along one."},
    {"is_contiguous",
     [](Object self, const HostCall&) { return wrap(as_tensor(self)->is_contiguous()); },  // the only format
     "is_contiguous() -> bool\n\nDo its elements lie in memory in logical order?"},
    {"requires_grad_", require_grad,
     "requires_grad_(requires_grad=True) -> Tensor\n\nFrom now on backward() looks for its gradient."},
    {"detach_", detach_in_place, "detach_() -> Tensor\n\nTakes it out of the graph that made it."},
};

}  // namespace glassgrad::GG_HOST
