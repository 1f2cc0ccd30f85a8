"""The dtypes of complex tensors."""

from glassgrad import _C


class ComplexDType:
    """torch.complex64 and torch.complex128; real is the dtype of their two numbers."""

    is_complex, is_floating_point, is_signed = True, False, True

    def __init__(self, name, real):
        self.name, self.real, self.itemsize = name, real, 2 * real.itemsize

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name  # makes a copy the same object


complex64 = cfloat = ComplexDType("complex64", _C.float32)
complex128 = cdouble = ComplexDType("complex128", _C.float64)
