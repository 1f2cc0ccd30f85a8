#!/usr/bin/env python3
"""make_stubs.py FOLDER: writes the .pyi files of the module on PYTHONPATH into the package in FOLDER, as a build does.


What the table of functions has comes with its arguments; other names, which the bindings define by hand, with any.
"""
import inspect
import pathlib
import re
import sys
import types

import glassgrad
from glassgrad import _C

HEADER = '''# Written by make_stubs.py.
from builtins import bool as _bool, float as _float, int as _int, str as _str
from typing import Any, Optional, Sequence, Union, overload

Number = Union[_int, _float, _bool]
'''
TENSORS, SOME = "tuple[Tensor, ...]", "Any"
# The return types of functions that return something else than one Tensor. SOME: depends on the arguments.
RETURNS = {
    "bool": "allclose equal is_complex is_contiguous is_floating_point is_nonzero is_tensor is_same_size "
            "is_grad_enabled can_cast is_signed",
    "int": "dim element_size ndimension nelement numel storage_offset data_ptr get_device __len__ __int__ __index__ "
           "__hash__ initial_seed",
    "float": "calculate_gain __float__",
    "str": "type __repr__ __str__ __format__ typename",
    "dtype": "promote_types result_type get_default_dtype",
    "None": "backward retain_grad set_printoptions set_default_dtype set_grad_enabled set_num_threads __setitem__",
    TENSORS: "broadcast_tensors chunk hsplit meshgrid split split_with_sizes tensor_split unbind unsafe_chunk vsplit "
             "nonzero_tuple",
    SOME: "aminmax cummax cummin item kthvalue max median min mode msort size sort stride std_mean svd tolist topk "
          "unique unique_consecutive var_mean nonzero numpy where __getattr__",
}
RESULT = {name: result for result, names in RETURNS.items() for name in names.split()}


def function(name, signatures, method, indent=""):
    """Its lines, one for each overload."""
    several = len(signatures) > 1
    lines = []
    for signature in signatures:
        lines += [f"{indent}@overload"] if several else []
        lines.append(f"{indent}def {name}{variadic(plain(signature), method)} -> {result(name, 'Tensor')}: ...")
    return lines


def plain(signature):
    """With _bool for bool and so on: torch.bool and torch.float are dtypes."""
    return re.sub(r"(: |\[|, )(bool|float|int|str)\b(?!:)", r"\1_\2", signature)


def result(name, otherwise):
    return plain(": " + RESULT.get(name, otherwise))[2:]


def variadic(signature, method):
    """Sizes may stand one by one: view(2, 3)."""
    first = "self, " if method else ""
    for parameter in "size", "shape", "dims", "repeats", "sizes":
        start = f"({first}{parameter}: Sequence[_int]"
        if signature.startswith(start):  # later parameters are keyword-only anyway
            return f"({first}*{parameter}: Union[_int, Sequence[_int]]" + signature[len(start):].replace(" *,", "", 1)
    return signature


def other(name, value, indent=""):
    """A line for a name that the table does not have."""
    if name == "__hash__" and value is None:
        return None
    if isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType, property)):
        return f"{indent}{name}: Any"
    if callable(value):
        receiver = "self, " if indent else ""
        return f"{indent}def {name}({receiver}*args: Any, **kwargs: Any) -> {result(name, 'Any')}: ..."
    return f"{indent}{name}: Any"


def klass(kind, table):
    base = f"({kind.__base__.__name__})" if kind.__base__ is not object else ""
    rows = {name: signatures for name, signatures, _ in table}
    lines = [f"class {kind.__name__}{base}:"]
    skipped = {"__doc__", "__module__", "__dict__", "__weakref__", "__new__", "__slots__", "__getattribute__"}
    for name in sorted(vars(kind)):
        if name in rows:
            lines += function(name, rows[name], True, "    ")
        elif name not in skipped and name.isidentifier() and (not name.startswith("_") or name.endswith("__")):
            lines.append(other(name, vars(kind)[name], "    "))
    return [line for line in lines if line] + (["    ..."] if len(lines) == 1 else []) + [""]


def main_stub():
    names = {name: value for name, value in vars(glassgrad).items() if not name.startswith("_")}
    names["__version__"] = glassgrad.__version__
    rows = {name: signatures for name, signatures, _ in _C.signatures["torch"]}
    lines = [HEADER]
    modules = sorted(name for name, value in names.items() if isinstance(value, types.ModuleType)
                     and value.__name__.startswith("glassgrad."))
    lines += [f"from glassgrad import {name} as {name}" for name in modules] + [""]
    classes = {value: name for name, value in names.items() if isinstance(value, type)}
    for kind in sorted(classes, key=lambda kind: (len(kind.__mro__), kind.__name__)):
        if classes[kind] == kind.__name__ and kind.__base__ in (object, tuple, *classes):
            lines += klass(kind, _C.signatures["torch.Tensor"] if kind is glassgrad.Tensor else [])
            del names[kind.__name__]
    for name in sorted(names):
        if name in rows:
            lines += function(name, rows[name], False)
        elif isinstance(names[name], types.FunctionType):
            lines.append(python_function(name, names[name]))
        elif not isinstance(names[name], types.ModuleType):
            kind = type(names[name])
            known = classes.get(kind) or {float: "_float", int: "_int", str: "_str"}.get(kind)
            lines.append(f"{name}: {known}" if known else other(name, names[name]))
    return "\n".join(lines) + "\n"


def functions_stub(place, module):
    rows = {name: signatures for name, signatures, _ in _C.signatures[place]}
    lines = [HEADER, "from glassgrad import Generator, Tensor, device, dtype", ""]
    for name in sorted(n for n in vars(module) if not n.startswith("_")):
        value = getattr(module, name)
        if name in rows:
            lines += function(name, rows[name], False)
        elif callable(value) and not isinstance(value, (types.ModuleType, type)):
            lines.append(python_function(name, value))
    return "\n".join(lines) + "\n"


def python_function(name, value):
    """A function that the package defines in Python, with its names and defaults."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return other(name, value)
    plain = all(p.default is p.empty or isinstance(p.default, (int, float, str, type(None))) for p in parameters)
    return f"def {name}{inspect.signature(value)}: ..." if plain else other(name, value)


def main(folder):
    from glassgrad.nn import functional, init
    (folder / "nn").mkdir(parents=True, exist_ok=True)
    (folder / "__init__.pyi").write_text(main_stub())
    (folder / "nn" / "functional.pyi").write_text(functions_stub("torch.nn.functional", functional))
    (folder / "nn" / "init.pyi").write_text(functions_stub("torch.nn.init", init))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) / "glassgrad")
