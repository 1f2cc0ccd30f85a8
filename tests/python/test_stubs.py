"""The package's .pyi files: they say what the module has, and they are Python."""
import ast
import pathlib
import subprocess
import sys
import tempfile
import unittest

import glassgrad
from module import TESTS

PACKAGE = pathlib.Path(glassgrad.__file__).parent


def defined(body):
    """The names that statements of a stub define."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)


class Stubs(unittest.TestCase):
    def test_every_name_has_its_stub(self):
        tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
        functional = ast.parse((PACKAGE / "nn" / "functional.pyi").read_text())
        tensor = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
        for body, names in [(tree.body, vars(glassgrad)), (tensor.body, vars(glassgrad.Tensor)),
                            (functional.body, vars(glassgrad.nn.functional))]:
            public = {name for name in names if not name.startswith("_")}
            self.assertEqual(public - set(defined(body)), set())
            self.assertGreater(len(public), 15)

    def test_they_are_of_this_module(self):
        script = TESTS.parent / "apps" / "python" / "tools" / "make_stubs.py"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, script, folder], check=True)
            for name in "__init__.pyi", "nn/functional.pyi":
                written = pathlib.Path(folder, "glassgrad", name).read_text()
                self.assertEqual((PACKAGE / name).read_text(), written, name)

    def test_they_have_the_arguments_of_functions(self):
        text = (PACKAGE / "__init__.pyi").read_text()
        self.assertIn("    def relu(self) -> Tensor: ...\n", text)
        self.assertIn("    def view(self, *size: Union[_int, Sequence[_int]]) -> Tensor: ...\n", text)
        self.assertIn("def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Optional[Tensor] = None) -> Tensor: ...\n",
                      text)

    def test_help_says_what_a_function_computes(self):
        import pydoc
        for function in glassgrad.softmax, glassgrad.Tensor.softmax, glassgrad.matmul, glassgrad.nn.functional.gelu:
            text = pydoc.plain(pydoc.render_doc(function))
            self.assertGreater(len(text.splitlines()), 3, text)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue((PACKAGE / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
