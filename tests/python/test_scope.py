#!/usr/bin/env python3
"""What is left out says so, and what is only there to be imported works as far as it can."""
import glob
import importlib
import os
import struct
import tempfile
import unittest
import warnings

import glassgrad as torch
from glassgrad import _scope


class Scope(unittest.TestCase):
    def test_what_is_out_says_so(self):
        count = 0
        for module, names in ((torch, _scope.TORCH), (torch.nn, _scope.NN), (torch.nn.functional, _scope.FUNCTIONAL),
                              (torch.linalg, _scope.LINALG)):
            for name in names:
                with self.assertRaisesRegex(AttributeError, f"glassgrad has no torch[a-z.]*\\.{name}: .* out of glassgrad's scope$"):
                    getattr(module, name)
                count += 1
        self.assertGreater(count, 100)

    def test_what_is_out_behind_names_that_are_there(self):
        for call in (lambda: torch.jit.save(None, "x"), lambda: torch.jit.load("x"), lambda: torch.jit.ScriptModule(),
                     lambda: torch.fx.symbolic_trace(torch.nn.Linear(1, 1)), lambda: torch.fx.GraphModule(),
                     lambda: torch.onnx.export(None, (), "x")):
            with self.assertRaisesRegex(NotImplementedError, "out of glassgrad's scope"):
                call()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as measured:
            measured.step()
        with self.assertRaisesRegex(NotImplementedError, "glassgrad keeps no profile"):
            measured.key_averages()
        with self.assertRaisesRegex(AttributeError, "recurrent layers are out of glassgrad's scope"):
            torch.nn.utils.rnn.pack_padded_sequence
        with self.assertRaisesRegex(AttributeError, "its distributions are Normal, Uniform, Bernoulli"):
            torch.distributions.Beta

    def test_more_than_one_process(self):
        for call in (lambda: torch.distributed.init_process_group("nccl", world_size=2, rank=0),
                     lambda: torch.multiprocessing.spawn(print, nprocs=2), lambda: torch.distributed.send(torch.ones(1), 1)):
            with self.assertRaisesRegex(RuntimeError, "one process"):
                call()
        ran = []
        torch.multiprocessing.spawn(lambda *args: ran.append(args), args=("a",), nprocs=1)
        self.assertEqual(ran, [(0, "a")])
        os.environ["WORLD_SIZE"] = "4"
        try:
            with self.assertRaisesRegex(RuntimeError, "one process"):
                torch.distributed.init_process_group()
        finally:
            del os.environ["WORLD_SIZE"]

    def test_functions_stay_as_they_are(self):
        def double(x: int) -> int:
            return 2 * x

        for made in (torch.jit.script(double), torch.jit.trace(double, 1), torch.jit.ignore(double), torch.jit.export(double),
                     torch.jit.unused(double), torch.compile(double), torch.fx.wrap(double)):
            self.assertIs(made, double)
        self.assertIs(torch.jit.script_if_tracing()(double), double)

    def test_sparse_gradients(self):
        for make in (lambda: torch.nn.Embedding(2, 2, sparse=True), lambda: torch.nn.EmbeddingBag(2, 2, sparse=True),
                     lambda: torch.nn.functional.embedding(torch.tensor([0]), torch.ones(1, 1), sparse=True)):
            with self.assertRaisesRegex(NotImplementedError, "sparse tensors are out of glassgrad's scope: without sparse=True"):
                make()

    def test_mixed_precision(self):
        if not torch.cuda.is_available():
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                self.assertFalse(torch.cuda.amp.GradScaler().is_enabled())
                with torch.autocast("cuda"), torch.cuda.amp.autocast():
                    pass
            self.assertEqual(len(told), 3)

    def test_events_for_tensorboard(self):
        with tempfile.TemporaryDirectory() as folder:
            from glassgrad.utils.tensorboard import SummaryWriter
            with SummaryWriter(folder) as writer:
                writer.add_scalar("Loss/train", torch.tensor(0.5), 300)
                with self.assertRaisesRegex(NotImplementedError, "by add_scalar, and nothing else"):
                    writer.add_text("a", "b")
            with open(glob.glob(folder + "/events.out.tfevents.*")[0], "rb") as file:
                content = file.read()
        # The head of every event file: a size of 24 and its checksum, as TensorFlow writes them.
        self.assertEqual(content[:12], b"\x18\0\0\0\0\0\0\0\xa3\x7fK\"")
        self.assertEqual(content[21:36], b"\x1a\rbrain.Event:2")
        second = content[40:]
        size, = struct.unpack("<Q", second[:8])
        self.assertEqual(second[12 + 9:12 + size], b"\x10\xac\x02*\x13\n\x11\n\nLoss/train\x15\0\0\0?")
        self.assertEqual(len(second), 12 + size + 4)

    def test_the_modules_import(self):
        for name in ("accelerator", "amp", "amp.autocast_mode", "amp.grad_scaler", "autograd", "cuda", "cuda.amp", "distributed",
                     "distributions", "fx", "jit", "multiprocessing", "nn.parallel", "nn.utils.rnn", "onnx", "profiler", "testing",
                     "utils.checkpoint", "utils.data.dataloader", "utils.data.dataset", "utils.data.distributed",
                     "utils.data.sampler", "utils.tensorboard", "optim.lr_scheduler", "linalg", "special", "storage", "compiler", "_dynamo",
                     "_dynamo.config", "_inductor", "_inductor.config", "cuda.memory", "cuda.nvtx", "backends", "backends.cuda",
                     "nn.attention", "nn.attention.bias", "distributions.constraints", "utils.data._utils.collate",
                     "utils.data._utils.worker", "nn.modules.utils", "nn.utils.parametrizations", "nn.utils.parametrize"):
            module = importlib.import_module(f"glassgrad.{name}")
            self.assertIsNotNone(module.__doc__, name)
            plain = name in ("amp.autocast_mode", "amp.grad_scaler")
            with self.assertRaisesRegex(AttributeError, "has no attribute" if plain else "glassgrad has no torch." + name):
                module.no_such_name


if __name__ == "__main__":
    unittest.main()
