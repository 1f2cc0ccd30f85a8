"""A module whose gradients several processes average (torch.nn.parallel.distributed)."""

from __future__ import annotations

from contextlib import contextmanager

import glassgrad as torch
from glassgrad.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Calls the module: the average over one process is its own gradient. Its state_dict has the names behind
    "module.".

    ValueError before torch.distributed.init_process_group.
    """

    def __init__(self, module: Module, device_ids=None, output_device=None, dim: int = 0, **settings) -> None:
        super().__init__()
        torch.distributed.get_rank()
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        self.module, self.device_ids, self.require_backward_grad_sync = module, device_ids, True

    @contextmanager
    def no_sync(self):
        """Nothing is averaged in the `with` block."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
