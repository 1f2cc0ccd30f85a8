#!/usr/bin/env python3
"""`train --html` and `inspect --html`: when their pages are written, what they leave alone, and what they refuse."""
import json
import re
import signal
import unittest

from program import glassgrad
from training import SMALL, Folder, step_of


def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S)[1])


def without_speed(log):
    return re.sub(r'"tokens_per_second":[\d.]+', "", log.read_text())


class Pages(Folder):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page.html"

    def inspect(self, *arguments, text="cats climb trees during"):
        return glassgrad("inspect", self.run_folder, "--text", text, *arguments, cwd=self.folder)


class OfATraining(Pages):
    def test_it_changes_nothing_that_is_saved(self):
        flags = ["--eval-every", 2, "--dropout", 0.1]
        self.trained(*flags, out=self.folder / "plain")
        self.trained(*flags, "--html", self.page)
        self.assertEqual(self.files(), ["best.safetensors", "last.safetensors", "log.jsonl", "loss.svg", "watch.json"])
        for name in ("best.safetensors", "last.safetensors", "loss.svg"):
            self.assertTrue((self.run_folder / name).read_bytes() == (self.folder / "plain" / name).read_bytes(), name)
        self.assertEqual(without_speed(self.run_folder / "log.jsonl"), without_speed(self.folder / "plain" / "log.jsonl"))
        recordings = data(self.page)["recordings"]
        self.assertEqual([r["step"] for r in recordings], [0, 2, 4])
        self.assertEqual([r["sample"] for r in recordings], [r["sample"] for r in self.recordings()["recordings"]])
        self.assertLess(self.page.stat().st_size, 2_000_000)

    def test_a_stop_and_a_resume_give_the_page_of_a_whole_run(self):
        flags = [*SMALL, "--eval-every", 5, "--checkpoint-every", 50]
        process = self.start(*flags, "--steps", 10 ** 6, "--html", self.page, steps=12)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGINT)
        stopped = step_of(self.run_folder / "last.safetensors")
        steps = [r["step"] for r in data(self.page)["recordings"]]
        self.assertEqual(steps[:1], [0])
        self.assertLessEqual(steps[-1], stopped)
        # With --html every N steps of a million, a page has few recordings; it always has those of --watch.
        run = glassgrad("train", "--out", self.run_folder, "--resume", "--steps", stopped + 4, "--watch", 2, "--html",
                        self.page, cwd=self.folder)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(data(self.page)["recordings"][-1]["step"], stopped + 4)
        again = self.folder / "again.html"
        run = glassgrad("train", "--out", self.run_folder, "--resume", "--html", again, cwd=self.folder)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertIn(f"has made all its {stopped + 4} steps", run.out)
        self.assertTrue(again.read_bytes() == self.page.read_bytes())

    def test_of_many_recordings_it_keeps_what_fits_and_says_so(self):
        self.trained("--watch", 1)
        path = self.run_folder / "watch.json"
        watched = json.loads(path.read_text())
        last = watched["recordings"][-1]
        watched["recordings"] = [last | {"step": step} for step in range(1000, 1900)]
        watched["recordings"][3]["sample"] = ["<script>alert(1)</script>"]
        for recording in watched["recordings"]:
            recording["sample"] = recording["sample"] * 20
        path.write_text(json.dumps(watched))
        run = glassgrad("train", "--out", self.run_folder, "--resume", "--html", self.page, cwd=self.folder)
        self.assertEqual((run.code, run.err), (0, ""))
        page = data(self.page)
        steps = [r["step"] for r in page["recordings"]]
        self.assertEqual((steps[0], steps[-1], steps), (1000, 1899, sorted(set(steps))))
        self.assertLess(len(steps), 900)
        self.assertIn(f"{len(steps)} of 900 recordings", page["kept"])
        self.assertLess(self.page.stat().st_size, 2_000_000)

    def test_a_run_that_was_not_recorded_has_its_curve(self):
        self.trained()
        run = glassgrad("train", "--out", self.run_folder, "--resume", "--html", self.page, cwd=self.folder)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(data(self.page)["recordings"], [])
        self.assertIn("<svg", self.page.read_text())

    def test_a_path_that_cannot_be_written_is_known_before_the_training(self):
        for path in ("no/such/folder/page.html", "/dev/null/page.html"):
            run = self.train(*SMALL, "--steps", 1, "--html", path)
            self.assert_fails(run, path)
            self.assertFalse(self.run_folder.exists())
        self.assert_fails(self.train("--html", ""), "--html", code=2)

    def test_a_record_that_somebody_has_changed(self):
        self.trained("--watch", 2)
        path = self.run_folder / "watch.json"
        whole = path.read_text()
        for broken in ("{", "[]", whole[:200], whole.replace('"attention":[[[[1.0', '"attention":[[[[[]'),
                       whole.replace('"step":2', '"step":"x"'), whole.replace('"sample":[', '"sample":[1,')):
            self.assertNotEqual(broken, whole)
            path.write_text(broken)
            run = glassgrad("train", "--out", self.run_folder, "--resume", "--html", self.page, cwd=self.folder)
            self.assert_fails(run, "watch.json")
            self.assertFalse(self.page.exists())


class OfAModel(Pages):
    def test_it_shows_the_heads_that_are_asked_for(self):
        self.trained()
        for flags, heads in ([], [(0, 0), (0, 1)]), (["--head", 1], [(0, 1)]):
            run = self.inspect("--html", self.page, *flags)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertEqual([(h["layer"], h["head"]) for h in data(self.page)["heads"]], heads)
        self.assertTrue(self.inspect("--html", "-").out.startswith("<!doctype html>"))

    def test_what_cannot_be_a_page(self):
        self.train("--text", self.write("text", "ab" * 8000), "--layers", 1, "--heads", 2, "--width", 16,
                   "--context", 700, "--batch", 1, "--steps", 1)
        run = self.inspect("--html", self.page, text="ab" * 345)
        self.assert_fails(run, "2 heads over 690 tokens", "shorter --text")
        self.assertFalse(self.page.exists())
        self.assert_fails(self.inspect("--html", "no/such/folder/x.html", text="ab"), "no/such/folder")
        for flags in (["--html", ""], ["--html", self.page, "--format", "json"]):
            self.assert_fails(self.inspect(*flags, text="ab"), "--html", code=2)


if __name__ == "__main__":
    unittest.main()
