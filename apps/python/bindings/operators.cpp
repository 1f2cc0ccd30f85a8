// Tensor's operators: Python's number and sequence slots, so that a + b goes straight to the engine.
#include "apps/torch/operators.h"
#include "apps/torch/indexing.h"
#include "tensor_type.h"

namespace glassgrad::python {
namespace {

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
constexpr auto sub_slot = binary<[](const Operands& o) { return difference(o); }>;
constexpr auto mul_slot = binary<[](const Operands& o) { return mul(*o.a, *o.b); }>;
constexpr auto div_slot = binary<[](const Operands& o) { return quotient(o); }>;
constexpr auto floor_divide_slot = binary<[](const Operands& o) { return floor_divide(*o.a, *o.b); }>;
constexpr auto remainder_slot = binary<[](const Operands& o) { return remainder_of(*o.a, *o.b); }>;
constexpr auto and_slot = binary<[](const Operands& o) { return bitwise_and(*o.a, *o.b); }>;
constexpr auto or_slot = binary<[](const Operands& o) { return bitwise_or(*o.a, *o.b); }>;
constexpr auto xor_slot = binary<[](const Operands& o) { return bitwise_xor(*o.a, *o.b); }>;
constexpr auto left_shift_slot = binary<[](const Operands& o) { return shifted_left(*o.a, *o.b); }>;
constexpr auto right_shift_slot = binary<[](const Operands& o) { return shifted_right(*o.a, *o.b); }>;

PyObject* matmul_slot(PyObject* left, PyObject* right) {
  return guarded([&] {
    const Tensor *a = as_tensor(left), *b = as_tensor(right);
    return a && b ? wrap(matmul(*a, *b)) : Py_NewRef(Py_NotImplemented);
  });
}

PyObject* pow_slot(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return binary<[](const Operands& o) { return power(o); }>(left, right);
}
PyObject* pow_in_place_slot(PyObject* left, PyObject* right, PyObject*) {
  return in_place<[](const Tensor& a, const Tensor& b) { pow_(a, b); }>(left, right);
}

// ---- unary
PyObject* positive_slot(PyObject* self) {
  return guarded([&] {
    positive(tensor_of(self));
    return Py_NewRef(self);
  });
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
  return guarded([&]() -> Py_ssize_t { return len(tensor_of(self)); });
}
PyObject* iterate_slot(PyObject* self) {
  return guarded([&] { return checked(PyObject_GetIter(owned(wrap(rows_of(tensor_of(self)))).ptr())); });
}
int contains_slot(PyObject* self, PyObject* element) {
  return guarded([&] { return int(contains(self, element)); });
}

// ---- x[…]
PyObject* get_item_slot(PyObject* self, PyObject* brackets) {
  return guarded([&] { return wrap(get_item(tensor_of(self), brackets)); });
}
int set_item_slot(PyObject* self, PyObject* brackets, PyObject* value) {
  return guarded([&] {
    check<TypeError>(value, "Tensor does not support deleting items");
    set_item(tensor_of(self), brackets, value);
    return 0;
  });
}
// Without sq_item, numpy would not turn a list of tensors into an array of their elements.
PyObject* get_row_slot(PyObject* self, Py_ssize_t i) {
  return guarded([&] { return wrap(get_item(tensor_of(self), owned(PyLong_FromSsize_t(i)).ptr())); });
}

}  // namespace

void add_operators(std::vector<PyType_Slot>& slots) {
  const auto add_all = [&](std::initializer_list<PyType_Slot> more) { slots.insert(slots.end(), more); };
  add_all({slot(Py_nb_add, add_slot), slot(Py_nb_subtract, sub_slot), slot(Py_nb_multiply, mul_slot),
           slot(Py_nb_true_divide, div_slot), slot(Py_nb_floor_divide, floor_divide_slot),
           slot(Py_nb_remainder, remainder_slot), slot(Py_nb_and, and_slot), slot(Py_nb_or, or_slot),
           slot(Py_nb_xor, xor_slot), slot(Py_nb_lshift, left_shift_slot),
           slot(Py_nb_rshift, right_shift_slot), slot(Py_nb_matrix_multiply, matmul_slot),
           slot(Py_nb_power, pow_slot)});
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
           slot(Py_nb_inplace_lshift, in_place<[](T a, T b) { copy_(a, shifted_left(a, b)); }>),
           slot(Py_nb_inplace_rshift, in_place<[](T a, T b) { copy_(a, shifted_right(a, b)); }>),
           slot(Py_nb_inplace_power, pow_in_place_slot)});
  add_all({slot(Py_nb_negative, unary_slot<[](T x) { return neg(x); }>),
           slot(Py_nb_absolute, unary_slot<[](T x) { return abs(x); }>),
           slot(Py_nb_invert, unary_slot<[](T x) { return inverted(x); }>),
           slot(Py_nb_positive, positive_slot), slot(Py_nb_bool, truth_slot), slot(Py_nb_int, int_slot),
           slot(Py_nb_float, unary_slot<[](T x) { return one_element(x).item(); }>),
           slot(Py_nb_index, unary_slot<[](T x) { return as_index(x); }>)});
  add_all({slot(Py_tp_richcompare, compare_slot), slot(Py_mp_length, length_slot),
           slot(Py_tp_iter, iterate_slot), slot(Py_sq_contains, contains_slot),
           slot(Py_tp_hash, _Py_HashPointer), slot(Py_mp_subscript, get_item_slot),
           slot(Py_sq_length, length_slot), slot(Py_sq_item, get_row_slot),
           slot(Py_mp_ass_subscript, set_item_slot)});
}

}  // namespace glassgrad::python
