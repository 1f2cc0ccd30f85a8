#!/usr/bin/env python3
"""The pages of docs/ and README: generated chapters, links, quotations of files; and the command `docs`."""
import fcntl
import functools
import os
import pty
import re
import shlex
import struct
import subprocess
import tempfile
import termios
import unittest

from program import PATIENCE, PROGRAM, ROOT, glassgrad, golden_of, learn, listed

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
STEP = '<a id="(.+)"></a>'


@functools.cache
def chapters():
    """Each lesson's chapter as the program writes it now."""
    return {id: learn("--format", "markdown", lesson=id).out for id, *_ in listed(glassgrad("docs").out)}


def anchors(page):
    """Explicit ones, and those that GitHub makes of headings."""
    text = FENCED.sub("", page.read_text())
    found = set(re.findall(STEP, text))
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(next(a for n in range(99) if (a := words + (f"-{n}" if n else "")) not in found))
    return found


class Chapters(unittest.TestCase):
    def test_they_are_what_the_lessons_say(self):
        self.assertTrue(chapters())
        for lesson, text in chapters().items():
            page = DOCS / f"{lesson}.md"
            self.assertTrue(page.exists(), f"docs/{lesson}.md is missing: make docs")
            for number, (here, now) in enumerate(zip(page.read_text().splitlines(), text.splitlines()), 1):
                self.assertEqual(here, now, f"docs/{lesson}.md:{number}: make docs")
            self.assertEqual(page.read_text(), text, f"docs/{lesson}.md: make docs")

    def test_every_step_has_its_place(self):
        for lesson, text in chapters().items():
            steps = re.findall(STEP, text)
            self.assertGreater(len(steps), 5, lesson)
            places = re.findall(r"^(?:####? |    - )?([\d.]+?)\.? \[.*\]\(#(.+)\)$", text, re.M)
            self.assertEqual([id for _, id in places], steps)
            self.assertEqual([f"{'####' if '.' in place else '###'} {place}. " for place, _ in places],
                             re.findall(r"^####? [\d.]+\. ", text, re.M))
            road = [place for place, _ in places if "." not in place]
            self.assertEqual(road, [str(number) for number in range(1, len(road) + 1)])
            for run in FENCED.findall(text):
                self.assertIn(run[0], ("", "math", "python"))
            self.assertEqual(FENCED.sub("", text).find("```"), -1)

    def test_what_is_printed_is_whole(self):
        for lesson, text in chapters().items():
            place = 0
            for line in golden_of(lesson).splitlines():
                place = text.find(line, place)
                self.assertGreaterEqual(place, 0, line)
                place += len(line)

    def test_they_count_their_claims(self):
        for lesson, text in chapters().items():
            claims = re.findall("^::: claim ", (ROOT / f"apps/lessons/{lesson}.md").read_text(), re.M)
            self.assertIn(f"\n\n{len(claims)} statements of this chapter are claims: ", text)

    def test_the_settings_are_named(self):
        run = learn("--format", "markdown", "--heads", 3, "--d-out", 3, "--tokens", "a b,c,d,e,f,g")
        self.assertTrue("`glassgrad learn journey --d-out 3 --heads 3 --tokens 'a b,c,d,e,f,g' --format" in run.out)
        self.assertTrue("is shown. All numbers: `glassgrad learn journey --d-out 3 --heads 3" in run.out)
        self.assertFalse("heads.1." in FENCED.sub("", run.out))

    def test_marks_in_sentences_are_no_marks(self):
        run = learn("--format", "markdown", "--tokens", "*a*,<b>,|c|,`d`,[e](f),g\\h", "--to", "dropout-ones")
        text = FENCED.sub("", run.out)
        for name in r"\*a\*", r"\<b>", r"\|c\|", r"\`d\`", r"[e\](f)", r"g\\h":
            self.assertTrue(name in text, name)
        for name in "*a*", " <b>", "|c|", "[e](f)":
            self.assertFalse(name in text, name)

    def test_what_a_lesson_marks_is_marked(self):
        chapter = chapters()["journey"]
        for words in "`transpose(1, 2)` swaps", "prints as `tensor(1.)`.", "is their *dot product*.", "(`d_out`, `d_in`)", \
                     "(What came [before attention](rnn.why.md#fixed-size-state) is", "`CausalAttention`: the whole class", \
                     "*Ours:*\n\n```python\nquery", "**`dot`**, *ours*", "(T=6 keys)\n", "d\\_in=3)\n", \
                     "*Inside* `sa_v1(inputs)`:\n", "**`products`** (d\\_in=3), *ours*\n", \
                     "It ends with\n\n```\nValueError: not enough values":
            self.assertTrue(words in chapter, words)
        self.assertIn("\n\n- C = A B: dA", chapters()["autograd.matmul"])
        self.assertIn("*our print*", chapters()["gpt-attention"])
        self.assertIn("**What gives it away:** ", chapters()["lab"])

    def test_a_terminal_shows_words_alone(self):
        text = learn().out
        for words in "transpose(1, 2) swaps", "is their dot product.", "  ours:\n    query", "dot  ()  ours\n", \
                     "(rnn.why#fixed-size-state)", "  inside sa_v1(inputs):\n", "(T=6 keys)\n", \
                     "products  (d_in=3)  ours\n", "\n\nValueError: not enough values":
            self.assertTrue(words in text, words)
        self.assertNotIn("`", text)
        self.assertNotIn(".md#fixed", text)
        spoken = learn("--speak", "--from", "inputs", "--to", "dot-product").out
        for words in "is a lesson of its own.)\n", "code, ours:\n", "dot is 0.9544, ours.\n":
            self.assertTrue(words in spoken, words)
        points = learn("--from", "remember", "--to", "remember", lesson="autograd.order").out
        self.assertIn("\n- A gradient may be handed on only when it is complete: after every use of the\n  number", points)

    def test_what_stands_after_the_values(self):
        for option in (), ("--speak",), ("--format", "markdown"):
            text = learn(*option, "--from", "inputs", "--to", "inputs").out
            places = [text.find(words) for words in ("Each row is one", "0.0500", "No row holds")]
            self.assertTrue(0 < places[0] < places[1] < places[2], text)

    def test_words_of_python_in_sentences_of_the_program_are_code(self):
        text = learn("--backward", "--format", "markdown", "--from", "backward-50", "--to", "backward-50").out
        self.assertIn("`grad_scaled_scores` arrives from the softmax that made `attn_weights` (backward-49).", text)

    def test_a_part_is_the_steps_alone(self):
        run = learn("--format", "markdown", "--from", "weights-by-sum", "--to", "softmax-naive")
        self.assertEqual(re.findall(STEP, run.out), ["weights-by-sum", "softmax-naive"])
        self.assertTrue(run.out.startswith('<a id="weights-by-sum">'))

    def test_forms_exclude_each_other(self):
        self.assertEqual(learn("--format", "markdown", "--plain").code, 2)
        self.assertEqual(learn("--format", "html").code, 2)


class Readme(unittest.TestCase):
    readme = (ROOT / "README.md").read_text()

    def test_it_shows_this_run(self):
        shown = re.findall(r"```\n\$ (glassgrad [^\n]*)\n(.*?)```", self.readme, re.S)
        self.assertTrue(shown)
        for command, expected in shown:
            self.assertEqual(glassgrad(*command.split()[1:]).out.rstrip("\n"), expected.rstrip("\n"), command)

    def test_it_is_one_page(self):
        self.assertLessEqual(len(self.readme.splitlines()), 150)

    def test_each_command_of_the_path_is_one(self):
        commands = re.findall(r"^\| \d \| `glassgrad (\S+)(?: (\S+))?` \|", self.readme, re.M)
        self.assertGreater(len(commands), 5)
        for command, name in commands:
            listing = glassgrad(*[command] if name else ["--help"]).out
            self.assertRegex(listing, rf"(?m)^[> ] *(build )?{re.escape(name or command)} ")


class Pages(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        links = 0
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text())):
                if re.match(r"https?:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if not anchor:
                    continue
                links += 1
                lesson = target.stem if target.parent == DOCS and target.stem in chapters() else None
                known = set(re.findall(STEP, chapters()[lesson])) if lesson else anchors(target)
                self.assertTrue(anchor in known, f"{page.name}: {link}")
        self.assertGreater(links, 100)

    def test_every_quotation_stands_in_its_file(self):
        quotations = 0
        for page in PAGES:
            for info, text in FENCED.findall(page.read_text()):
                if quoted := re.search(r" file=(\S+)$", info):
                    quotations += 1
                    self.assertTrue(text in (ROOT / quoted[1]).read_text(),
                                    f"{page.name}: this does not stand in {quoted[1]}:\n{text}")
        self.assertGreater(quotations, 5)

    def test_every_transcript_is_what_the_program_prints(self):
        transcripts = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as folder:  # later commands of a page use the files of earlier ones
                for _, text in FENCED.findall(page.read_text()):
                    if text.startswith(("$ glassgrad ", "$ printf ")):
                        command, _, shown = text.partition("\n")
                        transcripts += 1
                        line = command.removeprefix("$ ").replace("glassgrad", shlex.quote(PROGRAM), 1)
                        run = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=folder)
                        self.assertEqual(run.stdout, shown, f"{page.name}: {command}")
        self.assertGreaterEqual(transcripts, 12)

    def test_every_test_that_is_named_exists(self):
        named = re.findall(r"`(test_\w+\.(?:py|cpp)): ([^`]+)`", (DOCS / "reliability.md").read_text())
        self.assertGreater(len(named), 30)
        for file, test in named:
            source = next(path for folder in ("cli", "", "apps") if (path := ROOT / "tests" / folder / file).exists()).read_text()
            self.assertTrue(f"def {test}(" in source or f'TEST_CASE("{test}")' in source, f"{file}: {test}")

    def test_every_fault_has_a_row(self):
        rows = re.findall(r"^\| ([\d, ]+) \|.*\| (`.*`[^|]*) \|$", (DOCS / "reliability.md").read_text(), re.M)
        numbers = {int(n) for numbers, _ in rows for n in numbers.split(",")}
        self.assertEqual(sorted(numbers), list(range(1, 65)))
        print(f"faults: {len(rows)} rows of docs/reliability.md, for all {len(numbers)} kinds, name their tests")

    def test_the_index_names_every_page(self):
        index = (DOCS / "README.md").read_text()
        for page in DOCS.glob("*.md"):
            if page.name != "README.md":
                self.assertIn(f"]({page.name})", index)
        rows = re.findall(r"^\| \[(.+)\]\((\S+)\.md\) \| (.+) \| (\d+) \|$", index, re.M)
        self.assertEqual(listed(glassgrad("docs").out),
                         [(lesson, minutes, f"{title} {text}") for title, lesson, text, minutes in rows])


def on_a_terminal(*arguments, **environment):
    """Exit status of `glassgrad ARGUMENTS` on a terminal of its own, and what the terminal was shown."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    run = subprocess.Popen([PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                           env={**os.environ, "TERM": "xterm", **environment}, start_new_session=True)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux reports a closed terminal this way
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return run.wait(timeout=PATIENCE), shown.decode().replace("\r\n", "\n")


class Command(unittest.TestCase):
    chapter = functools.cached_property(lambda self: glassgrad("docs", "journey").out)

    def test_it_is_prose(self):
        chapter = chapters()["journey"]
        titles = re.findall(r"^### (\d+\. .*)$", chapter, re.M)
        for title in titles:
            words = title.replace("`", "").replace("\\", "")
            self.assertEqual(self.chapter.count(f"\n{words}\n..."), 1 if len(words) < 80 else 0, title)
            self.assertTrue(f"\n{words}\n{'.' * len(words)}\n" in self.chapter or len(words) > 79, title)
        self.assertTrue(self.chapter.startswith("Your journey starts with one step\n====="))
        for words in "\n    A = softmax(M / sqrt(d_k))\n", "is their dot product.", "(rnn.why#fixed-size-state)", "\nNext: glassgrad docs ":
            self.assertIn(words, self.chapter)
        for lesson in chapters():
            text = glassgrad("docs", lesson).out
            for mark in "```", "**`", "<a id", "](#", "\\frac", "\\top", "\n###", ".md#":
                self.assertNotIn(mark, text, lesson)
            wide = [line for line in text.splitlines() if not line.lstrip().startswith("RuntimeError: ")]  # PyTorch's message
            self.assertLessEqual(max(map(len, wide)), 112, lesson)

    def test_a_step_alone(self):
        step = glassgrad("docs", "journey#masked-scores").out
        self.assertIn(step.strip(), self.chapter)
        for place in "docs/journey.md#masked-scores", "journey.md#masked-scores":
            run = glassgrad("docs", place)
            self.assertEqual((run.code, run.out, run.err), (0, step, ""))
        self.assertEqual(glassgrad("docs", "docs/autograd.order.md#recursion").out, glassgrad("docs", "autograd.order#recursion").out)

    def test_the_glossary(self):
        text = glassgrad("docs", "glossary").out
        for title in re.findall(r"^### (.*)$", (DOCS / "glossary.md").read_text(), re.M):
            self.assertIn(f"\n{title.replace('`', '')}\n...", text)
        self.assertIn('\n"attention weights" are\n  gpt-attention: after softmax\n', text)  # from a table that is too wide
        self.assertLessEqual(max(map(len, text.splitlines())), 79)
        word = glassgrad("docs", "glossary#key").out
        self.assertTrue(word.startswith("Key\n...\n\n") and word.strip() in text)
        self.assertEqual(glassgrad("docs", "glossary#Keys").out, word)
        run = glassgrad("docs", "glossary#softmaxx")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("did you mean softmax?", run.err)

    def test_without_a_name_it_lists(self):
        run = glassgrad("docs")
        self.assertEqual((run.code, run.err), (0, ""))
        for lesson in chapters():
            self.assertIn(f"\n  {lesson} ", run.out)
        self.assertTrue(glassgrad("docs", "--help").out.startswith("Example: glassgrad docs "))

    def test_almost_right(self):
        for place, words in {"jorney": "did you mean journey?", "journey#masked-score": "did you mean masked-scores?",
                             "journey#999": "its steps are 1 to", "journey#": "has no step ''"}.items():
            run = glassgrad("docs", place)
            self.assertEqual((run.code, run.out), (2, ""), place)
            self.assertIn(words, run.err)
        self.assertEqual(glassgrad("docs", "journey", "cat").code, 2)

    def test_a_reader_that_goes(self):
        run = subprocess.run(f"{PROGRAM} docs journey | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True,
                             executable="/bin/bash", capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, self.chapter.splitlines()[0] + "\n", ""))

    def test_the_pager(self):
        for pager, shown in {"sed 's/^/> /'": re.sub("^", "> ", self.chapter[:-1], flags=re.M) + "\n",
                             "head -n 2": "".join(self.chapter.splitlines(True)[:2]),  # quits early
                             "false": self.chapter, "exit 3": self.chapter, "": self.chapter}.items():
            self.assertEqual(on_a_terminal("docs", "journey", PAGER=pager), (0, shown), pager)
        code, shown = on_a_terminal("docs", "journey", PAGER="no-such-pager")
        self.assertEqual(code, 0)
        self.assertTrue(shown.endswith(self.chapter))
        self.assertEqual(on_a_terminal("docs", "journey", PAGER="false", TERM="dumb"), (0, self.chapter))
        code, shown = on_a_terminal("docs", "journey#trainable-scores-2", PAGER="less -F -R -X", LESS="R")
        self.assertIn("\x1b[1m", shown)
        self.assertEqual(re.sub("\x1b(\\[[?0-9;]*[A-Za-z]|[=>])|\r", "", shown).strip("\n"), glassgrad("docs", "journey#trainable-scores-2").out.strip("\n"))


if __name__ == "__main__":
    unittest.main()
