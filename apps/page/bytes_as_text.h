// Bytes as text that a page can carry, in markup and in JSON: longer by 23 %, where base64 is by 33 %.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad::explorer {

// Writes 13 bits as two of 91 digits, the low one first, and the last 6 bits or fewer as one.
std::string text_of_bytes(std::string_view bytes);
// Returns the bytes of what text_of_bytes has written. Throws Error for other text.
std::string bytes_of_text(std::string_view text);

}  // namespace glassgrad::explorer
