#!/usr/bin/env python3
"""`glassgrad learn journey`: what it prints, in every form, and how the forms agree."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from program import GOLDEN, ROOT, learn, glassgrad, write_npy

NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[+-]\d+)?|inf|nan)")


def flat(data):
    return [x for row in data for x in flat(row)] if isinstance(data, list) else [data]


def steps(*arguments):
    return json.loads(learn("--format", "json", *arguments).out)["steps"]


class Outputs(unittest.TestCase):
    def test_equal_the_golden(self):
        run = learn("--outputs")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(run.out, (GOLDEN / "journey.txt").read_text())

    def test_plain_contains_them_in_order(self):
        plain, place = learn("--plain").out, 0
        blocks = re.split(r"\n(?=tensor|Attention|Sum|Row|All|Previous|keys|values|torch|context|First|\nSecond)",
                          (GOLDEN / "journey.txt").read_text().rstrip("\n"))
        self.assertGreaterEqual(len(blocks), 31)
        for block in blocks:
            place = plain.find(block.strip("\n"), place)
            self.assertGreaterEqual(place, 0, block)
            place += len(block)

    def test_settings_change_them(self):
        base = learn("--outputs").out
        for flags in (["--seed", 7], ["--seed-v2", 7], ["--d-out", 4], ["--heads", 1], ["--dropout", 0.25]):
            self.assertNotEqual(learn("--outputs", *flags).out, base, flags)

    def test_repeat_bit_for_bit(self):
        self.assertEqual(learn("--outputs", "--seed", -1).out, learn("--outputs", "--seed", 0xFFFFFFFF).out)

    def test_own_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33],
                    [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
            for descr in "<f4", ">f4", "<f8":
                file = write_npy(Path(folder) / "x.npy", rows, descr)
                self.assertEqual(learn("--outputs", "--inputs", file).out, learn("--outputs").out, descr)
            file = write_npy(Path(folder) / "x.npy", [[0.1, 0.2], [0.3, 0.4]])
            run = learn("--outputs", "--inputs", file, "--tokens", "to,be")
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("torch.Size([2, 2, 2])", run.out)
            self.assertIn("to", learn("--inputs", file, "--tokens", "to,be").out)


class Json(unittest.TestCase):
    def test_shapes_names_and_ids(self):
        found = steps()
        ids = [s["id"] for s in found]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn("masked-scores", ids)
        for step in found:
            self.assertRegex(step["id"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
            names = [t["name"] for t in step["tensors"]]
            self.assertEqual(len(names), len(set(names)), step["id"])
            for tensor in step["tensors"]:
                size = 1
                for n in tensor["shape"]:
                    size *= n
                self.assertEqual(len(flat(tensor["data"])), size, tensor["name"])
        self.assertEqual([s["number"] for s in found], list(range(1, len(found) + 1)))

    def test_plain_prints_the_same_numbers(self):
        for step in steps():
            text = learn("--plain", "--from", step["id"], "--to", step["id"]).out
            for tensor in step["tensors"]:
                if tensor["dtype"] != "torch.float32" and tensor["dtype"] != "float32":
                    continue
                values = [float(v) for v in flat(tensor["data"])]
                if any(v != v for v in values) or not values or max(map(abs, values)) > 1e8:
                    continue
                shown = [float(n) for n in NUMBER.findall(text)]
                for v in values:
                    self.assertTrue(any(v == s or abs(v - s) <= 6e-5 for s in shown), (step["id"], tensor["name"], v))

    def test_list_names_every_step(self):
        listing = learn("--list").out
        for step in steps():
            self.assertIn(step["id"], listing)
            for tensor in step["tensors"]:
                self.assertIn(tensor["name"], listing)


class Parts(unittest.TestCase):
    def test_from_and_to_accept_id_and_number(self):
        found = steps()
        middle = found[len(found) // 2]
        by_id = learn("--plain", "--from", middle["id"], "--to", middle["id"]).out
        self.assertEqual(by_id, learn("--plain", "--from", middle["number"], "--to", middle["number"]).out)
        self.assertEqual([s["id"] for s in steps("--from", middle["id"], "--to", middle["id"])], [middle["id"]])

    def test_parts_make_the_whole(self):
        found = steps()
        half = len(found) // 2
        first = learn("--outputs", "--to", found[half - 1]["id"]).out
        second = learn("--outputs", "--from", found[half]["id"]).out
        self.assertEqual(first + second, learn("--outputs").out)


class Whole(unittest.TestCase):
    def test_text_shows_every_step(self):
        run = learn()
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotIn("\x1b", run.out)
        for step in steps():
            self.assertIn(step["title"], run.out)

    def test_lessons_are_listed(self):
        run = glassgrad("learn")
        self.assertEqual(run.code, 0)
        self.assertIn("journey", run.out)
        self.assertIn("Your journey starts with one step", run.out)

    def test_readme_shows_this_run(self):
        readme = (ROOT / "README.md").read_text()
        shown = re.findall(r"```\n\$ (glassgrad [^\n]*)\n(.*?)```", readme, re.S)
        self.assertTrue(shown)
        for command, expected in shown:
            self.assertEqual(glassgrad(*command.split()[1:]).out.rstrip("\n"), expected.rstrip("\n"), command)

    def test_readme_lists_the_lessons(self):
        readme = (ROOT / "README.md").read_text()
        lessons = re.findall(r"^(\S+) +(.+), (\d+) minutes\n +(.+)$", glassgrad("learn").out, re.M)
        self.assertTrue(lessons)
        for lesson, source, minutes, understand in lessons:
            self.assertIn(f"| `{lesson}` | {source} | {understand} | {minutes} |", readme)


if __name__ == "__main__":
    unittest.main()
