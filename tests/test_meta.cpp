// The device meta: every op of the table gives results of the same shapes, strides, dtypes and nodes as on
// the CPU, and gradients of the same shapes.
#include <set>

#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

Tensors moved_to_meta(const Tensors& all) {
  Tensors moved;
  for (const Tensor& x : all) moved.push_back(x ? to(x.detach(), kMeta) : x);
  return moved;
}

std::string text_of(const Tensors& all) {
  std::string text;
  for (const Tensor& x : all)
    text += !x ? "none; "
               : fmt::format("{} {} {} {}; ", to_string(x.shape()), to_string(x.strides()),
                             dtype_name(x.dtype()), x.grad_fn_name() ? x.grad_fn_name() : "");
  return text;
}

// Describes the results and gradients of a row.
std::string described(const OpRow& row, Tensors inputs) {
  if (row.gradient)
    for (Tensor& x : inputs) x = leaf(x);
  const Tensors results = row.call(inputs);
  std::string text = text_of(results);
  if (!row.gradient) return text;
  Tensors cotangents;
  for (const Tensor& y : results) cotangents.push_back(is_floating(y.dtype()) ? ones_like(y) : Tensor());
  return text + "gradients: " + text_of(analytic_gradients(results, inputs, cotangents, false));
}

}  // namespace

TEST_CASE("ops on meta compute shapes without numbers") {
  std::set<std::string> need_numbers;
  int64_t compared = 0;
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes) {
      if (row.function() == "safe_softmax") continue;  // its node tells whether a line is −∞ throughout
      const Tensors inputs = sample_inputs(row, shapes, Layout::Transposed);
      const std::string on_cpu = described(row, inputs);
      try {
        const DefaultDevice here(kMeta);
        const std::string on_meta = described(row, moved_to_meta(inputs));
        CHECK_MESSAGE(on_meta == on_cpu, row.name);
        ++compared;
      } catch (const Error& e) {
        CHECK_MESSAGE(std::string_view(e.what()).find("meta tensor") != std::string_view::npos,
                      row.name << ": " << e.what());
        need_numbers.insert(row.function());
      }
    }
  // Their shapes, nodes or errors depend on numbers.
  CHECK(need_numbers == std::set<std::string>{"bernoulli", "binary_cross_entropy", "fill_", "index",
                                              "index_put_", "masked_fill", "masked_fill_", "masked_select",
                                              "nonzero", "normal", "prod", "unique"});
  MESSAGE("device: ", compared, " calls of the op table on meta");
}
