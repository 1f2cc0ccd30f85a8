#!/usr/bin/env python3
"""torch.device, and tensors on a GPU where there is one."""
import unittest
import warnings

import glassgrad as torch
from glassgrad import nn

try:
    import numpy
except ImportError:
    numpy = None


class Devices(unittest.TestCase):
    def test_the_cpu(self):
        x = torch.ones(2)
        self.assertEqual((str(x.device), x.is_cuda, x.get_device()), ("cpu", False, -1))
        self.assertIs(x.cpu(), x)
        self.assertIs(x.to("cpu"), x)
        self.assertEqual(str(torch.get_default_device()), "cpu")

    def test_what_torch_cuda_says_agrees(self):
        self.assertEqual(torch.cuda.is_available(), torch.cuda.device_count() > 0)
        self.assertEqual(torch.backends.cuda.is_built(), torch.version.cuda is not None)
        if not torch.cuda.is_available():
            self.assertEqual((torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()), (0, 0))

    def test_devices_that_are_not_there(self):
        missing = f"cuda:{torch.cuda.device_count()}"
        for attempt in (lambda: torch.ones(2, device=missing), lambda: torch.ones(2).to(missing),
                        lambda: torch.ones(2).cuda(torch.cuda.device_count()), lambda: torch.set_default_device(missing),
                        lambda: nn.Linear(2, 2, device=missing), lambda: torch.cuda.synchronize(missing)):
            with self.assertRaises((RuntimeError, AssertionError)):
                attempt()
        with self.assertRaisesRegex(RuntimeError, "no tensors on the device mps"):
            torch.ones(2, device="mps")
        self.assertEqual(str(torch.get_default_device()), "cpu")


@unittest.skipUnless(torch.cuda.is_available(), "no GPU")
class Gpu(unittest.TestCase):
    def test_there_and_back(self):
        x = torch.arange(6).view(2, 3)
        y = x.to("cuda")
        self.assertEqual((str(y.device), y.device.type, y.device.index, y.is_cuda, y.get_device()), ("cuda:0", "cuda", 0, True, 0))
        self.assertIs(y.to("cuda:0"), y)
        self.assertIs(y.cuda(), y)
        for back in y.cpu(), y.to("cpu"), y.to(x), y.to(torch.device("cpu")):
            self.assertEqual((str(back.device), back.tolist()), ("cpu", x.tolist()))
        self.assertEqual(y.tolist(), x.tolist())
        self.assertEqual(repr(y.float()[0]), "tensor([0., 1., 2.], device='cuda:0')")
        self.assertEqual(y[1, 2].item(), 5)

    def test_factories(self):
        made = [torch.zeros(2, device="cuda"), torch.ones(2, 2, device=0), torch.full((2,), 1.5, device="cuda:0"),
                torch.arange(4, device="cuda"), torch.eye(2, device="cuda"), torch.linspace(0, 1, 3, device="cuda"),
                torch.rand(2, device="cuda"), torch.randn(2, device="cuda"), torch.randint(3, (2,), device="cuda"),
                torch.randperm(4, device="cuda"), torch.empty(3, device="cuda"), torch.tensor([1, 2], device="cuda"),
                torch.as_tensor([1.0], device="cuda"), torch.zeros_like(torch.ones(2), device="cuda")]
        for x in made:
            self.assertEqual(str(x.device), "cuda:0")
        like = torch.ones(2, device="cuda")
        for x in torch.zeros_like(like), like.new_zeros(3), like.new_full((2,), 4), torch.rand_like(like):
            self.assertEqual(str(x.device), "cuda:0")
        self.assertEqual(str(like.new_zeros(3, device="cpu").device), "cpu")

    def test_default_device(self):
        with torch.device("cuda"):
            self.assertEqual(str(torch.zeros(2).device), "cuda:0")
            with torch.device("cpu"):
                self.assertEqual(str(torch.tensor([1]).device), "cpu")
            self.assertEqual(str(torch.tensor([1]).device), "cuda:0")
        self.assertEqual(str(torch.zeros(2).device), "cpu")
        torch.set_default_device("cuda")
        try:
            self.assertEqual(str(torch.randn(2).device), "cuda:0")
        finally:
            torch.set_default_device(None)
        self.assertEqual(str(torch.randn(2).device), "cpu")

    def test_the_same_numbers_are_drawn(self):
        torch.manual_seed(5)
        cpu = torch.randn(7)
        torch.manual_seed(5)
        self.assertEqual(torch.randn(7, device="cuda").tolist(), cpu.tolist())

    def test_two_devices_at_once(self):
        a, b = torch.ones(2), torch.ones(2, device="cuda")
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            a + b
        self.assertEqual((b * torch.tensor(3.0)).tolist(), [3.0, 3.0])

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy(self):
        x = torch.ones(2, device="cuda")
        with self.assertRaisesRegex(TypeError, "can't convert cuda:0 device type tensor to numpy"):
            x.numpy()
        self.assertEqual(x.numpy(force=True).tolist(), [1.0, 1.0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(torch.tensor(numpy.ones(2), device="cuda").tolist(), [1.0, 1.0])

    def test_modules_and_gradients(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
        weight = model[0].weight
        self.assertIs(model.to("cuda"), model)
        self.assertIs(model[0].weight, weight)
        self.assertTrue(all(p.is_cuda for p in model.parameters()))
        model.cpu()
        self.assertFalse(any(p.is_cuda for p in model.parameters()))
        x = torch.ones(3, device="cuda", requires_grad=True)
        (x * 2).backward(torch.ones(3, device="cuda"))
        self.assertEqual((str(x.grad.device), x.grad.tolist()), ("cuda:0", [2.0, 2.0, 2.0]))
        y = torch.ones(2, requires_grad=True)
        y.cuda().backward(torch.ones(2, device="cuda"))
        self.assertEqual(str(y.grad.device), "cpu")

    def test_saving(self):
        import io

        file = io.BytesIO()
        torch.save({"x": torch.ones(2, device="cuda")}, file)
        for place, device in (None, "cuda:0"), ("cuda", "cuda:0"), ("cpu", "cpu"):
            file.seek(0)
            self.assertEqual(str(torch.load(file, map_location=place)["x"].device), device)

    def test_cuda(self):
        self.assertEqual(torch.cuda.current_device(), 0)
        self.assertGreater(torch.cuda.get_device_properties().total_memory, 1 << 20)
        self.assertEqual(torch.cuda.get_device_name(), torch.cuda.get_device_properties(0).name)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        x = torch.empty(1 << 16, device="cuda")
        self.assertGreaterEqual(torch.cuda.memory_allocated(), before + (1 << 18))
        del x
        self.assertGreaterEqual(torch.cuda.max_memory_allocated(), before + (1 << 18))


if __name__ == "__main__":
    unittest.main()
