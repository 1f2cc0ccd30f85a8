#!/usr/bin/env python3
"""`generate`: how a trained model goes on with a text."""
import subprocess
import unittest

from program import PROGRAM, glassgrad
from training import SMALL, Folder, close_reader


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

    def test_it_tells_speed_and_memory(self):
        flags = "--prompt", "cats climb", "--max-tokens", 20, "--go-on"
        run = self.generate(*flags, "--profile")
        self.assertEqual(run.out, self.generate(*flags).out)
        self.assertRegex(run.err, r"^cache    1 KiB: keys and values of 8 tokens in 1 layer of 2 heads; past the "
                         r"context of 8 it is made anew for each token\nspeed    the prompt of 2 tokens took [\d.e+-]+ ms, "
                         r"the next 19 tokens [\d.e+-]+ ms: \d+ tokens/s\n$")
        self.assertIn("cache    none", self.generate(*flags, "--profile", "--no-cache").err)
        self.trained("--positions", "rope", "--window", 3, "--kv-heads", 1, out="slides")
        self.assertIn("cache    384 B: keys and values of 6 tokens in 1 layer of 1 head; it slides on with the window "
                      "of 3\n", self.generate(*flags, "--profile", out="slides").err)

    def test_a_reader_that_goes(self):
        run = self.generate("--prompt", "cats", "--max-tokens", 100000, preexec_fn=close_reader)
        self.assertEqual((run.code, run.err), (0, ""))

    def test_wrong_flags_of_generate(self):
        for flags in (["--temperature", -1], ["--top-k", 0], ["--top-p", 0], ["--top-p", 1.1], ["--max-tokens", -1],
                      ["--greedy", "--top-k", 2], ["--prompt", ""], ["--temprature", 1]):
            with self.subTest(flags):
                prompt = [] if "--prompt" in flags else ["--prompt", "cats"]
                self.assert_fails(self.generate(*prompt, *flags), flags[0][2:7], code=2)
        self.assert_fails(glassgrad("generate", "--prompt", "a", cwd=self.folder), "CHECKPOINT", code=2)
        self.assert_fails(self.generate(), "empty", code=2)  # stdin is empty, too

    def test_without_a_name_it_takes_the_newest_run(self):
        for number in 2, 10:
            self.trained("--seed", number, out=self.folder / "runs" / str(number))
        (self.folder / "runs" / "11").mkdir()
        prompt = "--prompt", "cats climb"
        run = glassgrad("generate", *prompt, cwd=self.folder, encoding="utf-8", errors="replace")
        self.assertEqual((run.code, run.err), (0, "glassgrad: takes runs/10, the newest run\n"))
        self.assertEqual(run.out, self.generate(*prompt, out="runs/10").out)
        run = glassgrad("inspect", "--text", "cats climb", cwd=self.folder)
        self.assertEqual((run.code, run.err), (0, "glassgrad: takes runs/10, the newest run\n"))

    def test_it_stops_at_the_end_of_a_sentence(self):
        flags = "--prompt", "cats climb trees", "--seed", 2, "--max-tokens", 300
        whole = self.generate(*flags, "--go-on").out
        self.assertGreater(whole.count("\n"), 1)
        self.assertEqual(self.generate(*flags).out, whole[:whole.index("\n") + 1])
        text = self.write("book.txt", "It is so. Is it? Yes,\nsaid 3.5 of them! " * 200)
        self.assertEqual(self.train("--text", text, *SMALL, "--steps", 200, "--lr", 0.01, out="book").code, 0)
        whole = self.generate("--prompt", "It ", "--greedy", "--go-on", out="book").out
        first = self.generate("--prompt", "It ", "--greedy", out="book").out
        self.assertTrue(whole.startswith(first[:-1]))
        self.assertRegex(first, r"(?s)^It .*[.!?]\n$")
        self.assertNotRegex(first[:-1], r"[.!?]\s")

    def test_words_that_the_model_has_never_read(self):
        run = self.generate("--prompt", "cats climb zebras and cats\x1b", "--max-tokens", 1)
        self.assertEqual(run.code, 0)
        self.assertIn('the model has never read the words "zebras", "and", "cats" after a space and "\\x1b": they have no token', run.err)
        run = glassgrad("inspect", self.run_folder, "--text", "cats eat")
        self.assertEqual((run.code, run.err.count("\n")), (0, 1))
        self.assertIn('the word "eat": it has no token', run.err)
        self.trained("--tokenizer", "byte", out="bytes")
        self.assertEqual(self.generate("--prompt", "zebras", "--max-tokens", 1, out="bytes").err, "")

    def test_help_begins_with_an_example(self):
        for command in ("train", "generate", "inspect", "convert"):
            self.assertTrue(glassgrad(command, "--help").out.startswith(f"Example: glassgrad {command} "))


if __name__ == "__main__":
    unittest.main()
