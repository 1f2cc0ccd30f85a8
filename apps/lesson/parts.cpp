#include "apps/lesson/parts.h"

namespace glassgrad::learn {

void show_parts(Teller& l, const Parts& parts, std::initializer_list<const char*> names) {
  for (const std::string& part : parts)
    for (const char* name : names) l.show_next(part + name);
}

void show_projections(Teller& l, const Parts& parts) {
  show_parts(l, parts, {"W_query.weight", "W_key.weight", "W_value.weight", "keys", "queries", "values"});
}

}  // namespace glassgrad::learn
