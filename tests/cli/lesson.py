"""What every lesson's test class inherits."""
import bisect
import functools
import json
import re
import tempfile
from pathlib import Path

import program
from program import golden_of, write_npy

NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[+-]\d+)?|inf|nan)")


learn_once = functools.cache(program.learn)


def flat(data):
    return [x for row in data for x in flat(row)] if isinstance(data, (list, tuple)) else [data]


def shape_of(data):
    return (len(data), *shape_of(data[0])) if isinstance(data, (list, tuple)) else ()


class Lesson:
    """The tests that every lesson passes; its class says what is its own."""
    blocks = 0       # the least number of blocks that the source prints
    starts = ""      # regular expression: how a printed block begins, if not with tensor(
    settings = []    # flags that change the printed numbers
    rows = []        # the lesson's inputs
    step = ""        # the id of one of its steps
    quick = []       # flags that make it small, for tests that run it many times
    same_flags = [["--num-heads", "--heads"]]  # the source's name of a flag, and glassgrad's
    same_value = 1                             # a value that all these flags accept
    shape = "torch.Size([2, 2, {width}])"      # printed for two tokens of that width

    def learn(self, *arguments):
        from_files = any(word in ("--inputs", "--weights") for word in arguments)  # the test may rewrite the file
        return (program.learn if from_files else learn_once)(*arguments, lesson=self.lesson)

    def small(self, *flags):
        """`flags`, and the quick ones but for those that `flags` set."""
        given = {dict(self.same_flags).get(flag, flag) for flag in flags}
        pairs = zip(self.quick[::2], self.quick[1::2])
        return [word for pair in pairs if pair[0] not in given for word in pair] + list(flags)

    def steps(self, *arguments):
        return json.loads(self.learn("--format", "json", *self.small(*arguments)).out)["steps"]

    @property
    def golden(self):
        return golden_of(self.lesson)

    # ---- --outputs
    def test_outputs_equal_the_golden(self):
        run = self.learn("--outputs")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(run.out, self.golden)

    def test_plain_contains_them_in_order(self):
        plain, place = self.learn("--plain").out, 0
        blocks = re.split(rf"\n(?=tensor|{self.starts})", self.golden.rstrip("\n"))
        self.assertGreaterEqual(len(blocks), self.blocks)
        for block in blocks:
            place = plain.find(block.strip("\n"), place)
            self.assertGreaterEqual(place, 0, block)
            place += len(block)

    def test_settings_change_them(self):
        base = self.learn("--outputs", *self.quick).out
        for flags in self.settings:
            run = self.learn("--outputs", *self.small(*flags))
            self.assertEqual((run.code, run.err), (0, ""), flags)
            self.assertNotEqual(run.out, base, flags)

    def test_the_sources_name_of_a_flag(self):
        for theirs, ours in self.same_flags:
            first, second = (self.learn("--outputs", *self.small(flag, self.same_value)) for flag in (theirs, ours))
            self.assertEqual((first.code, first.out), (0, second.out), theirs)

    def test_repeat_bit_for_bit(self):
        first, second = (self.learn("--outputs", *self.quick, "--seed", n).out for n in (-1, 0xFFFFFFFF))
        self.assertEqual(first, second)

    def alike(self, out):
        """What `out` shares with the run on the lesson's own inputs when `rows` come from a file."""
        return out

    def test_own_inputs(self):
        base = self.alike(self.learn("--outputs", *self.quick).out)
        with tempfile.TemporaryDirectory() as folder:
            for descr in "<f4", ">f4", "<f8":
                file = write_npy(Path(folder) / "x.npy", flat(self.rows), descr, shape=shape_of(self.rows))
                run = self.learn("--outputs", *self.quick, "--inputs", file)
                self.assertEqual(self.alike(run.out), base, descr)
            if len(shape_of(self.rows)) == 2:
                table = Path(folder) / "x.csv"
                table.write_text("\n".join(", ".join(map(str, row)) for row in self.rows))
                self.assertEqual(self.alike(self.learn("--outputs", *self.quick, "--inputs", table).out), base)
            for rows in [[0.1, 0.2], [0.3, 0.4]], [[1], [-2]], [[0, 0, 0], [0, 0, 0]], [[1e30, -1e30], [1e-30, 0]]:
                file = write_npy(Path(folder) / "x.npy", rows)
                run = self.learn("--outputs", *self.quick, "--inputs", file, "--tokens", "to,be")
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertIn(self.shape.format(width=len(rows[0])), run.out)
                self.assertIn("to", self.learn(*self.quick, "--inputs", file, "--tokens", "to,be").out)

    # ---- --format json, --list
    def test_shapes_names_and_ids(self):
        found = self.steps()
        ids = [s["id"] for s in found]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn(self.step, ids)
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
        texts, of = {}, None  # the text of each step
        for line in self.learn("--plain", *self.quick).out.splitlines():
            header = re.match(r"# ([a-z0-9-]+)(?:[ :]|$)", line)
            of = header[1] if header else of
            texts[of] = texts.get(of, "") + line + "\n"
        for step in self.steps():
            shown = sorted(float(n) for n in NUMBER.findall(texts.get(step["id"], "")) if n != "nan")
            for tensor in step["tensors"]:
                if tensor["dtype"] != "torch.float32" and tensor["dtype"] != "float32":
                    continue
                values = [float(v) for v in flat(tensor["data"])]
                if any(v != v for v in values) or not values or max(map(abs, values)) > 1e8:
                    continue
                for v in values:
                    close = 6e-5 * max(1, abs(v))  # with an exponent, only 5 digits are printed
                    place = bisect.bisect_left(shown, v - close)
                    self.assertTrue(place < len(shown) and shown[place] <= v + close, (step["id"], tensor["name"], v))

    def test_list_names_every_step(self):
        listing = self.learn("--list", *self.quick).out
        for step in self.steps():
            self.assertIn(step["id"], listing)
            for tensor in step["tensors"]:
                self.assertIn(tensor["name"], listing)

    def test_every_dimension_has_a_name(self):
        for heading in re.findall(r"^(\S+  \(.*\))$", self.learn(*self.quick).out, re.M):
            self.assertRegex(heading, r"^\S+  \((|(\w+=\d+( \w+)?(, )?)+)\)$")

    # ---- --from, --to
    def test_from_and_to_accept_id_and_number(self):
        found = self.steps()
        middle = found[len(found) // 2]
        place = re.search(rf"^ *([\d.]+) +{re.escape(middle['id'])}  ", self.learn("--list", *self.quick).out, re.M)[1]
        by_id, by_place = (self.learn("--plain", *self.quick, "--from", at, "--to", at).out for at in (middle["id"], place))
        self.assertEqual(by_id, by_place)
        self.assertEqual([s["id"] for s in self.steps("--from", middle["id"], "--to", middle["id"])], [middle["id"]])

    def test_parts_make_the_whole(self):
        found = self.steps()
        half = len(found) // 2
        first = self.learn("--outputs", *self.quick, "--to", found[half - 1]["id"]).out
        second = self.learn("--outputs", *self.quick, "--from", found[half]["id"]).out
        self.assertEqual(first + second, self.learn("--outputs", *self.quick).out)

    # ---- the whole lesson
    def test_text_shows_every_step(self):
        run = self.learn(*self.quick)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotIn("\x1b", run.out)
        for step in self.steps():
            self.assertIn(step["title"], run.out)
