"""What all optimizers share (torch.optim.optimizer)."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from itertools import chain
from typing import Any, Callable, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import typename
from glassgrad.nn.modules import state as module_state
from glassgrad.optim import hooks
from glassgrad.optim.hooks import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


class Optimizer(hooks.Hooked):
    """Changes parameters by their gradients.

    params: tensors, or dicts {"params": tensors, "lr": …}, one for each group with settings of its own;
    defaults: the settings of groups that do not say. A subclass defines step().
    """

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
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        for i, param in enumerate(params):
            if isinstance(param, tuple):  # from named_parameters()
                params[i] = param = param[1]
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"
                )
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(param) for group in self.param_groups for param in group["params"]}
        if not known.isdisjoint(map(id, params)):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group["params"] = params
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

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
        """Takes over what state_dict() gave, the tensors themselves where dtype and device are the parameter's."""
        state_dict = self._through_hooks("load_state_dict_pre", state_dict.copy())
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(old["params"]) != len(new["params"]) for old, new in zip(self.param_groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        pairs = [(old["params"], new["params"]) for old, new in zip(self.param_groups, saved)]
        param_of = {number: param for olds, news in pairs for param, number in zip(olds, news)}
        state = defaultdict(dict)
        for number, remembered in state_dict["state"].items():
            if number in param_of:
                state[param_of[number]] = {
                    name: self._fitting(value, param_of[number], name) for name, value in remembered.items()
                }
            else:
                state[number] = remembered
        for old, new in zip(self.param_groups, saved):
            new["params"] = old["params"]
        self.state, self.param_groups = state, saved
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    @staticmethod
    def _fitting(value, param, name):
        return value.to(param.device, param.dtype) if isinstance(value, Tensor) and name != "step" else value

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._begin_without_hooks()

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return text + ")"


class OneByOne(Optimizer):
    """One whose step is _update(group, param, grad, state) of each parameter; weight_decay·param is part of grad."""

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss = self._loss_of(closure)
        for group, params, grads in self._with_gradients():
            for param, grad in zip(params, grads):
                if group["weight_decay"] != 0:
                    grad = grad.add(param, alpha=group["weight_decay"])
                self._update(group, param, grad, self._counted(group, param))
        return loss

    def _counted(self, group, param):
        """What is remembered of param, with this step counted."""
        state = self.state[param]
        if not state:
            state["step"] = torch.tensor(0.0)
            state.update(self._fresh(group, param))
        state["step"] += 1
        return state


def check_not_negative(value, what):
    """Written so that nan fails where it does in PyTorch."""
    if not 0.0 <= value:
        raise ValueError(f"Invalid {what}: {value}")


def refuse(name, **settings):
    """For settings that PyTorch has and glassgrad has not."""
    for setting, value in settings.items():
        if value:
            raise NotImplementedError(f"{name} of glassgrad has no {setting}={value}")
