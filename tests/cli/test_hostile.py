#!/usr/bin/env python3
"""What a stranger has written or named: it is read in little time, shown without harm, and never obeyed."""
import json
import os
import pty
import re
import struct
import subprocess
import unittest

from program import PROGRAM, glassgrad
from training import SMALL, Folder, read_checkpoint

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
NAME = "a\x1b]0;title\x07\n\x9b2Jb"  # sets a terminal's title, rings its bell, breaks the line, clears the screen


def changed_metadata(path, change):
    """Rewrites a checkpoint's metadata, without the header's checksum."""
    header, data = read_checkpoint(path)
    body = data[8 + struct.unpack("<Q", data[:8])[0]:]
    header["__metadata__"].pop("crc32", None)
    change(header["__metadata__"])
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def on_a_terminal(*arguments, **options):
    """What `glassgrad ARGUMENTS` writes to a terminal, as bytes."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env=os.environ | {"PAGER": "cat"}, **options)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # nothing holds it open any more
            part = b""
        if not part:
            break
        written += part
    os.close(ours)
    process.wait()
    return written


class Shown(Folder):
    def assert_harmless(self, text, lines=None):
        self.assertNotRegex(text, CONTROL)
        if lines is not None:
            self.assertEqual(text.count("\n"), lines, text)

    def test_the_name_of_a_file(self):
        self.trained()
        file = self.folder / f"{NAME}.safetensors"
        (self.run_folder / "last.safetensors").rename(file)
        self.assert_harmless(glassgrad("verify", file, encoding="utf-8").out, 1)
        for format in "text", "dot", "svg":
            run = glassgrad("graph", file, "--format", format, encoding="utf-8")
            self.assertEqual((run.code, run.err), (0, ""))
            self.assert_harmless(run.out)
            self.assertNotIn("title\x07", run.out)
        self.assertRegex(glassgrad("graph", file, "--format", "dot", encoding="utf-8").out, r'\Adigraph "[^"\n]*" \{\n  rankdir')
        self.assert_harmless(glassgrad("convert", file, self.folder / NAME, encoding="utf-8").out, 1)
        self.assert_harmless(self.train("--resume", "--out", self.run_folder, "--html", self.folder / NAME, encoding="utf-8").err)

    def test_words_of_the_command_line(self):
        for word in NAME, os.fsdecode(b"\xff\xfe\x9b"), "\u202egnp.exe":
            for arguments in (["learn", word], ["verify", word], ["graph", word], ["why", word, "a"], ["diff", word, word],
                              ["train", "--text", word, "--out", "no"], ["learn", "journey", "--seed", word], [word], [f"--{word}"]):
                with self.subTest(arguments):
                    run = glassgrad(*arguments, cwd=self.folder, encoding="utf-8")  # strict: the output must be UTF-8
                    self.assertIn(run.code, (1, 2))
                    self.assert_harmless(run.err, 1)

    def test_names_of_tokens(self):
        for name in (b"a\x9b", b"a\xc2\x9b", b"\xff", b"a\x1b", "\u202ea".encode(), b"a\nb"):
            for format in "text", "json":
                run = glassgrad("learn", "journey", "--tokens", os.fsdecode(name + b",b,c,d,e,f"), "--format", format)
                self.assert_fails(run, "--tokens: a name holds", code=2)
        self.assertEqual(glassgrad("learn", "journey", "--tokens", "é,猫,b,c,d,👩‍🚀", "--outputs").code, 0)

    def test_long_words_are_cut(self):
        long = "a" * 120_000
        for word in long, "a " * 60_000, "'" * 120_000, "," * 120_000:
            for arguments in (["learn", word], ["verify", word], ["learn", "journey", "--tokens", word], [word],
                              ["learn", "journey", "--seed", word], ["why", word, "x"], ["graph", word], [f"--{word}"]):
                with self.subTest(arguments[:-1]):
                    run = glassgrad(*arguments)
                    self.assertIn(run.code, (1, 2))
                    self.assertLess(len(run.err), 1000)
                    self.assertNotIn("exception", run.err)
                    self.assertNotIn("filesystem", run.err)

    def test_what_a_vocabulary_spells(self):
        """A terminal gets its letters only; a pipe, and so a file, every byte."""
        text = self.write("text", b"a\x1b]0;x\x07\xc2\x9b\xff\xc3\xa9\xe7\x8c\xab " * 200)
        self.trained("--text", text, "--tokenizer", "byte")
        for prompt in b"a\x1b]0;x\x07", b"\xff\xc3\xa9":
            arguments = ["generate", self.run_folder, "--max-tokens", "200", "--prompt", os.fsdecode(prompt)]
            piped = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True).stdout
            self.assertTrue(piped.startswith(prompt))
            self.assertRegex(piped, rb"[\x00-\x08\x0b-\x1f\x80-\xff]")
            shown = on_a_terminal(*arguments).replace(b"\r\n", b"\n").decode("utf-8")  # strict
            self.assert_harmless(shown)
            self.assertIn("?", shown)
        spelled = on_a_terminal("generate", self.run_folder, "--max-tokens", "0", "--prompt", "é猫\t\n!").decode()
        self.assertTrue(spelled.replace("\r\n", "\n").startswith("é猫\t\n!\ncache "), spelled)

    def test_on_a_terminal_nothing_passes(self):
        self.trained()
        file = self.folder / f"{NAME}.safetensors"
        (self.run_folder / "last.safetensors").rename(file)
        for arguments in (["verify", file], ["graph", file], ["convert", file, self.folder / "to"], ["learn", NAME],
                          ["inspect", file, "--text", "\x1b]0;x\x07cats"]):
            shown = on_a_terminal(*arguments).replace(b"\r\n", b"\n").decode("utf-8")
            self.assert_harmless(re.sub("\x1b\\[[0-9;]*m", "", shown))
            self.assertNotIn("\x1b]", shown)


class Obeyed(Folder):
    def test_a_path_in_a_checkpoint_is_not_opened(self):
        text = self.write("book", "the dog ran to the red house\n" * 40)
        self.trained("--text", text)
        secret = self.write("secret", "my password is 12345\n" * 40)
        last = self.run_folder / "last.safetensors"

        def rename(metadata):
            training = json.loads(metadata["training"])
            training["settings"]["text"] = str(secret)
            metadata["training"] = json.dumps(training)
        changed_metadata(last, rename)
        for flags in [], ["--weights-only"]:
            self.assert_fails(self.train("--resume", "--steps", 6, *flags), "--text FILE", secret, code=2)
            run = subprocess.run(["strace", "-f", "-e", "trace=open,openat", PROGRAM, "train", "--out", self.run_folder, "--resume",
                                  "--steps", "6", *flags], capture_output=True, text=True) if strace() else None
            self.assertNotIn('secret", O_', run.stderr if run else "")
        run = self.train("--resume", "--steps", 6, "--text", text)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotIn("password", run.out)

    def test_what_is_told_to_go_on(self):
        text = self.write("my book", "the dog ran to the red house\n" * 40)
        process = self.start(*SMALL, "--text", text, "--steps", 100000)
        process.terminate()
        told = process.communicate()[0].splitlines()[-1]
        self.assertIn("to go on: glassgrad train", told)
        self.assertTrue(told.endswith(f" --resume --text '{text}'"), told)

    def test_a_text_whose_path_is_no_utf8(self):
        name = os.fsdecode(b"b\xffook")
        self.write(name, "the dog ran to the red house\n" * 40)
        self.trained("--text", name)
        self.assert_fails(self.train("--resume", "--steps", 5, errors="replace"), "--text FILE", code=2)
        self.assertEqual(self.train("--resume", "--steps", 5, "--text", name).code, 0)

    def test_a_description_beside_the_weights_that_contradicts_them(self):
        self.trained()
        self.assertEqual(glassgrad("convert", self.run_folder, "there", cwd=self.folder).code, 0)
        config = self.folder / "there" / "config.json"
        good = config.read_text()
        self.assertIn('"n_head": 2', good)
        for old, new, word in (('"n_head": 2', '"n_head": 4', "heads 4"), ('"n_layer": 1', '"n_layer": 2', "layers 2"),
                               ('"gelu_new"', '"gelu"', "tanh_gelu false"), ('"resid_pdrop": 0.0', '"resid_pdrop": 0.5', "dropout 0.5")):
            config.write_text(good.replace(old, new))
            self.assertNotEqual(config.read_text(), good, old)
            run = glassgrad("convert", "there", "back", cwd=self.folder)
            self.assert_fails(run, "config.json: says", word, "was written with")
        config.write_text(good)
        self.assertEqual(glassgrad("convert", "there", "back", cwd=self.folder).code, 0)


def strace():
    return subprocess.run(["sh", "-c", "strace -V"], capture_output=True).returncode == 0 and not os.environ.get("SANITIZERS")


class Read(Folder):
    def test_a_line_of_the_log_that_is_none(self):
        self.trained()
        log, good = self.run_folder / "log.jsonl", (self.run_folder / "log.jsonl").read_text()
        steps = [json.loads(line)["step"] for line in good.splitlines()]
        for line in ("[" + "{}," * 80_000 + "{}]", "[" + "{}," * 2_000_000 + "{}]", "[" * 100_000, '{"step":9,' * 20,
                     '{"step":1,"loss":1,"step":2}', '{"loss":2,"step":' + "1" * 40 + "}", '{"step":2,"loss":1,"x":"' + "a" * (1 << 20) + '"}'):
            log.write_text(good + line + "\n")
            run = self.train("--resume", "--steps", steps[-1] + 1, timeout=20)
            self.assertEqual((run.code, run.err), (0, ""))
            steps.append(steps[-1] + 1)
            good = log.read_text()
            self.assertEqual([json.loads(x)["step"] for x in good.splitlines()], steps)

    def test_descriptions_with_too_much_in_them(self):
        self.trained()
        self.assertEqual(glassgrad("convert", self.run_folder, "there", cwd=self.folder).code, 0)
        config = self.folder / "there" / "config.json"
        many = "[" + "{}," * 80_000 + "{}]"
        for text, word in ((f'{{"n_head":2,"x":{many}}}', "more than 65536 values"), ('{"n_head":2,"n_head":2}', "has 'n_head' twice"),
                           ('{"n_head":' + "[" * 99 + "]" * 99 + "}", "deeper than 16 levels"), ('{"n_head":2,\n"x"}', "line 2"),
                           (" " * (17 << 20), "at most 16777216"), ('{"n_head":1e999}', "too large")):
            config.write_text(text)
            self.assert_fails(glassgrad("convert", "there", "back", cwd=self.folder, timeout=20), "config.json: ", word)
        for key in "model", "training", "tokenizer":
            changed = self.folder / "changed.safetensors"
            changed.write_bytes((self.run_folder / "last.safetensors").read_bytes())
            changed_metadata(changed, lambda metadata: metadata.update({key: metadata[key][:-1] + f',"x":{many}}}'}))
            run = self.generate("--prompt", "a", "--max-tokens", 0, out=changed, timeout=20)
            if key == "tokenizer":  # a long list is valid here
                self.assertEqual(run.code, 0, run.err)
            else:
                self.assert_fails(run, "more than 65536 values")

    def test_as_many_steps_as_fit_into_a_number(self):
        self.trained()
        for step, word in ((2**63 - 1, "at most 1099511627776"), (2**40, "at most 1099511627776"), (2**40 - 1, f"--steps {2**40}")):
            def late(metadata):
                metadata["training"] = json.dumps(json.loads(metadata["training"]) | {"step": step})
            changed_metadata(self.run_folder / "last.safetensors", late)
            self.assert_fails(self.train("--resume"), word)


class System(Folder):
    def test_closed_streams_do_not_lead_into_a_file(self):
        self.trained()
        curve = self.run_folder / "loss.svg"
        curve.unlink()
        curve.mkdir()  # it cannot be written, so each run warns
        for closing in (">&- 2>&-", "<&- >&- 2>&-", "2>&-", ">&-"):
            log = (self.run_folder / "log.jsonl").read_text().splitlines()
            command = f"'{PROGRAM}' train --out '{self.run_folder}' --resume --steps {len(log) + 2} --eval-every 1 {closing}"
            subprocess.run(command, shell=True, capture_output=True)
            lines = (self.run_folder / "log.jsonl").read_text().splitlines()
            self.assertEqual([json.loads(line)["step"] for line in lines], list(range(1, len(log) + 3)), closing)
            self.assertEqual(glassgrad("verify", self.run_folder).code, 0)

    def test_the_system_says_why(self):
        self.trained()
        script = (f"mount --bind run run && mount -o remount,ro,bind run && '{PROGRAM}' train --out run --resume --steps 9; "
                  f"'{PROGRAM}' train --out run --force --steps 9")
        run = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=self.folder, capture_output=True, text=True)
        if "unshare" in run.stderr or "mount" in run.stderr:
            self.skipTest("no namespace in which a folder may be mounted")
        self.assertEqual(run.stderr.count("run: cannot be written to: Read-only file system"), 2, run.stderr)

    def test_long_names(self):
        for n in 200, 244, 245, 250, 255:
            page = self.folder / ("n" * n)
            run = self.train(*SMALL, "--steps", 2, "--force", "--html", page)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("<html", page.read_text())
        self.assert_fails(self.train(*SMALL, "--steps", 2, "--force", "--html", self.folder / ("n" * 256)), "File name too long")
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.endswith(".tmp")], [])

    def test_a_clock_that_stands_still(self):
        library = self.write("still.c", "struct timespec { long a, b; };\n"
                             "int clock_gettime(int clock, struct timespec* now) { now->a = 1000; now->b = 0; return clock * 0; }\n")
        made = subprocess.run(["cc", "-shared", "-fPIC", "-o", "still.so", library], cwd=self.folder, capture_output=True)
        if made.returncode != 0 or os.environ.get("SANITIZERS"):
            self.skipTest("no compiler, or one library too many")
        run = self.train(*SMALL, "--steps", 3, env=os.environ | {"LD_PRELOAD": str(self.folder / "still.so")})
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotRegex(run.out, r"\b(inf|nan)\b")
        for line in (self.run_folder / "log.jsonl").read_text().splitlines():
            self.assertEqual(json.loads(line)["tokens_per_second"], 0)


if __name__ == "__main__":
    unittest.main()
