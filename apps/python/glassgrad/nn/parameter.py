"""Tensors to be learned, buffers, and those that have no shape yet (torch.nn.parameter)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn.modules.lazy import UninitializedBuffer, UninitializedParameter, is_lazy


class _BufferMeta(type(Tensor)):
    def __instancecheck__(cls, thing):
        if cls is not Buffer:
            return super().__instancecheck__(thing)
        return isinstance(thing, Tensor) and getattr(thing, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to: data, over the same memory.

    persistent: part of state_dict().
    """

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True):
        data = torch.empty(0) if data is None else data
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made
