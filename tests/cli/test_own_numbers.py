#!/usr/bin/env python3
"""`--inputs` and `--weights` from spreadsheets and arrays: what is read, and what is said of a file that is wrong."""
import json
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from program import write_npy

WRONG = [  # text of a .csv file, words in the error
    ("1,2\n3\n", ["row 2 has 1 numbers, but row 1 has 2"]),
    ("\n\n1,2\n\n3,4,5\n", ["row 5 has 3 numbers, but row 3 has 2"]),
    ("a,2\n1,2\n", ["row 1, column 1", "'a' is no number"]),
    ("a,b\nc,d\n", ["row 2, column 1", "'c' is no number"]),
    ("1,2\n3,x4\n", ["row 2, column 2", "'x4' is no number"]),
    ("1,2\n3,\n", ["row 2, column 2 is empty"]),
    ('1,"2,5"\n3,4\n', ["row 1, column 2", "'2,5' has a comma inside", "semicolons"]),
    ("1;2,000.5\n3;4\n", ["row 1, column 2", "'2,000.5' has a comma inside"]),
    ("1,2\n3,NA\n", ["row 2, column 2", "'NA' is no number", "nan"]),
    ("1,2\n3,0x4\n", ["row 2, column 2", "'0x4' is no number"]),
    ("1,2\n3,1e999\n", ["row 2, column 2", "too large"]),
    ("1,2\n3,\x1b[2J\n", ["row 2, column 2", "'?[2J'"]),
    ("\x00\x00\x00", ["row 1, column 1"]),
    ("", ["holds no numbers"]),
    ("\n \r\n", ["holds no numbers"]),
    ("1,2\n", ["[1, 2]", "at least 2 tokens"]),
]

SAME = [  # [[1, 2], [3, -4.5]] as spreadsheets, pandas and numpy save it
    "1,2\n3,-4.5\n", "1,2\r\n3,-4.5\r\n", "\ufeff1,2\n3,-4.5", " +1 , 2\n\n3,\t-45e-1\n\n", "1;2\r3;-4,5\r",
    "sep=;\r\n1;2\r\n3;-4,5", "1 2\n  3   -4.5\n", "1\t2\n3\t-4,5\n", "# x y\n1,2\n3,-4.5", "x,y\n1,2\n3,-4.5\n",
    ",x,y\n0,1,2\n1,3,-4.5\n", "1,2,\n3,-4.5,\n", '"1","2"\n"3","-4.5"\n', "1,\u00a02\n3,\u22124.5\n",
]


class OwnNumbers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def csv(self, text, name="x.csv"):
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    def tensors(self, *arguments, lesson="journey"):
        run = program.learn("--format", "json", *arguments, lesson=lesson)
        self.assertEqual((run.code, run.err), (0, ""))
        return {(s["id"], t["name"]): t["data"] for s in json.loads(run.out)["steps"] for t in s["tensors"]}

    def refuse(self, code, *arguments, words):
        run = program.learn("--outputs", *arguments)
        self.assertEqual((run.code, run.out), (code, ""), run.err)
        self.assertEqual(len(run.err.splitlines()), 1, run.err)
        for word in words:
            self.assertIn(word, run.err)

    # ---- --inputs
    def test_spreadsheets(self):
        for text in SAME:
            read = self.tensors("--inputs", self.csv(text))
            self.assertEqual(read["inputs", "inputs"], [[1.0, 2.0], [3.0, -4.5]], text)

    def test_utf_16(self):
        path = self.folder / "x.csv"
        for encoding in "utf-16-le", "utf-16-be":
            path.write_bytes("\ufeff1,2\n3,-4.5\n".encode(encoding))
            self.assertEqual(self.tensors("--inputs", path)["inputs", "inputs"], [[1.0, 2.0], [3.0, -4.5]])

    def test_what_may_not_be_meant_is_said(self):
        for text, words in ("1,2\n3,nan\n", "row 2, column 2 is nan"), ("0,1,2\n1,3,4\n2,5,6\n", "column 1 counts 0 to 2"):
            run = program.learn("--outputs", "--inputs", self.csv(text))
            self.assertEqual(run.code, 0)
            self.assertIn(f"x.csv: {words}", run.err)

    def test_not_finite(self):
        run = program.learn("--format", "json", "--inputs", self.csv("1,nan\n-inf,inf\n"))
        read = {(s["id"], t["name"]): t["data"] for s in json.loads(run.out)["steps"] for t in s["tensors"]}
        self.assertEqual(read["inputs", "inputs"], [[1.0, "NaN"], ["-Infinity", "Infinity"]])

    def test_wrong_spreadsheets(self):
        for text, words in WRONG:
            self.refuse(1, "--inputs", self.csv(text), words=["x.csv", *words])

    def test_tokens_must_match_the_rows(self):
        self.refuse(2, "--inputs", self.csv("1,2\n3,4\n"), "--tokens", "a,b,c", words=["3 tokens", "give 2 names"])

    # ---- --weights
    def test_weights_replace_what_is_drawn(self):
        file = self.csv("1,0\n0,1\n1,1\n")
        own = self.tensors("--weights", f"W_query={file}", "--weights", f"sa_v1.W_query={file}")
        self.assertEqual(own["projection-weights", "W_query"], [[1, 0], [0, 1], [1, 1]])
        self.assertEqual(own["v1-projections", "W_query"], [[1, 0], [0, 1], [1, 1]])
        drawn = self.tensors()
        for key in ("projection-weights", "W_key"), ("self-attention-v2", "context_vec"):
            self.assertEqual(own[key], drawn[key])
        self.assertNotEqual(own["self-attention-v1", "context_vec"], drawn["self-attention-v1", "context_vec"])

    def test_parameters_of_modules(self):
        weight = write_npy(self.folder / "w.npy", [[1.0, 2, 3], [4, 5, 6]])
        bias = self.csv("7,8\n")
        own = self.tensors("--weights", f"mha.W_query.weight={weight}", "--weights", f"mha.out_proj.bias={bias}")
        self.assertEqual(own["split-projections", "W_query.weight"], [[1, 2, 3], [4, 5, 6]])
        self.assertEqual(own["split-attention", "out_proj.bias"], [7, 8])

    def test_wrong_weights(self):
        file = self.csv("1,0\n0,1\n1,1\n")
        for given, words in [("W_query", ["NAME=FILE"]), ("=x.csv", ["NAME=FILE"]), ("W_query=", ["NAME=FILE"]),
                             ("", ["NAME=FILE"]), (f"W_qery={file}", ["did you mean W_query"])]:
            self.refuse(2, "--weights", given, words=words)
        self.refuse(2, "--weights", f"W_key={file}", "--weights", f"W_key={file}", words=["W_key twice"])
        self.refuse(1, "--weights", f"sa_v2.W_key.weight={file}", words=["[3, 2]", "[2, 3]", "x.csv"])
        self.refuse(1, "--weights", "W_key=absent.csv", words=["absent.csv"])


@unittest.skipIf(os.environ.get("SANITIZERS"), "sanitizers take memory of their own")
class Memory(unittest.TestCase):
    """A run that would take more than there is ends with what to give instead."""
    RUNS = (("graph", "journey"), ("learn", "journey", "--plain", "--set", "inputs[0,0]=1"),
            ("learn", "journey", "--html", "page.html"), ("learn", "cat", "--backward", "--plain"),
            ("learn", "mask.five-ways", "--backward", "--plain"))

    def run_within(self, megabytes, arguments, folder):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10 ** 6,) * 2)
        return subprocess.run([program.PROGRAM, *arguments], cwd=folder, preexec_fn=limited, capture_output=True,
                              text=True, timeout=120)

    def test_a_run_is_refused_with_the_numbers_or_ends_well(self):
        with tempfile.TemporaryDirectory() as folder:
            for width in 3, 4:
                rows = ",".join(str(i / 10) for i in range(width)) + "\n"
                (Path(folder) / f"{width}.csv").write_text(rows * 250)
            for megabytes in 100, 150, 200, 300:
                for arguments in self.RUNS:
                    width = 4 if "cat" in arguments else 3
                    run = self.run_within(megabytes, [*arguments, "--inputs", f"{width}.csv"], folder)
                    with self.subTest(arguments, megabytes=megabytes):
                        if run.returncode != 0:
                            self.assertRegex(run.stderr, r"takes more than the \d+ MiB of memory that are available: "
                                                         r"give fewer rows|^glassgrad: out of memory: give fewer rows|is too large for a page")

    def test_memory_that_is_not_given(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = 4_000_000
            array = write_npy(Path(folder) / "large.npy", [], shape=(rows, 3), body=b"")
            os.truncate(array, array.stat().st_size + rows * 3 * 4)
            run = self.run_within(100, ["learn", "journey", "--plain", "--inputs", array], folder)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertRegex(run.stderr, "^glassgrad: out of memory: give fewer rows")

    def test_500_tokens_open_within_a_gigabyte(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "500.csv").write_text("".join(f"{i / 500},{i % 7 / 7},{i % 11 / 11}\n" for i in range(500)))
            for arguments in (("graph", "journey"), ("why", "journey", "scores:attn_scores[499,3]"),
                              ("learn", "journey", "--plain", "--set", "inputs[0,0]=1"),
                              ("learn", "journey", "--html", "page.html")):
                child = subprocess.Popen([program.PROGRAM, *arguments, "--inputs", "500.csv"], cwd=folder,
                                         stdout=subprocess.DEVNULL)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(child.returncode, 0, arguments)
                self.assertLess(usage.ru_maxrss, 10 ** 6, arguments)


if __name__ == "__main__":
    unittest.main()
