// A flag and its value, quoted for a shell.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// Returns " --seed 7" or " --inputs 'my file.npy'"; $'\x1b' for a value that is unsafe for a terminal.
std::string as_typed(const std::string& flag, std::string_view value);

}  // namespace glassgrad
