// A hook that limits walks through a tree of modules.
#pragma once
#include <cstddef>

namespace glassgrad::nn {

// Modules that a program builds may contain themselves, share parts or nest deeply. The runner of such a
// program sets `walk_hook` for its thread: the hook is called at every step and ends a walk by throwing.
class ModuleWalkHook {
 public:
  virtual ~ModuleWalkHook() = default;
  virtual void enter() = 0;  // the walk goes one module deeper; if this throws, leave() is not called
  virtual void leave() noexcept = 0;
  virtual void takes(size_t bytes) = 0;  // the walk is about to hold this many bytes
};
extern thread_local constinit ModuleWalkHook* walk_hook;  // null: no hook

}  // namespace glassgrad::nn
