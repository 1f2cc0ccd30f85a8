"""What all optimizers share (torch.optim.optimizer)."""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from copy import deepcopy
from itertools import chain
from typing import Any, Callable, Dict, Iterable, Tuple, Union

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import typename
from glassgrad.nn.modules import state as module_state
from glassgrad.optim import hooks
from glassgrad.optim.hooks import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

ParamsT = Union[Iterable[Tensor], Iterable[Dict[str, Any]], Iterable[Tuple[str, Tensor]]]


class _RequiredParameter:
    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()  # the default of a setting that every group must give


def _use_grad_for_differentiable(step):
    """Decorates step(): builds a graph if the optimizer is differentiable, and none otherwise."""

    @functools.wraps(step)
    def run(self, *args, **kwargs):
        with torch.set_grad_enabled(self.defaults["differentiable"]):
            return step(self, *args, **kwargs)

    return run


def _get_value(x):
    """A tensor of one element as a number; a number as it is."""
    return x.item() if isinstance(x, Tensor) else x


class Optimizer(hooks.Hooked):
    """Changes parameters by their gradients.

    params: tensors, or dicts {"params": tensors, "lr": …}, one for each group with settings of its own;
    defaults: the settings of groups that do not say. A subclass defines step().
    """

    _newer: dict[str, Any] = {}  # settings that files of older versions lack, and what they were then

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._begin_without_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {typename(params)}"
            )
        self.state: dict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More parameters, with settings of their own where the dict has them."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        params = [param[1] if isinstance(param, tuple) else param for param in given]
        names = [param[0] for param in given if isinstance(param, tuple)]  # from named_parameters()
        if names and len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"
                )
            if not (self.defaults.get("differentiable") or param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._check_group(param_group)
        self.param_groups.append(param_group)

    def _check_group(self, group):
        ids = set(map(id, group["params"]))
        if len(ids) < len(group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information", stacklevel=3,
            )
        for known in self.param_groups:
            if ("param_names" in group) != ("param_names" in known):
                which = "with names" if "param_names" in group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {which} to the optimizer"
                )
        if not ids.isdisjoint(id(param) for known in self.param_groups for param in known["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        """One step for every parameter that has a gradient; closure, if given, computes the loss, which comes back."""
        raise NotImplementedError

    def _loss_of(self, closure):
        if closure is None:
            return None
        with torch.enable_grad():
            return closure()

    def _with_gradients(self):
        """(group, those of its parameters that have a gradient, these gradients)."""
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            yield group, params, [-param.grad if group["maximize"] else param.grad for param in params]

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                module_state.zero_grad(param, set_to_none)

    def _numbers(self):
        """id(parameter) → its number, counted through the groups."""
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        return {id(param): number for number, param in enumerate(params)}

    def state_dict(self) -> dict[str, Any]:
        """{"state": what is remembered of each parameter, by number, "param_groups": the settings}."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers = self._numbers()
        groups = [
            {name: value for name, value in group.items() if name != "params"}
            | {"params": [numbers[id(param)] for param in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers.get(id(key), key): value for key, value in self.state.items()}
        return self._through_hooks("state_dict_post", {"state": state, "param_groups": groups})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave, the tensors themselves where dtype and device are the parameter's.

        Settings that an older version did not have get the values they had then; unknown ones are kept.
        """
        state_dict = self._through_hooks("load_state_dict_pre", state_dict.copy())
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(old["params"]) != len(new["params"]) for old, new in zip(self.param_groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        home = {number: (param, new) for old, new in zip(self.param_groups, saved)
                for param, number in zip(old["params"], new["params"])}
        state = defaultdict(dict)
        for number, remembered in state_dict["state"].items():
            if number in home:
                param, group = home[number]
                state[param] = _fitting(remembered, param, group)
            else:
                state[number] = remembered
        for old, new in zip(self.param_groups, saved):
            new["params"] = old["params"]
            if "param_names" in old:
                new.setdefault("param_names", old["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._begin_without_hooks()
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name, value in self._newer.items():
                group.setdefault(name, value)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return text + ")"


def _fitting(value, param, group, name=None):
    """The value with its tensors in the dtype of param and on its device; a count of steps keeps both."""
    if isinstance(value, Tensor):
        if name == "step":
            on_device = group.get("capturable") or group.get("fused")
            return value.to(param.device, torch.float32) if on_device else value
        return value.to(param.device, param.dtype if param.is_floating_point() else value.dtype)
    if isinstance(value, dict):
        return {key: _fitting(one, param, group, key) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fitting(one, param, group) for one in value)
    return value


class OneByOne(Optimizer):
    """One whose step is _update(group, param, grad, state) of each parameter.

    weight_decay·param is part of grad; in groups with decoupled_weight_decay, param ·= 1 − lr·weight_decay instead.
    """

    _counts = ("step",)  # what of the state counts steps, a plain number in files of older versions
    _capturable = "params and state_steps"  # as the error says that they are on the CPU
    _capturable_on = ["cuda", "xpu", "hpu", "privateuseone", "xla"]

    @_use_grad_for_differentiable
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss = self._loss_of(closure)
        for group, params, grads in self._with_gradients():
            self._step_group(group, params, grads)
        return loss

    def _step_group(self, group, params, grads):
        if group["differentiable"] and group["foreach"]:
            raise AssertionError("_foreach ops don't support autograd")
        self._step_each(group, params, grads)

    def _step_each(self, group, params, grads):
        for param, grad in zip(params, grads):
            decay, state = group["weight_decay"], self._counted(group, param)
            if decay != 0 and self._is_decoupled(group):
                param.mul_(1 - group["lr"] * decay)
            elif decay != 0:
                grad = grad.add(param, alpha=decay)
            self._update(group, param, grad, state)

    def _is_decoupled(self, group):
        return group.get("decoupled_weight_decay", False)

    def _state_of(self, group, param):
        """What is remembered of param; before its first step, as it begins."""
        state = self.state[param]
        if not state:
            at = param.device if group.get("capturable") or group.get("fused") else "cpu"
            state["step"] = torch.tensor(0.0, dtype=_scalar_dtype(group.get("fused")), device=at)
            state.update(self._fresh(group, param))
        if group.get("capturable") and param.device.type == "cpu":
            raise AssertionError(
                f"If capturable=True, {self._capturable} must be on supported devices: {self._capturable_on}."
            )
        return state

    def _counted(self, group, param):
        """What is remembered of param, with this step counted."""
        state = self._state_of(group, param)
        state["step"] += 1
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for remembered in self.state.values():
            for name in self._counts:
                if name in remembered and not isinstance(remembered[name], Tensor):
                    remembered[name] = torch.tensor(float(remembered[name]), dtype=_scalar_dtype())


def _scalar_dtype(is_fused=False):
    """In which counts of steps are kept."""
    return torch.float64 if torch.get_default_dtype() == torch.float64 and not is_fused else torch.float32


def check_not_negative(value, what):
    """Written so that nan fails where it does in PyTorch."""
    if not 0.0 <= value:
        raise ValueError(f"Invalid {what}: {value}")


def check_betas(betas):
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_rate(lr):
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_not_negative(lr, "learning rate")


def check_fused(fused, foreach, differentiable):
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
