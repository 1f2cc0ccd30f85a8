"""Functions of torch.nn.functional that are made of others."""

import math

import glassgrad as torch
from glassgrad._autograd import Function as _Function
from glassgrad._C import as_one as _as_one
from glassgrad.amp.autocast_mode import in_float32 as _in_float32
from glassgrad._names import check_floating as _check_floating
from glassgrad._names import scalar_name as _scalar_name


def _check(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduced(loss, reduction):
    return loss if reduction == "none" else getattr(loss, reduction)()


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """softmax((logits + noise)/tau), a sample that has a gradient; hard: 1 at its greatest and 0 elsewhere."""
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    at = soft.max(dim, keepdim=True)[1]
    return torch.zeros_like(logits).scatter_(dim, at, 1.0) - soft.detach() + soft


def hardshrink(input, lambd=0.5):
    """0 between −lambd and lambd, elsewhere input."""
    _check_floating("hardshrink", input)
    return _as_one("HardshrinkBackward0", torch.where((input >= -lambd) & (input <= lambd), 0.0, input))


def softshrink(input, lambd=0.5):
    """0 between −lambd and lambd, elsewhere input moved by lambd towards 0."""
    _check_floating("softshrink", input)
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    inside = torch.where(input.isnan(), input, 0.0 * input)
    moved = torch.where(input > lambd, input - lambd, torch.where(input < -lambd, input + lambd, inside))
    return _as_one("SoftshrinkBackward0", moved)


@_in_float32
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, −target·(input1 − input2) + margin): target 1 wants input1 greater, −1 input2."""
    _check(reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@_in_float32
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input where target is 1, max(0, margin − input) where it is −1."""
    _check(reduction)
    apart = torch.where(target == 1, 0.0, (margin - input).clamp_min(0))
    return _reduced(apart + torch.where(target == -1, 0.0, input), reduction)


@_in_float32
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, distance(anchor, positive) − distance(anchor, negative) + margin); swap: negative from the nearer one."""
    _check(reduction)
    distance = torch.pairwise_distance
    near, far = distance(anchor, positive, p, eps), distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)


@_in_float32
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(−target·input))."""
    _check(reduction)
    return _as_one("SoftMarginLossBackward0", _reduced((-(input * target)).exp().log1p(), reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log var + (input − target)²/var)/2, var no less than eps; full: plus log(2π)/2."""
    if isinstance(var, float):
        var = var * torch.ones_like(input)
    elif var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input.size()[:-1] != var.size()[:-1] or var.size(-1) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    var = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@_in_float32
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """exp(input) − target·input; without log_input: input − target·log(input + eps); full: plus log(target!) nearly."""
    _check(reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, reduction)


def _product(a, b):
    """A product of two matrices that rounds as one of batches of them, which PyTorch makes of small sums."""
    return torch.bmm(a.unsqueeze(0), b.unsqueeze(0))[0]


class _Bilinear(_Function):
    """y[b, k] = x1[b]·weight[k]·x2[b]; sums in the order of PyTorch's."""

    @staticmethod
    def forward(ctx, x1, x2, weight):
        ctx.save_for_backward(x1, x2, weight)
        rows = [torch.bmm(_product(x1, w).unsqueeze(1), x2.unsqueeze(2)).view(-1) for w in weight]
        return torch.stack(rows, 1) if rows else x1.new_zeros(x1.size(0), 0)

    @staticmethod
    def backward(ctx, gradient):
        x1, x2, weight = ctx.saved_tensors
        of_x1, of_x2, of_weight = torch.zeros_like(x1), torch.zeros_like(x2), []
        for k, w in enumerate(weight):
            g = gradient[:, k:k + 1]
            of_x1 = of_x1 + torch.bmm(g.unsqueeze(2) * w, x2.unsqueeze(2)).squeeze(2)
            of_x2 = of_x2 + _product(x1, w) * g
            of_weight.append(_product((x1 * g).t(), x2))
        return of_x1, of_x2, torch.stack(of_weight)


def bilinear(input1, input2, weight, bias=None):
    """Σ input1[i] · weight[:, i, j] · input2[j] + bias: (…, I), (…, J) and (K, I, J) → (…, K)."""
    def check(fits, text, got, expected, word="and"):
        if not fits:
            raise RuntimeError(f"bilinear(): {text}: got {got} {word} {expected}")

    check(input1.dim() == input2.dim(), "input dimensions do not match", input1.dim(), input2.dim())
    for i, (a, b) in enumerate(zip(input1.shape[:-1], input2.shape[:-1])):
        check(a == b, f"input batch dimensions do not match at dim {i}", a, b)
    for n, x in (1, input1), (2, input2):
        check(x.size(-1) == weight.size(n), f"input{n} size does not match weight size", x.size(-1), weight.size(n),
              "but expected")
    if bias is not None:
        check(bias.size(0) == weight.size(0), "bias size does not match weight size", bias.size(0), weight.size(0),
              "but expected")
    shape = (*input1.shape[:-1], weight.size(0))
    y = _Bilinear.apply(input1.reshape(-1, input1.size(-1)), input2.reshape(-1, input2.size(-1)), weight).reshape(shape)
    return y if bias is None else y + bias


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """(x − mean)/√(variance + eps)·weight + bias of each channel, of the batch in training, else of what ran before.

    In training running_mean and running_var take over momentum of the batch's.
    """
    for name, kept in ("running_mean", running_mean), ("running_var", running_var):
        if kept is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    for name, x in zip(("running_mean", "running_var", "weight", "bias"), (running_mean, running_var, weight, bias)):
        if x is not None and x.numel() != input.size(1):
            raise RuntimeError(f"{name} should contain {input.size(1)} elements not {x.numel()}")
        if x is not None and x.dtype is not input.dtype:
            raise RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {_scalar_name(input)}")
    others = [d for d in range(input.dim()) if d != 1]
    shape = [-1 if d == 1 else 1 for d in range(input.dim())]
    if training:
        count = input.numel() // max(input.size(1), 1)
        if count <= 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
        mean = input.double().mean(others).to(input.dtype)
        squares = (input - mean.view(shape)).square().double().sum(others).to(input.dtype)
        var = squares / count
        with torch.no_grad():
            if running_mean is not None:
                running_mean.mul_(1 - momentum).add_(mean * momentum)
            if running_var is not None:
                running_var.mul_(1 - momentum).add_(squares / (count - 1), alpha=momentum)
    else:
        mean, var = running_mean, running_var
    scale = (var.double() + eps).rsqrt().to(input.dtype)
    scale = scale if weight is None else scale * weight
    shift = -mean * scale if bias is None else bias - mean * scale
    return _as_one("NativeBatchNormBackward0", input * scale.view(shape) + shift.view(shape))
