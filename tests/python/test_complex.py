"""Complex tensors: what they have no use for says so, and every number of a rotary embedding opens."""
import pickle
import unittest

import glassgrad as torch

SAYS = "glassgrad's complex tensors are there for rotary embeddings: .*torch.view_as_real"


class Complex(unittest.TestCase):
    def test_what_is_not_there_says_what_is(self):
        z = torch.polar(torch.ones(2, 3), torch.arange(6.0).view(2, 3))
        for call in (lambda: torch.sin(z), lambda: torch.matmul(z, z), lambda: torch.exp(input=z), lambda: torch.ones(2, 3).pow(z),
                     lambda: torch.where(z.real > 0, z, z), lambda: torch.zeros(2, dtype=torch.complex64),
                     lambda: torch.ones(2, 3, dtype=torch.cfloat), lambda: torch.zeros_like(z), lambda: torch.sum(z)):
            with self.assertRaisesRegex(NotImplementedError, f"^[a-z_]+ is not there for complex numbers; {SAYS}"):
                call()
        for name in "sin", "sum", "matmul", "backward":
            with self.assertRaisesRegex(AttributeError, f"^a complex tensor has no {name} here; {SAYS}"):
                getattr(z, name)
        self.assertFalse(hasattr(z, "softmax"))
        for call in (lambda: z / z, lambda: 1 / z, lambda: z ** 2, lambda: z @ z, lambda: z > z, lambda: z % 2):
            with self.assertRaisesRegex(TypeError, "ComplexTensor"):
                call()

    def test_an_error_without_complex_numbers_stays_as_it_was(self):
        for call in (lambda: torch.sin("x"), lambda: torch.ones(2).pow(None), lambda: torch.cat([torch.ones(1), 1])):
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertNotIn("complex", str(raised.exception))

    def test_functions_take_them_as_methods_do(self):
        x, z = torch.tensor([1.0, 2.0]), torch.complex(torch.tensor([3.0, 4.0]), torch.tensor([5.0, -6.0]))
        for product in (x * z, z * x, torch.mul(x, z), torch.mul(z, other=x), x.mul(z), z.mul(x)):
            self.assertEqual(product.tolist(), [3 + 5j, 8 - 12j])
        self.assertEqual(torch.cat([z, x]).tolist(), [3 + 5j, 4 - 6j, 1, 2])
        self.assertEqual(torch.stack((z, z), -1).tolist(), [[3 + 5j] * 2, [4 - 6j] * 2])
        self.assertEqual(torch.abs(z)[0].item(), abs(torch.complex(torch.tensor(3.0), torch.tensor(5.0))).item())
        self.assertTrue(torch.equal(z, z.clone()) and not torch.equal(z, z.conj()))

    def test_numbers_of_python(self):
        self.assertEqual(str(torch.tensor(1 + 2j)), "tensor(1.+2.j)")
        self.assertEqual(str(torch.tensor([1, 2.5, 3j])), "tensor([1.0000+0.j, 2.5000+0.j, 0.0000+3.j])")
        self.assertEqual(torch.tensor([[1j, 2], (True, -1.5 + 0.25j)]).tolist(), [[1j, 2], [1, -1.5 + 0.25j]])
        self.assertEqual(str(torch.tensor(2.0, dtype=torch.complex128)), "tensor(2.+0.j, dtype=torch.complex128)")
        self.assertEqual(str(torch.tensor([], dtype=torch.complex64)), "tensor([], dtype=torch.complex64)")
        self.assertTrue(torch.tensor([1j], requires_grad=True).is_leaf)
        for given, dtype, error, text in (([1j, 2.0], torch.float32, TypeError, "must be real number, not complex"),
                                          ([[1j, 2], [3]], None, ValueError, "expected sequence of length 2 at dim 1"),
                                          ([1, 2], 3, TypeError, "must be torch.dtype, not int")):
            with self.assertRaisesRegex(error, text):
                torch.tensor(given, dtype=dtype)

    def test_gradients_are_those_of_the_limit(self):
        torch.manual_seed(1)
        parts = [torch.randn(3, 2, dtype=torch.float64, requires_grad=True), torch.randn(4, 3, 2, dtype=torch.float64, requires_grad=True)]
        weight = torch.randn(4, 3, 2, dtype=torch.float64)

        def total():
            x, y = map(torch.view_as_complex, parts)
            z = x * y + y.conj() * 2 - x * (1 - 3j)
            return (torch.view_as_real(z) * weight).sum() + z.abs().sum() + z.angle().sum()

        total().backward()
        for part in parts:
            for k in range(part.numel()):
                with torch.no_grad():
                    at = part.view(-1)
                    was = at[k].item()
                    sides = []
                    for step in 1e-6, -1e-6:
                        at[k] = was + step
                        sides.append(total().item())
                    at[k] = was
                self.assertAlmostEqual(part.grad.view(-1)[k].item(), (sides[0] - sides[1]) / 2e-6, delta=1e-6)

    def test_every_number_opens(self):
        with torch.glass():
            q = torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
            turn = torch.polar(torch.ones(2), torch.tensor([0.5, 2.0]))
            out = torch.view_as_real(torch.view_as_complex(q) * turn)
            loss = (out * torch.tensor([1.0, 10.0])).sum()
            loss.backward()
        for number, value in ((out.why(1, 0, depth=9), out[1, 0]), (q.grad.why(0, 1, depth=9), q.grad[0, 1])):
            self.assertEqual(number.json["value"], value.item())
        why = str(out.why(1, 1, depth=9))
        for part in "q[1,0]", "q[1,1]", "sin", "cos":
            self.assertIn(part, why)

    def test_copies_and_numpy(self):
        z = torch.polar(torch.ones(2, 3), torch.arange(6.0).view(2, 3))
        self.assertTrue(torch.equal(pickle.loads(pickle.dumps(z)), z))
        self.assertIs(pickle.loads(pickle.dumps(torch.complex64)), torch.complex64)
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        self.assertEqual((z.numpy().dtype, z.numpy().shape), (numpy.complex64, (2, 3)))
        self.assertEqual(z.numpy().tolist(), z.tolist())


if __name__ == "__main__":
    unittest.main()
