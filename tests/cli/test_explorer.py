#!/usr/bin/env python3
"""The explorer's pages: what `learn --html` writes, and that what is in it is what the other commands say."""
import functools
import gzip
import itertools
import json
import os
import re
import struct
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from lesson import flat
from program import glassgrad, learn, listed

MOST_BYTES = 2_500_000
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
          "worker-src blob:; img-src data:")
LESSONS = [name for name, *_ in listed(glassgrad("docs").out)]
WORDS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


@functools.cache
def page(lesson, *arguments):
    run = learn(*arguments, "--html", "-", lesson=lesson, timeout=240)
    assert (run.code, run.err) == (0, ""), run.err
    return run.out


def scripts(html):
    """The elements <script>: {id: text}, the last one as ''."""
    return {id or "": text for id, text in re.findall(r'<script(?: type="[^"]+" id="(\w+)")?>(.*?)</script>', html, re.S)}


def bytes_of(text):
    """The bytes that apps/page/bytes_as_text.h has written as text."""
    digits = [chr(code) for code in range(33, 127) if chr(code) not in '"<\\']
    values = [digits.index(digit) for digit in text]
    bits = "".join(f"{low + 91 * high:013b}"[::-1] for low, high in zip(values[::2], values[1::2]))
    bits += "".join(f"{last:06b}"[::-1] for last in values[len(values) & ~1:])
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits) - 7, 8))


@functools.cache
def data(lesson, *arguments):
    return json.loads(scripts(page(lesson, *arguments))["data"])


def entries(steps):
    return {f"{step['id']}:{entry['name']}": entry for step in steps for entry in step["entries"] if "shape" in entry}


def texts(numbers):
    """The cells as PyTorch prints them: said, or the words between the brackets of its text."""
    if "texts" in numbers:
        return numbers["texts"].split()
    inside = numbers["text"].partition("(")[2]
    inside = inside[:inside.rfind("]")] if inside.startswith("[") else re.split("[,)]", inside)[0]
    return re.findall(r"[^\[\], \n]+", inside)


def exact(numbers):
    return numbers["exact"].split() if "exact" in numbers else texts(numbers)


def same(text, number):
    """Are the page's digits those of the JSON's number, which is a float32, or the word for it?"""
    if isinstance(number, (bool, str)):
        return text == WORDS.get(number, str(number))
    return struct.pack("f", float(text)) == struct.pack("f", number)


def plain(words):
    """The text of a sentence's marked words."""
    return "".join(word if isinstance(word, str) else next(text for kind, text in word.items() if kind != "link") for word in words)


class Markup(HTMLParser):
    """What a browser would make of the page: its elements with their attributes, and the text outside scripts."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text, self.inside = [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, text):
        if not {"script", "style"} & set(self.inside):
            self.text += text


class Page(unittest.TestCase):
    def test_every_lesson_has_one_that_asks_nobody_for_anything(self):
        self.assertGreater(len(LESSONS), 10)
        for lesson in LESSONS:
            html = page(lesson)
            markup = Markup(html)
            with self.subTest(lesson=lesson):
                self.assertLess(len(html.encode()) - len(scripts(html).get("wasm", "")), MOST_BYTES)
                self.assertEqual([a["content"] for tag, a in markup.elements if a.get("http-equiv")], [POLICY])
                for tag, attributes in markup.elements:
                    self.assertNotIn(tag, ("iframe", "object", "embed", "base", "form"))
                    for name, value in attributes.items():
                        if name in ("src", "href", "action", "data", "srcset"):
                            self.assertTrue(value.startswith(("data:", "#")), (tag, name, value))
                        self.assertFalse(name.startswith("on"), (tag, name))
                style = html[html.index("<style>"):html.index("</style>")]
                self.assertNotRegex(style, r"@import|url\((?!['\"]?data:)")
                self.assertNotRegex(scripts(html)[""], r"\bfetch\(|XMLHttpRequest|WebSocket|import\(|innerHTML")

    def test_the_same_run_gives_the_same_bytes(self):
        for lesson in "journey", "heads.same":
            again = learn("--html", "-", lesson=lesson).out
            self.assertTrue(again == page(lesson), lesson)

    def test_the_first_step_can_be_read_without_scripts(self):
        for lesson in LESSONS:
            markup = Markup(page(lesson))
            first = data(lesson)["forward"][0]
            text = " ".join(markup.text.split())
            with self.subTest(lesson=lesson):
                for sentence in [first["title"], *map(plain, first["prose"])]:
                    self.assertIn(" ".join(sentence.split()), text)
                shown = [e for e in first["entries"] if "shape" in e and not e["folded"]]
                if any(e["shape"] and 0 not in e["shape"] for e in shown):
                    self.assertIn("table", [tag for tag, _ in markup.elements])
                    self.assertIn(("th", {"scope": "col"}), markup.elements)
                for entry in shown:
                    for number in texts(data(lesson)["numbers"][entry["numbers"]]):
                        self.assertIn(number, text)

    def test_a_token_is_text_whatever_it_says(self):
        names = "</script><script>alert(1)</script>,<img src=x onerror=alert(1)>,&lt;,<!--,\",]]>"
        html = page("journey", "--tokens", names)
        self.assertEqual(data("journey", "--tokens", names)["tokens"], names.split(","))
        plain = Markup(page("journey")).elements
        self.assertEqual([tag for tag, _ in Markup(html).elements], [tag for tag, _ in plain])
        self.assertIn("<img src=x onerror=alert(1)>", Markup(html).text)
        self.assertNotIn("<", scripts(html)["data"])

    def test_bytes_that_are_no_text(self):
        run = learn("--tokens", b"\xff,b,c,d,e,f".decode("utf-8", "surrogateescape"), "--html", "-")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertEqual(run.err, "glassgrad: --tokens: a name holds a control character, or bytes that are no UTF-8\n")


class Data(unittest.TestCase):
    def check_side(self, lesson, side, *arguments):
        told = json.loads(learn("--format", "json", *(["--backward"] if side == "backward" else []), *arguments,
                                lesson=lesson, timeout=120).out)
        page = data(lesson, *arguments)
        self.assertEqual([s["id"] for s in page[side]], [s["id"] for s in told["steps"]])
        kept = 0
        for step, mine in zip(told["steps"], page[side]):
            self.assertEqual(mine["title"], step["title"])
            found = entries([mine])
            self.assertEqual([e["name"] for e in found.values()], [t["name"] for t in step["tensors"]])
            for tensor in step["tensors"]:
                entry = found[f"{step['id']}:{tensor['name']}"]
                self.assertEqual((entry["shape"], entry["dtype"]), (tensor["shape"], tensor["dtype"]))
                if entry["folded"]:
                    if tensor["data"] is None:
                        self.assertEqual(entry["folded"]["checksum"], tensor["checksum"])
                    continue
                numbers = page["numbers"][entry["numbers"]]
                values = flat(tensor["data"]) if tensor["shape"] else [tensor["data"]]
                self.assertEqual(len(exact(numbers)), len(values))
                self.assertEqual(len(texts(numbers)), len(values))
                for text, value in zip(exact(numbers), values):
                    self.assertTrue(same(text, value), (step["id"], tensor["name"], text, value))
                for text in texts(numbers):
                    self.assertIn(text, numbers["text"])
                kept += len(values)
        return kept

    def test_its_numbers_are_those_of_the_lessons(self):
        kept = 0
        for lesson in LESSONS:
            with self.subTest(lesson=lesson):
                kept += self.check_side(lesson, "forward")
        self.assertGreater(kept, 30_000)

    def test_and_those_of_the_backward_passes(self):
        kept = sum(self.check_side(lesson, "backward") for lesson in LESSONS if data(lesson)["backward"])
        self.assertGreater(kept, 50_000)

    def test_settings_and_changes_are_told(self):
        whole = data("journey", "--seed", "7", "--set", "masked[2,1]=0.9")
        self.assertEqual(whole["command"], "glassgrad learn journey --seed 7 --set 'masked-scores:masked[2,1]=0.9'")
        self.assertEqual((whole["flags"], whole["set"]), ({"--seed": "7"}, ["masked[2,1]=0.9"]))
        settings = {s["flag"]: s for s in whole["settings"]}
        self.assertEqual((settings["--seed"]["value"], settings["--seed"]["default"]), ("7", "123"))
        self.assertEqual(settings["--tokens"]["value"], "Your,journey,starts,with,one,step")
        changed = entries(whole["forward"])["masked-scores:masked"]
        self.assertEqual(changed["changed"], [13])
        self.assertIn("masked[2,1]", changed["changed_text"])
        self.assertEqual(len(whole["differences"]["set"]), 1)

    def test_own_numbers_are_kept_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "my.csv")
            path.write_text("1,2\n0.1,-3\n1e30,5\n")
            flags = data("journey", "--inputs", str(path))["flags"]
        self.assertEqual(flags["--inputs"]["shape"], [3, 2])
        self.assertTrue(all(same(str(b), a) for a, b in zip(flags["--inputs"]["data"], [1, 2, 0.1, -3, 1e30, 5])))

    def test_gradients_and_tensors_name_each_other(self):
        whole = data("journey")
        forward, backward = entries(whole["forward"]), entries(whole["backward"])
        there = {name: e["other"] for name, e in forward.items() if e["other"]}
        back = {name: e["other"] for name, e in backward.items() if e["other"]}
        self.assertGreater(len(there), 10)
        for name, other in there.items():
            self.assertEqual(forward[name]["shape"], backward[other]["shape"])
        self.assertTrue(set(back.values()) <= set(forward))
        self.assertTrue(set(there.values()) <= set(backward))

    def test_the_map_has_every_tensor_once_below_those_that_it_was_computed_from(self):
        for lesson in LESSONS:
            whole = data(lesson)
            picture, shown = whole["picture"], entries(whole["forward"])
            boxes = picture["boxes"]
            there = [address for box in boxes for address in box["addresses"]]
            self.assertEqual(len(there), len(set(there)), lesson)
            self.assertEqual(set(there) - set(entries([whole["given"]])),
                             {address for address, entry in shown.items()
                              if entry["whose"] not in ("view", "wrong") and 0 not in entry["shape"]}, lesson)
            self.assertEqual(sorted((wire["from"], wire["to"]) for wire in picture["wires"]),
                             sorted((f, i) for i, box in enumerate(boxes) for f in box["from"]), lesson)
            for box in boxes:
                self.assertGreaterEqual(box["x"], 0, lesson)
                self.assertLessEqual(box["x"] + box["width"], picture["width"], lesson)
                for above in box["from"]:
                    self.assertLess(boxes[above]["y"] + boxes[above]["height"], box["y"], lesson)
            for a, b in itertools.combinations(boxes, 2):
                self.assertFalse(a["x"] < b["x"] + b["width"] and b["x"] < a["x"] + a["width"] and
                                 a["y"] < b["y"] + b["height"] and b["y"] < a["y"] + a["height"], (lesson, a, b))
            tops = [band["y"] for band in picture["bands"]]
            self.assertEqual(tops, sorted(tops), lesson)

    def test_the_map_follows_the_computation(self):
        boxes = data("journey")["picture"]["boxes"]
        at = {address: box for box in boxes for address in box["addresses"]}
        names = {address: {boxes[f]["lines"][0] for f in box["from"]} for address, box in at.items()}
        self.assertEqual(names["scores:attn_scores"], {"inputs"})
        self.assertEqual(names["weights:attn_weights"], {"attn_scores"})
        self.assertEqual(at["weights:attn_weights"]["lines"], ["attn_weights", "6 × 6", "= softmax"])
        self.assertEqual(names["context:all_context_vecs"], {"attn_weights", "inputs"})
        self.assertTrue(at["inputs:inputs"]["given"])


class Questions(unittest.TestCase):
    def test_they_are_those_of_predict(self):
        whole = data("journey")
        for way in "first", "cells", "exam":
            sheet = learn("--predict", way, "--format", "markdown").out
            asked = re.findall(r"^(\S+:\S+?)=(.+)  # \d+$", sheet, re.M)
            answers = [(q["question"], "abcdefgh"[q["choices"].index(q["answer"])] if q["choices"] else q["answer"])
                       for q in whole["questions"] if way in q["ways"]]
            self.assertEqual(asked, answers, way)

    def test_answers_and_slips_are_judged_alike(self):
        questions = [q for lesson in ("journey", "mask.five-ways") for q in
                     [dict(q, lesson=lesson) for q in data(lesson)["questions"]]]
        self.assertTrue(any(q["slips"] for q in questions))
        self.assertEqual({q["kind"] for q in questions}, {"cell", "row sum", "size", "shape", "choice"})
        for q in questions:
            self.assertEqual(len(q["hints"]), 3)
            self.assertTrue(q["opened"])
        with tempfile.TemporaryDirectory() as folder:
            for lesson in "journey", "mask.five-ways":
                lines = [f"{q['question']}={text}" for q in questions if q["lesson"] == lesson
                         for text in q["accepted"][:1]]
                Path(folder, "right").write_text("\n".join(lines) + "\n")
                run = learn("--answers", str(Path(folder, "right")), lesson=lesson)
                self.assertIn(f"{len(lines)} of {len(lines)} right", run.out)
                slips = {q["question"]: q["slips"][0] for q in questions if q["lesson"] == lesson and q["slips"]}
                Path(folder, "slips").write_text("".join(f"{a}={s['answers'][0]}\n" for a, s in slips.items()))
                run = learn("--answers", str(Path(folder, "slips")), lesson=lesson)
                for slip in slips.values():
                    self.assertIn(slip["text"], run.out)


class Cells(unittest.TestCase):
    lesson = "scale.why"

    def setUp(self):
        if "wasm" in scripts(page(self.lesson)):
            self.skipTest("with the engine in the page, it opens numbers itself")
        self.whole = data(self.lesson)
        self.cells = self.whole["cells"]

    def test_they_are_what_why_says(self):
        self.assertGreater(len(self.cells), 100)
        for address in list(self.cells)[::37]:
            if address.startswith("backward-"):
                continue
            cell = self.cells[address]
            run = glassgrad("why", self.lesson, address)
            text = "\n".join("".join(part["t"] for part in line) for line in cell["lines"])
            self.assertTrue(" ".join(text.split()) in " ".join(run.out.split()), (address, text, run.out))
            self.assertTrue(run.out.endswith(f"= {cell['value']}\n"))

    def test_links_lead_both_ways(self):
        forward = {a: c for a, c in self.cells.items() if not a.startswith("backward-")}
        links = 0
        known = {f"{name}[{','.join(map(str, index))}]" if entry["shape"] else name
                 for side in (self.whole["forward"], self.whole["backward"], [self.whole["given"]])
                 for name, entry in entries(side).items() for index in indices(entry["shape"])}
        for address, cell in self.cells.items():
            for other in [*cell["from"], *cell["to"], *filter(None, [cell["gradient"]])]:
                self.assertIn(other, known, address)
                links += 1
        self.assertGreater(links, 300)
        self.assertTrue(any(c["gradient"] for c in forward.values()))
        self.assertTrue(all(c["from"] or c["given"] for c in forward.values() if c["rule"].startswith("a + b")))


def indices(shape):
    return [[]] if not shape else [[i, *rest] for i in range(shape[0]) for rest in indices(shape[1:])]


class File(unittest.TestCase):
    def test_it_is_whole_or_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "journey.html")
            run = learn("--html", path)
            self.assertEqual((run.code, run.out, run.err), (0, f"{path} is written: open it in a browser\n", ""))
            self.assertEqual(path.read_text(), page("journey"))
            self.assertEqual(os.listdir(folder), ["journey.html"])
            run = learn("--html", Path(folder, "none", "a.html"))
            self.assertEqual((run.code, run.out), (1, ""))
            self.assertRegex(run.err, r"^glassgrad: .*a\.html: cannot be created: .*; give --html a file in a folder")
            self.assertEqual(learn("--html", folder).code, 1)
            self.assertEqual(os.listdir(folder), ["journey.html"])

    def test_large_tensors_are_folded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "big.csv")
            path.write_text("".join(",".join(["0.123456789"] * 30) + "\n" for _ in range(31)))
            html = learn("--inputs", path, "--d-out", 30, "--html", "-").out
            self.assertLess(len(html.encode()) - len(scripts(html).get("wasm", "")), MOST_BYTES)
            steps = json.loads(scripts(html)["data"])["forward"]
            self.assertTrue(any(e["folded"] for e in entries(steps).values()))

    def test_too_large_for_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "big.html")
            run = learn("--tokens", "x" * 120_000 + ",b,c,d,e,f", "--html", target)
            self.assertEqual((run.code, run.out), (1, ""))
            self.assertRegex(run.err, r"it would have \d+\.\d MB, and the most is 2\.5 MB: give shorter --tokens\n")
            self.assertFalse(target.exists())

    def test_forms_exclude_each_other(self):
        for other in (["--plain"], ["--format", "json"], ["--backward"], ["--speak"], ["--step"], ["--from", "2"],
                      ["--predict", "exam"], ["--bug", "no-scale"], ["--detect-anomaly"]):
            run = learn("--html", "-", *other)
            self.assertEqual((run.code, run.out), (2, ""), other)
        self.assertEqual(learn("--html", "").code, 2)

    def test_the_page_s_addresses_are_those_of_the_program(self):
        sign, plain = (glassgrad("why", "journey", s + "masked-softmax:attn_weights[2,1]") for s in ("#", ""))
        self.assertEqual((sign.code, sign.out), (0, plain.out))
        self.assertEqual(learn("--set", "#masked-scores:masked[2,1]=0.9", "--plain").out,
                         learn("--set", "masked-scores:masked[2,1]=0.9", "--plain").out)
        run = glassgrad("why", "journey", "#masked-softmax:attn_weights", "--list")
        self.assertEqual(run.out, glassgrad("why", "journey", "masked-softmax:attn_weights", "--list").out)

    def test_the_engine_lies_in_the_page_if_the_program_has_it(self):
        has_it = "wasm: yes" in glassgrad("--version").out
        wasm = scripts(page("journey")).get("wasm")
        self.assertEqual(bool(wasm), has_it)
        if wasm:
            self.assertEqual(gzip.decompress(bytes_of(wasm))[:4], b"\0asm")
            self.assertLess(len(page("journey")), 5_000_000)


if __name__ == "__main__":
    unittest.main()
