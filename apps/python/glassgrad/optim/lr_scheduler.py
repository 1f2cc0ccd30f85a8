"""Learning rates that change while training (torch.optim.lr_scheduler)."""

from __future__ import annotations

import functools
import math
import types
import warnings
from typing import Any, Callable

from glassgrad.optim.optimizer import Optimizer


_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Gives every group of an optimizer a new lr at each step(), called after the optimizer's steps of an epoch.

    A subclass defines get_lr(), the list of them, from self.last_epoch, self.base_lrs and the groups.
    """

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1, verbose="deprecated") -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self.verbose = False
        self._step_count = 0
        self.step()

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """What step() gave the groups."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """The next epoch's values; with epoch, an old form, those of that epoch, by the formula where there is one."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", True):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure "
                "to do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        if epoch is not None:
            warnings.warn(_EPOCH, UserWarning, stacklevel=2)
            return self._step_to(epoch)
        self._step_count += 1
        self.last_epoch += 1
        self._give(self._within(self.get_lr))

    def _step_to(self, epoch):
        """A step to any epoch, by the formula that needs no steps before it where there is one."""
        self._step_count += 1
        self.last_epoch = epoch
        self._give(self._within(getattr(self, "_get_closed_form_lr", self.get_lr)))

    def _within(self, values):
        self._get_lr_called_within_step = True
        try:
            return values()
        finally:
            self._get_lr_called_within_step = False

    def _give(self, values):
        for group, lr in zip(self.optimizer.param_groups, values):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _lrs(self):
        """The groups' current values, from which most schedules make the next ones."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """LRScheduler's old name, from which older programs derive their own."""


def _note_steps(optimizer):
    """From here on the optimizer knows whether its step() was called."""
    if hasattr(optimizer, "_opt_called"):
        return
    optimizer._opt_called = False
    step = type(optimizer).step

    @functools.wraps(step)
    def noted(self, *args, **kwargs):
        self._opt_called = True
        return step(self, *args, **kwargs)

    optimizer.step = types.MethodType(noted, optimizer)


class _OfFunctions(LRScheduler):
    """A schedule by functions of the epoch: one for all groups, or a list with one for each."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
                 last_epoch: int = -1, verbose="deprecated") -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch, verbose)

    def state_dict(self) -> dict[str, Any]:
        """The functions themselves are not part of it, only the attributes of objects that are called."""
        kept = [None if isinstance(f, types.FunctionType) else dict(f.__dict__) for f in self.lr_lambdas]
        state = super().state_dict()
        del state["lr_lambdas"]
        return state | {"lr_lambdas": kept}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for function, kept in zip(self.lr_lambdas, state.pop("lr_lambdas")):
            if kept is not None:
                function.__dict__.update(kept)
        self.__dict__.update(state)


class LambdaLR(_OfFunctions):
    """initial lr · lr_lambda(epoch); a list has a function for each group."""

    def get_lr(self) -> list[float]:
        self._lrs()
        return [lr * factor(self.last_epoch) for lr, factor in zip(self.base_lrs, self.lr_lambdas)]


class StepLR(LRScheduler):
    """lr ·= gamma every step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs = self._lrs()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return lrs
        return [lr * self.gamma for lr in lrs]

    def _get_closed_form_lr(self):
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """lr ·= gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1, verbose="deprecated") -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs = self._lrs()
        return lrs if self.last_epoch == 0 else [lr * self.gamma for lr in lrs]

    def _get_closed_form_lr(self):
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """eta_min + (initial lr − eta_min)·(1 + cos(π·epoch/T_max))/2, each value made from the one before it."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch, verbose)

    def _wave(self, epoch):
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def _get_closed_form_lr(self):
        return [self.eta_min + (base - self.eta_min) * self._wave(self.last_epoch) / 2 for base in self.base_lrs]

    def get_lr(self) -> list[float]:
        lrs, epoch, low = self._lrs(), self.last_epoch, self.eta_min
        if epoch == 0:
            return lrs
        if self._step_count == 1 and epoch > 0:  # resumed
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # past the minimum, where the factor would be 0/0
            rise = 1 - math.cos(math.pi / self.T_max)
            return [lr + (base - low) * rise / 2 for base, lr in zip(self.base_lrs, lrs)]
        return [self._wave(epoch) / self._wave(epoch - 1) * (lr - low) + low for lr in lrs]
