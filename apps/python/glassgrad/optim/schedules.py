"""More classes of torch.optim.lr_scheduler: warming up, ending, one schedule after the other, and answers to a loss."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from typing import Any, Callable, Sequence

from glassgrad._C import Tensor
from glassgrad.optim.lr_scheduler import LRScheduler, _OfFunctions
from glassgrad.optim.optimizer import Optimizer


class MultiplicativeLR(_OfFunctions):
    """lr ·= lr_lambda(epoch); a list has a function for each group."""

    def get_lr(self) -> list[float]:
        lrs = self._lrs()
        if self.last_epoch == 0:
            return lrs
        return [lr * factor(self.last_epoch) for lr, factor in zip(lrs, self.lr_lambdas)]


class MultiStepLR(LRScheduler):
    """lr ·= gamma at each of the epochs in milestones."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs, times = self._lrs(), self.milestones.get(self.last_epoch, 0)
        return [lr * self.gamma**times for lr in lrs] if times else lrs

    def _get_closed_form_lr(self):
        passed = bisect.bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """initial lr · factor for total_iters epochs, then initial lr."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs = self._lrs()
        if self.last_epoch == 0:
            return [lr * self.factor for lr in lrs]
        return [lr * (1.0 / self.factor) for lr in lrs] if self.last_epoch == self.total_iters else lrs

    def _get_closed_form_lr(self):
        at = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [lr * at for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """initial lr · a factor that goes from start_factor to end_factor in total_iters epochs in equal steps."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1, verbose="deprecated") -> None:
        if not 0 < start_factor <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs, rise = self._lrs(), self.end_factor - self.start_factor
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in lrs]
        if self.last_epoch > self.total_iters:
            return lrs
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return [lr * (1.0 + rise / before) for lr in lrs]

    def _get_closed_form_lr(self):
        rise = (self.end_factor - self.start_factor) * min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * (self.start_factor + rise) for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """initial lr · (1 − epoch/total_iters)^power, 0 from total_iters on."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        lrs, epoch, total = self._lrs(), self.last_epoch, self.total_iters
        if epoch == 0 or epoch > total:
            return lrs
        factor = ((1.0 - epoch / total) / (1.0 - (epoch - 1) / total)) ** self.power
        return [lr * factor for lr in lrs]

    def _get_closed_form_lr(self):
        left = (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
        return [lr * left for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """eta_min + (initial lr − eta_min)·(1 + cos(π·t/T))/2, t counted anew after each T epochs: T_0 at first, then
    T_mult times as many.
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self) -> list[float]:
        self._lrs()
        wave = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * wave / 2 for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._place(epoch)
        self.last_epoch = math.floor(epoch)
        self._give(self._within(self.get_lr))

    def _place(self, epoch):
        """T_cur and T_i of an epoch, which may be a part of one."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            passed = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**passed - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**passed


class _WithMomentum(LRScheduler):
    """A schedule of the momentum too: of beta1 where the optimizer has betas."""

    def _start_momentum(self, optimizer, low, high, first):
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums, self.max_momentums = _each(low, optimizer), _each(high, optimizer)
        for group, base, most in zip(optimizer.param_groups, self.base_momentums, self.max_momentums):
            self._set_momentum(group, base if first == "base" else most)
            group["base_momentum"], group["max_momentum"] = base, most

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


def _each(value, optimizer):
    """A value for each group."""
    groups = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != groups:
            raise ValueError(f"expected {groups} values, one for each group, but got {len(value)}")
        return list(value)
    return [value] * groups


class OneCycleLR(_WithMomentum):
    """From max_lr/div_factor up to max_lr in the first pct_start of all steps, then down to a final_div_factor-th of
    where it began; the momentum goes the other way. three_phase: down as fast as it went up, then further.
    """

    def __init__(self, optimizer: Optimizer, max_lr, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum=0.85, max_momentum=0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
                 verbose="deprecated") -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError(
                "You must define either total_steps OR (epochs AND steps_per_epoch)"
            )
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        if not isinstance(self.total_steps, int) or self.total_steps <= 0:
            raise ValueError(f"Expected positive integer total_steps, but got {self.total_steps}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.cycle_momentum, self._anneal = cycle_momentum, anneal_strategy
        up = float(pct_start * self.total_steps)
        self._phases = [(up - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            self._phases.append((2 * up - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            self._phases.append((self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
        else:
            self._phases.append((self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, _each(max_lr, optimizer)):
                group["initial_lr"], group["max_lr"] = most / div_factor, most
                group["min_lr"] = group["initial_lr"] / final_div_factor
            if cycle_momentum:
                self._start_momentum(optimizer, base_momentum, max_momentum, "max")
        elif cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
        super().__init__(optimizer, last_epoch, verbose)

    def _between(self, start, end, share):
        if self._anneal == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def get_lr(self) -> list[float]:
        self._lrs()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        begin = 0.0
        for end, *names in self._phases:
            if self.last_epoch <= end or end == self._phases[-1][0]:
                break
            begin = end
        share, lrs = (self.last_epoch - begin) / (end - begin), []
        for group in self.optimizer.param_groups:
            lrs.append(self._between(group[names[0]], group[names[1]], share))
            if self.cycle_momentum:
                self._set_momentum(group, self._between(group[names[2]], group[names[3]], share))
        return lrs


class CyclicLR(_WithMomentum):
    """From base_lr to max_lr and back, again and again: step_size_up steps up, step_size_down down; the momentum goes
    the other way. mode "triangular2" halves the height at each cycle, "exp_range" multiplies it by gamma at each step.
    """

    def __init__(self, optimizer: Optimizer, base_lr, max_lr, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9,
                 last_epoch: int = -1, verbose="deprecated") -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        lows, self.max_lrs = _each(base_lr, optimizer), _each(max_lr, optimizer)
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, lows):
                group["lr"] = low
        down = float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = float(step_size_up) + down
        self.step_ratio = float(step_size_up) / self.total_size
        self.mode, self.gamma, self.cycle_momentum, self._scale = mode, gamma, cycle_momentum, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, "max")
        super().__init__(optimizer, last_epoch, verbose)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """By what a cycle, or a step, is lower than the first."""
        if self._scale is not None:
            return self._scale(x)
        return {"triangular": 1.0, "triangular2": 1 / (2.0 ** (x - 1)), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list[float]:
        self._lrs()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs)]


class SequentialLR(LRScheduler):
    """Several schedules, one after the other: the next begins at each of the epochs in milestones."""

    def __init__(self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1,
                 verbose="deprecated") -> None:
        _same_optimizer(self, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:  # undo each one's first step; below, the first takes its own again
            scheduler.last_epoch -= 1
        schedulers[0]._step_count = 0
        schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:
        self.last_epoch += 1
        at = bisect.bisect_right(self._milestones, self.last_epoch)
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            self._schedulers[at]._step_to(0)
        else:
            self._schedulers[at].step()
        self._last_lr = self._schedulers[at].get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "_schedulers")}
        return {**kept, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for scheduler, kept in zip(self._schedulers, state.pop("_schedulers")):
            scheduler.load_state_dict(kept)
        self.__dict__.update(state)


class ChainedScheduler(LRScheduler):
    """Several schedules, all of which take every step."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        optimizer = optimizer or (schedulers[0].optimizer if schedulers else None)
        _same_optimizer(self, schedulers, optimizer)
        self.optimizer = optimizer
        self._schedulers = schedulers
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    state_dict, load_state_dict = SequentialLR.state_dict, SequentialLR.load_state_dict


def _same_optimizer(self, schedulers, optimizer):
    if len(schedulers) < 1:
        raise ValueError(
            f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
        )
    for i, scheduler in enumerate(schedulers):
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


class ReduceLROnPlateau(LRScheduler):
    """lr ·= factor when the number given to step() has not become better for more than patience epochs.

    Better: lower, or with mode "max" higher, than the best one by threshold, a share of it or with threshold_mode "abs"
    the difference. cooldown: epochs after a reduction that do not count. min_lr: a bound for each group.
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr=0, eps: float = 1e-8,
                 verbose="deprecated") -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.min_lrs, self.last_epoch = _each(min_lr, optimizer), 0
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def is_better(self, a: float, best: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        bound = best * (1.0 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return a < bound if self.mode == "min" else a > bound

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def step(self, metrics: float | Tensor, epoch: int | None = None) -> None:
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                lower = max(group["lr"] * self.factor, least)
                if group["lr"] - lower > self.eps:
                    group["lr"] = lower
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


ALL = [MultiplicativeLR, MultiStepLR, ConstantLR, LinearLR, PolynomialLR, CosineAnnealingWarmRestarts, OneCycleLR,
       CyclicLR, SequentialLR, ChainedScheduler, ReduceLROnPlateau]
