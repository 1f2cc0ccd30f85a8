"""Modules that are not installed. A notebook's cell goes on without them, and what uses one fails there."""
import ast
import importlib.util


class Absent:
    """Stands where the module, or something from it, would be."""

    def __init__(self, module):
        self.__dict__["_module"] = module

    def _fail(self, *_, **__):
        raise ModuleNotFoundError(f"No module named '{self._module}'", name=self._module)

    __call__ = __getattr__ = __setattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __enter__ = _fail

    def __mro_entries__(self, bases):
        self._fail()


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
