#!/usr/bin/env python3
"""Layers whose backward is written in Python: gradients against central differences, and gradients of gradients."""
import unittest

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad.nn.utils import _norms, _orthogonal


def double(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def differences(function, x, step=1e-6):
    """d function / d x by central differences."""
    made = torch.zeros_like(x)
    with torch.no_grad():
        for i in range(x.numel()):
            value = x.view(-1)[i].item()
            ends = []
            for end in value + step, value - step:
                x.view(-1)[i] = end
                ends.append(function().item())
            x.view(-1)[i] = value
            made.view(-1)[i] = (ends[0] - ends[1]) / (2 * step)
    return made


class Gradients(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, function, *inputs, second=True):
        """The gradients of a weighted sum of function()'s squares, and of the sum of the squares of these gradients."""
        cotangent = torch.randn(function().shape, dtype=torch.float64)

        def loss():
            return (function().square() * cotangent).sum()

        def loss_of_gradients():
            return sum((g * g).sum() for g in torch.autograd.grad(loss(), inputs, create_graph=True))

        for of in (loss, loss_of_gradients) if second else (loss,):
            for x, g in zip(inputs, torch.autograd.grad(of(), inputs)):
                with torch.enable_grad():
                    expected = differences(lambda: self.with_graph(of), x)
                self.assertTrue(torch.allclose(g, expected, rtol=1e-4, atol=1e-6), (of.__name__, g, expected))

    @staticmethod
    def with_graph(of):
        with torch.enable_grad():
            return of().detach()

    def test_weight_norm(self):
        for shape, dim in (((3, 9), 0), ((3, 2), 0), ((3, 4), 1), ((2, 3, 2), 2), ((2, 3, 2), 1), ((3, 2), -1)):
            v = double(*shape)
            g = _norms.norm_except_dim(v.detach(), 2, dim).mul(1.5).requires_grad_()
            with self.subTest(shape=shape, dim=dim):
                self.check(lambda: _norms.scaled_to(v, g, dim), v, g)

    def test_bilinear(self):
        a, b, w, c = double(4, 2), double(4, 3), double(2, 2, 3), double(2)
        self.check(lambda: F.bilinear(a, b, w, c), a, b, w, c)

    def test_embedding_by_frequency(self):
        w = double(4, 2)
        i = torch.tensor([0, 1, 1, 3])
        scale = (1 / torch.bincount(i)[i].double()).unsqueeze(1)
        c = torch.randn(4, 2, dtype=torch.float64)
        got, = torch.autograd.grad((F.embedding(i, w, scale_grad_by_freq=True) * c).sum(), w)
        expected, = torch.autograd.grad((F.embedding(i, w) * c * scale).sum(), w)
        self.assertTrue(torch.allclose(got, expected))

    def test_bags(self):
        w, f = double(5, 2), double(6)
        i, o = torch.tensor([0, 2, 2, 4, 1, 0]), torch.tensor([0, 3, 3])
        for settings in ({}, {"mode": "sum"}, {"mode": "max"}, {"padding_idx": 2}, {"mode": "max", "padding_idx": 0}):
            with self.subTest(settings):
                self.check(lambda: F.embedding_bag(i, w, o, **settings), w)
        for settings in ({}, {"padding_idx": 2}):
            self.check(lambda: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=f, **settings), w, f)

    def test_functions_of_matrices(self):
        a = double(3, 3)
        self.check(lambda: _orthogonal.matrix_exp(a - a.mT), a)
        x, tau = double(4, 2), double(2)
        self.check(lambda: _orthogonal.householder_product(x, tau), x, tau)


class Matrices(unittest.TestCase):
    def test_the_exponential_of_a_rotation(self):
        for angle in (0.0, 1e-3, 1.0, 20.0):
            turn = torch.tensor([[0.0, -angle], [angle, 0.0]], dtype=torch.float64)
            c, s = torch.cos(torch.tensor(angle, dtype=torch.float64)), torch.sin(torch.tensor(angle, dtype=torch.float64))
            self.assertTrue(torch.allclose(_orthogonal.matrix_exp(turn), torch.stack([c, -s, s, c]).view(2, 2), atol=1e-12))

    def test_qr(self):
        torch.manual_seed(0)
        for shape in ((3, 3), (5, 2), (2, 4, 3), (1, 1)):
            a = torch.randn(*shape, dtype=torch.float64)
            x, tau = _orthogonal.geqrf(a)
            q = _orthogonal.householder_product(x, tau)
            self.assertTrue(torch.allclose(q @ x[..., :shape[-1], :].triu(), a), shape)
            self.assertTrue(_orthogonal.is_orthogonal(_orthogonal.made_orthogonal(a)), shape)


if __name__ == "__main__":
    unittest.main()
