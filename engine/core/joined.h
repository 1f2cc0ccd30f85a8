// Words in a row.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace glassgrad {

// Returns the parts, texts or whole numbers, with `between` between each two: "2, 3". If there are more than
// `most`, "..." stands for the others: "cats, dogs, ...". Unlike fmt::join it does not compile a formatter in
// every file.
template <class Parts>
std::string joined(const Parts& parts, std::string_view between, size_t most = SIZE_MAX) {
  std::string text;
  size_t count = 0;
  for (const auto& part : parts) {
    if (count > 0) text += between;
    if (count++ == most) return text + "...";
    if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  }
  return text;
}

}  // namespace glassgrad
