// An emulated GPU has no cuBLASLt.
#include "../../../engine/cuda/kernels.h"

namespace glassgrad::cuda {

bool blas_product(const View&, const View&, const View&, MatmulPrecision, const void*) { return false; }
std::vector<std::string> blas_plans() { return {}; }

}  // namespace glassgrad::cuda
