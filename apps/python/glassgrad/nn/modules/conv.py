"""Products with a window that moves along (torch.nn.modules.conv)."""

from __future__ import annotations

import math

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules.module import Module


def _single(size):
    return (size,) if isinstance(size, int) else tuple(size)


class Conv1d(Module):
    """y[o, t] = bias[o] + Σ weight[o, c, k]·x[c, t·stride + k·dilation − padding]: (N, in_channels, L) →
    (N, out_channels, L'), without N too.

    padding: so many zeros at both ends, "valid": none, "same": L' = L. groups: as many parts of the channels that see
    nothing of each other. weight (out_channels, in_channels/groups, kernel_size) and bias (out_channels) are drawn from
    U(−b, b), b = 1/√(in_channels/groups·kernel_size). padding_mode: "zeros", "reflect", "replicate" or "circular".
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0, dilation=1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device=None, dtype=None) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and _single(stride) != (1,):
            raise ValueError("padding='same' is not supported for strided convolutions")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.padding_mode = groups, padding_mode
        self.kernel_size, self.stride, self.dilation = _single(kernel_size), _single(stride), _single(dilation)
        self.padding = padding if isinstance(padding, str) else _single(padding)
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        made = Parameter(torch.empty(out_channels, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = self.weight.shape[1] * self.weight.shape[2]
        if self.bias is not None and fan_in != 0:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _widths(self):
        """The padding before and behind."""
        if self.padding == "valid":
            return 0, 0
        if self.padding == "same":
            both = self.dilation[0] * (self.kernel_size[0] - 1)
            return both // 2, both - both // 2
        return self.padding * 2

    def forward(self, input: Tensor) -> Tensor:
        if self.padding_mode == "zeros":
            return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
        input = F.pad(input, self._widths(), self.padding_mode)
        return F.conv1d(input, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        parts += [f"padding={self.padding}"] if self.padding != (0,) else []
        parts += [f"dilation={self.dilation}"] if self.dilation != (1,) else []
        parts += [f"groups={self.groups}"] if self.groups != 1 else []
        parts += ["bias=False"] if self.bias is None else []
        parts += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(parts)
