#!/usr/bin/env python3
"""`graph`: the autograd graph behind a tensor, drawn with letters, as a list, for Graphviz and as a picture."""
import re
import unittest
import xml.etree.ElementTree as ElementTree
from itertools import combinations

from program import glassgrad
from training import Folder

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 0.61 * 12  # width of the widest letter in a monospaced font of this size

# PyTorch's grad_fn and next_functions for (x @ W_query) @ (x @ W_key).T / root -> softmax -> @ (x @ W_value).
SELF_ATTENTION = ["AccumulateGrad", "MmBackward0", "AccumulateGrad", "MmBackward0", "PermuteBackward0", "MmBackward0",
                  "DivBackward0", "SoftmaxBackward0", "AccumulateGrad", "MmBackward0", "MmBackward0"]


class Graph(unittest.TestCase):
    def graph(self, *arguments):
        run = glassgrad("graph", *arguments)
        self.assertEqual((run.code, run.err), (0, ""), arguments)
        return run.out

    def list(self, *arguments):
        return self.graph(*arguments, "--format", "text")

    def boxes(self, text):
        """(number, title, shape, range, what it is made from) of each line."""
        found, details = [], []
        for line in text.split("\nEach line stands")[0].splitlines():
            head = re.match(r" *(\d+)  (\S+) +(\[.*?\]) *(?:(\S+) \.\.\. (\S+))?$", line)
            if head:
                found.append([int(head[1]), head[2], head[3], head[4], []])
                details.append("")
            elif found:
                details[-1] += " " + line.strip()
        for box, text in zip(found, details):
            if made := re.search(r"from ((?:\d+, )*\d+)$", text.rstrip()):
                box[4] = [int(n) for n in made[1].split(", ")]
        return found

    def test_the_nodes_are_pytorchs(self):
        text = self.list("journey", "self-attention-v1:context_vec", "--expand")
        boxes = self.boxes(text)
        self.assertEqual(sorted(b[1] for b in boxes), sorted(SELF_ATTENTION))
        self.assertEqual(boxes[-1][1:3], ["MmBackward0", "[6, 2]"])
        for number, title, _, least, made_from in boxes:
            self.assertTrue(all(n < number for n in made_from))
            self.assertEqual(title == "AccumulateGrad", not made_from)
            self.assertIsNotNone(least)
        softmax = next(b for b in boxes if b[1] == "SoftmaxBackward0")
        self.assertEqual([boxes[n - 1][1] for n in softmax[4]], ["DivBackward0"])
        self.assertIn("v1-projections:W_query", text)
        self.assertIn("v1-weights:attn_weights; from", text)

    def test_modules_are_boxes_until_they_are_opened(self):
        short, long = (self.list("journey", "split-attention:context_vecs", *flags) for flags in ([], ["--expand"]))
        nodes, leaves = map(int, re.search(r"(\d+) nodes and (\d+) leaf tensors, modules", short).groups())
        self.assertEqual(len(self.boxes(long)), nodes + leaves)
        self.assertIn(f"{nodes} nodes and {leaves} leaf tensors\n", long)
        self.assertIn("W_query", [b[1] for b in self.boxes(short)])
        self.assertLess(len(self.boxes(short)), len(self.boxes(long)))
        self.assertIn("split-masked-scores:attn_scores", short)
        self.assertIn("-inf ... ", short)
        for text in short, long:
            self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_every_lesson_has_one(self):
        for lesson in "gpt-attention", "single-and-multi", "cat", "climb":
            flags = ["--width", 12, "--context", 4] if lesson == "gpt-attention" else []
            boxes = self.boxes(self.list(lesson, *flags))
            self.assertGreater(len(boxes), 2, lesson)
            used = {n for b in boxes for n in b[4]}
            self.assertEqual(used, set(range(1, len(boxes))), lesson)  # every box but the last has a successor

    def test_the_drawing_has_every_box_and_every_line(self):
        up, down, left, right = "│┴┼├╰└┘", "│┬┼├╮┌┐", "─┬┴┼╮┐┘", "─┬┴┼├╰┌└"
        branches = 0
        for flags in ["journey"], ["journey", "--expand"], ["autograd.order"], ["single-and-multi", "--expand"], \
                ["gpt-attention", "--width", 12, "--context", 4, "--expand"]:
            lines = self.graph(*flags).split("\nA box is an op")[0].splitlines()[3:]
            self.assertLessEqual(max(map(len, lines)), 80)
            width = max(map(len, lines)) + 1
            at = [line.ljust(width) for line in lines]
            for y, line in enumerate(at):  # every line has two ends
                for x, c in enumerate(line):
                    if c in down:
                        self.assertIn(at[y + 1][x], up, f"{flags} {y} {x}")
                    if c in right:
                        self.assertIn(line[x + 1], left, f"{flags} {y} {x}")
            found = []
            for y, x in ((y, x) for y, line in enumerate(at) for x, c in enumerate(line) if c == "┴"):
                y -= 1
                while at[y][x] != "┬":
                    if at[y][x] == "╮":
                        while at[y][x] not in "╰├":
                            x -= 1
                        branches += 1
                    y -= 1
                found.append(re.match(r" (\[.*?\])", at[y + 1][x + 1:])[1])
            boxes = self.boxes(self.list(*flags))
            self.assertEqual(sum(line.count("┌") for line in at), len(boxes))
            self.assertEqual(sorted(found), sorted(boxes[n - 1][2] for box in boxes for n in set(box[4])), flags)
        self.assertGreater(branches, 3)

    def test_dot(self):
        text = self.graph("journey", "--format", "dot")
        self.assertRegex(text, r'^digraph "journey wide-weights:context_vec" \{\n(  .*;\n)+\}\n$')
        boxes = set(re.findall(r"^  (n\d+) \[", text, re.M))
        wires = re.findall(r"^  (n\d+) -> (n\d+);", text, re.M)
        self.assertEqual({end for wire in wires for end in wire}, boxes)
        self.assertEqual(len(boxes), len(self.boxes(self.list("journey"))))

    def picture(self, *arguments):
        root = ElementTree.fromstring(self.graph(*arguments, "--format", "svg"))
        size = float(root.get("width")), float(root.get("height"))
        rects = [[float(r.get(k)) for k in ("x", "y", "width", "height")] for r in root.findall(SVG + "rect")
                 if r.get("x")]
        texts = [(float(t.get("x")), float(t.get("y")), t.text) for t in root.findall(SVG + "text")]
        wires = [p.get("d") for g in root.findall(SVG + "g") for p in g.findall(SVG + "path")]
        return size, rects, texts, wires

    def test_svg_can_be_read(self):
        for flags in ["journey"], ["journey", "--expand"], ["single-and-multi", "--expand"]:
            (width, height), rects, texts, wires = self.picture(*flags)
            for x, y, w, h in rects:
                self.assertTrue(0 <= x and x + w <= width and 0 <= y and y + h <= height)
            for (x, y, w, h), (a, b, c, d) in combinations(rects, 2):
                self.assertTrue(x + w < a or a + c < x or y + h < b or b + d < y, "two boxes overlap")
            title, *labels = texts
            self.assertLessEqual(len(title[2]) * LETTER, width)
            self.assertLess(title[1], min(y for _, y, _, _ in rects))
            for x, y, text in labels:
                half = len(text) * LETTER / 2
                self.assertEqual(sum(a <= x - half and x + half <= a + w and b < y - 9 and y + 3 < b + h
                                     for a, b, w, h in rects), 1, text)
            for path in wires:  # straight beside boxes: a wire touches only the two boxes that it joins
                x, y = map(float, re.match(r"M(\S+) ([\d.]+)", path).groups())
                for straight, bend in re.findall(r"V([\d.]+)(?:C([\d. ]+))?", path):
                    for a, b, w, h in rects:
                        self.assertFalse(a < x < a + w and y < b + h - 0.1 and float(straight) > b + 0.1, path)
                    if bend:
                        x, y = map(float, bend.split()[-2:])

    def test_what_has_no_graph(self):
        for arguments, words in ((["journey", "scores:attn_scores"], "requires a gradient"),
                                 (["journey", "v1-projections:W_query"], "leaf"),
                                 (["journey", "v1-projections:W_qery"], "did you mean W_query"),
                                 (["journey", "v1-projection:W_query"], "did you mean v1-projections"),
                                 (["jurney"], "did you mean journey"), ([], "which graph"),
                                 (["journey", "--format", "png"], "--format"), (["journey", "--text", "a"], "--text"),
                                 (["journey", "--heads", "3"], "divisible"),
                                 (["/dev", "--seed", "1"], "for lessons")):
            run = glassgrad("graph", *arguments)
            self.assertEqual((run.code, run.out), (2, ""), run.err)
            self.assertIn(words, run.err)
            self.assertEqual(run.err.count("\n"), 1, run.err)


class OfAModel(Folder):
    def test_a_checkpoint(self):
        self.trained()
        run = glassgrad("graph", self.run_folder, "--text", "cats climb trees during")
        self.assertEqual((run.code, run.err), (0, ""))
        for words in "att", "loss", "AddBackward0", "3 tokens":
            self.assertIn(words, run.out)
        whole = glassgrad("graph", self.run_folder, "--expand").out
        for words in "NllLossBackward0", "NativeLayerNormBackward0", "trf_blocks.0.att.W_query.weight", "EmbeddingBackward0":
            self.assertIn(words, whole)
        self.assert_fails(glassgrad("graph", self.run_folder, "--text", "cats"), "2", code=2)
        self.assert_fails(glassgrad("graph", self.write("x.safetensors", b"no tensors at all")), "x.safetensors")


if __name__ == "__main__":
    unittest.main()
