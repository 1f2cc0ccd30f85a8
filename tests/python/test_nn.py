#!/usr/bin/env python3
"""torch.nn, torch.optim and torch.save of the Python module. Numbers and texts in quotes are PyTorch 2.6's."""
import contextlib
import copy
import io
import math
import os
import pickle
import sys
import tempfile
import unittest
import warnings
from collections import OrderedDict
from unittest import mock

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4, bias=False), nn.Dropout(0.1))
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("mask", torch.ones(2, 2))
        self.register_buffer("cache", torch.zeros(1), persistent=False)

    def forward(self, x, factor=1.0):
        return x + self.layers(self.norm(x)) * self.scale * factor


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(11, 4, padding_idx=0)
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
        self.head = nn.Linear(4, 11, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, tokens):
        x = self.emb(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def extra_repr(self):
        return "vocabulary=11"


class Case(unittest.TestCase):
    maxDiff = None

    def says(self, kind, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(str(caught.exception), text)


class Modules(Case):
    def test_a_tree_prints_as_in_pytorch(self):
        self.assertEqual(repr(Model()), """\
Model(
  vocabulary=11
  (emb): Embedding(11, 4, padding_idx=0)
  (blocks): ModuleList(
    (0-2): 3 x Block(
      (norm): LayerNorm((4,), eps=1e-05, elementwise_affine=True)
      (layers): Sequential(
        (0): Linear(in_features=4, out_features=8, bias=True)
        (1): GELU(approximate='none')
        (2): Linear(in_features=8, out_features=4, bias=False)
        (3): Dropout(p=0.1, inplace=False)
      )
    )
  )
  (head): Linear(in_features=4, out_features=11, bias=False)
)""")
        self.assertEqual(str(type(nn.Linear(1, 1))), "<class 'torch.nn.modules.linear.Linear'>")

    def test_layers_print_their_settings(self):
        for layer, text in (
            (nn.Softplus(), "Softplus(beta=1.0, threshold=20.0)"),
            (nn.ELU(0.5, True), "ELU(alpha=0.5, inplace=True)"),
            (nn.LeakyReLU(0.2), "LeakyReLU(negative_slope=0.2)"),
            (nn.ReLU(True), "ReLU(inplace=True)"),
            (nn.Unflatten(1, (2, 3)), "Unflatten(dim=1, unflattened_size=(2, 3))"),
            (nn.Softmax(), "Softmax(dim=None)"),
            (nn.ModuleList(), "ModuleList()"),
            (nn.ModuleDict({"a": nn.Tanh()}), "ModuleDict(\n  (a): Tanh()\n)"),
            (nn.ParameterList([torch.ones(2)]),
             "ParameterList(  (0): Parameter containing: [torch.float32 of size 2])"),
        ):
            self.assertEqual(repr(layer), text)

    def test_names_of_what_is_registered(self):
        model = Model()
        self.assertEqual([name for name, _ in model.named_parameters()][:3],
                         ["emb.weight", "blocks.0.scale", "blocks.0.norm.weight"])
        self.assertNotIn("head.weight", dict(model.named_parameters()))
        self.assertIn("head.weight", dict(model.named_parameters(remove_duplicate=False)))
        self.assertIn("head.weight", model.state_dict())
        self.assertIn("blocks.0.cache", dict(model.named_buffers()))
        self.assertNotIn("blocks.0.cache", model.state_dict())
        self.assertEqual(sum(p.numel() for p in model.parameters()), 11 * 4 + 3 * (4 + 8 + 40 + 32))
        self.assertIs(model.get_submodule("blocks.1.norm"), model.blocks[1].norm)
        self.assertIs(model.get_parameter("blocks.1.scale"), model.blocks[1].scale)
        self.assertIn("scale", dir(model.blocks[0]))

    def test_an_attribute_changes_its_kind(self):
        block = Block()
        block.scale = None
        self.assertNotIn("scale", block.state_dict())
        block.scale = nn.Parameter(torch.zeros(4))
        del block.scale
        self.assertFalse(hasattr(block, "scale"))
        block.mask = torch.zeros(3)
        self.assertEqual(block.state_dict()["mask"].shape, (3,))
        block.norm = nn.Parameter(torch.ones(1))
        self.assertEqual([name for name, _ in block.named_children()], ["layers"])

    def test_errors_of_attributes(self):
        class TooEarly(nn.Module):
            def __init__(self, value):
                self.value = value

        self.says(AttributeError, "cannot assign module before Module.__init__() call",
                  lambda: TooEarly(nn.Tanh()))
        self.says(AttributeError, "cannot assign parameters before Module.__init__() call",
                  lambda: TooEarly(nn.Parameter(torch.ones(1))))
        layer = nn.Linear(2, 2)
        self.says(AttributeError, "'Linear' object has no attribute 'foo'", lambda: layer.foo)
        self.says(TypeError, "cannot assign 'torch.FloatTensor' as parameter 'weight' "
                  "(torch.nn.Parameter or None expected)", lambda: setattr(layer, "weight", torch.ones(2)))
        self.says(KeyError, "\"attribute 'weight' already exists\"",
                  lambda: layer.register_buffer("weight", torch.ones(1)))
        self.says(TypeError, "int is not a Module subclass", lambda: nn.Sequential(1))
        self.says(IndexError, "index 3 is out of range", lambda: nn.Sequential(nn.Tanh())[3])
        self.says(NotImplementedError, 'Module [Module] is missing the required "forward" function',
                  lambda: nn.Module()(1))
        self.says(AttributeError, "Linear has no attribute `a`", lambda: layer.get_submodule("a.b"))
        self.says(ValueError, "training mode is expected to be boolean", lambda: layer.train(1))
        self.says(ValueError, "dropout probability has to be between 0 and 1, but got 7.5", lambda: nn.Dropout(7.5))

    def test_what_there_is_not_is_said(self):
        self.says(AttributeError, "glassgrad has no torch.nn.LSTM: recurrent layers are out of glassgrad's scope", lambda: nn.LSTM)
        self.says(AttributeError, "glassgrad has no torch.nn.LeakyRelu: the nearest is torch.nn.LeakyReLU",
                  lambda: nn.LeakyRelu)
        self.assertFalse(hasattr(nn, "Conv2d"))

    def test_containers(self):
        net = nn.Sequential(OrderedDict(a=nn.Linear(2, 2), b=nn.ReLU()))
        self.assertIs(net.b, net[-1])
        self.assertEqual(list(net[:1]._modules), ["a"])
        blocks = nn.ModuleList([nn.Tanh(), nn.ReLU()])
        blocks += [nn.GELU()]
        blocks.insert(0, nn.SiLU())
        del blocks[1]
        self.assertEqual([type(m).__name__ for m in blocks], ["SiLU", "ReLU", "GELU"])
        self.assertEqual(list(blocks._modules), ["0", "1", "2"])
        self.assertEqual(len(blocks[1:]), 2)
        named = nn.ModuleDict([["a", nn.Tanh()]])
        named["b"] = nn.ReLU()
        self.assertEqual(list(named.keys()), ["a", "b"])
        self.assertIn("a", named)

    def test_hooks_see_and_change_a_call(self):
        layer, seen = nn.Identity(), []
        before = layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        after = layer.register_forward_hook(lambda module, args, output: seen.append(args[0].item()))
        doubled = layer.register_forward_hook(lambda module, args, kwargs, output: output * 5, with_kwargs=True)
        self.assertEqual(layer(torch.tensor(3.0)).item(), 30)
        self.assertEqual(seen, [6])
        for handle in (before, after, doubled):
            handle.remove()
        self.assertEqual(layer(torch.tensor(3.0)).item(), 3)

    def test_a_watched_call_names_its_modules_and_parameters(self):
        told = []

        @contextlib.contextmanager
        def scope(name):
            told.append(f"({name}")
            yield
            told.append(")")

        with mock.patch.multiple(torch._C._nn, watching=lambda: True, Scope=scope,
                                 named=lambda tensor, name: told.append(name)):
            Model()(torch.tensor([1]))
        self.assertEqual(" ".join(told[:14]), "(Model (emb weight ) (blocks.0 scale mask cache (norm weight bias ) (layers (0")
        self.assertEqual(" ".join(told[-6:]), ") ) (head weight ) )")

    def test_modes_and_dtypes_reach_all_modules(self):
        model = Model()
        self.assertIs(model.eval(), model)
        self.assertFalse(model.blocks[2].layers[3].training)
        weight = model.emb.weight
        model.double()
        self.assertIs(model.emb.weight, weight)
        self.assertEqual((weight.dtype, model.blocks[0].mask.dtype), (torch.float64, torch.float64))
        model.to(torch.float32)
        self.assertEqual(weight.dtype, torch.float32)
        model.requires_grad_(False)
        self.assertFalse(any(p.requires_grad for p in model.parameters()))
        if torch.version.cuda is None:
            self.says(AssertionError, "Torch not compiled with CUDA enabled", model.cuda)

    def test_copies_are_independent(self):
        model = Model()
        for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(nn.Sequential(nn.Linear(2, 2))))):
            self.assertIsInstance(twin, nn.Module)
        twin = copy.deepcopy(model)
        self.assertIs(twin.head.weight, twin.emb.weight)
        with torch.no_grad():
            twin.emb.weight.zero_()
        self.assertNotEqual(model.emb.weight.abs().sum().item(), 0)


class States(Case):
    def test_a_state_comes_back(self):
        model, other = Model(), Model()
        self.assertEqual(repr(other.load_state_dict(model.state_dict())), "<All keys matched successfully>")
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters())))

    def test_all_that_does_not_fit_is_listed(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
        state = {"0.weight": torch.ones(3, 3), "5.x": torch.ones(1), "1.bias": torch.ones(3), "1.weight": 3}
        self.says(RuntimeError, """\
Error(s) in loading state_dict for Sequential:
	Missing key(s) in state_dict: "0.bias". 
	Unexpected key(s) in state_dict: "5.x". 
	size mismatch for 0.weight: copying a param with shape torch.Size([3, 3]) from checkpoint, \
the shape in current model is torch.Size([2, 2]).
	While copying the parameter named "1.weight", expected torch.Tensor or Tensor-like object from checkpoint \
but received <class 'int'>""", lambda: net.load_state_dict(state))
        self.assertEqual(net[1].bias.tolist(), [1, 1, 1])
        found = net.load_state_dict({"9": torch.ones(1)}, strict=False)
        self.assertEqual((len(found.missing_keys), found.unexpected_keys), (4, ["9"]))

    def test_files(self):
        model = Model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        F.cross_entropy(model(torch.tensor([[1, 2]])).flatten(0, 1), torch.tensor([2, 3])).backward()
        optimizer.step()
        checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3,
                      "losses": [0.5, math.inf], "config": {"name": "ü", "shape": (2, 3), 7: None, "t": torch.int64}}
        with tempfile.TemporaryDirectory() as folder:
            for name, saved in (("model.pth", model.state_dict()), ("all.pt", checkpoint)):
                path = os.path.join(folder, name)
                torch.save(saved, path)
                self.assertEqual(repr(torch.load(path, map_location="cpu")), repr(saved))
            buffer = io.BytesIO()
            torch.save(torch.arange(3), buffer)
            self.assertEqual(torch.load(io.BytesIO(buffer.getvalue())).tolist(), [0, 1, 2])
            self.says(TypeError, "glassgrad saves tensors, and dicts, lists and tuples of tensors, numbers and texts, not "
                      "torch.nn.modules.linear.Linear (at a.0): of a module or an optimizer save its state_dict()",
                      lambda: torch.save({"a": [nn.Linear(1, 1)]}, os.path.join(folder, "m.safetensors")))
            with open(path, "wb") as file:
                file.write(b"PK\x03\x04")
            with self.assertRaisesRegex(RuntimeError, "all.pt: not a file of PyTorch.s, or a damaged one"):
                torch.load(path)
            with self.assertRaisesRegex(FileNotFoundError, "No such file or directory: .*none.pt"):
                torch.load(os.path.join(folder, "none.pt"))
            with self.assertRaisesRegex(RuntimeError, "not a regular file|is a folder|directory"):
                torch.load(folder)
            torch.save(checkpoint, path)
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) - 1)
            with self.assertRaisesRegex(RuntimeError, "all.pt: not a file of PyTorch.s, or a damaged one"):
                torch.load(path)


class Numbers(Case):
    def test_initial_values_and_draws(self):
        torch.manual_seed(0)
        nn.Embedding(3, 2), nn.Linear(3, 2), nn.LayerNorm(3), nn.Dropout(0.2)
        self.assertEqual(repr(torch.rand(2)), "tensor([0.6816, 0.9152])")
        torch.manual_seed(321)
        self.assertEqual(repr(nn.init.trunc_normal_(torch.empty(3, 5), std=0.02)), """\
tensor([[ 0.0170, -0.0150,  0.0321, -0.0235,  0.0161],
        [-0.0016, -0.0049,  0.0069,  0.0128, -0.0210],
        [ 0.0190,  0.0018, -0.0086, -0.0156, -0.0092]])""")
        self.assertEqual(nn.init.calculate_gain("leaky_relu", 1), 1.0)
        self.says(ValueError, "Mode x not supported, please use one of ['fan_in', 'fan_out']",
                  lambda: nn.init.kaiming_uniform_(torch.ones(2, 2), mode="x"))
        self.assertEqual(nn.init.eye_(torch.empty(2, 3)).tolist(), [[1, 0, 0], [0, 1, 0]])
        tensor = torch.empty(2, 3)
        self.assertIs(nn.init.kaiming_normal_(tensor, mode="fan_out", nonlinearity="relu"), tensor)

    def test_layers_are_their_functions(self):
        x = torch.tensor([[-1.0, 0.5, 2.0]])
        for layer, value in (
            (nn.ELU(), F.elu(x)), (nn.SiLU(), F.silu(x)), (nn.LeakyReLU(0.3), F.leaky_relu(x, 0.3)),
            (nn.Softplus(), F.softplus(x)), (nn.GELU("tanh"), F.gelu(x, approximate="tanh")), (nn.ReLU(), F.relu(x)),
            (nn.Sigmoid(), x.sigmoid()), (nn.Tanh(), x.tanh()), (nn.Softmax(-1), x.softmax(-1)),
            (nn.LogSoftmax(-1), x.log_softmax(-1)), (nn.Flatten(0), x[0]), (nn.Unflatten(1, (3, 1)), x[..., None]),
            (nn.Identity(3, a=4), x),
        ):
            self.assertTrue(torch.equal(layer(x), value), layer)
        target = torch.tensor([2])
        for loss, value in (
            (nn.CrossEntropyLoss(label_smoothing=0.1), F.cross_entropy(x, target, label_smoothing=0.1)),
            (nn.NLLLoss(reduction="sum"), F.nll_loss(x, target, reduction="sum")),
        ):
            self.assertTrue(torch.equal(loss(x, target), value), loss)
        for loss, value in (
            (nn.MSELoss(), F.mse_loss(x, x * 2)), (nn.L1Loss(), F.l1_loss(x, x * 2)),
            (nn.BCEWithLogitsLoss(), F.binary_cross_entropy_with_logits(x, x * 2)),
        ):
            self.assertTrue(torch.equal(loss(x, x * 2), value), loss)

    def test_clipping(self):
        p = nn.Parameter(torch.zeros(2))
        self.assertEqual(nn.utils.clip_grad_norm_([p], 1.0).item(), 0)
        p.grad = torch.tensor([3.0, 4.0])
        self.assertEqual(nn.utils.clip_grad_norm_(p, 1.0).item(), 5)
        self.assertEqual(repr(p.grad), "tensor([0.6000, 0.8000])")
        nn.utils.clip_grad_value_(p, 0.7)
        self.assertEqual(repr(p.grad), "tensor([0.6000, 0.7000])")
        p.grad = torch.tensor([math.nan, 1])
        with self.assertRaisesRegex(RuntimeError, "is non-finite, so it cannot be clipped"):
            nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)
        vector = nn.utils.parameters_to_vector([p, nn.Parameter(torch.ones(1, 2))])
        self.assertEqual(vector.tolist(), [0, 0, 1, 1])
        nn.utils.vector_to_parameters(torch.tensor([5.0, 6.0]), [p])
        self.assertEqual(p.tolist(), [5, 6])


class Optimizers(Case):
    def trained(self, make, steps=3):
        p = nn.Parameter(torch.tensor([1.0, -2.0]))
        optimizer = make([p])
        for _ in range(steps):
            optimizer.zero_grad()
            (p**2).sum().backward()
            optimizer.step()
        return p, optimizer

    def test_a_state_is_gone_on_from(self):
        for make in (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), lambda p: torch.optim.Adam(p, 0.1),
                     lambda p: torch.optim.AdamW(p, 0.1, maximize=True)):
            p, optimizer = self.trained(make)
            q = nn.Parameter(p.detach().clone())
            other = make([q])
            other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
            for x, o in ((p, optimizer), (q, other)):
                o.zero_grad()
                (x**2).sum().backward()
                o.step()
            self.assertTrue(torch.equal(p, q))

    def test_texts(self):
        _, optimizer = self.trained(torch.optim.AdamW, 1)
        self.assertEqual(repr(optimizer.state_dict()["state"]),
                         "{0: {'step': tensor(1.), 'exp_avg': tensor([ 0.2000, -0.4000]), "
                         "'exp_avg_sq': tensor([0.0040, 0.0160])}}")
        groups = [{"params": nn.Parameter(torch.ones(1))}, {"params": nn.Parameter(torch.ones(1)), "lr": 7}]
        self.assertEqual(repr(torch.optim.SGD(groups, 0.1)), """\
SGD (
Parameter Group 0
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 0.1
    maximize: False
    momentum: 0
    nesterov: False
    weight_decay: 0

Parameter Group 1
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 7
    maximize: False
    momentum: 0
    nesterov: False
    weight_decay: 0
)""")
        p = nn.Parameter(torch.ones(1))
        for kind, text, call in (
            (ValueError, "optimizer got an empty parameter list", lambda: torch.optim.SGD([], lr=0.1)),
            (ValueError, "Invalid learning rate: -1", lambda: torch.optim.Adam([p], lr=-1)),
            (ValueError, "Invalid beta parameter at index 0: 1.0", lambda: torch.optim.Adam([p], betas=(1.0, 0.9))),
            (ValueError, "can't optimize a non-leaf Tensor", lambda: torch.optim.SGD([p * 2])),
            (ValueError, "some parameters appear in more than one parameter group",
             lambda: torch.optim.SGD([{"params": [p]}, {"params": [p]}])),
            (TypeError, "optimizer can only optimize Tensors, but one of the params is int",
             lambda: torch.optim.SGD([1])),
            (RuntimeError, "`fused` and `foreach` cannot be `True` together.",
             lambda: torch.optim.Adam([p], fused=True, foreach=True)),
        ):
            self.says(kind, text, call)

    def test_a_closure_and_groups(self):
        a, b = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([{"params": a}, {"params": [b], "lr": 0.5}], lr=0.1)

        def closure():
            optimizer.zero_grad()
            loss = (a + b).sum()
            loss.backward()
            return loss

        self.assertEqual(optimizer.step(closure).item(), 2)
        self.assertEqual((repr(a.data), repr(b.data)), ("tensor([0.9000])", "tensor([0.5000])"))

    def test_schedules(self):
        schedules = torch.optim.lr_scheduler
        for make, lrs in (
            (lambda o: schedules.StepLR(o, 2, gamma=0.5), [0.1, 0.1, 0.05, 0.05, 0.025]),
            (lambda o: schedules.ExponentialLR(o, 0.5), [0.1, 0.05, 0.025, 0.0125, 0.00625]),
            (lambda o: schedules.LambdaLR(o, lambda epoch: min(1, (epoch + 1) / 4)), [0.025, 0.05, 0.075, 0.1, 0.1]),
            (lambda o: schedules.CosineAnnealingLR(o, 2, eta_min=0.02), [0.1, 0.06, 0.02, 0.06, 0.1]),
        ):
            optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
            schedule, seen = make(optimizer), []
            for _ in lrs:
                seen.append(optimizer.param_groups[0]["lr"])
                self.assertEqual(schedule.get_last_lr(), [seen[-1]])
                optimizer.step()
                schedule.step()
            for given, expected in zip(seen, lrs):
                self.assertAlmostEqual(given, expected, places=12)
            self.assertEqual(schedule.state_dict()["last_epoch"], 5)

    def test_a_schedule_before_the_first_step_is_warned_of(self):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        with self.assertWarnsRegex(UserWarning, r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
            schedule.step()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            schedule.step()


if __name__ == "__main__":
    unittest.main()
