// The heading under which a lesson or a course is listed.
#pragma once
#include <cstdint>

namespace glassgrad::learn {

enum class Group : uint8_t {
  Path,       // lessons to learn one after the other
  Questions,  // one question each
  Sources,    // a source each, from its first line to its last
  Reference,  // to look things up
  Own,        // a file of the reader's
};

inline const char* heading_of(Group group) {
  switch (group) {
    case Group::Path:
      return "The path";
    case Group::Questions:
      return "Questions";
    case Group::Sources:
      return "The other sources, from their first line to their last";
    case Group::Reference:
      return "Reference";
    case Group::Own:
      return "Yours";
  }
  return "";
}

}  // namespace glassgrad::learn
