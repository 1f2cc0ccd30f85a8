// Parses JSON from files that anybody may have written: in time linear in the text's length, and without
// storing values that were not requested.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

// No file of ours nests this deeply. Copying or writing a much deeper value would overflow the stack.
inline constexpr int kDeepestJson = 16;
// A stored value takes up to 100 bytes, however short its text is.
inline constexpr size_t kMostJsonValues = 1 << 16;

// Receives the values of a text, in their order.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  // Where a value lies: the key in each object around it, from the outermost on; "" for a list.
  using Place = std::span<const std::string>;
  // A string, number, true, false or null; the visitor may move it away.
  virtual void scalar(Place, nlohmann::json&) {}
  virtual void begin_object(Place) {}
  virtual void begin_list(Place) {}
};

// Calls the visitor for each value. Returns the first problem as the end of a sentence, like "line 3: is no
// valid JSON at byte 20", or empty if there is none. Also a problem: more than kDeepestJson levels, a key
// twice in an object, more than `most` values or `most_keys` keys, a number beyond float64. The visitor has
// received the values before the problem.
std::string read_json(std::string_view text, JsonVisitor& visitor, size_t most = kMostJsonValues,
                      size_t most_keys = kMostJsonValues);

// Returns the value of the whole text. Throws ValueError for read_json's problem, beginning with `where`.
nlohmann::json parse_json(std::string_view text, std::string_view where, size_t most = kMostJsonValues);

}  // namespace glassgrad
