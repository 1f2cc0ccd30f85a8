// Files embedded in the program when it was built, byte for byte: those of assets/, and the engine as
// WebAssembly if that was built first. embed.cmake embeds them.
#pragma once
#include <string_view>

namespace glassgrad::explorer {

// Returns a file of apps/page/assets/ by its name, "engine.js". Throws Error if there is none of that name.
std::string_view page_file(std::string_view name);

// Returns glassgrad.wasm.gz; empty in a program that was built without it.
std::string_view engine_wasm();

}  // namespace glassgrad::explorer
