// The graph as Python sees it.
#pragma once
#include "apps/python/host/host.h"

namespace glassgrad::python {

// Python's object for a node, always the same one while it lives; None for none.
PyObject* wrap(const Ref<Node>& node);

}  // namespace glassgrad::python
