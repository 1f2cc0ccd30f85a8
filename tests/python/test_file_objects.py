#!/usr/bin/env python3
"""torch.load(weights_only=False): objects come back whose classes the program has, and a file runs nothing else."""
import argparse
import collections
import enum
import importlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

import glassgrad as torch
from test_files import GOLDEN, file_of, global_of, saved

ran = []


class Config:
    def __init__(self, n):
        ran.append("made")
        self.n = n


class Restored:
    def __setstate__(self, state):
        ran.append("restored")
        raise KeyError("its own error")


class Color(enum.Enum):
    RED = 1


class Kind(type):
    pass


class OfKind(metaclass=Kind):
    pass


class Net(torch.nn.Module):
    def forward(self):
        ran.append("forward")


def run_me(*args):
    ran.append(args)


def with_keywords(module, args, kwargs):
    ran.append("keywords")


def text(letters):
    return b"X" + len(letters).to_bytes(4, "little") + letters.encode()


def load(program):
    return torch.load(io.BytesIO(file_of(b"\x80\x02" + program)), weights_only=False)


HERE = __name__


class Objects(unittest.TestCase):
    def setUp(self):
        ran.clear()

    def test_modules_of_pytorchs(self):
        results, optimizer, scheduler = torch.load(GOLDEN / "modules.pt", weights_only=False)
        for module, x, y in results:
            with self.subTest(module):
                again = torch.load(io.BytesIO(saved(module)), weights_only=False)
                for each in module, again:
                    self.assertTrue(torch.allclose(each(*x) if isinstance(x, tuple) else each(x), y, atol=1e-6))
        self.assertEqual(results[8][0].weight.tag, "kept")
        self.assertIs(optimizer.param_groups[0]["params"][0], results[0][0][0].weight)
        self.assertIs(scheduler.optimizer, optimizer)
        optimizer.step()
        scheduler.step()
        self.assertAlmostEqual(optimizer.param_groups[0]["lr"], 0.05)

    def test_hooks_as_pytorchs_modules_have_them(self):
        net = Net()
        net.register_forward_hook(run_me)
        net.register_forward_pre_hook(with_keywords, with_kwargs=True)
        with zipfile.ZipFile(io.BytesIO(saved(net))) as archive:
            self.assertIn(b"_forward_pre_hooks_with_kwargs", archive.read("archive/data.pkl"))
        torch.load(io.BytesIO(saved(net)), weights_only=False)()
        self.assertEqual([entry if isinstance(entry, str) else entry[1:] for entry in ran], ["keywords", "forward", ((), None)])

    def test_classes_of_the_program(self):
        config = Config(3)
        ran.clear()
        again = torch.load(io.BytesIO(saved([config, Color.RED, {Color.RED: config}])), weights_only=False)
        self.assertEqual((again[0].n, again[1], again[2][Color.RED] is again[0], ran), (3, Color.RED, True, []))

    def test_errors_of_the_programs_own_code(self):
        restored = Restored()
        restored.n = 1
        with self.assertRaisesRegex(KeyError, "its own error"):
            torch.load(io.BytesIO(saved(restored)), weights_only=False)

    def test_a_module_that_is_not_imported(self):
        with self.assertRaisesRegex(RuntimeError, "the file: it holds not_there.Config, and a file imports nothing: import not_there"):
            load(global_of("not_there Config") + b")\x81.")
        with self.assertRaisesRegex(AttributeError, "Can't get attribute 'Gone' on <module"):
            load(global_of(f"{HERE} Gone") + b")\x81.")

    def test_a_file_imports_no_program(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "model_of_the_test.py").write_text("raise SystemExit('was imported')\n")
            sys.path.insert(0, folder)
            try:
                with self.assertRaisesRegex(RuntimeError, "import model_of_the_test before the load"):
                    load(global_of("model_of_the_test Net") + b")\x81.")
            finally:
                sys.path.remove(folder)

    def test_a_module_with_its_own_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "own_model.py").write_text("class Config: n = 1\n")
            sys.path.insert(0, folder)
            try:
                made = importlib.import_module("own_model").Config()
                made.n = 2
                self.assertEqual(torch.load(io.BytesIO(saved(made)), weights_only=False).n, 2)
            finally:
                sys.path.remove(folder)
                sys.modules.pop("own_model", None)

    def test_names_of_other_packages(self):
        names = ["os system", "posix system", "subprocess Popen", "builtins eval", "builtins exec", "__builtin__ open", "builtins type",
                 "builtins memoryview", "builtins __import__", "importlib import_module", "functools reduce", "operator attrgetter",
                 "tempfile _TemporaryFileCloser", "unittest.case TestCase", "torch load", "torch save", "torch.serialization load",
                 "torch.serialization add_safe_globals", "torch.utils.tensorboard SummaryWriter", "torch.nn.parallel missing",
                 "torch.nn.modules.module torch", "torch._names new", "glassgrad.serialization load", "torch.hub load",
                 "torch.nn.functional _C", "torch.nn.functional __getattr__", "collections namedtuple", "types FunctionType",
                 "types CodeType", "copyreg _reconstructor", "copy_reg __newobj__", "argparse ArgumentParser", "pathlib Path",
                 "threading Thread", "io FileIO", "zipfile ZipFile", "numpy.core.multiarray fromfile", "numpy memmap",
                 "numpy load"]
        for name in names:
            for end in (b".", b")\x81.", b")R.", text("true") + b"\x85R.", b")\x81}b."):
                with self.assertRaises((RuntimeError, AttributeError), msg=name):
                    load(global_of(name) + end)
        # Names that this program has only imported: they can be looked up in it, but are not its own.
        for name in ("subprocess", "os", "tempfile", "zipfile", "argparse", "pathlib", "torch", "file_of"):
            with self.assertRaises(RuntimeError, msg=name):
                load(global_of(f"{HERE} {name}") + b")R.")
        sys.modules[HERE].Popen = subprocess.Popen
        try:
            with self.assertRaisesRegex(RuntimeError, "nothing of other packages"):
                load(global_of(f"{HERE} Popen") + text("ls") + b"\x85R.")
        finally:
            del sys.modules[HERE].Popen

    def test_functions_are_handed_on_and_not_called(self):
        self.assertIs(load(global_of(f"{HERE} run_me") + b"."), run_me)
        self.assertIs(load(global_of("torch.nn.functional relu") + b"."), torch.nn.functional.relu)
        for program in (global_of(f"{HERE} run_me") + b")R.", global_of("torch.nn.functional relu") + b")R.",
                        global_of(f"{HERE} run_me") + b")\x81.", global_of(f"{HERE} run_me") + b"}b.",
                        global_of(f"{HERE} run_me") + b"}X\x08\x00\x00\x00__code__Nsb."):
            with self.assertRaises(RuntimeError):
                load(program)
        self.assertEqual(ran, [])

    def test_classes_are_called_only_if_they_ask_for_it(self):
        for program in (global_of(f"{HERE} Config") + b"K\x01\x85R.", global_of(f"{HERE} Net") + b")R.",
                        global_of(f"{HERE} Net") + b")\x81)R.", global_of("torch.nn.modules.linear Linear") + b"K\x01K\x01\x86R."):
            with self.assertRaises(RuntimeError):
                load(program)
        self.assertEqual(ran, [])

    def test_what_the_program_has_stays_as_it_is(self):
        for program in (global_of(f"{HERE} Config") + b"}" + text("n") + b"K\x01sb.",
                        global_of(f"{HERE} OfKind") + b"}" + text("n") + b"K\x01sb.",
                        global_of(f"{HERE} OfKind") + b"N}" + text("n") + b"K\x01s\x86b.",
                        global_of(f"{HERE} Color") + b"K\x01\x85R}" + text("_value_") + b"K\x02sb."):
            with self.assertRaises(RuntimeError):
                load(program)
        self.assertFalse(hasattr(Config, "n") or hasattr(OfKind, "n"))
        self.assertEqual(Color.RED.value, 1)

    def test_what_would_take_long(self):
        nested = b")" + b"q\x00h\x00\x86" * 60
        for program in (global_of("__builtin__ frozenset") + b"]" + nested + b"a\x85R.", global_of(f"{HERE} Color") + nested + b"\x85R.",
                        b"}" + nested + b"Ns."):
            with self.assertRaisesRegex(RuntimeError, "a key that is neither a number nor a text"):
                load(program)

    def test_attributes_by_getattr(self):
        get = global_of("__builtin__ getattr")
        for owner, name in (("Config", "__init__"), ("Config", "__class__"), ("Config", "__subclasses__"), ("Color", "mro"),
                            ("run_me", "__globals__"), ("run_me", "__code__")):
            with self.assertRaises(RuntimeError):
                load(get + global_of(f"{HERE} {owner}") + text(name) + b"\x86R.")
        self.assertIs(load(get + global_of(f"{HERE} Color") + text("RED") + b"\x86R."), Color.RED)

    def test_lists_and_dicts_of_the_library(self):
        made = load(global_of("collections defaultdict") + global_of("__builtin__ list") + b"\x85R.")
        self.assertEqual((type(made), made["a"]), (collections.defaultdict, []))
        again = torch.load(io.BytesIO(saved(argparse.Namespace(lr=0.1))), weights_only=False)
        self.assertEqual(again, argparse.Namespace(lr=0.1))
        self.assertEqual(torch.load(io.BytesIO(saved(types.SimpleNamespace(a=1))), weights_only=False).a, 1)

    def test_arrays_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        for thing in (numpy.arange(6, dtype="int16").reshape(2, 3), numpy.asfortranarray(numpy.ones((2, 3))), numpy.float32(1.5),
                      numpy.zeros((0, 2)), numpy.array(["ab", "c"]), numpy.bool_(True)):
            content = saved({"x": thing, "y": thing})
            again = torch.load(io.BytesIO(content), weights_only=False)["x"]
            self.assertEqual((type(again), again.dtype, again.tolist()), (type(thing), thing.dtype, thing.tolist()))
            with self.assertRaises(RuntimeError):
                torch.load(io.BytesIO(content.replace(thing.dtype.str[1:].encode(), b"O8" if len(thing.dtype.str) == 3 else b"b1")),
                           weights_only=False)
        for dtype in ("O8", "V8", "f8,f8", "M8", ">f8", "U99999999"):
            with self.assertRaises(RuntimeError):
                load(global_of("numpy dtype") + text(dtype) + b"\x89\x88\x87R.")
        start = global_of("numpy._core.multiarray _reconstruct") + global_of("numpy ndarray") + b"K\x00\x85" + text("b") + b"\x87R"
        size = global_of("numpy dtype") + text("i8") + b"\x89\x88\x87R"
        for state in (b"(K\x01K\x09\x85" + size + b"\x89" + global_of("_codecs encode") + text("") + text("latin1") + b"\x86Rt",
                      b"(K\x01J\xff\xff\xff\xff\x85" + size + b"\x89Nt", b"(K\x01K\x00\x85" + size + b"\x89]t", b"N", b"}", b")"):
            with self.assertRaises(RuntimeError):
                load(start + state + b"b.")

    def test_tensors_with_attributes(self):
        x = torch.ones(2)
        x.name_of_it = "x"
        p = torch.nn.Parameter(torch.ones(1), requires_grad=False)
        p.group = [1]
        a, b, same = torch.load(io.BytesIO(saved([x, p, p])))
        self.assertEqual((a.name_of_it, b.group, b.requires_grad, same is b), ("x", [1], False, True))

    def test_a_write_that_fails_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(AttributeError, "local object"):
                torch.save({"f": lambda: 1}, os.path.join(folder, "x.pt"))
            self.assertEqual(os.listdir(folder), [])
            torch.save({"f": run_me}, os.path.join(folder, "x.pt"))
            with zipfile.ZipFile(os.path.join(folder, "x.pt")) as archive:
                self.assertIn(f"c{HERE}\nrun_me\n".encode(), archive.read("x/data.pkl"))


if __name__ == "__main__":
    unittest.main()
