// --device of the commands that compute: where.
#pragma once
#include "apps/command_line.h"

namespace glassgrad {

inline constexpr const char* kDevices = "cpu, cuda, cuda:N, or auto: cuda where there is one (cpu)";
// Without the option, and for cpu: nothing. UsageError: neither cpu, auto, cuda nor cuda:N. Error, with the
// reason: a device that this program cannot compute on; for auto the reason goes to stderr instead.
void check_device(const CLI::Option* option);

}  // namespace glassgrad
