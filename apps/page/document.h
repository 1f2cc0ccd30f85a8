// A page of the explorer: one HTML file that asks nobody for anything. Its scripts show what its data say;
// its policy forbids all requests.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/json_number.h"
#include "apps/cli/output.h"

namespace glassgrad::explorer {

// A page is mailed to a class: without the engine it has at most so many bytes.
constexpr size_t kMostPageBytes = 2'500'000;

struct PageParts {
  std::string title;
  std::string kind;     // "lesson", "training", "inspect", "course": which scripts
  std::string plain;    // markup for readers without scripts, which take its place
  Json data;            // what the scripts read
  bool engine = false;  // with glassgrad.wasm, if this program has it
};

// The same parts give the same bytes.
std::string html_page(const PageParts& parts);

// JSON as it stands in a <script>: nothing in it ends the element or begins a comment.
std::string json_in_markup(const Json& data);

// Text as it stands in markup, in an attribute too: & < > " ' are written as entities, and "?" for what is no
// text; lines stay lines.
std::string escaped(std::string_view text);

// To a file, whole or not at all, and a line about it to `out`; "-": the page itself to `out`. Error: it
// cannot be written there.
void write_page(const std::string& path, const std::string& html, Output& out);

}  // namespace glassgrad::explorer
