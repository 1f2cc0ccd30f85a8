#include "apps/lesson/recording.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/autograd.h"

namespace glassgrad::learn {

Value value_of(const Tensor& x, Snapshot snapshot) {
  Value value;
  static_cast<Snapshot&>(value) = std::move(snapshot);
  if (const char* grad_fn = x.grad_fn_name()) value.grad_fn = grad_fn;
  value.requires_grad = x.requires_grad();
  value.is_parameter = x->is_parameter;
  if (!value.grad_fn.empty() && x->fn) value.made_by = x->fn->seq, value.nr = x->nr;
  return value;
}

std::string Value::repr() const {
  return glassgrad::repr(
      tensor().raw(),
      {.device = {}, .grad_fn = grad_fn, .requires_grad = requires_grad, .parameter = is_parameter});
}

std::string Entry::print_text() const {
  if (!value) return label;
  return label.empty() ? value->repr() : label + " " + value->repr();
}

std::span<const std::string> Step::said_before() const {
  return std::span(sentences).first(std::min(lead, sentences.size()));
}
std::span<const std::string> Step::said_after() const {
  return std::span(sentences).subspan(std::min(lead, sentences.size()));
}

std::string Step::place() const {
  return is_inside() ? fmt::format("{}.{}", main_number, sub_number) : std::to_string(main_number);
}

std::vector<CodeBlock> Step::blocks() const {
  if (!code_blocks.empty() || code.empty()) return code_blocks;
  return {{.first = 0, .count = code.size(), .whose = Whose::Source, .inside = {}, .raised = {}, .line = 0}};
}

}  // namespace glassgrad::learn
