"""Objects of the extension as Python's own: made without __init__, in cycles; and the names of modules."""
import copy
import gc
import unittest
import warnings
import weakref

import glassgrad as torch
from glassgrad import _C


def all_types():
    """Every class of the extension, with those that appear only on results."""
    modules = [_C, *(part for part in vars(_C).values() if isinstance(part, type(_C)))]
    types = {thing for module in modules for thing in vars(module).values() if isinstance(thing, type)}
    y = torch.ones(2, requires_grad=True) * 2
    types |= {type(y.grad_fn), type(y.grad_fn.next_functions[0][0]), type(torch.max(torch.ones(1), 0)),
              type(torch.sort(torch.ones(1), out=(torch.ones(0), torch.ones(0, dtype=torch.long))))}
    return sorted(types, key=str)


class Made(unittest.TestCase):
    def test_new_alone_is_refused_or_makes_something_valid(self):
        names = [kind.__name__ for kind in all_types()]
        for expected in "Tensor", "Parameter", "Size", "dtype", "device", "Generator", "Node", "sort_out":
            self.assertIn(expected, names)
        for kind in all_types():
            for new in kind.__new__, object.__new__, kind.__base__.__new__:
                for arguments in (), ((1, 2),):
                    with self.subTest(kind=kind, new=new, arguments=arguments):
                        try:
                            made = new(kind, *arguments)
                        except (TypeError, AttributeError):
                            continue
                        self.assertIsInstance(repr(made), str)
                        for name in dir(made):
                            if not name.startswith("__"):
                                self.read(made, name)

    def read(self, made, name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                getattr(made, name)
            except (AttributeError, RuntimeError):
                pass  # an error is fine, a crash is not

    def test_a_subclass_made_the_right_way_works(self):
        class Own(torch.Generator):
            pass

        self.assertEqual(torch.rand(2, generator=Own().manual_seed(3)).tolist(),
                         torch.rand(2, generator=torch.Generator().manual_seed(3)).tolist())
        self.assertRaises(TypeError, copy.copy, torch.Generator())


class Cycles(unittest.TestCase):
    def gone(self, make):
        """Is what make() gives collected once nobody holds it?"""
        was = gc.isenabled()
        gc.disable()
        try:
            seen = weakref.ref(make())
            gc.collect()
            return seen() is None
        finally:
            if was:
                gc.enable()

    def test_attributes_that_lead_back_are_collected(self):
        def itself():
            y = torch.ones(2)
            y.foo = y
            return y

        def by_dict():
            y = torch.ones(2)
            y.__dict__["foo"] = [y]
            return y

        def by_new_dict():
            y = torch.ones(2)
            y.__dict__ = {"foo": y}
            return y

        def parameter():
            p = torch.nn.Parameter(torch.ones(2))
            p.owner = torch.nn.Linear(1, 1)
            p.owner.extra = p
            return p

        def of_a_subclass():
            class Own(torch.Tensor):
                __slots__ = ("slot",)

            y = Own([1.0])
            y.slot = y
            return y

        def two():
            x, y = torch.ones(1), torch.ones(1)
            x.other, y.other = y, x
            return x

        for make in itself, by_dict, by_new_dict, parameter, of_a_subclass, two:
            with self.subTest(make.__name__):
                self.assertTrue(self.gone(make))

    def test_a_tensor_without_attributes_is_nothing_for_the_collector(self):
        x = torch.ones(2)
        self.assertFalse(gc.is_tracked(x))
        self.assertFalse(gc.is_tracked(torch.nn.Parameter(x)))
        x.foo = 1
        self.assertTrue(gc.is_tracked(x))

    def test_attributes_of_what_is_held_stay(self):
        x = torch.ones(2)
        x.foo = x
        gc.collect()
        self.assertIs(x.foo, x)


class Names(unittest.TestCase):
    def test_a_hint_is_given_for_what_is_mistyped(self):
        for name, hint in (("softmx", ": the nearest is torch.softmax"), ("zeroes", ": the nearest is torch.zeros"),
                           ("futures", ""), ("monitor", ""),
                           ("conv2d", ": convolution in two and three dimensions, and pooling, are out of "
                            "glassgrad's scope")):
            with self.assertRaises(AttributeError) as caught:
                getattr(torch, name)
            self.assertEqual(str(caught.exception), f"glassgrad has no torch.{name}{hint}")

    def test_dir_shows_what_is_for_users(self):
        ours = {"missing", "present_as_torch", "heat_table", "lesson_names", "public"}
        for module in (torch, torch.nn, torch.optim, torch.autograd, torch.utils):
            self.assertEqual(set(dir(module)) & ours, set())
        self.assertLessEqual({"lesson", "typename", "softmax", "Tensor", "nn"}, set(dir(torch)))


if __name__ == "__main__":
    unittest.main()
