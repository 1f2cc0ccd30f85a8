// What goes along with every walk through a tree of modules.
#pragma once
#include <cstddef>

namespace glassgrad::nn {

// Modules that a program builds may hold themselves, share parts or lie deep in each other. Whoever runs such
// a program sets `walker` for its thread: it hears of every step, and ends a walk by throwing.
class Walker {
 public:
  virtual ~Walker() = default;
  virtual void enter() = 0;  // a module below those that were entered; if it throws, there is no leave()
  virtual void leave() noexcept = 0;
  virtual void takes(size_t bytes) = 0;  // the walk is about to hold so much
};
extern thread_local constinit Walker* walker;  // null: nobody

}  // namespace glassgrad::nn
