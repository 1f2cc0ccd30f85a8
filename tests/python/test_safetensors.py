"""`import safetensors.torch` in a program: the package's files, and its errors."""
import importlib.metadata
import os
import pathlib
import tempfile
import unittest

from glassgrad.runner.serve import serve_as_torch
from module import GOLDEN, glassgrad

serve_as_torch()
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
from safetensors import SafetensorError, safe_open  # noqa: E402
from safetensors.torch import load, load_file, load_model, save, save_file, save_model  # noqa: E402

ONE = b'{"a":{"dtype":"F32","shape":[%d],"data_offsets":[%d,%d]}}'


def file_of(header, content=b""):
    header = header.ljust(-(-len(header) // 8) * 8)
    return len(header).to_bytes(8, "little") + header + content


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head, self.norm = nn.Embedding(4, 2), nn.Linear(2, 4, bias=False), nn.LayerNorm(2)
        self.head.weight = self.table.weight


class Safetensors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "x.safetensors")

    def says(self, kind, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(text, str(caught.exception))

    def test_a_file_is_byte_for_byte_the_packages(self):
        tensors = {"b": torch.arange(3), "a": torch.ones(2, 2), "h": torch.tensor(1.5).half(), "e": torch.zeros(0, 3),
                   "yes": torch.tensor([True, False]), 'é"': torch.tensor(2.0, dtype=torch.float64)}
        content = save(tensors, {"format": "pt"})
        header = ('{"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[3],"data_offsets":[0,24]},'
                  '"é\\"":{"dtype":"F64","shape":[],"data_offsets":[24,32]},'
                  '"a":{"dtype":"F32","shape":[2,2],"data_offsets":[32,48]},'
                  '"e":{"dtype":"F32","shape":[0,3],"data_offsets":[48,48]},'
                  '"h":{"dtype":"F16","shape":[],"data_offsets":[48,50]},'
                  '"yes":{"dtype":"BOOL","shape":[2],"data_offsets":[50,52]}}').encode()
        numbers = [(k).to_bytes(8, "little") for k in range(3)]
        numbers += [bytes([0] * 7 + [0x40]), bytes([0, 0, 0x80, 0x3f]) * 4, b"\0\x3e", b"\1\0"]
        self.assertEqual(content, file_of(header, b"".join(numbers)))
        save_file(tensors, pathlib.Path(self.path), {"format": "pt"})
        self.assertEqual(pathlib.Path(self.path).read_bytes(), content)
        for read in load_file(self.path), load(content), torch.load(self.path):
            self.assertEqual(set(read), set(tensors))
            self.assertTrue(all(read[name].dtype is x.dtype and torch.equal(read[name], x) for name, x in tensors.items()))

    def test_a_file_that_the_package_wrote(self):
        path = GOLDEN / "python.safetensors"
        ours, engine = load_file(path), torch.load(path)
        self.assertEqual(list(ours), sorted(engine))
        self.assertTrue(all(torch.equal(ours[name], x) for name, x in engine.items()))

    def test_safe_open(self):
        save_file({"w": torch.arange(6.0).view(2, 3), "b": torch.ones(1)}, self.path, {"format": "pt"})
        with safe_open(self.path, framework="pt", device="cpu") as file:
            self.assertEqual((file.keys(), file.metadata()), (["b", "w"], {"format": "pt"}))
            part = file.get_slice("w")
            self.assertEqual((part.get_shape(), part.get_dtype(), part[:, 1:2].tolist()), ([2, 3], "F32", [[1.0], [4.0]]))
            self.assertEqual(file.get_tensor("w").tolist(), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
            self.says(SafetensorError, "File does not contain tensor x", lambda: file.get_tensor("x"))
        self.says(SafetensorError, "File is closed", lambda: file.get_tensor("w"))

    def test_checksums_of_the_engine_are_no_metadata(self):
        torch.save({"w": torch.ones(1)}, self.path)
        with safe_open(self.path, "pt") as file:
            self.assertFalse([name for name in file.metadata() if name.startswith("crc32")])

    def test_refusals(self):
        x = torch.ones(4)
        self.says(RuntimeError, "Some tensors share memory", lambda: save_file({"a": x, "b": x[:2]}, self.path))
        self.says(ValueError, "save a non contiguous tensor: `a`", lambda: save({"a": torch.ones(2, 3).t()}))
        self.says(ValueError, "Expected a dict of [str, torch.Tensor]", lambda: save([x]))
        self.says(ValueError, "Key `a` is invalid, expected torch.Tensor but received <class 'int'>", lambda: save({"a": 1}))
        self.says(FileNotFoundError, f'No such file or directory: "{self.path}"', lambda: load_file(self.path))
        self.assertEqual(load(save({"a": x[:2], "b": x[2:]}))["b"].tolist(), [1.0, 1.0])  # side by side in memory

    def test_files_that_are_none(self):
        for content, reason in [
                (b"abc", "HeaderTooSmall"), (b"\xff" * 9, "HeaderTooLarge"), (file_of(b"{}")[:-1], "InvalidHeaderLength"),
                (file_of(b"[]"), "InvalidHeaderDeserialization"), (file_of(b"\xff"), "InvalidHeader"),
                (file_of(b"{}", b"x"), "MetadataIncompleteBuffer"), (file_of(ONE % (2, 0, 4), b"1234"), "TensorInvalidInfo"),
                (file_of(ONE % (1, 4, 8), b"12345678"), 'InvalidOffset("a")'),
                (file_of(ONE % (1, 0, 8), b"1234"), "TensorInvalidInfo")]:
            pathlib.Path(self.path).write_bytes(content)
            with self.assertRaises(SafetensorError) as caught:
                load_file(self.path)
            self.assertEqual(str(caught.exception), f"Error while deserializing header: {reason}")
            self.says(SafetensorError, f"Error while deserializing: {reason}", lambda: load(content))

    def test_modules_with_tied_weights(self):
        torch.manual_seed(0)
        saved, loaded = Tied(), Tied()
        save_model(saved, self.path, {"format": "pt"})
        with safe_open(self.path, "pt") as file:
            self.assertEqual(file.keys(), ["head.weight", "norm.bias", "norm.weight"])
            self.assertEqual(file.metadata(), {"format": "pt", "table.weight": "head.weight"})
        self.assertEqual(load_model(loaded, self.path), (set(), []))
        self.assertTrue(torch.equal(loaded.table.weight, saved.head.weight))
        self.assertIs(loaded.head.weight, loaded.table.weight)
        other = nn.ModuleDict({"head": nn.Linear(2, 4)})
        self.says(RuntimeError, 'for ModuleDict:\n    Missing key(s) in state_dict: "head.bias"\n'
                  '    Unexpected key(s) in state_dict: "norm.bias", "norm.weight"', lambda: load_model(other, self.path))
        self.assertEqual(load_model(other, self.path, strict=False), ({"head.bias"}, ["norm.bias", "norm.weight"]))

    def test_in_a_program(self):
        self.assertEqual(importlib.metadata.version("safetensors"), "0.5.3+glassgrad")
        script = pathlib.Path(self.path).with_name("s.py")
        script.write_text("import safetensors.torch as st, torch\nprint(st.load(st.save({'a': torch.ones(2)})))\n"
                          "try:\n    import safetensors.numpy\nexcept ImportError as e:\n    print(e)\n")
        done = glassgrad(script)
        self.assertEqual(done.stdout, "{'a': tensor([1., 1.])}\nglassgrad has no safetensors.numpy\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
