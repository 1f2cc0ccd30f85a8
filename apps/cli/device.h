// The options --device, --threads and --matmul of the commands that compute.
#pragma once
#include "apps/cli/command_line.h"
#include "engine/core/device.h"

namespace glassgrad {

inline constexpr const char* kDevices = "cpu, cuda, cuda:N, or auto: cuda where there is one (cpu)";
// Sets the device of new tensors for as long as the returned object lives: the CPU if the option is not
// given. Throws UsageError if the name is neither cpu, auto, cuda nor cuda:N. Throws Error, with the reason,
// if this program cannot compute on the device; auto prints the reason to stderr instead and takes the CPU.
DefaultDevice use_device(const CLI::Option* option);
// The names of all devices of this machine: "cpu", "cuda:0 (NVIDIA H200, compute capability 9.0, 139 GB)".
std::vector<std::string> device_names();

inline constexpr const char* kThreads = "Threads to compute with (GLASSGRAD_THREADS, or the number of cores)";
// Obeys --threads. Throws UsageError if the number is not from 1 to 256.
void use_threads(const CLI::Option* option);
inline constexpr const char* kMatmul =
    "fp32, bf16, or tf32 on a GPU: matrix products from rounded numbers (fp32)";
// Obeys --matmul on the device in use. Throws UsageError for an unknown word, Error if it is unsupported.
void use_matmul(const CLI::Option* option);
// Throws UsageError if GLASSGRAD_THREADS, the default of --threads, is not from 1 to 256, or if GLASSGRAD_CPU
// names instructions that this processor does not have.
void check_environment();

}  // namespace glassgrad
