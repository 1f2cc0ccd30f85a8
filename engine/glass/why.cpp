#include "why.h"

#include <algorithm>
#include <stdexcept>

namespace glassgrad {

Tensor element_tensor(const Tensor& x, const Dims& index) {
  Tensor one = shallow_copy(x);
  one->offset += offset_of_index(index, x.strides());
  one->shape = one->strides = {};
  return one;
}

bool is_view_of_input(const Call& call, const Tensor& y) {
  const auto same_memory = [&](const Tensor* x) { return *x && (*x)->storage->data == y->storage->data; };
  const auto itself = [&](const Tensor* x) { return x->ref() == y.ref(); };  // written in place
  return std::any_of(call.in.begin(), call.in.end(), same_memory) &&
         std::none_of(call.in.begin(), call.in.end(), itself);
}

Scalar element(const Tensor& x, const Dims& index) {
  if (x.device() != kCpu) return element(on_host(element_tensor(x, index)), {});
  const int64_t at = offset_of_index(index, x.strides());
  const View v = x.raw();
  Scalar s{.dtype = v.dtype};
  every_type(v.dtype, [&](auto zero) {
    using T = decltype(zero);
    (is_floating(v.dtype) ? void(s.real = double(v.as<const T>()[at]))
                          : void(s.whole = int64_t(v.as<const T>()[at])));
  });
  return s;
}

Expr Cell::in(size_t k, const Dims& place) const {
  const Scalar value = element(input(k), place);
  return cast(Expr(ExprNode{.op = "cell", .value = value, .label = {}, .input = int(k), .index = place}),
              computed_in(value.dtype));
}

Expr Cell::in(size_t k) const {
  const Dims& shape = input(k).shape();
  Dims place = shape;
  const int lead = index.n - shape.n;
  for (int d = 0; d < shape.n; ++d) place[d] = shape[d] == 1 ? 0 : index[d + lead];
  return in(k, place);
}

std::vector<Expr> Cell::line(size_t k, int64_t dim) const {
  std::vector<Expr> elements;
  Dims place = index;
  for (int64_t i = 0, n = place.n ? input(k).shape()[dim] : 1; i < n; ++i) {
    if (place.n) place[dim] = i;
    elements.push_back(in(k, place));
  }
  return elements;
}

Expr Cell::at(size_t k, int64_t place) const {
  const std::optional<Dims> from = index_of_offset(input(k).shape(), input(k).strides(), place);
  if (!from) throw std::logic_error(std::string(call.op.name) + " read outside its input");
  return in(k, *from);
}

Scalar Cell::value() const { return element(result(), index); }

int64_t Cell::flat() const {
  int64_t flat = 0;
  for (int d = 0; d < index.n; ++d) flat = flat * result().shape()[d] + index[d];
  return flat;
}

Opened open(const Cell& cell) {
  const ConstantsAs dtype(cell.dtype());
  const Scalar value = cell.value();
  const Expr tree = cast(cell.call.op.why(cell), value.dtype);
  if (same_bits(tree.value(), value)) return {tree, 0};
  return {tree.with_value(value), to_double(value) - to_double(tree.value())};
}

// ---- shared
Expr why_same_place(const Cell& cell) { return cell.in(0); }

Expr why_same_memory(const Cell& cell) {
  const View from = cell.input(0).raw(), to = cell.result().raw();
  const int64_t first = (static_cast<char*>(to.data) - static_cast<char*>(from.data)) / item_size(to.dtype);
  return cell.at(0, first + offset_of_index(cell.index, to.strides));
}

Expr why_drawn(const Cell& cell) { return draw(cell.value(), cell.call.op.formula); }
Expr why_constant(const Cell& cell) { return number(cell.value()); }

}  // namespace glassgrad
