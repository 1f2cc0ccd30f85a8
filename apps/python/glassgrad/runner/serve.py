"""`import torch` and `import safetensors`, answered by glassgrad: never by packages that happen to be installed."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import pathlib
import sys

import glassgrad
from glassgrad import _names, _scope
from glassgrad.runner.absent import AbsentFinder, asked_plainly, importing_frame

SERVED, OURS = "torch", "glassgrad"
PACKAGES = {SERVED: OURS, "safetensors": "glassgrad.runner.safetensors"}
VERSION = "2.6.0+glassgrad"
versions = {SERVED: VERSION, "safetensors": "0.5.3+glassgrad"}  # what importlib.metadata says of the packages


def serve_as_torch():
    """From now on, torch[.x.y] is glassgrad[.x.y]: the same module objects. So are the other packages."""
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        for name in [n for n in sys.modules if n.partition(".")[0] in PACKAGES]:
            del sys.modules[name]
        sys.meta_path.insert(0, TorchFinder())


class TorchFinder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        top, _, rest = fullname.partition(".")
        if top not in PACKAGES:
            return None
        ours = f"{PACKAGES[top]}.{rest}" if rest else PACKAGES[top]
        # The parent is loaded: Python imports torch.x before torch.x.y.
        if not (is_public(rest) and is_there(ours)):
            if top == SERVED and AbsentFinder.takes(fullname) and asked_plainly(importing_frame(), SERVED):
                return None
            near = nearest(rest) if top == SERVED else ""
            raise ModuleNotFoundError(f"glassgrad has no {fullname}{near}", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, SameModule(ours))

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        name = (context.name or "").lower()
        return [ServedDistribution(name)] if name in versions else []


class SameModule(importlib.abc.Loader):
    """Loads by importing the module of ours, which stays what it is."""

    def __init__(self, ours):
        self.ours = ours

    def create_module(self, spec):
        module = importlib.import_module(self.ours)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.own_spec  # the import under this name has replaced it
        if self.ours == OURS:
            for name, part in list(sys.modules.items()):  # like PyTorch's modules, loaded with torch
                if name.startswith(OURS + ".") and is_public(name.removeprefix(OURS + ".")):
                    sys.modules.setdefault(SERVED + name.removeprefix(OURS), part)


class ServedDistribution(importlib.metadata.Distribution):
    def __init__(self, package):
        self.package = package

    def read_text(self, filename):
        text = f"Metadata-Version: 2.1\nName: {self.package}\nVersion: {versions[self.package]}\n"
        return text if filename == "METADATA" else None

    def locate_file(self, path):
        return pathlib.Path(glassgrad.__file__).parent / path


def is_there(module):
    """Is it a module of glassgrad's, loaded or not?"""
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is not there
        return False


def is_public(rest):
    """glassgrad._C, glassgrad.runner and the like are no modules of PyTorch's."""
    first = rest.partition(".")[0]
    return first in _scope.UNDERSCORED or (not first.startswith("_") and first != "runner")


def nearest(rest):
    """", but it has torch.nn.functional": the module of ours whose name comes nearest, if any does."""
    folder = pathlib.Path(glassgrad.__file__).parent
    names = {".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
             for path in folder.rglob("*.py")}
    close = _names.nearest(rest, [n for n in names if is_public(n) and n != "__init__"])
    return f", but it has {SERVED}.{close}" if close else ""
