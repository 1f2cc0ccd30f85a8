"""PyTorch's names on glassgrad's engine: `import glassgrad as torch`."""

from glassgrad._C import Tensor
from glassgrad._heat import heat_table
from glassgrad._lessons import lesson, lesson_names

Tensor._repr_html_ = heat_table
