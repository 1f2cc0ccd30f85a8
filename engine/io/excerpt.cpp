#include "file.h"

namespace glassgrad {

std::string excerpt(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > kMost ? shown + "..." : shown;
}

}  // namespace glassgrad
