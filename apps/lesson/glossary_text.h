// docs/glossary.md, which the build embeds.
#pragma once
#include <span>

#include "apps/cli/embedded_file.h"

namespace glassgrad::learn {

std::span<const EmbeddedFile> glossary_text();

}  // namespace glassgrad::learn
