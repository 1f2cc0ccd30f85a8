"""What classes and functions are called when they are printed, and what is said of names that do not exist."""

import difflib
import importlib


def typename(obj):
    """What PyTorch's errors call an object: 'torch.FloatTensor', 'int', 'torch.nn.modules.linear.Linear'."""
    from glassgrad._C import Tensor

    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    home = named.__module__
    return named.__qualname__ if home in (None, "builtins") else f"{home}.{named.__qualname__}"


def scalar_name(x):
    """What PyTorch's errors call a tensor's dtype: "Float", "Long"."""
    return typename(x).removeprefix("torch.").removesuffix("Tensor")


def check_floating(kernel, x):
    """RuntimeError `"histogram_cpu" not implemented for 'Long'` for a tensor that is not floating."""
    if not x.is_floating_point():
        raise RuntimeError(f"\"{kernel}_cpu\" not implemented for '{scalar_name(x)}'")


def present_as_torch(namespace):
    """Lets the classes and functions of a package print as PyTorch's: <class 'torch.nn.modules.linear.Linear'>."""
    for thing in namespace.values():
        home = getattr(thing, "__module__", None)
        if isinstance(home, str) and home.startswith("glassgrad.") and hasattr(thing, "__qualname__"):
            thing.__module__ = "torch" + home.removeprefix("glassgrad")


def new(home, name):
    """An instance, not initialised, of the class that present_as_torch made print as torch…: for pickle."""
    cls = getattr(importlib.import_module(home.replace("torch", "glassgrad", 1)), name)
    return cls.__new__(cls)


def missing(module, namespace, hints={}, below=(), inside={}):
    """The __getattr__ of a module: AttributeError `glassgrad has no torch.nn.LSTM`, and the nearest name there is.

    below: modules in it that are imported when somebody asks for them; inside: names of classes, each with its module,
    that are imported then too.
    """

    def __getattr__(name):
        if name in below or name in inside:
            found = importlib.import_module(f"{module}.{inside.get(name, name)}".replace("torch", "glassgrad", 1))
            if name in inside:
                found = getattr(found, name)
                present_as_torch({name: found})
                namespace[name] = found
            return found
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        hint = hints.get(name) or _nearest(name, module, namespace)
        raise AttributeError(f"glassgrad has no {module}.{name}" + (f": {hint}" if hint else ""))

    return __getattr__


def _nearest(name, module, namespace):
    near = nearest(name, [known for known in namespace if not known.startswith("_")])
    return f"the nearest is {module}.{near}" if near else ""


def nearest(name, names):
    """The one of the names that was meant if this one is mistyped: nearly all letters are the same; else None."""
    known = {name.lower(): name for name in names}
    near = difflib.get_close_matches(name.lower(), known, 1, 0.82) if len(name) > 4 else []
    return known[near[0]] if near else None


def public(namespace, later=()):
    """The __dir__ of a module: the names of PyTorch's and those that docs/python.md tells of, imported or later."""
    ours = {"annotations", "heat_table", "lesson_names", "missing", "present_as_torch", "public"}
    return lambda: sorted({*namespace, *later} - ours)
