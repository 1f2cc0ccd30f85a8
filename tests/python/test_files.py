#!/usr/bin/env python3
"""torch.save and torch.load: PyTorch's files both ways, and what a file must not do."""
import collections
import io
import os
import pathlib
import pickle
import pickletools
import random
import struct
import tempfile
import unittest
import unittest.mock
import zipfile

import glassgrad as torch
from glassgrad import _pickled, _pickling

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
# The opcodes and names among those torch.save writes that PyTorch 2.6 accepts with weights_only=True.
ITS_CODES = set("PROTO STOP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE EMPTY_DICT EMPTY_LIST "
                "EMPTY_TUPLE MARK TUPLE TUPLE1 TUPLE2 TUPLE3 APPEND APPENDS SETITEM SETITEMS GLOBAL REDUCE NEWOBJ BUILD BINPERSID "
                "BINPUT LONG_BINPUT BINGET LONG_BINGET".split())
ITS_NAMES = {
    "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter", "collections OrderedDict", "collections Counter",
    "_codecs encode", "__builtin__ set", "__builtin__ bytearray", "__builtin__ complex", "torch Size", "torch device",
    *(f"torch {name}" for name in (*_pickled.STORAGES, *_pickled.STORAGES.values()))}

PLAIN = {bytes, bytearray, complex, set, torch.Size, torch.device, collections.Counter, collections.OrderedDict}


def file_of(program, **others):
    """A file of PyTorch's with this pickle."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in {"data.pkl": program, "byteorder": b"little", "version": b"3\n", **others}.items():
            archive.writestr(f"a/{name.replace('__', '/')}", content)
    return made.getvalue()


def load(content):
    return torch.load(io.BytesIO(content))


def saved(thing):
    made = io.BytesIO()
    torch.save(thing, made)
    return made.getvalue()


def global_of(name):
    return "c{}\n{}\n".format(*name.split(" ")).encode()


class PyTorchFiles(unittest.TestCase):
    def check(self, read):
        self.assertEqual(list(read["model"]), ["0.weight", "0.bias", "1.weight", "1.bias"])
        self.assertEqual(repr(read["model"]["0.weight"]), "tensor([[ 0.4640, -0.2118],\n        [-0.2369,  0.2316],\n"
                         "        [-0.5650,  0.5236]])")
        self.assertEqual(read["model"]._metadata["1"], {"version": 1})
        self.assertEqual(read["optimizer"]["state"][0]["step"], 1)
        self.assertEqual(read["optimizer"]["param_groups"][0]["betas"], (0.9, 0.999))
        self.assertIsInstance(read["parameter"], torch.nn.Parameter)
        self.assertEqual([x.tolist() for x in read["views"]], [[2, 3, 4], [[0, 3], [1, 4], [2, 5]]])
        self.assertEqual(repr(read["others"]), "[tensor([0, 1, 2]), tensor([ True, False]), tensor(0.1000, "
                         "dtype=torch.float64), tensor([], size=(0, 2))]")
        self.assertTrue(read["learned"].requires_grad)
        self.assertEqual(read["plain"], [None, True, -5, 300, 70000, 2**70, -(2**70), 0.5, "ü", b"\x00\xff", b"", (1,),
                                         (1, 2, 3, 4), {1, 2}, {}])
        self.assertEqual(read["torch"], (torch.float32, torch.int64, torch.Size([2, 3]), torch.device("cpu")))
        self.assertIsInstance(read["torch"][2], torch.Size)
        self.assertEqual(read["ordered"], collections.OrderedDict([(2, "b"), (1, "a")]))
        self.assertIsInstance(read["ordered"], collections.OrderedDict)
        read["views"][0].zero_()  # the views share memory
        self.assertEqual(read["again"].tolist(), [0, 1, 0, 0, 0, 5])
        self.assertEqual(read["views"][1].tolist(), [[0, 0], [1, 0], [0, 5]])

    def test_a_file_of_pytorchs(self):
        read = torch.load(GOLDEN / "pytorch.pt")
        self.assertEqual(read.pop("counted"), collections.Counter("aab"))
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
        self.assertEqual(repr(model.load_state_dict(read["model"])), "<All keys matched successfully>")
        torch.optim.AdamW(model.parameters()).load_state_dict(read["optimizer"])
        again = load(saved(read))
        self.check(read)
        self.check(again)

    def test_what_is_written_is_what_pytorch_reads(self):
        content = saved(torch.load(GOLDEN / "pytorch.pt") | {"counted": None, "n": list(range(300))})
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self.assertEqual(archive.read("archive/version"), b"3\n")
            self.assertEqual(archive.read("archive/byteorder"), b"little")
            self.assertEqual({part.compress_type for part in archive.infolist()}, {zipfile.ZIP_STORED})
            program = archive.read("archive/data.pkl")
        codes = list(pickletools.genops(program))
        self.assertLessEqual({code.name for code, _, _ in codes}, ITS_CODES)
        self.assertLessEqual({argument for code, argument, _ in codes if code.name == "GLOBAL"}, ITS_NAMES)
        self.assertEqual(saved(torch.load(GOLDEN / "pytorch.pt")), saved(torch.load(GOLDEN / "pytorch.pt")))

    def test_files_beyond_4_gb(self):
        tensors = {"a": torch.arange(300), "b": torch.ones(3)}
        with unittest.mock.patch.object(_pickling, "_MOST", 100):  # fields of 64 bits from here on
            content = saved(tensors)
        self.assertIn(b"PK\x06\x06", content)
        self.assertNotIn(b"PK\x06\x06", saved(tensors))
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual([part.file_size for part in archive.infolist()][2:], [2400, 12, 2])
        self.assertEqual({name: x.tolist() for name, x in load(content).items()}, {"a": list(range(300)), "b": [1, 1, 1]})

    def test_objects_for_writing_keep_what_they_are_given(self):
        class Kept(list):
            write = list.append

        kept, tensors = Kept(), [torch.ones(2), torch.arange(3)]
        torch.save(tensors, kept)
        del tensors
        self.assertEqual([x.tolist() for x in load(b"".join(kept))], [[1, 1], [0, 1, 2]])
        file = io.BytesIO(b"".join(kept) + b"")
        self.assertEqual(torch.load(file)[0].tolist(), [1, 1])
        self.assertEqual(file.read(), b"")  # it was read to its end

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.pt")
            torch.save({"x": torch.ones(2)}, path)
            with zipfile.ZipFile(path) as archive:
                self.assertIn("model/data/0", archive.namelist())
            before = pathlib.Path(path).read_bytes()
            with self.assertRaises(TypeError):
                torch.save({"x": (i for i in "generators have no form")}, path)
            self.assertEqual(pathlib.Path(path).read_bytes(), before)
            self.assertEqual(os.listdir(folder), ["model.pt"])
            for settings in ({"weights_only": True}, {"weights_only": False}, {"mmap": True}, {"map_location": "cpu"},
                             {"map_location": lambda storage, place: storage}, {"map_location": {"cuda:0": "cpu"}}):
                self.assertEqual(torch.load(path, **settings)["x"].tolist(), [1, 1])
            torch.save({"x": torch.ones(2)}, os.path.join(folder, "model.safetensors"))
            self.assertEqual(pathlib.Path(folder, "model.safetensors").read_bytes()[8:9], b"{")
            self.assertEqual(torch.load(os.path.join(folder, "model.safetensors"))["x"].tolist(), [1, 1])

    def test_memory_that_is_shared(self):
        x = torch.arange(10.)
        a, b, same = load(saved([x[2:4], x[3:], x[3:]]))
        self.assertEqual((a.tolist(), b.tolist()), ([2, 3], [3, 4, 5, 6, 7, 8, 9]))
        a.fill_(7)
        self.assertEqual((b[0].item(), same[0].item()), (7, 7))
        cycle = []
        cycle.append(cycle)
        again = load(saved(cycle))
        self.assertIs(again[0], again)


class Malicious(unittest.TestCase):
    def refused(self, content, text="", **settings):
        with self.assertRaisesRegex((RuntimeError, pickle.UnpicklingError), f"(?s)^(the file: .*|Weights only load failed.*){text}"):
            torch.load(io.BytesIO(content), **settings)

    def test_every_instruction_that_is_not_on_the_list(self):
        known = {chr(code) for code in _pickled._INSTRUCTIONS} | {"."}
        self.assertEqual(known, {code.code for code in pickletools.opcodes if code.name in ITS_CODES})
        refused = [code for code in pickletools.opcodes if code.code not in known]
        self.assertGreater(len(refused), 30)
        for code in refused:
            for start in (b"\x80\x02", b"\x80\x02}", b"\x80\x02(cos\nsystem\n"):
                self.refused(file_of(start + code.code.encode("latin1") + b"posix\nsystem\n" + b"\x00" * 9 + b"."))
            self.refused(file_of(b"\x80\x02" + code.code.encode("latin1")), "instruction 0x")
        for byte in range(256):
            if chr(byte) not in known:
                self.refused(file_of(b"\x80\x02" + bytes([byte]) + b"."), "instruction 0x")

    def test_every_name_that_is_not_on_the_list(self):
        names = [f"{home} {name}" for home in ("builtins", "__builtin__") for name in dir(__builtins__)
                 if name not in ("set", "bytes", "bytearray")]
        for module in (os, io, pickle, struct, zipfile, tempfile, collections, torch, torch.nn, torch.Tensor):
            home = getattr(module, "__name__", "torch").replace("glassgrad", "torch")
            names += [f"{home} {name}" for name in dir(module)]
        names += ["os system", "posix system", "subprocess Popen", "torch._utils _rebuild_tensor", "torch load", "_codecs decode",
                  "torch.storage _load_from_bytes", "numpy.core.multiarray scalar", "torch.nn.modules.linear Linear",
                  "glassgrad._pickled _tensor", "torch OrderedDict",
                  "collections.OrderedDict fromkeys", "builtins set.__class__", "torch float32.__class__"]
        for name in names:
            if name not in (*_pickled._NAMES, *_pickled._CLASSES) and name.partition(" ")[2] not in _pickled.STORAGES.values():
                self.refused(file_of(b"\x80\x02" + global_of(name) + b"."), "[Uu]nsupported (global|GLOBAL)")

    def test_names_that_are_on_the_list_with_other_arguments(self):
        for name in (*_pickled._NAMES, *_pickled._CLASSES):
            for arguments in (b"Ncos\n", b"(K\x01K\x02K\x03K\x04K\x05K\x06K\x07t", b"X\x03\x00\x00\x00abc\x85", b"}]\x86", b"K\x07\x85",
                              b"]]\x86", b"N\x85", b"}\x85b", global_of("torch Size") + b"\x85"):
                for end in (b"R.", b"R}b.", b"R}X\x01\x00\x00\x00xK\x01sb."):
                    try:
                        read = load(file_of(b"\x80\x02" + global_of(name) + arguments + end))
                    except (RuntimeError, pickle.UnpicklingError) as error:
                        self.assertRegex(str(error), "^(the file: |Weights only load failed)")
                    else:
                        self.assertIn(type(read), PLAIN, (name, arguments))
        for program in (b"cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", b"}N\x85R.", b"N)R.", b"]X\x01\x00\x00\x00x}b.", b"((((e.",
                        b"]K\x01s.", b"}K\x01a.", b"}(K\x01u.", b"t.", b"\x85.", b"h\x07.", b"q\x00.", b"", b".", b"NN.", b"(.",
                        b"}}K\x01s.", b"NQ.", b"(NNNNNtQ."):
            self.refused(file_of(b"\x80\x02" + program))
        self.refused(file_of(b"\x80\x04N."), "protocol 4")

    def test_tensors_beyond_their_storage(self):
        def tensor(count=b"K\x04", offset=b"K\x00", size=b"K\x02\x85", stride=b"K\x01\x85", numbers=16, key=b"0"):
            program = (b"\x80\x02" + global_of("torch._utils _rebuild_tensor_v2") + b"((X\x07\x00\x00\x00storage" +
                       global_of("torch FloatStorage") + b"X" + struct.pack("<I", len(key)) + key + b"X\x03\x00\x00\x00cpu" + count +
                       b"tQ" + offset + size + stride + b"\x89" + global_of("collections OrderedDict") + b")RtR.")
            return file_of(program, data__0=b"\0" * numbers)

        self.assertEqual(load(tensor()).tolist(), [0, 0])
        huge = b"\x8a\x08" + struct.pack("<q", 1 << 62)
        for wrong in (dict(count=b"K\x05"), dict(count=huge), dict(count=b"J\xff\xff\xff\xff"), dict(offset=b"K\x03"),
                      dict(size=b"K\x05\x85"), dict(stride=b"K\x04\x85"), dict(offset=b"J\xff\xff\xff\xff"), dict(size=huge + b"\x85"),
                      dict(stride=b"J\xff\xff\xff\xff\x85"), dict(size=b"J\xff\xff\xff\xff\x85"), dict(stride=huge + b"\x85"),
                      dict(size=b"K\x02K\x02\x86"), dict(size=b"K\x02"), dict(offset=b"N"), dict(numbers=15), dict(numbers=17),
                      dict(key=b"1"), dict(key=b"../data.pkl")):
            self.refused(tensor(**wrong))

    def test_what_would_take_long(self):
        nested = b"\x80\x02)" + b"q\x00h\x00\x86" * 60
        self.refused(file_of(nested.replace(b"\x02)", b"\x02})", 1) + b"Ns."), "a key")
        compressed = io.BytesIO()
        with zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a/data.pkl", b"\x80\x02" + b"N" * 10_000_000)
        self.refused(compressed.getvalue(), "compressed")
        self.refused(b"PK\x03\x04", "damaged")
        self.refused(file_of(b"\x80\x02N.", byteorder=b"big"), "little-endian")
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").writestr("notes.txt", "hello")
        self.refused(empty.getvalue(), "")

    def test_damaged_files(self):
        original = (GOLDEN / "pytorch.pt").read_bytes()
        with zipfile.ZipFile(GOLDEN / "pytorch.pt") as archive:
            parts = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
        numbers = {name.replace("/", "__"): content for name, content in parts.items() if name.startswith("data/")}
        draw = random.Random(3)
        for content, wrap in ((original, bytes), (parts["data.pkl"], lambda program: file_of(bytes(program), **numbers))):
            for _ in range(500):
                damaged = bytearray(content)
                for _ in range(draw.choice([1, 1, 2, 8])):
                    damaged[draw.randrange(len(damaged))] = draw.randrange(256)
                if draw.random() < 0.2:
                    del damaged[draw.randrange(len(damaged)):]
                try:
                    load(wrap(damaged))
                except (RuntimeError, pickle.UnpicklingError) as error:
                    self.assertLess(len(str(error)), 2000)


if __name__ == "__main__":
    unittest.main()
