"""glassgrad.lesson(): tensors of the lessons, their numbers opened, and the heat table of a notebook."""
import math
import re
import unittest

import glassgrad
from module import GOLDEN


class Lessons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.journey = glassgrad.lesson("journey")

    def test_a_tensor_is_what_the_lesson_prints(self):
        masked = self.journey["masked-scores:masked"]
        self.assertIsInstance(masked, glassgrad.Tensor)
        self.assertIn(repr(masked)[:-1], (GOLDEN / "journey.txt").read_text())
        self.assertEqual(tuple(masked.shape), (6, 6))

    def test_it_is_a_mapping(self):
        keys = self.journey.keys()
        self.assertEqual(keys, list(self.journey))
        self.assertEqual(len(keys), len(self.journey))
        self.assertIn("masked-scores:masked", self.journey)
        self.assertNotIn("masked", self.journey)
        self.assertEqual([key for step in self.journey.steps for key in step.keys()], keys)
        self.assertEqual([step.number for step in self.journey.steps], list(range(1, len(self.journey.steps) + 1)))
        step = next(step for step in self.journey.steps if step.id == "masked-scores")
        self.assertEqual(repr(step["masked"]), repr(self.journey["masked-scores:masked"]))

    def test_every_tensor_of_every_lesson_can_be_read(self):
        for name in glassgrad.lesson_names():
            if name == "gpt-attention":  # too large: GPT-2's size
                continue
            lesson = glassgrad.lesson(name)
            for key, tensor in lesson.items():
                self.assertIsInstance(tensor, glassgrad.Tensor, f"{name} {key}")

    def test_a_number_is_opened(self):
        masked = self.journey["masked-scores:masked"]
        why = masked.why(2, 1)
        self.assertTrue(why.startswith("masked-scores:masked[2,1]"), why)
        self.assertTrue(why.endswith("= 0.1703\n"), why)
        self.assertEqual(str(masked.why(-4, -5)), str(why))
        self.assertEqual(repr(why), why.rstrip("\n"))
        self.assertEqual(why.json["address"], "masked-scores:masked[2,1]")
        self.assertTrue(math.isclose(why.json["value"], 0.1703, abs_tol=5e-5))
        self.assertGreater(len(masked.why(2, 1, depth=3)), len(why))
        self.assertIn("= 0.17031771\n", masked.why(2, 1, exact=True))

    def test_settings(self):
        other = glassgrad.lesson("journey", seed=7, d_out=4)
        self.assertEqual(other["queries:queries" if "queries:queries" in other else other.keys()[-1]].dim() > 0, True)
        self.assertNotEqual([repr(x) for x in other.values()], [repr(x) for x in self.journey.values()])
        mine = glassgrad.lesson("journey", inputs=[[1.0, 0.0, 0.5], [0.0, 2.0, 0.5]], tokens=["to", "be"])
        self.assertEqual(repr(mine["inputs:inputs" if "inputs:inputs" in mine else mine.keys()[0]]),
                         "tensor([[1.0000, 0.0000, 0.5000],\n        [0.0000, 2.0000, 0.5000]])")
        changed = glassgrad.lesson("journey", set={"masked-scores:masked[2,1]": 0.9})
        self.assertTrue(math.isclose(changed["masked-scores:masked"][2, 1].item(), 0.9, abs_tol=1e-6))

    def test_the_caller_s_random_numbers_and_mode_stay(self):
        glassgrad.manual_seed(5)
        expected = repr(glassgrad.rand(3))
        glassgrad.manual_seed(5)
        with glassgrad.no_grad():
            glassgrad.lesson("journey")
            self.assertFalse(glassgrad.is_grad_enabled())
        self.assertEqual(repr(glassgrad.rand(3)), expected)

    def test_what_is_changed_is_the_caller_s(self):
        masked = self.journey["masked-scores:masked"]
        before = repr(masked)
        masked.fill_(0)
        self.assertEqual(repr(self.journey["masked-scores:masked"]), before)

    def test_errors_name_what_comes_nearest(self):
        self.raises(ValueError, "journey", lambda: glassgrad.lesson("jorney"))
        self.raises(ValueError, "the lesson journey has no sed; it has seed", lambda: glassgrad.lesson("journey", sed=1))
        self.raises(ValueError, "seed", lambda: glassgrad.lesson("journey", seed="x"))
        self.raises(KeyError, "did you mean masked-scores", lambda: self.journey["masked-score:masked"])
        self.raises(KeyError, "did you mean mask", lambda: self.journey["masked-scores:maskd"])
        self.raises(KeyError, "", lambda: self.journey[""])
        self.raises(ValueError, "", lambda: self.journey["masked-scores:masked"].why(6, 0))
        self.raises(ValueError, "", lambda: self.journey["masked-scores:masked"].why(1))
        self.raises(ValueError, "depth", lambda: self.journey["masked-scores:masked"].why(1, 1, depth=0))
        self.raises(TypeError, "path", lambda: glassgrad.lesson("journey", inputs="file.npy"))

    def raises(self, kind, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(text, str(caught.exception))


def texts(html):
    return [cell.strip() for cell in re.findall(r"<td[^>]*>([^<]+)</td>", html)]


class HeatTables(unittest.TestCase):
    def test_the_numbers_are_those_of_print(self):
        x = glassgrad.tensor([[0.25, -1.5, 100.0], [math.inf, math.nan, 0.0]])
        self.assertEqual(texts(x._repr_html_()), re.findall(r"[-\w.]+", repr(x).replace("tensor", "")))
        self.assertEqual(texts(glassgrad.tensor([True, False])._repr_html_()), ["True", "False"])
        self.assertEqual(texts(glassgrad.tensor(3)._repr_html_()), ["3"])
        self.assertEqual(texts(glassgrad.tensor([])._repr_html_()), [])
        self.assertEqual(texts(glassgrad.arange(4).view(2, 2)._repr_html_()), ["0", "1", "2", "3"])
        self.assertEqual(texts(glassgrad.arange(6).view(2, 3).t()._repr_html_()), ["0", "3", "1", "4", "2", "5"])

    def test_more_dimensions_are_several_tables(self):
        html = glassgrad.arange(12.0).view(2, 3, 2)._repr_html_()
        self.assertEqual(html.count("<table"), 2)
        self.assertIn("[1]</caption>", html)
        self.assertEqual(texts(html)[-1], "11.")
        self.assertEqual(glassgrad.zeros(20, 2, 2)._repr_html_().count("<table"), 8)
        self.assertIn("12 more", glassgrad.zeros(20, 2, 2)._repr_html_())

    def test_a_large_tensor_is_summarised_as_print_does(self):
        html = glassgrad.arange(10000).view(100, 100)._repr_html_()
        self.assertEqual(html.count("<tr"), 8)  # one header row, three rows, dots, three rows
        self.assertIn("9999", texts(html))
        self.assertLess(len(html), 20000)
        self.assertEqual(glassgrad.zeros(0, 5)._repr_html_().count("<table"), 0)

    def test_notes(self):
        x = glassgrad.ones(2, requires_grad=True)
        self.assertIn("requires_grad=True", x._repr_html_())
        self.assertIn("grad_fn=&lt;MulBackward0&gt;", (x * 2)._repr_html_())

    def test_ink_can_be_read_on_every_ground(self):
        for values in [-1.0, -0.3, 0.0, 0.7, 1.0], [math.inf, math.nan, 1.0]:
            html = glassgrad.tensor(values)._repr_html_()
            grounds = re.findall(r"background:#(\w{6})", html)
            self.assertEqual(len(grounds), len(values))
            for ground in grounds:
                self.assertGreaterEqual(contrast("111111", ground), 4.5)


def contrast(a, b):
    def light(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    unittest.main()
