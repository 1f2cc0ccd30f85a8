// The files that the build has embedded for the pages.
#pragma once
#include "apps/cli/embedded_file.h"

namespace glassgrad::explorer {

std::span<const EmbeddedFile> embedded_files();

}  // namespace glassgrad::explorer
