// The memory that the engine keeps for later.
#pragma once

namespace glassgrad {

// Gives the system the large blocks that no tensor uses. The engine keeps as many as were ever in use at a
// time: the next step of a training needs what this one needed.
void give_back_kept_memory() noexcept;

}  // namespace glassgrad
