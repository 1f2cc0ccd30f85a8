#!/usr/bin/env python3
"""`generate`: how a trained model goes on with a text."""
import subprocess
import unittest

from program import PROGRAM, glassgrad
from training import Folder, close_reader


class Generating(Folder):
    def setUp(self):
        super().setUp()
        self.trained()

    def test_the_cache_changes_nothing(self):
        for how in (["--greedy"], ["--seed", 3], ["--seed", 3, "--top-k", 5], ["--top-p", 0.8, "--temperature", 0.5]):
            flags = ["--prompt", "cats climb", "--max-tokens", 200, *how]
            run = self.generate(*flags)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertTrue(run.out.startswith("cats climb"))
            self.assertEqual(run.out, self.generate("--no-cache", *flags).out)

    def test_the_prompt_may_come_from_stdin(self):
        path = self.write("prompt", "cats climb\n")
        with path.open() as stdin:
            run = subprocess.run([PROGRAM, "generate", self.run_folder, "--greedy"], stdin=stdin, capture_output=True,
                                 encoding="utf-8", errors="replace")
        self.assertEqual(run.stdout, self.generate("--prompt", "cats climb", "--greedy").out)

    def test_a_prompt_longer_than_the_context(self):
        prompt = "cats climb trees during storms\n" * 20
        run = self.generate("--prompt", prompt, "--max-tokens", 3)
        self.assertEqual(run.code, 0, run.err)
        self.assertTrue(run.out.startswith(prompt))
        self.assertIn("the prompt has 120 tokens, the model sees the last 8", run.err)

    def test_a_reader_that_goes(self):
        run = self.generate("--prompt", "cats", "--max-tokens", 100000, preexec_fn=close_reader)
        self.assertEqual((run.code, run.err), (0, ""))

    def test_wrong_flags_of_generate(self):
        for flags in (["--temperature", -1], ["--top-k", 0], ["--top-p", 0], ["--top-p", 1.1], ["--max-tokens", -1],
                      ["--greedy", "--top-k", 2], ["--prompt", ""], ["--temprature", 1]):
            with self.subTest(flags):
                prompt = [] if "--prompt" in flags else ["--prompt", "cats"]
                self.assert_fails(self.generate(*prompt, *flags), flags[0][2:7], code=2)
        self.assert_fails(glassgrad("generate"), "CHECKPOINT", code=2)
        self.assert_fails(self.generate(), "empty", code=2)  # nothing on stdin either

    def test_help_begins_with_an_example(self):
        for command in ("train", "generate", "inspect", "convert"):
            self.assertTrue(glassgrad(command, "--help").out.startswith(f"Example: glassgrad {command} "))


if __name__ == "__main__":
    unittest.main()
