#!/usr/bin/env python3
"""What grids show by colour, blocks and bars; a product term by term; the same without colour, and spoken."""
import unittest

from program import learn
from terminal import Terminal

FROM = ("learn", "journey", "--no-state", "--from")
BLOCK = "\u2591"


class OnTheScreen(unittest.TestCase):
    def test_colours_say_what_marks_say_without(self):
        with Terminal(*FROM, "masked-scores", lines=46) as t:
            shown = t.until("q quit")
            self.assertIn("teal > 0, orange < 0", shown)
            self.assertNotIn("0.2899@", shown)
            self.assertIn("\x1b[48;5;", t.raw)
            self.assertNotIn("\x1b[48;2;", t.raw)
        with Terminal(*FROM, "masked-scores", lines=46, COLORTERM="truecolor") as t:
            t.until("q quit")
            self.assertIn("\x1b[48;2;", t.raw)
        for plain in {"NO_COLOR": "1"}, {"TERM": "vt100", "NO_COLOR": ""}:
            with Terminal(*FROM, "masked-scores", lines=46, **plain) as t:
                shown = t.until("q quit")
                self.assertIn(". - + * @: |value| / largest", shown)
                self.assertIn("0.2899*", shown)
                self.assertNotIn("\x1b[48;", t.raw)

    def test_masked_cells_are_blocks(self):
        with Terminal(*FROM, "masked-scores", lines=46) as t:
            shown = t.until("q quit", f"{BLOCK} masked")
            self.assertIn(f"(T=6 queries, T=6 keys)  {BLOCK} = -inf", shown)
            self.assertIn(f"Your     0.2899  {BLOCK * 7}  {BLOCK * 7}", shown)
            t.send("t")  # the tensor as PyTorch prints it
            self.assertNotIn(BLOCK, t.until("-inf,   -inf"))

    def test_one_sentence_of_a_batch(self):
        with Terminal(*FROM, "batch", lines=46) as t:
            shown = t.until("the same for the other sentence", "f unfold")
            self.assertNotIn("batch 1:", shown)
            t.send("f")
            t.until("batch 1:", "f fold", without="the same for")

    def test_a_product_grows_term_by_term(self):
        with Terminal(*FROM, "scores") as t:
            t.until("q quit")
            t.send("\t\x1b[6~\x1b[6~")
            t.until("[0.9995]", "+ product")
            t.send("+")
            t.until("inputs  6 x 3", "inputs.T  3 x 6", "[?]", "attn_scores[0,0]: 3 terms. + adds the first.")
            t.send("+")
            t.until("inputs[0,0] \u00b7 inputs[0,0]  0.4300 \u00b7 0.4300 = 0.1849  sum 0.1849", "1 of 3 terms")
            t.send("+=")  # = is + without Shift
            t.until("[0.9995]", "attn_scores[0,0] = 0.9995: all 3 terms", "sum 0.9995")
            t.send("-")
            t.until("2 of 3 terms", "[0.2074]")
            t.send("\x1b[C")
            t.until("attn_scores[0,1]: 3 terms")
            t.send("\x7f")
            t.until("scores:attn_scores[0,1]", "Tab back")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_a_number_that_a_loop_has_filled_in_is_its_product(self):
        with Terminal(*FROM, "scores") as t:
            t.until("q quit")
            t.send("\t+++")
            t.until("inputs  1 x 3", "[0.2074]", "dot: 2 of 3 terms")
            t.send("\x1b[C")
            t.until("dot: 3 terms")
            t.send("+++")
            t.until("dot = 0.9544: all 3 terms")
            t.send("\x7f")
            t.until("scores:attn_scores#1[0,1]", "Tab back")

    def test_a_bias_is_the_last_term(self):
        with Terminal(*FROM, "split-attention") as t:
            t.until("q quit")
            t.send("\t\x1b[6~\x1b[6~+")
            t.until("context_vec", "3 terms, the last is the bias")
            t.send("+++")
            t.until("the bias 0.1934  sum 0.3190", "= 0.3190: all 3 terms")

    def test_what_is_no_product_says_so(self):
        with Terminal(*FROM, "row-sums") as t:
            t.until("q quit")
            t.send("\t+")
            t.until("This number is no row times a column")

    def test_bars_of_a_row(self):
        with Terminal(*FROM, "masked-softmax") as t:
            t.until("q quit")
            t.send("a")
            t.until('query "Your" looks at', f"step     {BLOCK * 6}  masked")
            t.send("\x1b[B")
            t.until('query "journey" looks at', "journey  0.1218  " + "\u2588" * 10, without="journey  " + BLOCK)
            t.send("a")
            t.until("scaled_scores  (T=6 queries", "a bars")


class Otherwise(unittest.TestCase):
    def test_spoken(self):
        spoken = learn("--speak", "--from", "masked-scores", "--to", "masked-softmax").out
        self.assertIn('"Your" 0.2899, "journey" masked', spoken)
        self.assertNotIn(BLOCK, spoken)
        self.assertNotIn("-inf,", spoken)

    def test_plain_forms_keep_the_numbers(self):
        for form in ["--outputs"], ["--plain"], ["--format", "markdown"]:
            text = learn(*form, "--from", "masked-scores", "--to", "masked-scores").out
            self.assertIn("-inf", text)
            self.assertNotIn(BLOCK, text)


if __name__ == "__main__":
    unittest.main()
