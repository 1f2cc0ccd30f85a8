"""Whether results are what they should be (torch.testing)."""

import cmath as _cmath
from collections.abc import Mapping as _Mapping, Sequence as _Sequence

import glassgrad as torch
from glassgrad._names import missing as _missing

_TOLERANCES = {"torch.float64": (1e-7, 1e-7), "torch.float32": (1.3e-6, 1e-5), "torch.float16": (1e-3, 1e-5),
               "torch.bfloat16": (1.6e-2, 1e-5)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """|actual − expected| ≤ atol + rtol·|expected| everywhere, of tensors, numbers, or the parts of lists and dicts.

    AssertionError that tells how many elements are not, and where the greatest difference is. Without rtol and atol:
    for float32 1.3e-6 and 1e-5, for float64 1e-7 both, for integers 0.
    """
    if (rtol is None) != (atol is None):
        absent = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {absent}.")
    attributes = [name for name, check in (("device", check_device), ("dtype", check_dtype)) if check]
    wrong = _Comparison(rtol, atol, equal_nan, attributes, check_stride).wrong(actual, expected, "")
    if wrong:
        raise AssertionError(wrong if msg is None else msg(wrong) if callable(msg) else msg)


class _Comparison:
    def __init__(self, rtol, atol, equal_nan, attributes, check_stride):
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.attributes, self.check_stride = attributes, check_stride

    def wrong(self, actual, expected, at):
        """What is wrong with the part at that place, or None."""
        pairs = wrong = None
        numbers = (int, float, complex)
        if isinstance(actual, torch.Tensor) and isinstance(expected, torch.Tensor):
            wrong = self.wrong_tensors(actual, expected)
        elif isinstance(actual, bool) and isinstance(expected, bool):
            wrong = None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"
        elif isinstance(actual, numbers) and isinstance(expected, numbers):
            wrong = self.wrong_numbers(actual, expected)
        elif actual is None or expected is None:
            wrong = None if actual is expected else f"None mismatch: {actual} is not {expected}"
        elif isinstance(actual, _Mapping) and isinstance(expected, _Mapping):
            wrong, pairs = _keys(actual, expected), [(key, actual[key], expected.get(key)) for key in actual]
        elif _listed(actual) and _listed(expected):
            if len(actual) != len(expected):
                wrong = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            pairs = [(i, *pair) for i, pair in enumerate(zip(actual, expected))]
        else:
            where = f"\n\nThe failure occurred for item {at}" if at else ""
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{where}"
            )
        if wrong or not pairs:
            return wrong and wrong + (f"\n\nThe failure occurred for item {at}" if at else "")
        return next(filter(None, (self.wrong(a, e, f"{at}[{key!r}]") for key, a, e in pairs)), None)

    def tolerances(self, *dtypes):
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)

    def wrong_numbers(self, actual, expected):
        if "dtype" in self.attributes and type(actual) is not type(expected):
            return f"The (d)types do not match: {type(actual)} != {type(expected)}."
        rtol, atol = self.tolerances(*("torch.float64" if isinstance(x, float) else "" for x in (actual, expected)))
        difference = abs(actual - expected)
        if actual == expected or (self.equal_nan and actual != actual and expected != expected):
            return None
        if _cmath.isfinite(actual) and _cmath.isfinite(expected) and difference <= atol + rtol * abs(expected):
            return None
        return _scalars(actual, expected, rtol, atol)

    def wrong_tensors(self, actual, expected):
        if actual.shape != expected.shape:
            return f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}."
        for name in self.attributes:
            if getattr(actual, name) != getattr(expected, name):
                return (f"The values for attribute '{name}' do not match: {getattr(actual, name)} != "
                        f"{getattr(expected, name)}.")
        if self.check_stride and actual.stride() != expected.stride():
            return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
        rtol, atol = self.tolerances(str(actual.dtype), str(expected.dtype))
        with torch.no_grad():
            kind = torch.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.cpu().to(kind), expected.cpu().to(kind)
            if not kind.is_floating_point:
                actual, expected = actual.long(), expected.long()
            same = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
            if same.all():
                return None
            if actual.dim() == 0:
                return _scalars(actual.item(), expected.item(), rtol, atol)
            return _tensors(same.flatten(), (actual - expected).abs().flatten(), expected, rtol, atol)


def _keys(actual, expected):
    missing, more = sorted(set(expected) - set(actual), key=str), sorted(set(actual) - set(expected), key=str)
    lines = [f"Missing keys in the actual mapping: {missing}"] if missing else []
    lines += [f"Additional keys in the actual mapping: {more}"] if more else []
    return "\n".join(["The keys of the mappings do not match:", *lines]) if lines else None


def _listed(x):
    return isinstance(x, _Sequence) and not isinstance(x, str)


def _scalars(actual, expected, rtol, atol):
    equal = rtol == 0 and atol == 0
    difference = abs(actual - expected)
    relative = difference / abs(expected) if expected != 0 else float("inf")
    return (
        f"Scalars are not {'equal' if equal else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_allowed(atol, equal)}\n"
        f"Relative difference: {relative}{_allowed(rtol, equal)}"
    )


def _tensors(same, difference, expected, rtol, atol):
    count, equal = int((~same).sum()), rtol == 0 and atol == 0
    lines = [f"Tensor-likes are not {'equal' if equal else 'close'}!", ""]
    lines.append(f"Mismatched elements: {count} / {same.numel()} ({count / same.numel():.1%})")
    relative = difference / expected.abs().flatten()
    for name, of, tolerance in ("absolute", difference, atol), ("relative", relative, rtol):
        greatest, place = of.masked_fill(same, 0).max(0)
        index, place = (), int(place)
        for size in reversed(expected.shape):
            index, place = (place % size, *index), place // size
        lines.append(f"Greatest {name} difference: {greatest.item()} at index {index}{_allowed(tolerance, equal)}")
    return "\n".join(lines)


def _allowed(tolerance, equal):
    return "" if equal else f" (up to {tolerance} allowed)"


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """An old form of assert_close, to which dtype and device do not matter."""
    if not isinstance(actual, torch.Tensor):
        actual = torch.tensor(actual)
    if not isinstance(expected, torch.Tensor):
        expected = torch.tensor(expected, dtype=actual.dtype)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=False, check_dtype=False,
                 msg=msg or None)


__getattr__ = _missing("torch.testing", globals())
