// What the machine can do at most, with so many threads.
#pragma once

namespace glassgrad::bench {

// Multiplications and additions of float32 in a second, two for each fma: chains of them in registers, with
// the instructions that the engine uses.
double peak_flops(int threads, double for_seconds);
// Bytes that a[i] = b[i] + s·c[i] reads and writes in a second, with arrays that fit no cache. What the
// processor reads of a before it writes there is not counted.
double bandwidth(int threads, double for_seconds);
// Bytes that a GPU reads and writes in a second when it copies an array that fits no cache.
double gpu_bandwidth(int index, double for_seconds);
// How many times as long a product of the CPU takes in float32 as in bf16, on a processor that has both.
double gain_of_bf16();

}  // namespace glassgrad::bench
