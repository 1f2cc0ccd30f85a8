#!/usr/bin/env python3
"""`bench`: its forms, and that the instructions it measures with (GLASSGRAD_CPU) change no digit. Times decide nothing."""
import json
import os
import re
import unittest

from program import glassgrad
from training import Folder

QUICK = "--seconds", "0.001"


def with_cpu(name, *arguments):
    return glassgrad(*arguments, env=os.environ | {"GLASSGRAD_CPU": name})


def instruction_sets():
    """Those that this processor and this build have, best first."""
    return re.search(r"here one of (.*), not 'none'", with_cpu("none", "bench").err)[1].split(", ")


class Bench(Folder):
    def test_the_rows_are_listed(self):
        names = [line.split()[0] for line in glassgrad("bench", "--rows", "list").out.splitlines()]
        self.assertEqual(len(names), len(set(names)))
        for name in ("mm.512", "qk", "attention.backward", "attention.memory", "sdpa.16k", "train.128", "train.124m",
                     "train.64.later", "chain", "journey.memory"):
            self.assertIn(name, names)

    def test_products_in_turn(self):
        run = glassgrad("bench", "--rows", "linear.in-turn", "--threads", 1, *QUICK)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertRegex(run.out, r"\nlinear\.in-turn +1 +[\d.]+ GFLOP/s +\d+%")

    def test_a_row_in_text_and_json(self):
        run = glassgrad("bench", "--rows", "mm.64,chain", "--threads", 1, *QUICK)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertRegex(run.out, r"^\w+ with 1 thread: \d+ GFLOP/s, \d+ GB/s\nmm\.64 +1 +[\d.]+ GFLOP/s +\d+%")
        report = json.loads(glassgrad("bench", "--rows", "mm.64", "--threads", 2, "--format", "json", *QUICK).out)
        self.assertEqual([m["threads"] for m in report["machine"]], [1, 2])
        self.assertEqual([(row["name"], row["threads"]) for row in report["rows"]], [("mm.64", 1), ("mm.64", 2)])
        for row in report["rows"]:
            self.assertAlmostEqual(row["rate"], 2 * 64 ** 3 / 1e9 / row["seconds"], delta=1e-6 * row["rate"])

    def test_rows_of_memory(self):
        rows = "sdpa.1k.memory,sdpa.2k.memory" + (",journey.memory" if not os.environ.get("SANITIZERS") else "")
        run = glassgrad("bench", "--rows", rows, "--format", "json", *QUICK)
        self.assertEqual((run.code, run.err), (0, ""))
        short, long, *lesson = json.loads(run.out)["rows"]
        for row in short, long, *lesson:
            self.assertEqual((row["unit"], row["threads"]), ("MB", 1))
            self.assertEqual(row["rate"], row["bytes"] / 1e6)
        self.assertGreater(short["bytes"], 4 * 4 * 2 * 1024 * 64)  # the result and three gradients
        self.assertLess(long["bytes"], 3 * short["bytes"])  # for twice as many tokens
        for row in lesson:
            self.assertLess(row["bytes"], 20e6)

    def test_words_it_does_not_know(self):
        for arguments, text in ((["--rows", "mn.64"], "there is no row 'mn.64': did you mean mm.64?"),
                                (["--format", "xml"], "--format is text or json, not 'xml'"),
                                (["--seconds", "0"], "--seconds")):
            run = glassgrad("bench", *arguments)
            self.assertEqual((run.code, run.out), (2, ""), arguments)
            self.assertIn(text, run.err)

    def test_instructions_that_there_are_not(self):
        run = with_cpu("sse9", "learn", "journey", "--outputs")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("GLASSGRAD_CPU", run.err)
        self.assertEqual(instruction_sets()[-1], "portable")

    def history(self, *arguments, **options):
        """What a short training has logged, and printed."""
        run = self.train("--steps", 2, "--eval-every", 2, "--force", *arguments, **options)
        self.assertEqual(run.code, 0, run.err)
        lines = map(json.loads, (self.run_folder / "log.jsonl").read_text().splitlines())
        return [(line["loss"], line["gradient_norm"]) for line in lines], run.out

    def test_no_digit_depends_on_the_instructions(self):
        logs = [self.history(env=os.environ | {"GLASSGRAD_CPU": name})[0] for name in instruction_sets()]
        self.assertEqual(logs, logs[:1] * len(logs))

    def test_products_of_rounded_numbers(self):
        exact = self.history()[0]
        self.assertEqual(self.history("--matmul", "fp32")[0], exact)
        run = with_cpu("portable", "bench", "--rows", "mm.64", "--matmul", "bf16", *QUICK)
        self.assertEqual((run.code, run.out), (1, ""))
        self.assertRegex(run.err, "--matmul bf16: .*portable")
        run = glassgrad("bench", "--rows", "mm.64", "--matmul", "half", *QUICK)
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("--matmul takes fp32, tf32 or bf16, not 'half'", run.err)
        if glassgrad("bench", "--rows", "mm.64", "--matmul", "bf16", "--threads", 1, *QUICK).code == 0:
            for (loss, _), (close, _) in zip(exact, self.history("--matmul", "bf16")[0]):
                self.assertNotEqual(loss, close)
                self.assertAlmostEqual(loss, close, delta=0.01 * loss)

    def test_where_the_time_of_a_training_goes(self):
        log, text = self.history("--profile")
        for op in "addmm", "mm, backward", "scaled_dot_product_attention_backward, backward", "adam_", "a step":
            self.assertRegex(text, rf"(?m)^{op}  ")
        other, plain = self.history()
        self.assertNotIn("ms/step", plain)
        self.assertEqual(log, other)


if __name__ == "__main__":
    unittest.main()
