"""`import torch`, answered by glassgrad: never by a PyTorch that happens to be installed."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import pathlib
import sys

import glassgrad
from glassgrad import _names, _scope
from glassgrad.runner.absent import OutOfScopeModule, asked_in_try, importing_frame

SERVED, OURS = "torch", "glassgrad"
VERSION = "2.6.0+glassgrad"
versions = {SERVED: VERSION}  # importlib.metadata's versions of the packages served here


def serve_as_torch():
    """From now on, torch[.x.y] is glassgrad[.x.y]: the same module objects."""
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        for name in [n for n in sys.modules if n == SERVED or n.startswith(SERVED + ".")]:
            del sys.modules[name]
        sys.meta_path.insert(0, TorchFinder())


class TorchFinder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        top, _, rest = fullname.partition(".")
        if top != SERVED:
            return None
        ours = f"{OURS}.{rest}" if rest else OURS
        why = _scope.MODULES.get(rest.partition(".")[0])
        if why and not asked_in_try(importing_frame(), SERVED):
            return importlib.machinery.ModuleSpec(fullname, OutOfScope(why))
        # The parent is loaded: Python imports torch.x before torch.x.y.
        if not is_public(rest) or (ours not in sys.modules and importlib.util.find_spec(ours) is None):
            raise ModuleNotFoundError(f"glassgrad has no {fullname}{nearest(rest)}", name=fullname)
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


class OutOfScope(importlib.abc.Loader):
    """Loads what there is not, so that a program stops where it uses it and not where it imports it."""

    def __init__(self, why):
        self.why = why

    def create_module(self, spec):
        return OutOfScopeModule(spec.name, self.why)

    def exec_module(self, module):
        pass


class ServedDistribution(importlib.metadata.Distribution):
    def __init__(self, package):
        self.package = package

    def read_text(self, filename):
        text = f"Metadata-Version: 2.1\nName: {self.package}\nVersion: {versions[self.package]}\n"
        return text if filename == "METADATA" else None

    def locate_file(self, path):
        return pathlib.Path(glassgrad.__file__).parent / path


def is_public(rest):
    """glassgrad._C, glassgrad.runner and the like are no modules of PyTorch's."""
    first = rest.partition(".")[0]
    return not first.startswith("_") and first != "runner"


def nearest(rest):
    """", but it has torch.nn.functional": the module of ours whose name comes nearest, if any does."""
    folder = pathlib.Path(glassgrad.__file__).parent
    names = {".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
             for path in folder.rglob("*.py")}
    close = _names.nearest(rest, [n for n in names if is_public(n) and n != "__init__"])
    return f", but it has {SERVED}.{close}" if close else ""
