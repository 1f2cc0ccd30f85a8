// Which GPUs a build's kernels run on.
#pragma once
#include <sstream>
#include <string>

namespace glassgrad::cuda {

// Do kernels compiled for "80-real 90a-real 90-virtual", as CMake names GPUs, run on one of compute
// capability 8.6, written 86? Machine code (real) runs within its own major version, from its minor version
// on; with an a, on this very one alone. PTX (virtual) is translated for all later ones. Of a word that is no
// number, "native", nothing is known: yes.
inline bool has_kernels_for(const std::string& architectures, int capability) {
  std::istringstream words(architectures);
  for (std::string word; words >> word;) {
    std::istringstream parts(word);
    int built = 0;
    if (!(parts >> built)) return true;
    std::string kind;
    parts >> kind;
    const bool exact = kind.starts_with("a"), same_major = capability / 10 == built / 10;
    if (exact ? capability == built : capability >= built && (same_major || !kind.ends_with("-real")))
      return true;
  }
  return false;
}

}  // namespace glassgrad::cuda
