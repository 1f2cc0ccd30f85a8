#!/usr/bin/env python3
"""--device: errors, auto, and that a GPU gives what the CPU gives. Without a GPU, and in a build that emulates none
(preset emulated), only what needs none is tested."""
import json
import os
import unittest

from printed import compare
from program import SANITIZED, glassgrad, golden_of
from training import SMALL, Folder

VERSION = glassgrad("--version").out
GPU = "cuda:0" in VERSION
EMULATED = "an emulated GPU" in VERSION
NO_GPU = os.environ | {"GLASSGRAD_EMULATED_GPUS": "0"} if EMULATED else None
LESSONS = "journey", "gpt-attention", "single-and-multi", "cat", "climb"
# Lessons that would take minutes on an emulated GPU run at a smaller size.
SMALLER = {"gpt-attention": ["--width", 48, "--context", 32]} if EMULATED else {}
STEPS = 8 if EMULATED else 20  # training steps
SHORT = "autograd.matmul", "autograd.softmax", "scale.why", "dropout.factor"
# Commands with arguments that make them compute; {run} is the folder of a training.
COMMANDS = [["learn", "scale.why", "--list"], ["learn", "journey", "--bug", "no-scale"], ["why", "scale.why"],
            ["diff", "scale.why", "scale.why"], ["graph", "journey"], ["check", "scale.why"],
            ["gradcheck", "journey.SelfAttention_v1"], ["verify", "{run}"], ["generate", "{run}", "--prompt", "cats"],
            ["inspect", "{run}", "--text", "cats"], ["train", *SMALL, "--steps", 1, "--force", "--out", "{run}"],
            ["bench", "--rows", "chain", "--seconds", 0.01]]


class Words(Folder):
    def commands(self):
        self.trained()
        for command in COMMANDS:
            yield [self.run_folder if word == "{run}" else word for word in command]

    def test_a_word_that_is_no_device(self):
        for number, command in enumerate(self.commands()):
            words = "tpu", "cuda:x", "cuda:", "cuda:-1", "", "CUDA"
            for word in [words[number % len(words)]] if SANITIZED else words:
                with self.subTest(command=command, word=word):
                    self.assert_fails(glassgrad(*command, "--device", word), "--device takes cpu, cuda, cuda:N or auto", code=2)

    @unittest.skipIf(GPU and not EMULATED, "there is a GPU")
    def test_no_gpu_says_why(self):
        for command in self.commands():
            with self.subTest(command):
                self.assert_fails(glassgrad(*command, "--device", "cuda", env=NO_GPU), "--device cuda: ", ": take cpu or auto")
                self.assert_fails(glassgrad(*command, "--device", "cuda:3", env=NO_GPU), "--device cuda:3: ")

    @unittest.skipIf(GPU and not EMULATED, "there is a GPU")
    def test_auto_falls_back_and_says_so(self):
        expected = glassgrad("learn", "scale.why", "--outputs")
        run = glassgrad("learn", "scale.why", "--outputs", "--device", "auto", env=NO_GPU)
        self.assert_fails(run, "--device auto: ", "computes on the CPU", code=0)
        self.assertEqual(run.out, expected.out)

    def test_the_cpu_is_what_there_is_without_the_flag(self):
        run = glassgrad("learn", "scale.why", "--outputs", "--device", "cpu")
        self.assertEqual((run.code, run.err, run.out), (0, "", glassgrad("learn", "scale.why", "--outputs").out))

    def test_version_lists_them(self):
        self.assertRegex(VERSION, r"(?m)^devices cpu(, cuda:\d+ \(.+\))*$")
        if EMULATED:
            self.assertIn("cuda emulated\n", VERSION)
            without = glassgrad("--version", env=NO_GPU).out
            self.assertRegex(without, r"(?m)^devices cpu$")
            self.assertIn("no NVIDIA GPU", without)


@unittest.skipUnless(GPU, "no GPU, and none emulated")
class Gpu(Folder):
    def same_but_for_rounding(self, text, expected):
        same, near, wrong = compare(text, expected)
        self.assertEqual(wrong, [])
        return same, near

    def test_lessons_print_what_their_sources_print(self):
        same = near = 0
        for lesson in LESSONS:
            with self.subTest(lesson):
                words = ["learn", lesson, *SMALLER.get(lesson, []), "--outputs"]
                expected = glassgrad(*words).out if lesson in SMALLER else golden_of(lesson)
                run = glassgrad(*words, "--device", "cuda", timeout=1200)
                self.assertEqual((run.code, run.err), (0, ""))
                counts = self.same_but_for_rounding(run.out, expected)
                same, near = same + counts[0], near + counts[1]
        print(f"cuda: lessons: {same} printed numbers equal, {near} differ by one in the last digit")

    def test_other_forms_of_a_lesson(self):
        for lesson in SHORT:
            forms = [[], ["--backward"], ["--plain"], ["--speak"], ["--format", "markdown"]]
            for form in forms[:2] if SANITIZED and lesson != SHORT[0] else forms:
                with self.subTest(lesson=lesson, form=form):
                    run = glassgrad("learn", lesson, *form, "--device", "cuda")
                    self.assertEqual((run.code, run.err), (0, ""))
                    self.same_but_for_rounding(run.out, glassgrad("learn", lesson, *form).out)

    def test_opened_numbers_and_changed_ones(self):
        for command in (["why", "scale.why", "--list"], ["why", "journey", "masked-softmax:attn_weights[2,1]"],
                        ["why", "journey", "masked-softmax:attn_weights[2,1]", "--depth", 4],
                        ["learn", "journey", "--set", "inputs:inputs[1,0]=0.9", "--outputs"],
                        ["learn", "journey", "--detect-anomaly"], ["diff", "journey", "journey"],
                        ["graph", "journey", "causal-attention:context_vecs"]):
            with self.subTest(command):
                run, expected = glassgrad(*command, "--device", "cuda"), glassgrad(*command)
                self.assertEqual((run.code, run.err), (expected.code, expected.err))
                self.same_but_for_rounding(run.out, expected.out)

    def losses(self, device, *arguments, out):
        run = self.train(*SMALL, "--steps", STEPS, "--eval-every", 10, "--seed", 123, "--device", device, *arguments, out=out)
        self.assertEqual((run.code, run.err), (0, ""))
        return [json.loads(line)["loss"] for line in (out / "log.jsonl").read_text().splitlines()]

    def test_training_learns_as_on_the_cpu(self):
        cpu = self.losses("cpu", out=self.folder / "cpu")
        gpu = self.losses("cuda", out=self.folder / "gpu")
        self.assertEqual(len(gpu), STEPS)
        worst = max(abs(a - b) for a, b in zip(cpu, gpu))
        print(f"cuda: train: {STEPS} steps, losses {cpu[0]:.4f} to {cpu[-1]:.4f} on the CPU and {gpu[0]:.4f} to {gpu[-1]:.4f} "
              f"on the GPU, the largest difference {worst:.1e}")
        self.assertLess(worst, 1e-3)

    def test_dropout_draws_on_the_gpu(self):
        flags = "--dropout", 0.2
        cpu = self.losses("cpu", *flags, out=self.folder / "cpu")
        gpu = self.losses("cuda", *flags, out=self.folder / "gpu")
        self.assertEqual(self.losses("cuda", *flags, out=self.folder / "again"), gpu)
        self.assertGreater(min(abs(a - b) for a, b in zip(cpu, gpu)), 0)  # the masks differ from the first step on
        self.assertLess(max(abs(a - b) for a, b in zip(cpu, gpu)), 0.5)

    def test_a_checkpoint_goes_on_on_the_other_device(self):
        straight = self.losses("cpu", out=self.folder / "straight")
        for first, then in ("cpu", "cuda"), ("cuda", "cpu"):
            with self.subTest(first=first, then=then):
                out = self.folder / first
                run = self.train(*SMALL, "--steps", STEPS, "--eval-every", 10, "--checkpoint-every", 5, "--seed", 123,
                                 "--device", first, out=out)
                self.assertEqual((run.code, run.err), (0, ""))
                run = self.train("--resume", "--steps", STEPS + 2, "--device", then, out=out)
                self.assertEqual((run.code, run.err), (0, ""))
                losses = [json.loads(line)["loss"] for line in (out / "log.jsonl").read_text().splitlines()]
                self.assertEqual(len(losses), STEPS + 2)
                self.assertLess(max(abs(a - b) for a, b in zip(straight, losses)), 1e-3)

    def test_what_a_model_writes_and_computes(self):
        self.trained()
        for arguments in ["--greedy"], ["--seed", 3, "--top-k", 5], ["--greedy", "--no-cache"]:
            words = ["--prompt", "cats climb", "--max-tokens", 12, *arguments]
            with self.subTest(arguments):
                self.assertEqual(self.generate(*words, "--device", "cuda").out, self.generate(*words).out)
        inspected = ["inspect", self.run_folder, "--text", "cats climb trees"]
        run = glassgrad(*inspected, "--device", "cuda")
        self.assertEqual((run.code, run.err), (0, ""))
        self.same_but_for_rounding(run.out, glassgrad(*inspected).out)
        self.assertEqual(glassgrad("verify", self.run_folder, "--device", "cuda").out, glassgrad("verify", self.run_folder).out)

    def test_gradients_are_slopes_there_too(self):
        run = glassgrad("gradcheck", "journey.SelfAttention_v1", "--cells", 4, "--device", "cuda")
        self.assertEqual((run.code, run.err), (0, ""))

    def test_memory_that_it_has_not(self):
        run = self.train("--preset", "gpt2-124m", "--context", 64, "--batch", 1000000, "--device", "cuda")
        self.assert_fails(run, "this training takes about", "cuda:0 has", "--batch")

    @unittest.skipUnless(EMULATED, "no fault to emulate")
    def test_a_kernel_that_fails(self):
        run = glassgrad("learn", "scale.why", "--device", "cuda", env=os.environ | {"GLASSGRAD_EMULATED_FAULT": "1"})
        self.assert_fails(run, "CUDA error: unspecified launch failure (cudaErrorLaunchFailure", "GLASSGRAD_SYNC=1 names")
        waits = os.environ | {"GLASSGRAD_EMULATED_FAULT": "1", "GLASSGRAD_SYNC": "1"}
        run = glassgrad("learn", "scale.why", "--device", "cuda", env=waits)
        self.assert_fails(run, "CUDA error: unspecified launch failure (cudaErrorLaunchFailure, from ")
        self.assertNotIn("StreamSynchronize", run.err)

    def test_a_gpu_that_is_not_there(self):
        self.assert_fails(glassgrad("learn", "scale.why", "--device", "cuda:15"), "there is no cuda:15: this machine has")


if __name__ == "__main__":
    unittest.main()
