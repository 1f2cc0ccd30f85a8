// The graph as Python sees it.
#pragma once
#include "convert.h"

namespace glassgrad::python {

// Python's object for a node, always the same one while it lives; None for none.
PyObject* wrap(const Ref<Node>& node);
// The leaf x gets a new sink when it is used again: its shape or dtype has changed.
void forget_sink(const Tensor& x);

}  // namespace glassgrad::python
