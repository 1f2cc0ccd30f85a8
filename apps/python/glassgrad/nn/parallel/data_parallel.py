"""A module on several GPUs of one process (torch.nn.parallel.data_parallel)."""

from __future__ import annotations

from glassgrad.nn.modules.module import Module


class DataParallel(Module):
    """Calls the module; its state_dict has the names behind "module."."""

    def __init__(self, module: Module, device_ids=None, output_device=None, dim: int = 0) -> None:
        super().__init__()
        self.module, self.device_ids, self.dim = module, [], dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
