"""python3 -m glassgrad: scripts as Python runs them, notebooks as Jupyter does, and --check."""
import json
import os
import pathlib
import signal
import shutil
import subprocess
import sys
import tempfile
import unittest

from module import TESTS, glassgrad


def cell(source, *outputs, count=1):
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": count}


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(text):
    return {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}}


def raised(name, value):
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": []}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def notebook(self, *cells, name="n.ipynb"):
        return self.file(name, json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))

    def fails(self, done, code, text):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)


class Scripts(InFolder):
    def script(self, source, *arguments, **options):
        return glassgrad(self.file("s.py", source), *arguments, **options)

    def test_it_is_main_as_python_has_it(self):
        self.file("beside.py", "word = 'beside'")
        done = self.script("import sys, beside\nprint(sys.argv[1:], __name__, __file__ == sys.argv[0], sys.path[0])\n"
                           "print(sys.modules['__main__'].beside.word, __doc__, __spec__)", "a", "--check", "-x")
        self.assertEqual(done.stdout, f"['a', '--check', '-x'] __main__ True {self.folder}\nbeside None None\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_files_named_as_modules_of_python_disturb_nothing(self):
        names = ["html", "difflib", "random", "json", "copy", "math", "inspect", "select", "pathlib"]
        for name in names:
            self.file(f"{name}.py", f"print('the {name} of the folder')\n")
        source = "import torch, html\nprint(torch.ones(1), html.__file__)\n"
        expected = f"the html of the folder\ntensor([1.]) {self.folder / 'html.py'}\n"
        done = self.script(source, cwd=self.folder)
        self.assertEqual((done.stdout, done.returncode), (expected, 0), done.stderr)
        done = glassgrad(self.notebook(cell(source)), cwd=self.folder)
        self.assertEqual((done.stdout, done.returncode), (expected, 0), done.stderr)

    def test_other_folders_of_the_path_stay(self):
        done = self.script("import sys\nprint(sys.path)", cwd="/")
        own = json.loads(subprocess.run([sys.executable, "-c", "import sys, json; print(json.dumps(sys.path[1:]))"],
                                        capture_output=True, text=True, check=True).stdout)
        self.assertEqual(done.stdout, f"{[str(self.folder), *own]}\n", done.stderr)

    def test_isolated_it_takes_nothing_from_the_folder(self):
        self.file("html.py", "print('never')")
        script = self.file("s.py", "import sys, html\nprint(sys.path)")
        program = (f"import runpy, sys; sys.path += {os.environ.get('PYTHONPATH', '').split(':')!r}; "
                   f"sys.argv[1:] = [{str(script)!r}]; runpy.run_module('glassgrad', None, '__main__')")
        done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, cwd=self.folder)
        self.assertNotIn("never", done.stdout, done.stderr)
        self.assertNotIn(str(self.folder), done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_torch_is_glassgrad(self):
        done = self.script(
            "import sys, importlib.metadata, torch, torch.nn as nn, torch.nn.functional as F, torch.optim\n"
            "import torch.autograd, torch.nn.init, torch.nn.utils\n"
            "from torch import nn as also\n"
            "import glassgrad, glassgrad.nn.functional\n"
            "print(torch is glassgrad, nn is glassgrad.nn is also, F is glassgrad.nn.functional is nn.functional)\n"
            "print(importlib.metadata.version('torch'), importlib.metadata.version('Torch'), torch.__version__)\n"
            "print(glassgrad.__spec__.name, nn.__spec__.name)\n"
            "print([m for m in sys.modules.values() if 'dist-packages/torch' in str(getattr(m, '__file__', ''))])\n")
        self.assertEqual(done.stdout, "True True True\n2.6.0+glassgrad 2.6.0+glassgrad 2.6.0+glassgrad\n"
                         "glassgrad glassgrad.nn\n[]\n", done.stderr)

    def test_numpy_is_imported_only_when_used(self):
        done = self.script("import sys, torch\nprint(torch.ones(2)); print('numpy' in sys.modules)")
        self.assertEqual(done.stdout, "tensor([1., 1.])\nFalse\n", done.stderr)

    def test_modules_that_do_not_exist(self):
        for name, text in [("torch.nn.functionall", "but it has torch.nn.functional"), ("torch._C", "has no torch._C"),
                           ("torch.runner", "has no torch.runner"), ("torch.sparse", "has no torch.sparse")]:
            done = self.script(f"try:\n    import {name}\nexcept ModuleNotFoundError as e:\n    print(e, e.name)\n")
            self.assertIn(text, done.stdout, done.stderr)
            self.assertTrue(done.stdout.endswith(f" {name}\n"))

    def test_modules_that_are_not_installed(self):
        (self.folder / "other.py").write_text("from not_there import thing, other\nimport not_there.deep as deep\n")
        done = self.script("import not_there\nimport other\n"
                           "try:\n    import not_there_either\nexcept ImportError as e:\n    print('no', e.name)\n"
                           "import importlib.util\nprint(importlib.util.find_spec('not_there_either'))\n"
                           "def f():\n    import never_there.at.all\n    return never_there.at.all.x\n"
                           "f()\nother.thing(1)\n")
        self.assertEqual(done.stdout, "no not_there_either\nNone\n", done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[:2], [f"glassgrad: {name} is not installed; what uses it will fail"
                                     for name in ("not_there", "never_there")])
        self.assertEqual(lines[-1], "ModuleNotFoundError: No module named 'not_there'")

    def test_parts_of_pytorch_that_are_out_of_scope_stop_where_they_are_used(self):
        source = ("import torch.func as tf, torch.utils.cpp_extension\nfrom torch import nn, vmap\n"
                  "from torch.ao.quantization import prepare\nfrom torch.nn import Conv2d, Linear\n"
                  "try:\n    import torch.fft\nexcept ImportError as e:\n    print(e)\n")
        uses = ["tf.grad(1)", "vmap(1)", "prepare(1)", "Conv2d(1, 1, 1)", "torch.utils.cpp_extension.load()"]
        parts = ["func: functions of functions (vmap) are out of glassgrad's scope",
                 "vmap: functions of functions (vmap) are out of glassgrad's scope",
                 "ao.quantization: quantised numbers are out of glassgrad's scope",
                 "nn.Conv2d: convolution in two and three dimensions, and pooling, are out of glassgrad's scope",
                 "utils.cpp_extension"]
        tried = "".join(f"try: {use}\nexcept ImportError as e: print(e, e.name)\n" for use in uses)
        done = self.script(source + tried)
        expected = [f"glassgrad has no torch.{part} torch.{part.partition(':')[0]}" for part in parts]
        self.assertEqual(done.stdout.splitlines(), ["glassgrad has no torch.fft", *expected], done.stderr)
        self.assertIn(f"glassgrad: there is no torch.{parts[0]}; what uses it will fail\n", done.stderr)
        done = glassgrad(self.notebook(cell(source + "print(1)"), *map(cell, uses)))
        self.assertEqual(done.stdout, "glassgrad has no torch.fft\n1\n", done.stderr)
        self.assertTrue(done.stderr.endswith("5 of 6 cells failed: 2, 3, 4, 5, 6\n"), done.stderr)
        done = self.script("from torch import vmapp\n")
        self.assertIn("ImportError: cannot import name 'vmapp'", done.stderr)

    def test_importing_torch_brings_its_modules(self):
        done = self.script("import sys, torch\nprint([n in sys.modules for n in ('torch.nn', 'torch.utils.data', 'torch._C')])\n"
                           "import torch.backends.cudnn as cudnn, torch.distributed as dist\n"
                           "print(cudnn is torch.backends.cudnn, dist is torch.distributed)\n")
        self.assertEqual(done.stdout, "[True, True, False]\nTrue True\n", done.stderr)

    def test_tracebacks_begin_in_the_script(self):
        done = self.script("def f():\n    return 1 / 0\nprint('x')\nf()\n")
        self.assertEqual((done.returncode, done.stdout), (1, "x\n"))
        lines = done.stderr.splitlines()
        self.assertEqual(lines[:2], ["Traceback (most recent call last):",
                                     f'  File "{self.folder / "s.py"}", line 4, in <module>'])
        self.assertEqual(lines[-1], "ZeroDivisionError: division by zero")
        self.assertNotIn("runner", done.stderr)
        done = self.script("x = (\n")
        self.assertTrue(done.stderr.startswith(f'  File "{self.folder / "s.py"}", line 1\n'), done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_exit_codes(self):
        for source, code, error in [("import sys; sys.exit(7)", 7, ""), ("raise SystemExit", 0, ""),
                                    ("import sys; sys.exit('why')", 1, "why\n"), ("exit(3)", 3, "")]:
            done = self.script(source)
            self.assertEqual((done.returncode, done.stderr), (code, error), source)

    def test_interrupted(self):
        path = self.file("s.py", "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
        with subprocess.Popen([sys.executable, "-m", "glassgrad", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as run:
            self.assertEqual(run.stdout.readline(), b"ready\n")
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn(b"KeyboardInterrupt", errors)

    def test_a_reader_that_leaves(self):
        path = self.file("s.py", "for i in range(100000):\n    print(i)\n")
        short = self.file("short.py", "import time; time.sleep(0.5); print(1)\n")
        for script, reader in (path, "head -1"), (short, "true"):
            done = subprocess.run(f"'{sys.executable}' -m glassgrad '{script}' | {reader}", shell=True,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "")

    def test_bad_input(self):
        nul = self.folder / "nothing.py"
        self.fails(glassgrad(nul), 1, f"{nul}: no such file")
        self.fails(glassgrad(self.folder), 1, "is a directory")
        self.fails(glassgrad(), 2, "which file?")
        self.fails(glassgrad("--chek", "x.ipynb"), 2, "--chek")
        self.fails(glassgrad("--check", self.file("s.py", "")), 2, "--check compares")
        self.fails(glassgrad("a\nb.py"), 1, "a b.py")

    def test_gpt2_s_tokenizer(self):
        text = TESTS / "golden" / "text"
        cases = json.loads((text / "cases.json").read_text("utf-8"))
        path = self.file("s.py", "import json, sys, tiktoken\nfrom importlib.metadata import version\n"
                         "gpt2 = tiktoken.get_encoding('gpt2')\n"
                         "for case in json.load(open(sys.argv[1], encoding='utf-8'))['cases']:\n"
                         "    ids = gpt2.encode(case['text'], disallowed_special=())\n"
                         "    assert ids == case['ids'], case\n"
                         "    assert gpt2.decode(ids) == case['text'], case\n"
                         "print(gpt2, version('tiktoken'))\n")
        self.assertGreater(len(cases["cases"]), 5)
        done = glassgrad("--gpt2", text, path, text / "cases.json")
        self.assertEqual(done.stdout, "<Encoding 'gpt2'> 2.6.0+glassgrad\n", done.stderr)
        self.fails(glassgrad("--gpt2", self.folder, path), 1, "vocab.json")
        for ours, openai_s in ("vocab.json", "encoder.json"), ("merges.txt", "vocab.bpe"):
            shutil.copy(text / ours, self.folder / openai_s)
        self.assertEqual(glassgrad("--gpt2", self.folder, path, text / "cases.json").stdout, done.stdout)
        self.fails(glassgrad("--gpt2"), 2, "--gpt2 takes")

    def test_help_starts_with_an_example(self):
        done = glassgrad("--help")
        self.assertTrue(done.stdout.startswith("Example: python3 -m glassgrad "))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)
        self.assertIn("2.6.0+glassgrad", glassgrad("--version").stdout)


class Notebooks(InFolder):
    def test_cells_share_names_and_show_their_last_expression(self):
        os.mkdir(self.folder / "sub")
        path = self.notebook(
            cell(["import torch, os\n", "x = torch.ones(2)\n", "x"]), {"cell_type": "markdown", "source": "x ="},
            cell("x + 1;"), cell("print(x[0]); None"), cell("x + 1  # shown"), cell("[x, {'a': (1,)}]"), cell(""),
            cell("os.path.basename(os.getcwd()), __name__, _[0]"), cell("x;  # not shown\n"), name="sub/n.ipynb")
        done = glassgrad(path)
        self.assertEqual(done.stdout, "tensor([1., 1.])\ntensor(1.)\ntensor([2., 2.])\n[tensor([1., 1.]), {'a': (1,)}]\n"
                         "('sub', '__main__', tensor([1., 1.]))\n", done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_only_ipython_understands_is_skipped(self):
        path = self.notebook(cell("%matplotlib inline\nx = '''\n%kept\n'''\nfor i in range(2):\n    !ls\n    print(i)"),
                             cell("%%time\nprint(x)"), cell("%%bash\nrm -rf nothing"), cell("x?"), cell("y = 7 \\\n% 4\ny"))
        done = glassgrad(path)
        self.assertEqual(done.stdout, "0\n1\n\n%kept\n\n3\n")
        self.assertEqual(done.stderr.splitlines(), [
            "n.ipynb, cell 1: skipped %matplotlib inline", "n.ipynb, cell 1: skipped !ls",
            "n.ipynb, cell 2: skipped %%time", "n.ipynb, cell 3: skipped %%bash", "n.ipynb, cell 4: skipped x?"])
        self.assertEqual(done.returncode, 0)

    def test_a_cell_that_fails_does_not_stop_the_others(self):
        path = self.notebook(cell("print(1)\ndef f():\n    raise ValueError('no')\nf()"), cell("print(2)"),
                             cell("1 +"), cell("1/0", raised("ZeroDivisionError", "division by zero")))
        done = glassgrad(path)
        self.assertEqual((done.returncode, done.stdout), (1, "1\n2\n"))
        self.assertIn('File "n.ipynb, cell 1", line 4, in <module>\n    f()\n', done.stderr)
        self.assertIn('File "n.ipynb, cell 3", line 1\n    1 +\n', done.stderr)
        self.assertNotIn("ZeroDivisionError", done.stderr)  # the notebook expects this error
        self.assertTrue(done.stderr.endswith("2 of 4 cells failed: 1, 3\n"), done.stderr)

    def test_without_a_module_the_cell_goes_on_to_where_it_is_used(self):
        path = self.notebook(cell("import no_such_module as m, math\nfrom no_such_module.part import thing\nprint(math.pi)"),
                             cell("print(1)\nm.f()"), cell("thing(2)"),
                             cell("try:\n    import no_such_module\nexcept ImportError:\n    print('none')"))
        done = glassgrad(path)
        self.assertEqual(done.stdout, "3.141592653589793\n1\nnone\n")
        self.assertIn("n.ipynb, cell 1: no_such_module is not installed; what uses it will fail\n", done.stderr)
        self.assertEqual(done.stderr.count("\nModuleNotFoundError: No module named 'no_such_module'\n"), 2)
        self.assertTrue(done.stderr.endswith("2 of 4 cells failed: 2, 3\n"))

    def test_exit_ends_it(self):
        done = glassgrad(self.notebook(cell("print(1)"), cell("raise SystemExit(5)"), cell("print(2)")))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (5, "1\n", ""))

    def test_files_that_are_no_notebooks(self):
        for content, text in [(b"", "not JSON"), (b"[", "not JSON"), (b"\xff\xfe", "not UTF-8"), (b"{}", "no notebook"),
                              (b"[]", "no notebook"), (b"7", "no notebook"), (b'{"cells": 3}', "no notebook"),
                              (b'{"cells": [3]}', "no notebook"), (b'{"worksheets": []}', "format 3"),
                              (b'{"cells": [{"cell_type": "code", "outputs": [3]}]}', "no notebook"),
                              (b'{"cells": [{"cell_type": "code", "source": 3}]}', "no notebook"),
                              (b"[" * 100000, "")]:
            self.fails(glassgrad(self.file("n.ipynb", content)), 1, text)


class Check(InFolder):
    def check(self, *cells):
        return glassgrad("--check", self.notebook(*cells))

    def test_equal(self):
        done = self.check(cell("print(1)\nprint(2)", printed("1\n"), printed(["2\n"])), cell("[1]", shown("[1]")),
                          cell("1/0", raised("ZeroDivisionError", "division by zero")),
                          cell("import sys; print('x', file=sys.stderr)"), cell("print(9)", count=None))
        self.assertEqual(done.stdout.splitlines()[-1], f"{self.folder}/n.ipynb: 4 of 4 cells print what is recorded; "
                         "1 were never run, so nothing is recorded of them")
        self.assertEqual(done.returncode, 0)

    def test_differences(self):
        done = self.check(cell("print(1)\nprint(2)", printed("1\n3\n")), cell("7", shown("8")), cell("1/0"),
                          cell("2", raised("ValueError", "x")), cell("raise ValueError('y')", raised("ValueError", "x")),
                          cell("print(0.5)", printed("0.5001\n")), cell("print()"))
        self.assertEqual(done.stdout.split("\n")[:-2], [
            "cell 1:", "  - 3", "  + 2", "cell 2:", "  - 8", "  + 7",
            "cell 3:", "  + raised ZeroDivisionError: division by zero",
            "cell 4:", "  - raised ValueError: x", "  + 2", "cell 5:", "  - raised ValueError: x", "  + raised ValueError: y",
            "cell 6:", "  - 0.5001", "  + 0.5", "cell 7:", "  + "])
        self.assertIn(" 0 of 7 cells print", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_what_differs_everywhere(self):
        done = self.check(cell("import torch\nprint('torch version:', torch.__version__)", printed("torch version: 2.4.0\n")),
                          cell("torch.__version__", shown("'2.8.0+cu126'")), cell("object()", shown("<object object at 0x7f00aa>")),
                          cell("print('took 0.25 seconds')", printed("took 12 seconds\n")),
                          cell("print('step 3 of 4: loss 0.25')", printed("step 3 of 4: loss 0.26\n")))
        self.assertIn("4 of 5 cells print what is recorded, not counting a time and a version and an address", done.stdout)
        self.assertIn("cell 5:\n  - step 3 of 4: loss 0.26\n", done.stdout)

    def test_a_notebook_recorded_with_pytorch(self):
        done = glassgrad("--check", TESTS / "python" / "attention.ipynb")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
