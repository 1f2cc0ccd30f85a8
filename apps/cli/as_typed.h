// What one types to give a flag a value.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// " --seed 7" or " --inputs 'my file.npy'", as a shell reads it; $'\x1b' for what a terminal must not get.
std::string as_typed(const std::string& flag, std::string_view value);

}  // namespace glassgrad
