"""`out=`: every function of the table that takes it is recorded under PyTorch, and what PyTorch warns of is warned of."""
import re
import unittest
import warnings

import glassgrad as torch
from glassgrad import _C
from module import GOLDEN

PLACES = {"torch": "torch", "torch.nn.functional": "F", "torch.linalg": "torch.linalg"}
# The old name of outer, at which PyTorch warns; a function whose errors name the wrong dtype there.
UNRECORDED = {"torch.ger", "torch.mvlgamma"}


class Out(unittest.TestCase):
    def test_every_function_that_takes_out_is_recorded(self):
        text = (GOLDEN / "out.txt").read_text(encoding="utf-8")
        recorded = set(re.findall(r"([\w.]+)\((?=[^\n]*out=)", text))
        taking = {f"{PLACES[place]}.{name}" for place, rows in _C.signatures.items() if place in PLACES
                  for name, signatures, _ in rows if any(re.search(r"\bout:", text) for text in signatures)}
        self.assertGreater(len(taking), 120)
        self.assertEqual(taking - recorded - UNRECORDED, set())

    def test_methods_do_not_take_it(self):
        for name, signatures, _ in _C.signatures["torch.Tensor"]:
            self.assertFalse(any(re.search(r"\bout:", text) for text in signatures), name)

    def test_another_size_is_told_once(self):
        out = torch.zeros(2)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            torch.add(torch.ones(2, 3), 1, out=out)
        self.assertEqual([(w.category, str(w.message), w.filename) for w in warned], [(UserWarning, (
            "An output with one or more elements was resized since it had shape [2], which does not match the required "
            "output shape [2, 3]. This behavior is deprecated, and in a future PyTorch release outputs will not be "
            "resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, "
            "to zero elements with t.resize_(0)."), __file__)])
        self.assertEqual(out.tolist(), [[2.0] * 3] * 2)

    def test_what_is_refused_stays_as_it_was(self):
        values, indices = torch.zeros(2), torch.ones(2, dtype=torch.long)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for call in (lambda: torch.sort(torch.ones(3), out=(values, indices)),  # raises the resize warning as an error
                         lambda: torch.sort(torch.ones(2), out=(values, values)),
                         lambda: torch.sort(torch.ones(2), out=(values, indices, indices)),
                         lambda: torch.max(torch.ones(2, 2).double(), 1, out=(values, indices))):
                self.assertRaises((UserWarning, RuntimeError, TypeError), call)
                self.assertEqual((values.tolist(), indices.tolist()), ([0, 0], [1, 1]))

    def test_memory_of_numpy_does_not_grow(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        x = torch.from_numpy(numpy.zeros(2))
        with self.assertRaisesRegex(RuntimeError, "^Trying to resize storage that is not resizable$"):
            x.resize_(4)
        self.assertEqual(x.resize_(1).shape, (1,))

    def test_a_larger_one_gets_memory_of_its_own(self):
        x = torch.arange(4)
        before = x.detach().view(2, 2)
        self.assertEqual(x.resize_(1000)[:4].tolist(), [0, 1, 2, 3])
        x.fill_(7)
        self.assertEqual(before.tolist(), [[0, 1], [2, 3]])


if __name__ == "__main__":
    unittest.main()
