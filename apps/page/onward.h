// Where a page leads on when its own steps are done.
#pragma once
#include <string_view>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// {"site", "lessons", "next"}. stop: the page's own, by its id in the list; one that the list does not have
// is the path's nowhere, and has no "next". in_site: the other pages lie beside it as `make site` writes
// them, lessons/NAME.html, courses/NAME.html and docs/NAME.html; else the page stands alone and can only say
// what to type. "lessons": the names of all; "next": {"title", "minutes", "command", "page"}, which the path
// goes on with, or null.
Json onward_json(std::string_view stop, bool in_site);

}  // namespace glassgrad::explorer
