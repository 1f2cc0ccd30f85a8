// --device, --threads and --matmul of the commands that compute: where, with how many cores, how exactly.
#pragma once
#include "apps/cli/command_line.h"
#include "engine/core/device.h"

namespace glassgrad {

inline constexpr const char* kDevices = "cpu, cuda, cuda:N, or auto: cuda where there is one (cpu)";
// Where the command computes for as long as it keeps what this gives: new tensors are made there. The CPU
// without the option. UsageError: neither cpu, auto, cuda nor cuda:N. Error, with the reason: a device that
// this program cannot compute on; for auto the reason goes to stderr instead, and it is the CPU.
DefaultDevice use_device(const CLI::Option* option);
// "cpu", "cuda:0 (NVIDIA H200, compute capability 9.0, 139 GB)": all that there are.
std::vector<std::string> device_names();

inline constexpr const char* kThreads = "Threads to compute with (GLASSGRAD_THREADS, or the number of cores)";
// Obeys --threads. UsageError: not from 1 to 256.
void use_threads(const CLI::Option* option);
inline constexpr const char* kMatmul =
    "fp32, bf16, or tf32 on a GPU: matrix products from rounded numbers (fp32)";
// Obeys --matmul, for the device in use. UsageError: another word. Error: it has no instruction for it.
void use_matmul(const CLI::Option* option);
// UsageError if GLASSGRAD_THREADS, which holds where --threads is not given, is no such number, or
// GLASSGRAD_CPU names no instructions that there are here.
void check_environment();

}  // namespace glassgrad
