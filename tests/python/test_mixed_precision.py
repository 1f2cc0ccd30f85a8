#!/usr/bin/env python3
"""torch.amp: gradients that are scaled; on a GPU where there is one, autocast by PyTorch's lists, and models of halves."""
import copy
import tempfile
import unittest
import warnings

import glassgrad as torch
from glassgrad import nn
from glassgrad.nn import functional as F

DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
needs_gpu = unittest.skipUnless(torch.cuda.is_available(), "no GPU")


def one_step(scaler, weight, optimizer, factor=1.0):
    optimizer.zero_grad()
    scaler.scale((weight * factor).sum()).backward()
    return scaler.step(optimizer, return_found_inf=True)


class Scaler(unittest.TestCase):
    def made(self, device, **settings):
        weight = torch.ones(2, device=device, requires_grad=True)
        return torch.amp.GradScaler(device, **settings), weight, torch.optim.SGD([weight], lr=0.25)

    def test_the_scale_grows_and_backs_off(self):
        for device in DEVICES:
            scaler, weight, optimizer = self.made(device, init_scale=8.0, growth_interval=2)
            scales, trackers = [], []
            for factor in 1.0, 1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0:
                before = weight.tolist()
                _, found = one_step(scaler, weight, optimizer, factor)
                self.assertEqual(found, factor != 1.0)
                self.assertEqual(weight.tolist(), before if found else [v - 0.25 for v in before])
                scaler.update()
                scales.append(scaler.get_scale())
                trackers.append(scaler.state_dict()["_growth_tracker"])
            self.assertEqual(scales, [8, 16, 16, 8, 8, 4, 4])
            self.assertEqual(trackers, [1, 0, 1, 0, 1, 0, 1])

    def test_gradients_are_unscaled_once(self):
        for device in DEVICES:
            scaler, weight, optimizer = self.made(device)
            loss = weight.sum()
            self.assertEqual(scaler.get_scale(), 65536.0)
            self.assertEqual(scaler.scale(loss).item(), 2 * 65536.0)
            self.assertEqual([type(scaler.scale(like)) for like in ([loss], (loss, [loss]))], [list, tuple])
            with self.assertRaisesRegex(ValueError, "outputs must be a Tensor or an iterable of Tensors"):
                scaler.scale(3)
            scaler.scale(loss).backward()
            self.assertEqual(weight.grad.tolist(), [65536.0] * 2)
            scaler.unscale_(optimizer)
            self.assertEqual(weight.grad.tolist(), [1.0] * 2)
            with self.assertRaisesRegex(RuntimeError, r"unscale_\(\) has already been called on this optimizer since"):
                scaler.unscale_(optimizer)
            scaler.step(optimizer)
            self.assertEqual(weight.tolist(), [0.75] * 2)
            with self.assertRaisesRegex(RuntimeError, r"step\(\) has already been called since the last update\(\)."):
                scaler.step(optimizer)
            with self.assertRaisesRegex(RuntimeError, r"unscale_\(\) is being called after step\(\)."):
                scaler.unscale_(optimizer)
            scaler.update(4.0)
            self.assertEqual(scaler.get_scale(), 4.0)
            scaler.update(torch.tensor(2.0, device=device))
            self.assertEqual(scaler.get_scale(), 2.0)

    def test_errors(self):
        scaler, weight, optimizer = self.made("cpu")
        with self.assertRaisesRegex(AssertionError, "Attempted step but _scale is None.  This may indicate"):
            scaler.step(optimizer)
        with self.assertRaisesRegex(AssertionError, "Attempted update but _scale is None."):
            scaler.update()
        scaler.scale(weight.sum())
        with self.assertRaisesRegex(AssertionError, "No inf checks were recorded prior to update."):
            scaler.update()
        with self.assertRaisesRegex(AssertionError, "No inf checks were recorded for this optimizer."):
            scaler.step(optimizer)
        with self.assertRaisesRegex(RuntimeError, "Closure use is not currently supported if GradScaler is enabled."):
            scaler.step(optimizer, closure=lambda: 0)
        for settings, text in [({"growth_factor": 1.0}, "growth factor must be > 1.0"), ({"backoff_factor": 1.0}, "must be < 1.0")]:
            with self.assertRaisesRegex(AssertionError, text):
                torch.amp.GradScaler("cpu", **settings)
        half = torch.ones(2, dtype=torch.float16, requires_grad=True)
        scaler.scale(half.sum()).backward()
        with self.assertRaisesRegex(ValueError, "Attempting to unscale FP16 gradients."):
            scaler.unscale_(torch.optim.SGD([half], lr=1.0))

    def test_state(self):
        scaler, weight, optimizer = self.made("cpu", growth_interval=5)
        one_step(scaler, weight, optimizer)
        scaler.update()
        state = scaler.state_dict()
        self.assertEqual(state, {"scale": 65536.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 5,
                                 "_growth_tracker": 1})
        again = torch.amp.GradScaler("cpu", init_scale=1.0)
        again.load_state_dict(state)
        for other in again, copy.deepcopy(scaler):  # deepcopy uses the pickling methods
            self.assertEqual(other.state_dict(), state)
        with self.assertRaisesRegex(RuntimeError, "The source state dict is empty"):
            again.load_state_dict({})
        off = torch.amp.GradScaler("cpu", enabled=False)
        self.assertEqual((off.state_dict(), off.get_scale(), off.is_enabled(), off.scale(3)), ({}, 1.0, False, 3))


class Losses(unittest.TestCase):
    def test_losses_of_several_functions_are_float32(self):
        x = torch.randn(3, 2, dtype=torch.bfloat16)
        with torch.autocast("cpu"):
            for loss in (F.margin_ranking_loss(x, x, torch.ones(3, 2)), F.soft_margin_loss(x, torch.ones(3, 2)),
                         F.triplet_margin_loss(x, x + 1, x - 1), F.poisson_nll_loss(x, torch.ones(3, 2))):
                self.assertIs(loss.dtype, torch.float32)
        self.assertIs(F.soft_margin_loss(x, torch.ones_like(x)).dtype, torch.bfloat16)

    def test_custom_functions(self):
        class Product(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a @ b

            @staticmethod
            @torch.amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                dtypes.append(((g @ b.T).dtype, torch.is_autocast_enabled("cpu")))
                return g @ b.T, a.T @ g

        dtypes = []
        x = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu"):
            y = Product.apply(x.bfloat16(), x)
            y.sum().backward()
        self.assertEqual((y.dtype, dtypes), (torch.float32, [(torch.float32, False)]))


@needs_gpu
class Autocast(unittest.TestCase):
    def setUp(self):
        self.x = torch.randn(4, 4, device="cuda")
        self.half = self.x.half()

    def test_settings(self):
        self.assertFalse(torch.is_autocast_enabled())
        with torch.autocast("cuda"):
            self.assertTrue(torch.is_autocast_enabled() and torch.is_autocast_enabled("cuda"))
            self.assertFalse(torch.is_autocast_enabled("cpu"))
            self.assertIs(torch.get_autocast_dtype("cuda"), torch.float16)
            with torch.autocast("cuda", dtype=torch.bfloat16), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertIs(torch.get_autocast_gpu_dtype(), torch.bfloat16)
                self.assertIs((self.x @ self.x).dtype, torch.bfloat16)
            with torch.autocast("cuda", enabled=False):
                self.assertIs((self.x @ self.x).dtype, torch.float32)
            self.assertIs((self.x @ self.x).dtype, torch.float16)
            self.assertIs((self.x.cpu() @ self.x.cpu()).dtype, torch.float32)
            self.assertIs((self.x.double() @ self.x.double()).dtype, torch.float64)
        self.assertIs(torch.cuda.amp.autocast()(lambda: self.x @ self.x)().dtype, torch.float16)

    def dtypes(self, functions, *arguments):
        with torch.autocast("cuda"):
            return {str(f(*arguments).dtype) for f in functions}

    def test_products_are_halves(self):
        q = torch.randn(1, 2, 4, 4, device="cuda")
        self.assertEqual(self.dtypes([
            torch.mm, torch.matmul, F.linear, lambda a, b: torch.addmm(a, a, b), lambda a, b: torch.mv(a, b[0]),
            lambda a, b: torch.addmv(a[0], a, b[0]), lambda a, b: torch.bmm(a[None], b[None]),
            lambda a, b: torch.baddbmm(a[None], a[None], b[None]), lambda a, b: torch.einsum("ij,jk->ik", a, b),
            lambda a, b: torch.linalg.multi_dot([a, b, a]), lambda a, b: F.conv1d(a[None], b[:, :, None]),
            lambda a, b: F.prelu(a, b[0, 0]), lambda a, b: F.scaled_dot_product_attention(q, q, q),
            lambda a, b: nn.Linear(4, 2, device="cuda")(a)], self.x, self.x), {"torch.float16"})

    def test_reductions_and_losses_are_float32(self):
        target = torch.arange(4, device="cuda")
        self.assertEqual(self.dtypes([
            torch.exp, torch.log, torch.log1p, torch.expm1, torch.reciprocal, torch.rsqrt, torch.square, torch.tan,
            lambda a: a ** 2, lambda a: 2 ** a, lambda a: 1 / a, lambda a: a.pow(a), lambda a: a.pow(0.5),
            lambda a: a.softmax(-1), lambda a: F.log_softmax(a, 0), lambda a: a.logsumexp(0), torch.sum, torch.prod,
            lambda a: a.cumsum(0), lambda a: a.cumprod(0), torch.norm, F.normalize, F.softplus,
            lambda a: F.layer_norm(a, (4,)), nn.LayerNorm(4, device="cuda"), lambda a: F.cosine_similarity(a, a),
            lambda a: F.mse_loss(a, a), lambda a: F.l1_loss(a, a), lambda a: F.cross_entropy(a, target),
            lambda a: F.nll_loss(a, target), lambda a: F.binary_cross_entropy_with_logits(a, a),
            lambda a: F.soft_margin_loss(a, a)], self.half), {"torch.float32"})

    def test_what_is_on_no_list_stays_as_it_is(self):
        self.assertEqual(self.dtypes([
            torch.relu, F.gelu, torch.sigmoid, torch.tanh, torch.mean, torch.sqrt, torch.std, lambda a: a * a, lambda a: a / 2,
            lambda a: a.sum(dtype=torch.float16), lambda a: torch.amax(a, 0), lambda a: F.dropout(a), torch.sin],
            self.half), {"torch.float16"})
        with torch.autocast("cuda"):
            self.assertIs(self.half.clone().pow_(2).dtype, torch.float16)
            self.assertIs(self.half.double().exp().dtype, torch.float64)
            self.assertIs(self.half.cpu().exp().dtype, torch.float16)

    def test_the_widest_of_several(self):
        functions = [torch.atan2, lambda a, b: torch.addcmul(a, b, a), lambda a, b: torch.dot(a[0], b[0]),
                     lambda a, b: torch.cat([a, b]), lambda a, b: torch.stack([a, b]),
                     lambda a, b: torch.tensordot(a, b, 1), lambda a, b: a.scatter_add(0, torch.zeros_like(b).long(), b)]
        self.assertEqual(self.dtypes(functions, self.half, self.x), {"torch.float32"})
        self.assertEqual(self.dtypes(functions, self.half, self.half), {"torch.float16"})

    def test_binary_cross_entropy_is_refused(self):
        p = self.x.sigmoid()
        with torch.autocast("cuda"):
            with self.assertRaisesRegex(RuntimeError, "torch.nn.BCELoss are unsafe to autocast.\nMany models use a sigmoid"):
                F.binary_cross_entropy(p, p)
        self.assertIs(F.binary_cross_entropy(p, p).dtype, torch.float32)

    def test_training(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).to("cuda")
        optimizer, scaler = torch.optim.AdamW(model.parameters(), lr=1e-2), torch.amp.GradScaler("cuda")
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(model(self.x), torch.arange(4, device="cuda"))
            scaler.scale(loss).backward()
            self.assertTrue(all(p.grad.dtype is torch.float32 for p in model.parameters()))
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0] / 2)


@needs_gpu
class Narrow(unittest.TestCase):
    DTYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.float16, torch.bfloat16]

    def test_tensors(self):
        for dtype in self.DTYPES:
            x = torch.tensor([[1, 2, 3], [4, 5, 100]], dtype=dtype, device="cuda")
            self.assertEqual((x.dtype, str(x.device), x.cpu().tolist()), (dtype, "cuda:0", [[1, 2, 3], [4, 5, 100]]))
            self.assertEqual(repr(x), repr(x.cpu())[:-1].replace(", dtype", ", device='cuda:0', dtype") + ")")
            self.assertEqual((x[1, 2].item(), x[:, 1].tolist(), x[x > 4].tolist()), (100, [2, 5], [5, 100]))
            for other in self.DTYPES:
                self.assertEqual(x.to(other).tolist(), x.tolist())
                self.assertEqual((x + x.to(other)).dtype, torch.promote_types(dtype, other))
            x[0] += 1
            x[:, 2] = 7
            self.assertEqual(x.tolist(), [[2, 3, 7], [4, 5, 7]])
            for made in torch.zeros(2, dtype=dtype, device="cuda"), torch.arange(3, dtype=dtype, device="cuda"), x.new_ones(2):
                self.assertEqual((made.dtype, made.is_cuda), (dtype, True))

    def test_files(self):
        values = {str(t): torch.arange(6, device="cuda").view(2, 3).t().to(t) for t in self.DTYPES}
        with tempfile.TemporaryDirectory() as folder:
            for name in "x.pt", "x.safetensors":
                torch.save(values, f"{folder}/{name}")
                for key, x in torch.load(f"{folder}/{name}", map_location="cuda").items():
                    self.assertTrue(torch.equal(x, values[key]) and x.is_cuda)

    def test_models_of_halves(self):
        for cast in lambda m: m.half(), lambda m: m.bfloat16(), lambda m: m.to(torch.bfloat16), lambda m: m.to("cuda", torch.float16):
            for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.AdamW(p, lr=1e-2, eps=1e-4)):
                results = []
                for device in "cpu", "cuda":
                    torch.manual_seed(0)
                    model = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 9))
                    model = cast(model).to(device)
                    optimizer, ids = make(model.parameters()), torch.arange(9, device=device)
                    for _ in range(3):
                        optimizer.zero_grad()
                        loss = F.cross_entropy(model(ids), ids.flip(0))
                        loss.backward()
                        optimizer.step()
                    self.assertTrue(all(p.grad.dtype is p.dtype and p.dtype.itemsize == 2 for p in model.parameters()))
                    state = model.state_dict()
                    self.assertEqual({str(v.device).split(":")[0] for v in state.values()}, {device})
                    results.append((loss.item(), torch.cat([v.float().flatten() for v in state.values()]).cpu()))
                (loss, weights), (loss_there, weights_there) = results
                self.assertAlmostEqual(loss, loss_there, delta=0.02)
                self.assertLess((weights - weights_there).norm().item(), 0.01 * weights.norm().item())


if __name__ == "__main__":
    unittest.main()
