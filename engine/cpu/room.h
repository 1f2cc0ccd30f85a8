// Memory for what a thread packs.
#pragma once
#include <cstddef>
#include <cstdint>

namespace glassgrad {

// At least so many bytes that are the calling thread's for as long as it lives, aligned to 64; what another
// call has put there may be overwritten. Outside the *.isa.cpp files, so that all instruction sets share one.
void* room_of_thread(size_t bytes);

// A number that no other packing has, by which a thread knows what it has packed.
uint64_t new_packing();

}  // namespace glassgrad
