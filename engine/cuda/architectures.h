// Which GPUs a build's kernels run on.
#pragma once
#include <sstream>
#include <string>

namespace glassgrad::cuda {

// Do kernels compiled for "80-real 90a-real 90-virtual", as CMake names GPUs, run on one of compute
// capability 8.6, written 86? Machine code (real) runs within its own major version, from its minor version
// on; with an a, on this very one alone. PTX (virtual) is translated for all later ones. Of words that are no
// numbers
// ("native") nothing is known: yes.
inline bool has_kernels_for(const std::string& architectures, int capability) {
  std::istringstream words(architectures);
  for (std::string word; words >> word;) {
    int built = 0;
    std::string kind;
    if (std::istringstream parts(word); !(parts >> built))
      return true;
    else
      parts >> kind;
    const bool real = kind.ends_with("-real"), exact = kind.starts_with("a");
    if (exact ? capability == built : capability >= built && (!real || capability / 10 == built / 10))
      return true;
  }
  return false;
}

}  // namespace glassgrad::cuda
