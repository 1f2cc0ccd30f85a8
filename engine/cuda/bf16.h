// Matrices of float32 rounded to bf16. For .cu files only.
#pragma once
#include <cstdint>

namespace glassgrad::cuda {

// Matrices by columns: `rows` numbers side by side, the next column `leading` numbers on, the next matrix
// `batch`, which is 0 where all are the same.
struct Columns {
  int64_t rows = 0, columns = 0, leading = 0, batch = 0;
};

// How rounded ones lie: without gaps but that each column begins at a multiple of 16 bytes.
inline Columns rounded_columns(const Columns& x) {
  const int64_t leading = (x.rows + 7) / 8 * 8;
  return {x.rows, x.columns, leading, x.batch == 0 ? 0 : leading * x.columns};
}

// y = x, to the nearest number of 8 bits of precision, halves to even; nan stays nan. y lies as
// rounded_columns says, zeros in its gaps.
void round_to_bf16(const float* x, const Columns& from, int64_t batches, uint16_t* y);

}  // namespace glassgrad::cuda
