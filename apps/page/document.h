// A page of the explorer: one HTML file whose scripts show its data. Its policy forbids all requests.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/json_number.h"
#include "apps/cli/output.h"

namespace glassgrad::explorer {

// The size limit of a page without the engine: a page is mailed to a class.
constexpr size_t kMostPageBytes = 2'500'000;

struct PageParts {
  std::string title;
  std::string kind;     // "lesson", "training", "inspect", "course": selects scripts and styles
  std::string plain;    // markup for readers without scripts; scripts replace it
  Json data;            // what the scripts read
  bool engine = false;  // include glassgrad.wasm, if this program has it
};

// Returns the page's HTML. The same parts give the same bytes.
std::string html_page(const PageParts& parts);

// Returns JSON that is safe in a <script>: it neither ends the element nor begins a comment.
std::string json_in_markup(const Json& data);

// Returns text that is safe in markup and attributes: & < > " ' become entities, what is no text becomes "?";
// line feeds stay.
std::string escaped(std::string_view text);

// Writes the page to a file, whole or not at all, and a line about it to `out`. For "-", writes the page
// itself to `out`. Throws Error if the file cannot be written.
void write_page(const std::string& path, const std::string& html, Output& out);

}  // namespace glassgrad::explorer
