// Formulas for web pages.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// Returns the <math> element of a formula in LaTeX. Each part between \quad or \qquad is an <mrow>, and in it
// each piece that begins with = or + outside of brackets, so that a narrow page can break the line there.
// text, the formula as plain text, becomes its label for readers who do not see it. Throws Error, which names
// the command, where LaTeX is used that no lesson uses.
std::string mathml(std::string_view latex, std::string_view text);
// The same, but for LaTeX that no lesson uses the element has the plain text.
std::string mathml_or_text(std::string_view latex, std::string_view text);

}  // namespace glassgrad
