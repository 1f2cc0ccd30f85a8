"""Modules that are not installed. A program or a cell goes on without them, and what uses one fails there."""
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
import sysconfig
import types

from glassgrad import _scope


class Absent:
    """Stands where the module, or something from it, would be."""

    def __init__(self, module):
        self.__dict__["_module"] = module

    def _fail(self, *_, **__):
        raise ModuleNotFoundError(said_of(self._module), name=self._module)

    __call__ = __getattr__ = __setattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __enter__ = _fail

    def __mro_entries__(self, bases):
        self._fail()


def said_of(module):
    """The error of using it."""
    if not _is_of_torch(module):
        return f"No module named '{module}'"
    name = module.removeprefix("torch.")
    why = _scope.NN.get(name[3:]) if name.startswith("nn.") else _scope.TORCH.get(name.partition(".")[0])
    return f"glassgrad has no {module}" + (f": {why}" if why else "")


def _is_of_torch(module):
    return module.startswith("torch.")


def _as_torch(module):
    """Its name as programs know it: `from torch import vmap` asks for a module glassgrad.vmap."""
    return "torch." + module.removeprefix("glassgrad.") if module.startswith("glassgrad.") else module


def take_out(tree, names):
    """Takes imports of what is not installed out of a cell's own statements (a `try` around one is left to it), and
    puts an Absent under each name they would bind. Returns the modules."""
    modules, body = [], []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level and is_absent(node.module):
            absent, node.names = node.names, []
            bind(names, [(a.asname or a.name, node.module) for a in absent], modules)
        elif isinstance(node, ast.Import):
            absent = [a for a in node.names if is_absent(a.name)]
            node.names = [a for a in node.names if a not in absent]
            bind(names, [(a.asname or a.name.partition(".")[0], a.name) for a in absent], modules)
        if getattr(node, "names", True):
            body.append(node)
    tree.body = body
    return modules


def is_absent(module):
    """Of a package that is there, a missing part is an error like any other."""
    top = module.partition(".")[0]
    try:
        return importlib.util.find_spec(top) is None
    except (ImportError, ValueError):
        return False


def bind(names, bound, modules):
    for name, module in bound:
        names[name] = Absent(module.partition(".")[0])
        modules.append(module.partition(".")[0])


class AbsentModule(types.ModuleType):
    """What `import` gives for a module that is not installed: every name in it is an Absent."""

    __path__ = ()  # lets `import a.b` look for a.b

    def _absent(self):
        name = _as_torch(self.__name__)
        return Absent(name if _is_of_torch(name) else name.partition(".")[0])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._absent()

    def __call__(self, *args, **kwargs):
        self._absent()()

    def __mro_entries__(self, bases):
        self._absent()()


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last. Gives an AbsentModule where a file of the program itself imports what is not installed, or a part of
    PyTorch that is out of scope; but nothing to an import in a `try`, whose program knows what to do without.
    """

    def __init__(self):
        self.absent = set()

    @staticmethod
    def takes(name):
        """Is it a part of PyTorch that is out of scope, and is there a finder that lets a program import it?"""
        rest = name.partition(".")[2]
        out = rest in _scope.MODULES or rest.partition(".")[0] in _scope.TORCH or (
            rest.startswith("nn.") and rest[3:] in _scope.NN)
        return out and any(isinstance(finder, AbsentFinder) for finder in sys.meta_path)

    def find_spec(self, fullname, path=None, target=None):
        name, top = _as_torch(fullname), fullname.partition(".")[0]
        if _is_of_torch(name):
            wanted = self.takes(name) and asked_plainly(importing_frame(), "torch")
            return self.spec(fullname, said_of(name).replace("glassgrad has", "there is", 1)) if wanted else None
        if top != fullname:
            return importlib.machinery.ModuleSpec(fullname, self) if top in self.absent else None
        if not asked_plainly(importing_frame(), top):
            return None
        return self.spec(fullname, f"{top} is not installed")

    def spec(self, name, reason):
        self.absent.add(name)
        print(f"glassgrad: {reason}; what uses it will fail", file=sys.stderr)
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        pass


def importing_frame():
    """The frame of the import statement that is being looked for."""
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame


def asked_plainly(frame, module):
    """Is it an import statement for the module, in a file or cell of the program, that stands in no `try`?"""
    file = frame.f_code.co_filename if frame else ""
    if not (file.endswith(".py") or ".ipynb, cell " in file) or file.startswith(INSTALLED):
        return False
    return any(first <= frame.f_lineno <= last for first, last in plain_imports(file, module))


def plain_imports(file, module):
    """The lines of the statements that import the module, outside of `try`."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    found, left = [], [tree]
    while left:
        node = left.pop()
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else (
            [node.module] if isinstance(node, ast.ImportFrom) and not node.level else [])
        if any(name.partition(".")[0] == module for name in names):
            found.append((node.lineno, node.end_lineno))
        if isinstance(node, ast.Try):  # skip the body of `try`, search the rest
            left += node.handlers + node.orelse + node.finalbody
        else:
            left += ast.iter_child_nodes(node)
    return found


INSTALLED = tuple({*map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
                   os.path.dirname(os.path.dirname(os.path.abspath(__file__)))})
