// torch.einsum: sums of products in Einstein's notation, "bij,bjk->bik".
#pragma once
#include <string_view>

#include "host.h"

namespace glassgrad::GG_HOST {

// Each operand's dimensions are put in the order of the result's letters, then those to sum over; then the
// operands are multiplied one after the other, as products of matrices where there is something to sum over.
// Errors are PyTorch's.
Tensor einsum(std::string_view equation, std::vector<Tensor> operands);

}  // namespace glassgrad::GG_HOST
