"""Opened numbers, checked: their trees are evaluated with Python's own arithmetic, their texts read back."""
import importlib.util
import json
import math

from module import TESTS

_spec = importlib.util.spec_from_file_location("tree_expressions", TESTS / "cli" / "expressions.py")
_expressions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_expressions)
number = _expressions.number


def problem(json, value):
    """What is wrong with an opened number whose value the program has as `value`; None: nothing."""
    said = number(json["value"])
    if not same(said, value):
        return f"{json['address']} is {value}, opened as {said}"
    if json["tree"] is None:
        return None
    largest = [0.0]
    found = _expressions.evaluated(json["tree"], largest) + number(json["rounding"])
    close = (2e-6 if json["dtype"] == "float32" else 1e-12) * (largest[0] + 1e-30)
    if same(found, said) or abs(found - said) <= close:
        return None
    return f"{json['address']}: the tree gives {found}, the number is {said}"


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def printed(text, value):
    """Does the last line say the value?"""
    last = text.rstrip("\n").splitlines()[-1].removeprefix("= ")
    if isinstance(value, bool):
        return last == str(value)
    shown = float(last)
    near = 1e-4 * max(1, abs(value)) if "e" not in last else 1e-4 * abs(value)
    return same(shown, value) or abs(shown - value) <= near


def random_results(glass, draw, n, wanted=lambda call: True):
    """n numbers that calls under the glass computed: (the call, its cell, its value)."""
    calls = [call for call in range(len(glass)) if wanted(glass._glass.call(call))]
    for _ in range(n):
        call = draw.choice(calls)
        described = glass._glass.call(call)
        out = draw.choice([k for k, result in enumerate(described["outputs"]) if result and math.prod(result[1])])
        cell = glass._glass.result(call, out)
        index = [draw.randrange(size) for size in described["outputs"][out][1]]
        value = cell.tensor
        yield described, cell.at(index), (value[tuple(index)] if index else value).item()


def check_results(test, glass, n, wanted=lambda call: True, seed=1):
    """Opens n random numbers; every tree must give its number, and every page print it."""
    import random
    for described, cell, value in random_results(glass, random.Random(seed), n, wanted):
        test.assertIsNone(problem(json.loads(cell.json(1)), value), described)
        test.assertTrue(printed(cell.why(1, False), value), cell.why(1, False))
