// Tensor's operators: Python's number and sequence slots, so that a + b goes straight to the engine.
#include "apps/torch/table.h"
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// ---- a and b of `a OP b`: tensors, or one of them a number
struct Operands {
  const Tensor *a, *b;
  Tensor made;  // of a number or an array
  bool fit;

  Operands(PyObject* left, PyObject* right) : a(as_tensor(left)), b(as_tensor(right)), fit(a && b) {
    if (fit) return;
    PyObject* const other = a ? right : left;
    if (is_number(other))
      made = to_number(other);
    else if (a && is_numpy_array(other))
      made = from_numpy(other);
    fit = bool(made) && (a || b);
    (a ? b : a) = &made;
  }
  bool number_first() const { return a == &made; }
  bool number_last() const { return b == &made && made->is_number; }
};

template <auto f>
PyObject* binary(PyObject* left, PyObject* right) {
  return guarded([&] {
    const Operands o(left, right);
    if (!o.fit) return Py_NewRef(Py_NotImplemented);
    return wrap(f(o));
  });
}
// The same for `a OP= b`: f writes into a.
template <auto f>
PyObject* in_place(PyObject* left, PyObject* right) {
  return guarded([&] {
    const Operands o(left, right);
    if (!o.fit) return Py_NewRef(Py_NotImplemented);
    f(*o.a, *o.b);
    return Py_NewRef(left);
  });
}

constexpr auto add_slot = binary<[](const Operands& o) { return add(*o.a, *o.b); }>;
constexpr auto sub_slot =
    binary<[](const Operands& o) { return o.number_first() ? rsub(*o.b, *o.a) : sub(*o.a, *o.b); }>;
constexpr auto mul_slot = binary<[](const Operands& o) { return mul(*o.a, *o.b); }>;
constexpr auto div_slot = binary<[](const Operands& o) {
  return o.number_first() ? mul(reciprocal(*o.b), *o.a) : div(*o.a, *o.b);
}>;
constexpr auto floor_divide_slot = binary<[](const Operands& o) { return floor_divide(*o.a, *o.b); }>;
constexpr auto remainder_slot = binary<[](const Operands& o) { return remainder_of(*o.a, *o.b); }>;
constexpr auto and_slot = binary<[](const Operands& o) { return bitwise_and(*o.a, *o.b); }>;
constexpr auto or_slot = binary<[](const Operands& o) { return bitwise_or(*o.a, *o.b); }>;
constexpr auto xor_slot = binary<[](const Operands& o) { return bitwise_xor(*o.a, *o.b); }>;

PyObject* matmul_slot(PyObject* left, PyObject* right) {
  return guarded([&] {
    const Tensor *a = as_tensor(left), *b = as_tensor(right);
    return a && b ? wrap(matmul(*a, *b)) : Py_NewRef(Py_NotImplemented);
  });
}

PyObject* pow_slot(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return binary<[](const Operands& o) {
    return o.number_first()  ? pow_base(*o.a, *o.b)
           : o.number_last() ? pow_number(*o.a, *o.b)
                             : pow(*o.a, *o.b);
  }>(left, right);
}
PyObject* pow_in_place_slot(PyObject* left, PyObject* right, PyObject*) {
  return in_place<[](const Tensor& a, const Tensor& b) { pow_(a, b); }>(left, right);
}

// ---- unary
PyObject* positive_slot(PyObject* self) {
  return guarded([&] {
    check(tensor_of(self).dtype() != boolean, "The `+` operator, on a bool tensor is not supported.");
    return Py_NewRef(self);
  });
}
PyObject* index_slot(PyObject* self) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    check<TypeError>(x.numel() == 1 && !is_floating(x.dtype()),
                     "only integer tensors of a single element can be converted to an index");
    return wrap(x.item<int64_t>());
  });
}
// What int() and float() take the value of.
const Tensor& one_element(const Tensor& x) {
  check<ValueError>(x.numel() == 1, "only one element tensors can be converted to Python scalars");
  return x;
}
PyObject* int_slot(PyObject* self) {
  return guarded(
      [&] { return checked(PyNumber_Long(owned(wrap_item(one_element(tensor_of(self)))).ptr())); });
}
int truth_slot(PyObject* self) {
  return guarded([&] { return int(tensor_of(self).is_true()); });
}

// ---- comparison
PyObject* compare_slot(PyObject* left, PyObject* right, int op) {
  return guarded([&] {
    const Operands o(left, right);
    if (!o.fit) return Py_NewRef(Py_NotImplemented);
    using Compare = Tensor (*)(const Tensor&, const Tensor&);
    constexpr Compare compare[] = {lt, le, eq, ne, gt, ge};  // in the order of Py_LT …
    return wrap(compare[op](*o.a, *o.b));
  });
}

// ---- as a sequence
Py_ssize_t length_slot(PyObject* self) {
  return guarded([&]() -> Py_ssize_t {
    const Tensor& x = tensor_of(self);
    check<TypeError>(x.dim() > 0, "len() of a 0-d tensor");
    return x.shape()[0];
  });
}
PyObject* iterate_slot(PyObject* self) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    check<TypeError>(x.dim() > 0, "iteration over a 0-d tensor");
    return checked(PyObject_GetIter(owned(wrap(x.unbind(0))).ptr()));
  });
}
Tensor inverted(const Tensor& x) {
  check<TypeError>(!is_floating(x.dtype()),
                   "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
  return bitwise_not(x);
}
int contains_slot(PyObject* self, PyObject* element) {
  return guarded([&] {
    const Operands o(self, element);
    check(o.fit, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
          py::str(py::type::handle_of(element)).cast<std::string>());
    return int(any(eq(*o.a, *o.b)).is_true());
  });
}

}  // namespace

void add_operators(std::vector<PyType_Slot>& slots) {
  const auto add_all = [&](std::initializer_list<PyType_Slot> more) { slots.insert(slots.end(), more); };
  add_all({slot(Py_nb_add, add_slot), slot(Py_nb_subtract, sub_slot), slot(Py_nb_multiply, mul_slot),
           slot(Py_nb_true_divide, div_slot), slot(Py_nb_floor_divide, floor_divide_slot),
           slot(Py_nb_remainder, remainder_slot), slot(Py_nb_and, and_slot), slot(Py_nb_or, or_slot),
           slot(Py_nb_xor, xor_slot), slot(Py_nb_matrix_multiply, matmul_slot), slot(Py_nb_power, pow_slot)});
  using T = const Tensor&;
  add_all({slot(Py_nb_inplace_add, in_place<[](T a, T b) { add_(a, b); }>),
           slot(Py_nb_inplace_subtract, in_place<[](T a, T b) { sub_(a, b); }>),
           slot(Py_nb_inplace_multiply, in_place<[](T a, T b) { mul_(a, b); }>),
           slot(Py_nb_inplace_true_divide, in_place<[](T a, T b) { div_(a, b); }>),
           slot(Py_nb_inplace_floor_divide, in_place<[](T a, T b) { copy_(a, floor_divide(a, b)); }>),
           slot(Py_nb_inplace_remainder, in_place<[](T a, T b) { remainder_(a, b); }>),
           slot(Py_nb_inplace_and, in_place<[](T a, T b) { copy_(a, bitwise_and(a, b)); }>),
           slot(Py_nb_inplace_or, in_place<[](T a, T b) { copy_(a, bitwise_or(a, b)); }>),
           slot(Py_nb_inplace_xor, in_place<[](T a, T b) { copy_(a, bitwise_xor(a, b)); }>),
           slot(Py_nb_inplace_power, pow_in_place_slot)});
  add_all({slot(Py_nb_negative, unary_slot<[](T x) { return neg(x); }>),
           slot(Py_nb_absolute, unary_slot<[](T x) { return abs(x); }>),
           slot(Py_nb_invert, unary_slot<[](T x) { return inverted(x); }>),
           slot(Py_nb_positive, positive_slot), slot(Py_nb_bool, truth_slot), slot(Py_nb_int, int_slot),
           slot(Py_nb_float, unary_slot<[](T x) { return one_element(x).item(); }>),
           slot(Py_nb_index, index_slot)});
  add_all({slot(Py_tp_richcompare, compare_slot), slot(Py_mp_length, length_slot),
           slot(Py_tp_iter, iterate_slot), slot(Py_sq_contains, contains_slot),
           slot(Py_tp_hash, _Py_HashPointer)});
}

}  // namespace glassgrad::python
