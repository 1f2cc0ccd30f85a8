"""The package's .pyi files: they say what the module has, and they are Python."""
import ast
import pathlib
import subprocess
import sys
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

    def test_they_are_as_the_script_writes_them(self):
        done = subprocess.run([sys.executable, TESTS.parent / "apps" / "python" / "tools" / "make_stubs.py", "--check"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_help_says_what_a_function_computes(self):
        import pydoc
        for function in glassgrad.softmax, glassgrad.Tensor.softmax, glassgrad.matmul, glassgrad.nn.functional.gelu:
            text = pydoc.plain(pydoc.render_doc(function))
            self.assertGreater(len(text.splitlines()), 3, text)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue((PACKAGE / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
