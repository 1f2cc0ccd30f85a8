// Files that lie inside the program, byte for byte as they were when it was built: those of assets/, and the
// engine as WebAssembly where that was built first. embed.cmake puts them there.
#pragma once
#include <string_view>

namespace glassgrad::explorer {

// A file of apps/page/assets/ by its name, "engine.js". Error: there is none of that name.
std::string_view page_file(std::string_view name);

// glassgrad.wasm.gz; empty in a program that was built without it.
std::string_view engine_wasm();

}  // namespace glassgrad::explorer
