// The links from the end of a page to what comes next.
#pragma once
#include <string_view>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// Returns {"site", "lessons", "next"}. stop: the page's own id in the list of lessons and courses; an id that
// the list does not have is not on the path and has no "next". in_site: the other pages are beside this page
// as `make site` writes them, lessons/NAME.html, courses/NAME.html and docs/NAME.html; else the page stands
// alone and can only say what to type. "lessons": the names of all lessons; "next": {"title", "minutes",
// "command", "page"} of the path's next stop, or null.
Json onward_json(std::string_view stop, bool in_site);

}  // namespace glassgrad::explorer
