// How much a lesson may take.
#pragma once

namespace glassgrad::learn {

double memory_size();  // of this machine, or of what a page gets, in bytes

}  // namespace glassgrad::learn
