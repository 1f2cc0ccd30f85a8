// torch.einsum: sums of products in Einstein's notation, "bij,bjk->bik".
#pragma once
#include <string_view>

#include "host.h"

namespace glassgrad::GG_HOST {

// Permutes each operand to the letters of the result, followed by the letters to sum over. Then multiplies
// the operands one by one, with matrix products where letters are summed over. Throws PyTorch's errors.
Tensor einsum(std::string_view equation, std::vector<Tensor> operands);

}  // namespace glassgrad::GG_HOST
