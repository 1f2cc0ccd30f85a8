// The files of a page that the build has embedded.
#pragma once
#include "apps/cli/embedded_file.h"

namespace glassgrad::explorer {

std::span<const EmbeddedFile> embedded_files();

}  // namespace glassgrad::explorer
