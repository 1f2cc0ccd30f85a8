// The limits of the machine: operations and bytes per second.
#pragma once

namespace glassgrad::bench {

// Returns the float32 operations per second, two for each fma. Measures chains of fma in registers, with the
// instructions that the engine uses.
double peak_flops(int threads, double for_seconds);
// Returns the bytes per second that a[i] = b[i] + s·c[i] reads and writes, with arrays that fit in no cache.
// Does not count that the processor reads a before it writes to it.
double bandwidth(int threads, double for_seconds);
// Returns the bytes per second that a GPU reads and writes when it copies an array that fits in no cache.
double gpu_bandwidth(int index, double for_seconds);
// Returns the time of a CPU's matrix product in float32 over its time in bf16. The processor must have both.
double gain_of_bf16();

}  // namespace glassgrad::bench
