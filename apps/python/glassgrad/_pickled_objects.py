"""What names in a file of PyTorch's stand for, beside those of tensors: classes that the running program has.

A file imports nothing and calls no function. With weights_only=True a name has to be allowed by add_safe_globals of
torch.serialization. Without it, classes and functions of PyTorch's stand for glassgrad's, and those of the program for
themselves: of __main__ and of modules that it imported from its own files. Of Python's library and of other packages
there is a short list.
"""

import _compat_pickle
import importlib
import importlib.util
import os
import pickle
import sys
import sysconfig
import types
from enum import Enum, Flag

import glassgrad as torch
from glassgrad import _C
from glassgrad._pickled import Raised, Refused, checked_key, shown

given = []  # to torch.serialization.add_safe_globals: objects, or (object, "its.name")
allowed = {}  # the same by their names in files


def allow(more):
    """Adds to what files may hold."""
    given.extend(thing for thing in more if thing not in given)
    allowed.clear()
    for thing in given:
        if isinstance(thing, tuple):
            allowed[thing[1]] = thing[0]
        else:
            allowed[f"{thing.__module__}.{thing.__name__}"] = thing


def _run(function, *arguments):
    """A function of the program's: its errors are its own, not those of a damaged file."""
    try:
        return function(*arguments)
    except Exception as error:
        raise Raised(error) from None


class SafeNames:
    """The names of a load with weights_only=True: those that were allowed, called and built as the file says."""

    def find(self, home, name):
        home, name = _in_python_3(home, name)
        if home in ("sys", "os", "posix", "nt"):
            raise unsafe(f"Trying to load unsupported GLOBAL {home}.{shown(name)} whose module {home} is blocked.")
        if f"{home}.{name}" not in allowed:
            home, name = shown(home), shown(name)
            raise unsafe(
                f"Unsupported global: GLOBAL {home}.{name} was not an allowed global by default. Please use "
                f"`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` "
                "context manager to allowlist this global if you trust this class/function."
            )
        return allowed[f"{home}.{name}"]

    def _is_allowed(self, thing):
        return any(thing is known for known in allowed.values())

    def call(self, what, arguments):
        if not self._is_allowed(what):
            raise unsafe(f"Trying to call reduce for unrecognized function {what}")
        return _run(what, *arguments)

    def new(self, kind, arguments):
        if not self._is_allowed(kind):
            raise unsafe("Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
                         f"but got {kind}")
        return _run(kind.__new__, kind, *arguments)

    def build(self, made, state):
        if not self._is_allowed(type(made)):
            raise unsafe("Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, "
                         f"but got {type(made)}")
        _set_state(made, state)


_INSTEAD = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_TWO_WAYS = (
    "This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you trust the source "
    f"of the checkpoint\033[0m. \n\t(1) {_INSTEAD}\n\t(2) Alternatively, to load with `weights_only=True` please check "
    "the recommended steps in the following error message.\n\tWeightsUnpickler error: "
)
_PLEASE_TELL = (
    "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
    "WeightsUnpickler error: "
)
_SEE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


def unsafe(text):
    """The error of a load with weights_only=True, in PyTorch's words; so it speaks of code that could run there."""
    if text.startswith("Unsupported global"):
        before = _TWO_WAYS
    else:
        before = f"{_INSTEAD}\n" + ("" if text.endswith("is blocked.") else _PLEASE_TELL)
    return Raised(pickle.UnpicklingError(f"Weights only load failed. {before}{text}{_SEE}"))


def _set_state(made, state):
    setter = getattr(type(made), "__setstate__", None)
    if setter is not None:
        _run(setter, made, state)
        return
    attributes, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    for part in attributes, slots:
        if part is not None and (type(part) is not dict or not all(type(name) is str for name in part)):
            raise Refused("its pickle gives an object a state that is no dict of attributes")
    if attributes:
        made.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        _run(setattr, made, name, value)


# ---- the names of a load with weights_only=False
def _in_python_3(home, name):
    """Pickles of protocol 2 use the names that Python 2 had."""
    home, name = _compat_pickle.NAME_MAPPING.get((home, name), (home, name))
    return _compat_pickle.IMPORT_MAPPING.get(home, home), name


# Classes of Python's library that may be called, by their homes.
_CALLED = {
    "builtins": "frozenset slice range", "collections": "defaultdict deque", "functools": "partial",
    "datetime": "date datetime time timedelta timezone", "decimal": "Decimal", "types": "SimpleNamespace",
    "argparse": "Namespace",
    **dict.fromkeys(("pathlib", "pathlib._local"), "PosixPath PurePosixPath WindowsPath PureWindowsPath"),
}
# Those that may stand for themselves, as types of arguments do.
_VALUES = {"builtins": "bool dict float int list object str tuple"}
_CLASSES_OF_TORCH = ("torch.nn.", "torch.optim.", "torch.utils.data.", "torch.distributions.", "torch.amp.",
                     "torch._dynamo.")
_FUNCTIONS_OF_TORCH = ("torch", "torch._C._nn", "torch.nn.functional", "torch.nn.init")


def _attribute(obj, name):
    """getattr, as a pickle uses it: a class in a class, a member of an enum, a method of an object."""
    if type(name) is str and isinstance(obj, type):
        found = vars(obj).get(name)
        if isinstance(found, type) and found.__qualname__ == f"{obj.__qualname__}.{name}" and is_of_program(found):
            return found
        if issubclass(obj, Enum) and name in obj.__members__:
            return obj.__members__[name]
    elif type(name) is str and is_of_program(type(obj)):
        for kind in type(obj).__mro__:
            if name in vars(kind):
                if isinstance(vars(kind)[name], types.FunctionType):
                    return types.MethodType(vars(kind)[name], obj)
                break
    raise Refused("its pickle takes an attribute that is neither a class nor a method of the program's")


def _union(a, b):
    """a | b, as pickles make the flags of an enum."""
    if not isinstance(a, Flag) or type(a) is not type(b):
        raise Refused("its pickle joins what are no flags of an enum")
    return a | b


def _is_library(path):
    path = os.path.abspath(path)
    parts = path.split(os.sep)
    homes = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(torch.__file__)]
    return ("site-packages" in parts or "dist-packages" in parts
            or any(path.startswith(os.path.abspath(home) + os.sep) for home in homes))


def is_of_program(thing):
    """Whether a class or function was defined by __main__, or by a module of the program's own files."""
    home = getattr(thing, "__module__", None)
    module = sys.modules.get(home) if isinstance(home, str) else None
    if module is None or home == "__main__":
        return module is not None
    path = getattr(module, "__file__", None)
    return not _is_library(path) if path else getattr(module, "__spec__", None) is None


def _of_torch(home, name):
    """The class or function of that name in glassgrad; None where it has none that a file may name."""
    if home in _FUNCTIONS_OF_TORCH:
        known = {row[0] for row in _C.signatures["torch"]} if home == "torch" else ()
        place = {"torch": torch, "torch.nn.init": torch.nn.init}.get(home, torch.nn.functional)
        found = getattr(place, name, None) if name in known or home != "torch" and name in vars(place) else None
        return found if callable(found) and not name.startswith("_") else None
    ours = "glassgrad" + home.removeprefix("torch")
    if not home.startswith(_CLASSES_OF_TORCH) or not all(part.isidentifier() for part in home.split(".")):
        return None
    if ours not in sys.modules and not _is_module(ours):
        return None
    found = vars(importlib.import_module(ours)).get(name)
    return found if isinstance(found, type) and found.__module__.startswith(("torch.", "glassgrad.")) else None


def _is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


# Functions that pickles call, as far as classes of a program need them.
_STAND_INS = {("builtins", "getattr"): _attribute, ("_operator", "or_"): _union}


class ProgramNames(SafeNames):
    """The names of a load with weights_only=False."""

    def find(self, home, name):
        home, name = _in_python_3(home, name)
        if f"{home}.{name}" in allowed:
            return allowed[f"{home}.{name}"]
        if (home, name) in _STAND_INS:
            return _STAND_INS[home, name]
        if name in f"{_CALLED.get(home, '')} {_VALUES.get(home, '')}".split():
            return getattr(importlib.import_module(home), name)
        if home.startswith("numpy"):
            from glassgrad import _pickled_numpy
            return _pickled_numpy.find(home, name)
        if home.partition(".")[0] == "torch":
            found = _of_torch(home, name)
            if found is None:
                raise Refused(f"glassgrad builds no {shown(f'{home}.{name}')}: in PyTorch, save the state_dict() of "
                              "the module")
            return found
        found = self._of_program(home, name)
        if found is None:
            raise Refused(f"it holds {shown(f'{home}.{name}')}, and glassgrad builds what PyTorch and the running "
                          f"program define, nothing of other packages. If you trust it, "
                          f"torch.serialization.add_safe_globals([{shown(name)}]) allows it")
        return found

    def _of_program(self, home, name):
        module = sys.modules.get(home)
        if module is None:
            raise Refused(f"it holds {shown(f'{home}.{name}')}, and a file imports nothing: import "
                          f"{shown(home)} before the load")
        if name not in vars(module):
            raise Raised(AttributeError(f"Can't get attribute {name!r} on {module!r}"))
        found = vars(module)[name]
        return found if isinstance(found, (type, types.FunctionType)) and is_of_program(found) else None

    def _is_built(self, kind):
        """Whether a class may be made without a call of it, and be given its attributes."""
        if not isinstance(kind, type):
            return False
        home = kind.__module__.replace("glassgrad.", "torch.", 1)
        of_torch = home.startswith(_CLASSES_OF_TORCH) and _of_torch(home, kind.__name__) is kind
        return of_torch or is_of_program(kind) or self._is_allowed(kind)

    def call(self, what, arguments):
        if what is _attribute or what is _union:
            return what(*arguments)
        if what is frozenset or isinstance(what, type) and issubclass(what, Enum):  # these hash what they are given
            items = what is frozenset and arguments and type(arguments[0]) is list
            for part in arguments[0] if items else arguments:
                checked_key(part)
        if isinstance(what, type) and (_is_called(what) or self._is_built(what) and _asks_to_be_called(what)):
            return _run(what, *arguments)
        if isinstance(what, types.FunctionType) and what.__module__ == "glassgrad._pickled_numpy":
            return what(*arguments)
        if self._is_allowed(what):
            return _run(what, *arguments)
        raise Refused("its pickle calls what is no class")

    def new(self, kind, arguments):
        if not self._is_built(kind) and not (isinstance(kind, type) and _is_called(kind)):
            raise Refused("its pickle makes an object of what is no class of the program's")
        return _run(kind.__new__, kind, *arguments)

    def build(self, made, state):
        if type(made).__module__.partition(".")[0] == "numpy":  # numpy.dtypes, for the kinds of dtype
            from glassgrad import _pickled_numpy
            _pickled_numpy.build(made, state)
        elif not isinstance(made, (type, Enum)) and (_is_called(type(made)) or self._is_built(type(made))):
            _set_state(made, state)  # classes and members of enums are the program's own, not made by the file
        else:
            raise Refused("its pickle sets attributes")


def _is_called(kind):
    return kind.__name__ in _CALLED.get(kind.__module__, "").split()


def _asks_to_be_called(kind):
    """Whether pickles make objects of the class by calling it: a __reduce__ of its own says so."""
    own = kind.__reduce_ex__ not in (object.__reduce_ex__, torch.nn.Module.__reduce_ex__)
    return own or kind.__reduce__ is not object.__reduce__
