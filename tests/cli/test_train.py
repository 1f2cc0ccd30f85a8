#!/usr/bin/env python3
"""`train`: what it learns, saves and goes on with, and what it says to files and signals that go wrong."""
import fcntl
import json
import math
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import termios
import time
import unittest
from xml.etree import ElementTree

from program import PATIENCE, PROGRAM, glassgrad
from terminal import Terminal
from training import SMALL, Folder, close_reader, read_checkpoint, step_of, without_header_crc, write_safetensors

ENDLESS = [*SMALL, "--steps", 10 ** 9, "--eval-every", 10 ** 9, "--checkpoint-every", 10 ** 9]


def measured(path):
    """The lines of a log without the speed."""
    return [{k: v for k, v in json.loads(line).items() if k != "tokens_per_second"}
            for line in path.read_text().splitlines()]


class Training(Folder):
    def test_it_leaves_four_files_and_a_plan(self):
        run = self.trained("--eval-every", 2)
        self.assertEqual(self.files(), ["best.safetensors", "last.safetensors", "log.jsonl", "loss.svg"])
        for word in ("parameters", "memory", "FLOPs per token", "estimated", "validation"):
            self.assertIn(word, run.out)
        log = [json.loads(line) for line in (self.run_folder / "log.jsonl").read_text().splitlines()]
        self.assertEqual([line["step"] for line in log], [1, 2, 3, 4])
        self.assertEqual(["validation_loss" in line for line in log], [False, True, False, True])
        curve = (self.run_folder / "loss.svg").read_text()
        self.assertEqual(ElementTree.fromstring(curve).tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual(step_of(self.run_folder / "last.safetensors"), 4)

    def test_it_says_how_many_parameters_there_are(self):
        run = self.trained()
        shapes = [t["shape"] for name, t in read_checkpoint(self.run_folder / "last.safetensors")[0].items()
                  if name not in ("__metadata__", "generator") and not name.startswith("optimizer.")]
        self.assertIn(f"{sum(s[0] * (s[1] if len(s) > 1 else 1) for s in shapes)} parameters", run.out)

    def test_the_next_free_number_is_taken(self):
        for number in (1, 2):
            self.assertEqual(glassgrad("train", *SMALL, "--steps", 1, cwd=self.folder).code, 0)
            self.assertTrue((self.folder / "runs" / str(number) / "last.safetensors").exists())
        resumed = glassgrad("train", "--resume", "--steps", 2, cwd=self.folder)
        self.assertIn("runs/2/last.safetensors after step 1", resumed.out)

    def test_it_learns_the_text(self):
        text = self.write("text", "the dog ran to the red house\n" * 100)
        run = self.train("--text", text, "--tokenizer", "word", *SMALL, "--steps", 60, "--lr", 0.01)
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(self.generate("--prompt", "the dog ran to the red", "--greedy", "--max-tokens", 2, "--go-on").out,
                         "the dog ran to the red house\n\n")

    @unittest.skipIf(os.environ.get("SANITIZERS"), "ten times as slow, and the numbers are the same")
    def test_it_learns_the_generated_sentences(self):
        run = self.train("--context", 16, "--batch", 32, "--steps", 300)
        self.assertEqual(run.code, 0, run.err)
        loss = float(re.search(r"best validation loss (\d+\.\d+)", run.out)[1])
        self.assertLess(loss, 0.9)  # randomly drawn words alone cost 0.75
        wrong, right = map(int, re.findall(r"the last word is right in (\d+) of 18 held-out sentences", run.out))
        self.assertLess(wrong, 6)
        self.assertGreater(right, 15)
        self.assertIn("such as cats climb, never meet in the text", run.out)
        for event, beginnings in {"storms": ["cats climb trees", "monkeys chase mice"], "sunsets": ["dogs watch stars"],
                                  "winters": ["bears cross roads"]}.items():
            for words in beginnings:
                prompt = f"{words} during"
                self.assertEqual(self.generate("--prompt", prompt, "--greedy", "--max-tokens", 1).out, f"{prompt} {event}\n")

    def test_it_says_what_its_losses_mean(self):
        run = self.train(*SMALL, "--steps", 2)
        before, nothing = map(float, re.search(r"^before +validation loss (\S+); knowing nothing gives ln 293 = (\S+);", run.out, re.M).groups())
        self.assertAlmostEqual(nothing, math.log(293), delta=1e-4)
        self.assertAlmostEqual(before, nothing, delta=0.2)
        self.assertIn(f"{math.log(90) / 6:.4f} of it is subject, verb and object", run.out)
        text = self.write("text", "the dog ran to the red house\n" * 100)
        run = self.train("--text", text, *SMALL, "--steps", 2, "--force")
        loss, tokens = map(float, re.search(r"^validation loss (\S+): .* between (\S+) tokens", run.out, re.M).groups())
        self.assertAlmostEqual(math.exp(loss), tokens, delta=0.1 * tokens)

    def test_all_tokenizers_train_and_write(self):
        text = self.write("text", "Straße, naïve 東京 \xff\r\n".encode() * 200 + b"\xff\x00")
        for kind in ("char", "word", "byte", "bpe"):
            with self.subTest(kind):
                flags = ["--vocab", 260] if kind == "bpe" else []
                self.trained("--text", text, "--tokenizer", kind, *flags, "--force")
                self.assertEqual(self.generate("--prompt", "na", "--max-tokens", 3, "--temperature", 0).code, 0)

    def test_the_same_settings_give_the_same_files_with_any_number_of_threads(self):
        for name, *flags in (("a", "--threads", 1), ("b", "--threads", 2), ("c", "--seed", 2)):
            self.assertEqual(self.train("--steps", 4, *flags, out=self.folder / name).code, 0)
        a, b, c = ((self.folder / name / "last.safetensors").read_bytes() for name in "abc")
        self.assertTrue(a == b)
        self.assertFalse(a == c)
        self.assertEqual(measured(self.folder / "a" / "log.jsonl"), measured(self.folder / "b" / "log.jsonl"))

    def test_the_number_of_threads_is_checked(self):
        for n in ("0", "257", "1.5", "two", ""):
            for command in (["train"], ["generate", "x"], ["inspect", "x", "--text", "y"]):
                run = glassgrad(*command, "--threads", n, cwd=self.folder)
                self.assert_fails(run, "--threads takes an integer from 1 to 256", f"'{n}'", code=2)
        run = glassgrad("learn", "journey", env=os.environ | {"GLASSGRAD_THREADS": "many"})
        self.assert_fails(run, "GLASSGRAD_THREADS takes an integer from 1 to 256, not 'many'", code=2)
        self.assertFalse((self.folder / "runs").exists())

    def test_a_reader_that_goes_does_not_stop_it(self):
        self.assertEqual(self.train(*SMALL, "--steps", 4, preexec_fn=close_reader).code, 0)
        self.assertEqual(step_of(self.run_folder / "last.safetensors"), 4)


class Bar(Folder):
    def frames(self, columns, term="xterm"):
        """What a terminal of so many columns gets on stderr."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        run = self.train(*SMALL, "--steps", 40, "--force", stderr=theirs, env=os.environ | {"TERM": term})
        self.assertEqual(run.code, 0)
        os.close(theirs)
        text = b""
        try:
            while block := os.read(ours, 1 << 16):
                text += block
        except OSError:  # the terminal is closed
            pass
        os.close(ours)
        return text.decode()

    def test_it_fits_the_terminal(self):
        for columns in (20, 50, 80, 200):
            text = self.frames(columns)
            frames = [f.removesuffix("\x1b[K") for f in text.split("\r") if f]
            self.assertTrue(any("/40" in f for f in frames), text)
            for frame in frames:
                self.assertLess(len(frame), columns)
            self.assertEqual(frames[-1], "")  # the line is cleared at the end
            # The lengths of the numbers depend on the machine, so at 50 columns the text may or may not fit.
            self.assertEqual("grad" in text, columns >= 80)
            if columns >= 80:
                for part in ("loss", "lr", "tok/s", "left"):
                    self.assertIn(part, text)
                self.assertRegex(text, r"\[[=>]")

    def test_a_curve_on_a_terminal(self):
        with Terminal("train", "--out", self.run_folder, *SMALL, "--steps", 20) as t:
            t.until("step 1", "└──", "[ended 0]")
        self.assertNotIn("└", self.train(*SMALL, "--steps", 2, "--force").out)

    def test_none_where_no_line_can_be_cleared(self):
        self.assertEqual(self.frames(80, term="dumb"), "")


class Resuming(Folder):
    # Dropout draws random numbers between the batches, and a step takes long enough for the test to kill the
    # program in it.
    flags = ["--steps", 40, "--checkpoint-every", 20, "--eval-every", 10, "--dropout", 0.1, "--seed", 7, "--watch", 3]

    def test_40_steps_are_20_and_a_kill_and_the_rest(self):
        whole = self.folder / "whole"
        self.assertEqual(self.train(*self.flags, out=whole).code, 0)
        last, log = self.run_folder / "last.safetensors", self.run_folder / "log.jsonl"
        for _ in range(5):  # on a busy machine the kill may come too late
            process = self.start(*self.flags, "--force", steps=24)
            process.kill()
            process.communicate()
            if process.returncode == -signal.SIGKILL and step_of(last) == 20:
                break
            log.unlink()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual(step_of(last), 20)
        killed_after = log.read_text().count("\n")
        self.assertTrue(24 <= killed_after < 40, killed_after)
        self.assertGreater(self.recordings()["recordings"][-1]["step"], 20)
        run = self.train("--resume")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertIn("after step 20", run.out)
        for name in ("last.safetensors", "best.safetensors", "watch.json"):
            self.assertTrue((whole / name).read_bytes() == (self.run_folder / name).read_bytes(), name)
        self.assertEqual(measured(log), measured(whole / "log.jsonl"))

    def test_a_half_written_line_of_the_log_is_dropped(self):
        self.trained()
        log = self.run_folder / "log.jsonl"
        log.write_text(log.read_text() + '{"step":5,"los')
        self.assertEqual(self.train("--resume", "--steps", 6).code, 0)
        self.assertEqual([json.loads(line)["step"] for line in log.read_text().splitlines()], [1, 2, 3, 4, 5, 6])

    def test_what_is_left_of_a_killed_save_goes(self):
        self.trained()
        leftover = self.run_folder / "last.safetensors.123-0.tmp"
        leftover.write_text("half")
        self.assertEqual(self.train("--resume", "--steps", 5).code, 0)
        self.assertFalse(leftover.exists())

    def test_what_the_checkpoint_decides_cannot_be_given(self):
        self.trained()
        for flag, value in (("--seed", 1), ("--lr", 0.1), ("--layers", 1), ("--tokenizer", "word")):
            self.assert_fails(self.train("--resume", flag, value), flag, "--resume", code=2)
        self.assert_fails(self.train("--resume"), "all its 4 steps", "--steps")

    def test_another_text_is_refused(self):
        text = self.write("text", "abcdefg " * 100)
        self.trained("--text", text)
        for other in (b"abcdefg " * 99, b"abcdegf " * 100):
            text.write_bytes(other)
            run = self.train("--resume", "--steps", 5, "--text", text)
            self.assert_fails(run, text, "not the text", "--weights-only")
        text.unlink()
        self.assert_fails(self.train("--resume", "--steps", 5, "--text", text), text)
        moved = self.write("moved", "abcdefg " * 100)
        self.assertEqual(self.train("--resume", "--steps", 5, "--text", moved).code, 0)

    def test_a_link_and_permissions_stay(self):
        self.trained()
        last, elsewhere = self.run_folder / "last.safetensors", self.folder / "elsewhere"
        last.rename(elsewhere)
        elsewhere.chmod(0o640)
        last.symlink_to(elsewhere)
        self.assertEqual(self.train("--resume", "--steps", 5).code, 0)
        self.assertTrue(last.is_symlink())
        self.assertEqual((step_of(elsewhere), elsewhere.stat().st_mode & 0o777), (5, 0o640))

    def test_nothing_to_resume(self):
        self.assert_fails(self.train("--resume"), "no such folder")
        self.run_folder.mkdir()
        self.assert_fails(self.train("--resume"), "no last.safetensors")
        self.assert_fails(glassgrad("train", "--resume", cwd=self.folder), "no run in runs/")


class Folders(Folder):
    def test_a_run_is_kept_unless_it_is_to_be_replaced(self):
        self.trained()
        before = (self.run_folder / "last.safetensors").read_bytes()
        self.assert_fails(self.train(*SMALL, "--steps", 1), self.run_folder, "--resume", "--force")
        self.assertTrue(before == (self.run_folder / "last.safetensors").read_bytes())
        self.trained("--force", "--seed", 5)
        self.assertFalse(before == (self.run_folder / "last.safetensors").read_bytes())

    def test_one_training_at_a_time(self):
        self.start(*ENDLESS)
        for flag in ("--resume", "--force"):
            self.assert_fails(self.train(flag), self.run_folder, "another training")

    def test_where_nothing_can_be_written(self):
        file = self.write("file", "")
        self.assert_fails(self.train(*SMALL, out=file), file, "not a folder")
        self.assert_fails(self.train(*SMALL, out=file / "run"), file)
        self.assert_fails(self.train(*SMALL, out="/proc/run"), "/proc/run")

    def test_a_bad_start_leaves_no_folder(self):
        self.assert_fails(self.train("--text", self.write("empty", "")), "empty")
        self.assertFalse(self.run_folder.exists())


class Stopping(Folder):
    def test_signals_save_and_end_it(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            folder = self.folder / str(code)
            process = self.start(*ENDLESS, steps=3, out=folder)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (code, ""))
            step = step_of(folder / "last.safetensors")
            self.assertIn(f"stopped after step {step} ", out)
            self.assertEqual((folder / "log.jsonl").read_text().count("\n"), step)
            self.assertEqual(self.train("--resume", "--steps", step + 2, out=folder).code, 0)

    def test_a_pause_changes_nothing(self):
        process, log = self.start(*ENDLESS), self.run_folder / "log.jsonl"
        process.send_signal(signal.SIGSTOP)  # SIGTSTP has no effect without a shell to continue the program
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        steps = log.read_bytes().count(b"\n")
        process.send_signal(signal.SIGCONT)
        while log.read_bytes().count(b"\n") <= steps:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual((process.communicate(timeout=PATIENCE)[1], process.returncode), ("", 143))

    def test_a_kill_leaves_a_whole_checkpoint(self):
        for wait in (0, 0.001, 0.003, 0.007, 0.012):  # seconds; some are in the middle of a save
            folder = self.folder / str(wait)
            process = self.start(*ENDLESS[:-1], 1, steps=2, out=folder)
            time.sleep(wait)
            process.kill()
            process.communicate()
            self.assertGreaterEqual(step_of(folder / "last.safetensors"), 1)
            self.assertEqual(self.generate("--prompt", "cats", "--max-tokens", 1, out=folder).code, 0)

    def test_the_second_signal_ends_it_at_once(self):
        slow = ["--layers", 8, "--batch", 256]
        process = subprocess.Popen([PROGRAM, "train", "--out", self.run_folder, *map(str, slow)], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        self.assertIn("text", process.stdout.readline())
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)  # two pending signals merge into one
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertFalse((self.run_folder / "last.safetensors").exists())


class Trouble(Folder):
    def test_a_loss_that_is_no_number_keeps_the_last_good_checkpoint(self):
        at_once = self.train(*SMALL, "--checkpoint-every", 1, "--lr", 1e30)
        self.assert_fails(at_once, "step 1: ", "nan from layer_norm in GPT.trf_blocks.0.norm1", "--lr")
        self.assertEqual(self.files(), ["log.jsonl"])
        later = self.train("--checkpoint-every", 1, "--lr", 1e7, out=self.folder / "later")
        self.assert_fails(later, "step 2: ", "from layer_norm in GPT.trf_blocks.0.norm2", "still that of step 1")
        last = self.folder / "later" / "last.safetensors"
        self.assertEqual(step_of(last), 1)
        self.assertEqual(self.generate("--prompt", "cats", out=last).code, 0)

    def test_a_full_disk_keeps_the_old_file(self):
        self.trained()
        last = self.run_folder / "last.safetensors"
        before = last.read_bytes()

        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, len(before) // 2))
        run = self.train("--resume", "--steps", 40, "--checkpoint-every", 10, preexec_fn=full)
        self.assertEqual(run.code, 1)
        self.assertEqual(run.err.count("training goes on"), 1 + ("best checkpoint" in run.err), run.err)
        self.assertIn("last.safetensors: cannot be written: File too large", run.err.splitlines()[-1])
        self.assertTrue(before == last.read_bytes())
        self.assertEqual(self.files(), ["best.safetensors", "last.safetensors", "log.jsonl", "loss.svg"])
        self.assertEqual((self.run_folder / "log.jsonl").read_text().count("\n"), 40)
        self.assertEqual(self.train("--resume", "--steps", 5).code, 0)

    def test_broken_checkpoints(self):
        self.trained()
        path = self.run_folder / "last.safetensors"
        header, good = read_checkpoint(path)
        good = without_header_crc(good)
        start = len(good) - max(t["data_offsets"][1] for n, t in header.items() if n != "__metadata__")
        place = start + header["final_norm.scale"]["data_offsets"][0] + 1 if "final_norm.scale" in header else start + 1
        flipped = bytearray(good)
        flipped[place] ^= 4
        cases = {"truncated": (good[:-100], ["byte"]), "flipped": (bytes(flipped), ["tensor"]), "empty": (b"", []),
                 "seven": (good[:7], []), "text": (b"no checkpoint at all, but a text", []),
                 "longer": (good + b"x", []),
                 "other model": (good.replace(b'\\"width\\":16', b'\\"width\\":32'), ["parameters"]),
                 "other heads": (good.replace(b'\\"heads\\":2', b'\\"heads\\":3'), ["heads"]),
                 "other step": (good.replace(b'\\"step\\":4', b'\\"step\\":x'), ["training"]),
                 "newer": (good.replace(b"checkpoint 1", b"checkpoint 9"), ["checkpoint 9"]),
                 "no moments": (good.replace(b'"optimizer.state.0.exp_avg"', b'"optimizer.state.0.exp_avh"'), []),
                 "path": (good.replace(b'"pos_emb.weight"', b'"../../x.weight"'), ["../../x.weight"]),
                 "other name": (good.replace(b'"pos_emb.weight"', b'"pos_emb.weighs"'), ["pos_emb.weigh"])}
        for name, (content, words) in cases.items():
            with self.subTest(name):
                self.assertNotEqual(content, good)
                path.write_bytes(content)
                for run in (self.generate("--prompt", "cats", out=path), self.train("--resume", "--steps", 6)):
                    if name == "no moments" and run.code == 0:
                        continue  # generating text needs no moments
                    self.assertEqual((run.code, run.out), (1, ""), run.err)
                    for word in [str(path), *words]:
                        self.assertIn(word, run.err)
        self.assertEqual(path.read_bytes(), content)

    def test_foreign_checkpoints(self):
        path = self.folder / "foreign.safetensors"
        write_safetensors(path, {"wte.weight": 8}, {"format": "pt"})
        self.assert_fails(self.generate("--prompt", "cats", out=path), path, "no checkpoint of glassgrad")
        self.assert_fails(self.generate("--prompt", "cats", out=self.folder / "none"), "none")
        self.assert_fails(self.generate("--prompt", "cats", out=self.folder), self.folder, "no checkpoint")

    def test_texts_that_nothing_can_be_learned_from(self):
        for name, content, words in (("empty", "", ["empty"]), ("short", "abc" * 30, ["9 of its 90", "33"])):
            path = self.write(name, content)
            self.assert_fails(self.train("--text", path), *words)
        pipe, loop = self.folder / "pipe", self.folder / "loop"
        os.mkfifo(pipe)
        loop.symlink_to(loop)
        for path in ("/dev/zero", self.folder, self.folder / "none", pipe, loop):
            self.assert_fails(self.train("--text", path), path)
        for path in (pipe, loop):
            self.assert_fails(self.generate("--prompt", "cats", out=path), path)

    def test_a_text_that_becomes_shorter(self):
        text = self.write("text", bytes(range(256)) * 100)
        process = self.start(*ENDLESS, "--text", text, "--tokenizer", "byte")
        os.truncate(text, 10)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, err.count("\n")), (1, 1), err)
        self.assertIn(f"{text}: became shorter while it was read", err)

    def test_weights_that_are_no_numbers(self):
        self.trained()
        last = self.run_folder / "last.safetensors"
        header, data = read_checkpoint(last)
        start, end = (len(data) - max(t["data_offsets"][1] for n, t in header.items() if n != "__metadata__") + at
                      for at in header["final_norm.weight"]["data_offsets"])
        checksum = re.search(rb'"crc32:final_norm.weight":"[0-9a-f]+"', data)[0]
        nan = data[:start] + b"\xff" * (end - start) + data[end:]
        nan = without_header_crc(nan)
        last.write_bytes(nan.replace(checksum, checksum.replace(b"final_norm", b"final_morn")))
        self.assert_fails(self.generate("--prompt", "cats", out=last), "logits hold nan")
        self.assert_fails(glassgrad("inspect", last, "--text", "cats"), "logits hold nan")
        self.assert_fails(self.train("--resume", "--steps", 5), "step 5: the loss is nan", "nan in the weights of final_norm")

    def test_what_no_machine_has_the_memory_for(self):
        self.assert_fails(self.train("--preset", "gpt2-124m", "--context", 64, "--batch", 1000000), "but there are")

    @unittest.skipIf(os.environ.get("SANITIZERS"), "their allocator ends the program")
    def test_an_ulimit_counts(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        self.assert_fails(self.train("--preset", "gpt2-124m", "--context", 64, preexec_fn=little), "but there are 1", "--batch")
        self.assertFalse(self.run_folder.exists())


class CommandLine(Folder):
    def test_wrong_flags_exit_with_2(self):
        for flags in (["--heads", 3], ["--layers", 0], ["--width", -1], ["--dropout", 1], ["--lr", "nan"], ["--lr", -1],
                      ["--steps", 0], ["--steps", "1e3"], ["--batch", "99999999999999999999"], ["--preset", "huge"],
                      ["--tokenizer", "wrd"], ["--vocab", 300], ["--text", ""], ["--seed", "x"], ["--layer", 1],
                      ["--resume", "--force"], ["--validation", 1], ["--eval-every", 0], ["--watch", 0],
                      ["--device", "tpu"], ["--device", "cuda:x"], ["--tokens", "a.bin"], ["--tokens", ""],
                      ["--tokens", "a.bin", "--text", "b"], ["--merges", "a"], ["--vocab", "v.json", "--tokenizer", "bpe"],
                      ["--merges", "a", "--vocab", "b", "--tokenizer", "char"]):
            run = self.train(*flags)
            with self.subTest(flags):
                self.assert_fails(run, str(flags[0]).strip("-"), code=2)
                self.assertEqual(run.out, "")
                self.assertFalse(self.run_folder.exists())


if __name__ == "__main__":
    unittest.main()
