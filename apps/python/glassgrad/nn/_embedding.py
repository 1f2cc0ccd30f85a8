"""Rows of a table by number, and sums of them (torch.nn.functional.embedding and embedding_bag)."""

import math

import glassgrad as torch
from glassgrad import _C
from glassgrad._autograd import Function
from glassgrad._C import as_one as _as_one

_plain_embedding = _C.F.embedding
SPARSE = ("sparse tensors are out of glassgrad's scope: without sparse=True the gradient has the same numbers in a "
          "dense tensor")


class _ByFrequency(Function):
    """weight[input]; the gradient of each row is divided by how often the row's number is in input."""

    @staticmethod
    def forward(ctx, weight, input, padding_idx):
        ctx.save_for_backward(input)
        ctx.size, ctx.padding_idx = weight.size(0), padding_idx
        return _plain_embedding(input, weight, padding_idx)

    @staticmethod
    def backward(ctx, gradient):
        input, = ctx.saved_tensors
        input, gradient = input.reshape(-1).long(), gradient.reshape(-1, gradient.size(-1))
        made = gradient.new_zeros(ctx.size, gradient.size(1))
        counts, order = torch.bincount(input, minlength=ctx.size), input.argsort(stable=True)
        if ctx.padding_idx is not None:
            order = order[input[order] != ctx.padding_idx % ctx.size]
        of_order = counts[input[order]]
        for count in of_order.unique().tolist():  # one after the other, each times 1/count as it is added
            at = order[of_order == count].view(-1, count)
            for i in range(count):
                numbers = input[at[:, i]]
                made[numbers] = torch.add(made[numbers], gradient[at[:, i]], alpha=1.0 / count)
        return made, None, None


def _renormalise(weight, input, max_norm, norm_type):
    """Rows of weight among input that are longer than max_norm are shortened to it, in place and outside the graph."""
    with torch.no_grad():
        weight = weight.detach()
        for index in input.unique().tolist():
            row = weight[index]
            norm = row.norm(norm_type).item()
            if norm > max_norm:
                row.mul_(max_norm / (norm + 1e-7))


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """weight[input]: rows of weight (n, d) at int64 indices; the gradient skips padding_idx.

    max_norm: rows whose norm_type-norm is greater are first shortened to it, in place. scale_grad_by_freq: each row's
    gradient is divided by how often its number is in input. sparse has to be False.
    """
    if max_norm is None and not scale_grad_by_freq and not sparse:
        return _plain_embedding(input, weight, padding_idx)
    if sparse:
        raise NotImplementedError(SPARSE)
    _plain_embedding(input, weight.detach(), padding_idx)  # checks the arguments
    if max_norm is not None:
        _renormalise(weight, input, float(max_norm), float(norm_type))
    if not scale_grad_by_freq:
        return _plain_embedding(input, weight, padding_idx)
    return _as_one("EmbeddingBackward0", _ByFrequency.apply(weight, input, padding_idx))


def _flat(input, weight, offsets, per_sample_weights):
    """Checks arguments of embedding_bag; gives input, offsets and per_sample_weights, all in one dimension."""
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype)
        return input.reshape(-1), offsets, None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, per_sample_weights


def _check_bags(input, weight, offsets, per_sample_weights, padding_idx):
    where = "(while checking arguments for embedding_bag)"
    count = weight.size(0)
    for name, x in ("indices", input), ("offsets", offsets):
        if x.dtype not in (torch.int64, torch.int32):
            raise RuntimeError(f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: "
                               f"Long, Int; but got {x.type()} instead {where}")
    if not weight.is_floating_point():
        raise RuntimeError("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                           f"BFloat16, Float, Double; but got {weight.type()} instead {where}")
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                           f"'per_sample_weights'; but type {weight.type()} does not equal {per_sample_weights.type()} "
                           f"{where}")
    if padding_idx is not None and not -count <= padding_idx < count:
        raise RuntimeError("padding_idx must be within the number of embeddings, "
                           f"{-count} through {count - 1}, but got {padding_idx}")
    if offsets.numel() and offsets[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                           f"position 0. However, got {offsets[0].item()}\n[ {offsets.type()}{{}} ]")
    if offsets.numel() and offsets[-1] > input.size(0):
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {input.size(0)} but got offsets[-1] of "
                           f"{offsets[-1].item()}")
    if (offsets.diff() < 0).any():
        raise RuntimeError(f"embedding_bag: offsets have to ascend, but are {offsets.tolist()}")
    outside = input[(input < 0) | (input >= count)]
    if outside.numel():
        raise RuntimeError("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
                           f"{outside[0].item()}")


def _divisors(input, count):
    """By number of a row, what divides its gradient with scale_grad_by_freq.

    PyTorch divides the gradient of the i-th different number by how often the i-th of all sorted numbers is there.
    """
    counts, order = torch.bincount(input, minlength=count), input.sort()[0]
    divisors = torch.ones(count, dtype=torch.int64)
    different = order.unique()
    divisors[different] = counts[order[:different.size(0)]]
    return divisors


class _SumsOfBags(Function):
    """(size, d): the sums of the rows of each bag, each row times its factor; or their means."""

    @staticmethod
    def forward(ctx, weight, factors, input, bag_of, size, mean, divisors):
        lengths = torch.bincount(bag_of, minlength=size).clamp(min=1)
        ctx.save_for_backward(weight, factors, input, bag_of, lengths, divisors)
        ctx.mean = mean
        rows = weight[input]
        if factors is not None:
            rows = rows * factors.unsqueeze(1)
        sums = torch.zeros(size, weight.size(1), dtype=weight.dtype).index_add_(0, bag_of, rows)
        return sums / lengths.to(weight.dtype).unsqueeze(1) if mean else sums

    @staticmethod
    def backward(ctx, gradient):
        weight, factors, input, bag_of, lengths, divisors = ctx.saved_tensors
        of_rows = gradient[bag_of]
        of_factors = None if factors is None else (of_rows * weight[input]).sum(1)
        scale = torch.ones(input.size(0), dtype=torch.float64) if factors is None else factors
        scale = scale if divisors is None else scale / divisors[input]
        scale = scale / lengths[bag_of] if ctx.mean else scale
        of_rows = of_rows * scale.to(gradient.dtype).unsqueeze(1)
        return torch.zeros_like(weight).index_add_(0, input, of_rows), of_factors, None, None, None, None, None


class _GreatestOfBags(Function):
    """(size, d): the greatest of the rows of each bag, place by place."""

    @staticmethod
    def forward(ctx, weight, input, bag_of, size):
        bags = torch.zeros(size, weight.size(1), dtype=weight.dtype)
        numbers = torch.full((size, weight.size(1)), -1)
        for bag in bag_of.unique().tolist():
            inside = input[bag_of == bag]
            rows = weight[inside]
            rows[1:] = rows[1:].nan_to_num(-math.inf, math.inf, -math.inf)  # as comparisons with NaN are false
            bags[bag], at = rows.max(0)
            numbers[bag] = inside[at]
        ctx.save_for_backward(numbers)
        ctx.shape = weight.shape
        return bags

    @staticmethod
    def backward(ctx, gradient):
        numbers, = ctx.saved_tensors
        is_there = numbers >= 0
        columns = torch.arange(numbers.size(1)).expand(numbers.shape)[is_there]
        made = torch.zeros(ctx.shape, dtype=gradient.dtype)
        made.index_put_((numbers[is_there], columns), gradient[is_there], accumulate=True)
        return made, None, None, None


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """The sum, mean or max of the rows of each bag: weight (n, d), input (B, N) → (B, d); or input (N) and offsets (B),
    the place in input where each bag begins, and with include_last_offset as its last one the end.

    per_sample_weights, of input's shape: factors of the rows, for mode="sum". padding_idx: a number that counts as not
    there. A bag without rows gives zeros. The other settings are those of embedding.
    """
    if weight.dtype is torch.long and input.is_floating_point():
        import warnings
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.", stacklevel=2)
        weight, input = input, weight
    input, offsets, per_sample_weights = _flat(input, weight, offsets, per_sample_weights)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if sparse:
        raise NotImplementedError(SPARSE)
    if max_norm is not None:
        _renormalise(weight, input, float(max_norm), float(norm_type))
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    _check_bags(input, weight, offsets, per_sample_weights, padding_idx)
    divisors = _divisors(input, weight.size(0)) if scale_grad_by_freq else None
    size = offsets.size(0) - 1 if include_last_offset else offsets.size(0)
    ends = offsets[1:] if include_last_offset else torch.cat([offsets[1:], offsets.new_tensor([input.size(0)])])
    bag_of = torch.repeat_interleave(torch.arange(size), (ends - offsets[:size]).long())
    input = input[:bag_of.size(0)]
    if padding_idx is not None:
        kept = input != padding_idx % weight.size(0)
        input, bag_of = input[kept], bag_of[kept]
        per_sample_weights = None if per_sample_weights is None else per_sample_weights[:kept.size(0)][kept]
    if mode == "max":
        bags = _GreatestOfBags.apply(weight, input, bag_of, size)
    else:
        bags = _SumsOfBags.apply(weight, per_sample_weights, input, bag_of, size, mode == "mean", divisors)
    return _as_one("EmbeddingBagBackward0", bags)
