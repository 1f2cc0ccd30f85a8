// JSON from files that anybody may have written. All of it is read through here: in time that grows as the
// text does, and without keeping what nobody asked for.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

// No file of ours nests as deeply. Deeper ones would overflow the stack where a value is copied or written.
inline constexpr int kDeepestJson = 16;
// A value that is kept takes up to 100 bytes however short its text is.
inline constexpr size_t kMostJsonValues = 1 << 16;

// Is told of a text's values in their order.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  // Where a value lies: the key in each object around it, from the outermost on; "" for a list.
  using Place = std::span<const std::string>;
  // A text, a number, true, false or null, which may be moved away.
  virtual void scalar(Place, nlohmann::json&) {}
  virtual void begin_object(Place) {}
  virtual void begin_list(Place) {}
};

// Tells the visitor of all values. What is wrong with the text as the end of a sentence, like "line 3: is no
// valid JSON at byte 20"; empty: nothing. Wrong is also more than kDeepestJson levels, a key twice in an
// object, more than `most` values or `most_keys` keys, a number beyond float64. The visitor has been told of
// what stands before it.
std::string read_json(std::string_view text, JsonVisitor& visitor, size_t most = kMostJsonValues,
                      size_t most_keys = kMostJsonValues);

// The whole text's value. ValueError, beginning with `where`: what read_json says.
nlohmann::json parse_json(std::string_view text, std::string_view where, size_t most = kMostJsonValues);

}  // namespace glassgrad
