// The graph as Python sees it.
#pragma once
#include "apps/python/host/host.h"

namespace glassgrad::python {

// Returns Python's object for a node, the same object while it lives; None for a null node.
PyObject* wrap(const Ref<Node>& node);

}  // namespace glassgrad::python
