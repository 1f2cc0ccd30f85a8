// Bytes as text that a page can carry.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad::explorer {

std::string base64(std::string_view bytes);
// Returns the bytes of what base64 has written. Throws Error for other text.
std::string bytes_of_base64(std::string_view text);

}  // namespace glassgrad::explorer
