"""A program under glass: its numbers open under its own names, forward and backward, and evaluate to what is printed."""
import gc
import math
import random
import threading
import unittest
import weakref

import glassgrad as torch
import trees
from glassgrad import nn
from glassgrad.nn import functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, context, mask=True):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.W_query = nn.Linear(width, width, bias=False)
        self.W_key = nn.Linear(width, width, bias=False)
        self.W_value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.triu(torch.ones(context, context), diagonal=1 if mask else context))

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, self.size).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        queries = self.split(self.W_query(x))
        keys = self.split(self.W_key(x))
        values = self.split(self.W_value(x))
        scores = queries @ keys.transpose(2, 3) / self.size**0.5
        masked = scores.masked_fill(self.mask[:n, :n].bool(), -math.inf)
        weights = torch.softmax(masked, dim=-1)
        context = (weights @ values).transpose(1, 2).reshape(x.shape)
        return self.out(context)


def attention(mask=True):
    torch.manual_seed(3)
    return MultiHeadAttention(8, 2, 5, mask), torch.randn(2, 5, 8)


class Opening(unittest.TestCase):
    def test_a_number_opens_in_the_names_of_the_program(self):
        with torch.glass():
            queries = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            keys = torch.tensor([[0.5, -1.0], [0.25, 2.0]])
            scores = queries @ keys.T
        why = scores.why(1, 0)
        self.assertTrue(why.startswith("scores[1,0]\n"), why)
        self.assertIn("test_glass.py:", why)
        self.assertIn("queries[1,0] · keys[0,0]", why)
        self.assertTrue(why.endswith("= -2.5000\n"), why)
        self.assertEqual(str(scores.why(-1, -2)), str(why))
        self.assertEqual(repr(why), why.rstrip("\n"))
        self.assertEqual(why.json["value"], -2.5)
        self.assertIn("= -2.5\n", scores.why(1, 0, exact=True))
        self.assertGreater(len(scores.why(1, 0, depth=2)), len(why))
        self.assertIn("scores [2, 2] = mm(queries [2, 2]", scores.made_by())
        self.assertIn("scores [2, 2] = mm(queries [2, 2]", queries.used_in())

    def test_values_of_functions_and_modules_have_their_names(self):
        attend, x = attention()
        with torch.glass() as g:
            y = attend(x)
        calls = str(g.calls())
        for name in ("scores [2, 2, 5, 5]", "masked [2, 2, 5, 5]", "weights [2, 2, 5, 5]", "attend.W_query.weight [8, 8]", "y [2, 5, 8]"):
            self.assertIn(name, calls)
        self.assertIn("weights[1,0,3,2]", y.why(1, 3, 2, depth=3) + str(g.calls()) + y.why(1, 3, 2, depth=4))

    def test_random_cells_and_gradients_evaluate_to_what_is_printed(self):
        attend, x = attention()
        x.requires_grad_()
        with torch.glass() as g:
            y = attend(x)
            loss = F.cross_entropy(y.flatten(0, 1), torch.tensor([1, 7, 0, 2, 2, 3, 5, 6, 0, 4]))
            loss.backward()
        draw = random.Random(1)
        asked = [y, loss, x.grad, *[p.grad for p in attend.parameters()]]
        for tensor in asked * 8:
            index = [draw.randrange(n) for n in tensor.shape]
            value = (tensor[tuple(index)] if index else tensor).item()
            self.assertIsNone(trees.problem(tensor.why(*index, depth=3).json, value))
            self.assertTrue(trees.printed(tensor.why(*index), value))
        trees.check_results(self, g, 100, lambda call: not call["backward"])
        trees.check_results(self, g, 100, lambda call: call["backward"])

    def test_gradients_are_named_after_their_tensors(self):
        w = torch.tensor([1.0, -2.0], requires_grad=True)
        x = torch.tensor([3.0, 5.0])
        with torch.glass():
            scores = w * x
            loss = (scores * scores).sum()
            loss.backward()
        why = w.grad.why(1)
        self.assertTrue(why.startswith("w.grad[1]\n"), why)
        self.assertIn("scores.grad[1]", why)
        self.assertTrue(why.endswith("= -100.\n"), why)


class Names(unittest.TestCase):
    def test_a_name_stays_with_the_numbers_that_had_it(self):
        x = torch.tensor([1.0, 2.0])
        with torch.glass():
            first = x
            x = x * 10
            for _ in range(3):
                x = x + 1
        self.assertTrue(x.why(0).startswith("x#5[0]\n"), x.why(0))
        self.assertIn("x#4[0]", x.why(0))
        self.assertIn("given", first.why(1))

    def test_two_names_for_one_storage_say_so(self):
        with torch.glass():
            scores = att = torch.ones(2, 2) * 3
        self.assertRegex(scores.why(0, 1), r"^(scores|att)\[0,1\], also called (scores|att)\[0,1\]\n")

    def test_go_betweens_name_nothing(self):
        xs = [torch.ones(2), torch.ones(2) * 2]
        with torch.glass() as g:
            total = sum(xs)
            largest = max(xs[0].sum(), xs[1].sum())
            several = list(map(torch.relu, xs))
        calls = str(g.calls())
        self.assertNotIn("several [", calls)
        self.assertNotIn("largest []  = gt", calls)
        self.assertIn("total", total.why(0))
        self.assertIn("several[1][0]", several[1].why(0))
        del largest

    def test_parts_of_a_result(self):
        with torch.glass():
            q, k = torch.arange(4.0).split(2)
            values, indices = (q * k).max(dim=0)
        self.assertIn("q[1]", q.why(1))
        self.assertTrue(k.why(1).startswith("k[1]\n"), k.why(1))
        self.assertTrue(values.why().startswith("values\n"), values.why())
        self.assertTrue(indices.why().startswith("indices\n"), indices.why())

    def test_names_of_modules_lists_and_attributes(self):
        class Trainer:
            pass

        trainer = Trainer()
        trainer.model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        rows = [torch.ones(2), torch.zeros(2)]
        with torch.glass() as g:
            trainer.model(rows[0])
        self.assertIn("trainer.model.0.weight", str(g.calls()))
        self.assertIn("rows[0]", str(g.calls()))


class Truth(unittest.TestCase):
    def test_what_was_seen_stays_when_it_is_written_later(self):
        w = torch.tensor([2.0, 3.0])
        with torch.glass():
            y = w * w
        w.fill_(100)
        self.assertIn("w[1] = 3.", y.why(1, depth=2))
        self.assertIn("did not watch", w.why(0))
        thread = threading.Thread(target=lambda: y.add_(1))
        thread.start()
        thread.join()
        self.assertIn("did not watch", y.why(0))

    def test_views_and_writes_in_place(self):
        with torch.glass():
            x = torch.zeros(3, 3)
            x[1] = 5
            x[:, 2] *= 2
        self.assertIn("· 2", x.why(1, 2))
        self.assertIn("zeros", x.why(0, 0))
        self.assertIn("copy_", x.made_by() + x.why(1, 0))

    def test_a_write_that_fails_changes_nothing(self):
        with torch.glass():
            x = torch.ones(2) * 3
            leaf = torch.ones(2, requires_grad=True)
            for broken in (lambda: x.copy_(torch.ones(3)), lambda: leaf.add_(1), lambda: x.index_fill_(0, torch.tensor([5]), 1)):
                with self.assertRaises((RuntimeError, IndexError)):
                    broken()
            y = x * 2
        self.assertIn("= 6.", y.why(0))
        self.assertIn("3.", x.why(0, depth=2))

    def test_output_is_the_same_under_glass(self):
        def run():
            torch.manual_seed(1)
            attend, x = attention()
            loss = attend(x).square().mean()
            loss.backward()
            return [loss.item(), *[p.grad.tolist() for p in attend.parameters()]]

        plain = run()
        with torch.glass():
            watched = run()
        self.assertEqual(plain, watched)

    def test_an_exception_leaves_what_came_before(self):
        with self.assertRaises(ZeroDivisionError):
            with torch.glass():
                x = torch.ones(2) * 4
                x / (1 // 0)
        self.assertIn("= 4.", x.why(0))
        self.assertFalse(torch._C._nn.watching())

    def test_no_grad_hooks_deleted_tensors_and_recursion(self):
        def deep(x, n):
            return x if n == 0 else deep(x + 1, n - 1)

        w = torch.ones(2, requires_grad=True)
        with torch.glass() as g:
            with torch.no_grad():
                frozen = w * 3
            hidden = w * 2
            hidden.register_hook(lambda grad: grad * 10)
            loss = hidden.sum()
            del hidden
            loss.backward()
            bottom = deep(torch.zeros(1), 900)
        self.assertIn("= 3.", frozen.why(0))
        self.assertIn("= 20.", w.grad.why(0))
        self.assertIn("= 900.", bottom.why(0))
        self.assertIn("= 2.0000", loss.why())
        self.assertGreater(len(g), 900)

    def test_only_its_own_thread_is_seen(self):
        made = []
        with torch.glass():
            thread = threading.Thread(target=lambda: made.append(torch.ones(2) * 2))
            thread.start()
            thread.join()
        with self.assertRaisesRegex(RuntimeError, "no glass has seen this tensor"):
            made[0].why(0)


class Life(unittest.TestCase):
    def test_outside_of_any_glass_it_says_what_to_do(self):
        x = torch.ones(2)
        for ask in (lambda: x.why(0), x.made_by, x.used_in):
            with self.assertRaisesRegex(RuntimeError, "inside `with glassgrad.glass\\(\\):`"):
                ask()
        with torch.glass():
            y = x + 1
        with self.assertRaisesRegex(IndexError, "which number"):
            y.why()
        with self.assertRaisesRegex(IndexError, "outside of the shape"):
            y.why(2)
        with self.assertRaisesRegex(ValueError, "depth"):
            y.why(0, depth=0)

    def test_memory_goes_with_the_last_tensor(self):
        def watched():
            with torch.glass() as g:
                y = torch.rand(4, 4) @ torch.rand(4, 4)
                z = y * 2
            return weakref.ref(g), z

        glass, z = watched()
        gc.collect()
        self.assertIsNone(glass())
        self.assertIn("y[0,0]", z.why(0, 0))
        alone = z + 1  # computed outside of the glass
        del z
        with self.assertRaises(RuntimeError):
            alone.why(0, 0)

    def test_a_gradient_keeps_its_glass(self):
        w = torch.ones(2, requires_grad=True)

        def step():
            with torch.glass():
                (w * 3).sum().backward()

        step()
        self.assertIn("= 3.", w.grad.why(0))
        w.grad = None
        with self.assertRaises(RuntimeError):
            w.why(0)

    def test_glasses_inside_each_other(self):
        with torch.glass() as outer:
            x = torch.ones(1) + 1
            with torch.glass() as inner:
                y = x * 2
            z = y * 2
        self.assertEqual((len(outer), len(inner)), (4, 1))
        self.assertIn("y[0]", z.why(0))
        with self.assertRaisesRegex(RuntimeError, "used before"):
            outer.__enter__()

    def test_the_page_of_a_number(self):
        with torch.glass():
            a = torch.tensor([[1.0, 2.0]])
            b = a * 3
            c = (b @ b.T).exp()
        page = c.why(0, 0)._repr_html_()
        self.assertIn("<details>", page)
        self.assertIn("b[0,1]", page)
        for forbidden in ("<script", "<link", "<style", "http", "javascript", "onclick"):
            self.assertNotIn(forbidden, page)
        self.assertEqual(page.count("<details>"), page.count("</details>"))


if __name__ == "__main__":
    unittest.main()
