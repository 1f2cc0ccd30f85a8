"""PyTorch's names on glassgrad's engine: `import glassgrad as torch`."""

from glassgrad._C import Tensor
