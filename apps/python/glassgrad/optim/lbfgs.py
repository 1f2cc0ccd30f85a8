"""L-BFGS (torch.optim.lbfgs)."""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import Optimizer

# What one step() leaves for the next: direction and distance, the changes of gradient and parameters, the inverses of
# their products, the scale of H, and gradient and loss of the last iteration.
_KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Steps along −H·g, where H, an approximate inverse of the second derivatives, comes from the last history_size
    changes of the parameters and of the gradient g. All parameters are in one group.

    One step() takes up to max_iter steps and evaluates the loss up to max_eval times (1.25·max_iter without).
    lr: how far along −H·g; with line_search_fn="strong_wolfe" the distance tried first. It ends when no gradient is
    larger than tolerance_grad, or when parameters or loss change by less than tolerance_change.
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(
            lr=lr, max_iter=max_iter, max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
            tolerance_grad=tolerance_grad, tolerance_change=tolerance_change, history_size=history_size,
            line_search_fn=line_search_fn,
        ))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self):
        return self.param_groups[0]["params"]

    def _gradient(self):
        """The gradients of all parameters in one row."""
        return torch.cat([torch.zeros_like(p).reshape(-1) if p.grad is None else p.grad.reshape(-1)
                          for p in self._params])

    def _move(self, distance, way):
        for p, part in zip(self._params, way.split([p.numel() for p in self._params])):
            p.add_(part.view_as(p), alpha=distance)

    def _looking(self, closure, way):
        """The function that evaluates the loss and its gradient at some distance along way, and comes back."""
        start = [p.clone() for p in self._params]

        def look(distance):
            self._move(distance, way)
            loss, gradient = float(closure()), self._gradient()
            for p, value in zip(self._params, start):
                p.copy_(value)
            return Point(distance, loss, gradient, gradient.dot(way))

        return look

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor]) -> Tensor:
        """closure computes the loss and its gradients; the loss before the step comes back."""
        closure = torch.enable_grad()(closure)
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        state["func_evals"] += 1
        gradient = self._gradient()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        loss, evaluations, done = float(first_loss), 1, False
        kept = {name: state.get(name) for name in _KEPT}
        for turn in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                kept.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
                distance = min(1.0, 1.0 / gradient.abs().sum()) * group["lr"]
            else:
                self._remember(kept, gradient.sub(kept["prev_flat_grad"]), kept["d"].mul(kept["t"]))
                found = state.setdefault("al", [None] * group["history_size"])
                kept["d"], distance = _direction(kept, gradient, found), group["lr"]
            kept.update(prev_flat_grad=gradient.clone(), prev_loss=loss, t=distance)
            way = kept["d"]
            slope = gradient.dot(way)
            if slope > -group["tolerance_change"]:
                break
            times = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = Point(0, loss, gradient, slope)
                point, times = strong_wolfe(self._looking(closure, way), start, distance, way.abs().max())
                distance, loss, gradient = point.distance, point.loss, point.gradient
                kept["t"] = distance
                self._move(distance, way)
                done = gradient.abs().max() <= group["tolerance_grad"]
            else:
                self._move(distance, way)
                if turn != group["max_iter"]:
                    loss, gradient, times = float(closure()), self._gradient(), 1
                    done = gradient.abs().max() <= group["tolerance_grad"]
            evaluations += times
            state["func_evals"] += times
            if turn == group["max_iter"] or evaluations >= group["max_eval"] or done:
                break
            if way.mul(distance).abs().max() <= group["tolerance_change"]:
                break
            if abs(loss - kept["prev_loss"]) < group["tolerance_change"]:
                break
        state.update(kept)
        return first_loss

    def _remember(self, kept, change, stride):
        """Adds a change of the gradient, made by a stride of the parameters, to what H is made of."""
        curvature = change.dot(stride)
        if not curvature > 1e-10:
            return
        if len(kept["old_dirs"]) == self.param_groups[0]["history_size"]:
            for name in ("old_dirs", "old_stps", "ro"):
                kept[name].pop(0)
        kept["old_dirs"].append(change)
        kept["old_stps"].append(stride)
        kept["ro"].append(1.0 / curvature)
        kept["H_diag"] = curvature / change.dot(change)


def _direction(kept, gradient, found):
    """−H·gradient, from the last change to the first and back; found takes the shares of each on the way there."""
    changes, strides, ro = kept["old_dirs"], kept["old_stps"], kept["ro"]
    way = gradient.neg()
    for i in reversed(range(len(changes))):
        found[i] = strides[i].dot(way) * ro[i]
        way.add_(changes[i], alpha=-found[i])
    way = torch.mul(way, kept["H_diag"])
    for i in range(len(changes)):
        way.add_(strides[i], alpha=found[i] - changes[i].dot(way) * ro[i])
    return way


class Point(NamedTuple):
    """A point of a line search; slope: how the loss changes along the line."""

    distance: Any
    loss: float
    gradient: Tensor
    slope: Tensor


def strong_wolfe(look, start, distance, length, flat=0.9, fall=1e-4, tolerance=1e-9, most=25):
    """(a point where the loss fell far enough and is flat enough, how many were looked at).

    look(distance) gives a Point; distance is tried first, length is the largest number of the direction.
    """
    def is_high(point):
        return point.loss > start.loss + fall * point.distance * start.slope

    def is_flat(point):
        return abs(point.slope) <= -flat * start.slope

    before, point, turn = start, look(distance), 0
    while turn < most:  # further and further, until the minimum is passed
        if is_high(point) or (turn > 1 and point.loss >= before.loss):
            break
        if is_flat(point):
            return point, turn + 1
        if point.slope >= 0:
            break
        least, largest = point.distance + 0.01 * (point.distance - before.distance), point.distance * 10
        before, point = point, look(lowest(before, point, least, largest))
        turn += 1
    ends = [start if turn == most else before, point]
    stuck, low = False, 0 if ends[0].loss <= ends[1].loss else 1
    times = turn + 1
    while turn < most:  # between two points, closer and closer
        nearest, farthest = min(p.distance for p in ends), max(p.distance for p in ends)
        if abs(ends[1].distance - ends[0].distance) * length < tolerance:
            break
        distance = lowest(*ends)
        margin = 0.1 * (farthest - nearest)
        close = min(farthest - distance, distance - nearest) < margin
        if close and (stuck or distance >= farthest or distance <= nearest):
            at_the_end = abs(distance - farthest) < abs(distance - nearest)
            distance, stuck = farthest - margin if at_the_end else nearest + margin, False
        else:
            stuck = close
        point = look(distance)
        times, turn = times + 1, turn + 1
        if is_high(point) or point.loss >= ends[low].loss:
            ends[1 - low] = point
            low = 0 if ends[0].loss <= ends[1].loss else 1
            continue
        if is_flat(point):
            turn = most
        elif point.slope * (ends[1 - low].distance - ends[low].distance) >= 0:
            ends[1 - low] = ends[low]
        ends[low] = point
    return ends[low], times


def lowest(a, b, least=None, largest=None):
    """Where the cubic through two points, with their slopes, is lowest, between least and largest."""
    if least is None:
        least, largest = (a.distance, b.distance) if a.distance <= b.distance else (b.distance, a.distance)
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.distance - b.distance)
    square = bend**2 - a.slope * b.slope
    if not square >= 0:
        return (least + largest) / 2.0
    root = square.sqrt()
    if a.distance > b.distance:
        a, b = b, a
    at = b.distance - (b.distance - a.distance) * ((b.slope + root - bend) / (b.slope - a.slope + 2 * root))
    return min(max(at, least), largest)
