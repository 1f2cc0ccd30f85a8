"""The interpreter's parser makes the trees that Python's own makes, and refuses what it refuses, in its words.

SCRIPT_TREE is the program script_tree; SCRIPT_RANDOM how many random programs are parsed.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import random_programs
import trees

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT_TREE = os.environ.get("SCRIPT_TREE", str(HERE.parent.parent / "build" / "tests" / "script_tree"))
RANDOM = int(os.environ.get("SCRIPT_RANDOM", 300))
NEWER = sys.version_info >= (3, 12)  # an f-string may have its own quotes inside
# Forms that no other program here contains.
FORMS = """
def f(a, b: int = 1, *c: str, d, e=2, **g) -> None: pass
lambda a, b=1, *c, d, e=2, **g: (a, b)
lambda *, a: a
x[1:2, ::3, ..., a:b:c, None], x[:], x[::], x[a,], x[*a], x[a, *b], x[lambda: 1]
a if b else c if d else lambda: e
not a in b is not c not in d < e <= f != g
-a ** -b ** c, (-a) ** b, ~-+a, not not a, a ** b.c(d)[e]
a | b ^ c & d << e >> f + g - h * i / j // k % l @ m
{**a, 'b': 1, **c}, {*a, b}, {}, {a}, {a: b for a, b in c}, {a for b in c if d if e for f in g}
[a async_ for a in b] if 0 else 1
f(*a, b, *c, d=1, *e, **f, g=2, **h), f(a for a in b), f((a for a in b), c), f(a, b,)
a = b, *c = d = e, [f, g] = h
a: int; a.b: int = 1; a[0]: 'x' = 2; (a): int = 3
for a, *b in *c, d: pass
for (a) in b: pass
with (a): pass
with (a) as b, c(d) as (e, f): pass
with (a), (b): pass
import a.b.c, d as e, f.g as h
from a.b import c as d, e
from a import (b, c as d,)
assert a, b; del a, (b, c), [d], e.f, g[0]; raise; raise a from b; return_ = 1
@a.b(c)
@d
class E(F): x: int = 1; 'not a docstring'
'a' "b" r'\\n' '\\x41\\101\\u00e9' '\\
c' u'd' 'it\\'s' \"\"\"e
f\"\"\"
f'a{b}c{{}}{d!r:>{e}.{f}}{g=}{h = !s:^5}{i,}' 'j' rf'\\{k}' f'' 'l'
f'{a:%H:%M}{ {1: 2}[1] }{(lambda: 1)()}{a["b"]}{x:{y}{z}}'
0x_ff, 0b1_0, 0o17, 1_000, 1e5, .5, 5., 1_0.0_1e-1_0, 00, 9223372036854775807
match = case = type = _ = 1; match[case], match(type), match.x, print
(a, b), (a,), (), ((a)), (*a, b), [a, *b], [(a)], (a
  , b)
if a: pass
elif b: pass
elif c: pass
else: pass
try: pass
except: pass
try: pass
except (A, B) as c: pass
except D: pass
else: pass
finally: pass
while a: break
else: continue_ = 1
def f():
 yield; yield 1; yield 1, *a; yield from f(); (yield 2)
 a = yield; b.c = d[0], *e = yield f; g = yield from (yield_, 3); h = (yield lambda: 4)
"""


def printed(paths):
    done = subprocess.run([SCRIPT_TREE, *map(str, paths)], capture_output=True, timeout=300)
    texts = done.stdout.decode().split("\f")[1:]
    if done.returncode or len(texts) != len(paths):
        raise AssertionError(f"{SCRIPT_TREE} ended with {done.returncode} after {len(texts)} of {len(paths)} files")
    return [text.partition("\n")[2].rstrip("\n") for text in texts]


def expected(text):
    try:
        return trees.tree(text)
    except SyntaxError as e:
        return f"{e.lineno}: {type(e).__name__}: {e.msg}"


class Parser(unittest.TestCase):
    def check(self, paths):
        for path, got in zip(paths, printed(paths)):
            want = expected(path.read_text(encoding="utf-8"))
            if got != want:
                lines = zip(want.splitlines() + [""], got.splitlines() + [""])
                self.fail(f"{path}: expected\n{next(((a, b) for a, b in lines if a != b), want)}")

    def check_texts(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.py") for i in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_text(text, encoding="utf-8")
            self.check(paths)

    def test_corpus(self):
        # The parser takes the yields of one program out of their expressions.
        paths = sorted(p for p in (HERE / "programs").glob("*.py") if p.stem != "generator_expressions_with_yield")
        self.check(paths + (sorted((HERE / "programs" / "3.13").glob("*.py")) if NEWER else []))

    def test_forms(self):
        self.check_texts([FORMS.replace("[a async_ for a in b] if 0 else 1\n", "").replace("return_", "x")])

    def test_our_own_scripts(self):
        paths = [p for p in (*HERE.glob("*.py"), *HERE.parent.glob("cli/*.py"), *HERE.parent.glob("python/*.py"))]
        texts = dict(zip(paths, printed(paths)))
        kept = [path for path, text in texts.items() if not text.startswith("unsupported")]
        self.assertGreater(len(kept), 10)
        self.check(kept)

    def test_random_programs(self):
        self.check_texts([random_programs.Program(seed).text() for seed in range(RANDOM)])

    def test_refused(self):
        paths = sorted((HERE / "refused").glob("*.py"))
        self.assertGreater(len(paths), 70)
        for path, got in zip(paths, printed(paths)):
            with self.subTest(path.name):
                self.assertEqual(got.splitlines()[-1],
                                 path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "))

    @unittest.skipUnless(sys.version_info[:2] == (3, 13), "the words are Python 3.13's")
    def test_refused_in_pythons_words(self):
        for path in sorted((HERE / "refused").glob("*.py")):
            text = path.read_text(encoding="utf-8")
            first = text.partition("\n")[0].removeprefix("# ")
            if not first.startswith("unsupported"):
                place, _, words = first.partition(": ")
                with self.subTest(path.name):
                    try:
                        compile(text, path.name, "exec")
                        self.fail("Python takes it")
                    except SyntaxError as e:
                        self.assertEqual((place.split(":")[0], words), (str(e.lineno), f"{type(e).__name__}: {e.msg}"))

    def test_damaged_programs_are_refused_where_python_refuses_them(self):
        """A few characters more or less: it may be told otherwise, but what Python takes we take, and no other."""
        chance = random.Random(7)
        parts = list("()[]{}:=,.\n'\"*") + ["    ", "if ", "else ", "for ", "in ", "lambda ", "def ", "not ", "f'{",
                                            "}", "x", "1", "\\", "class "]
        texts = []
        for path in sorted((HERE / "programs").glob("*.py")):
            text = path.read_text(encoding="utf-8")
            at = chance.randrange(len(text))
            texts.append(text[:at] + chance.choice(parts) * chance.randrange(2) + text[at + chance.randrange(3):])
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.py") for i in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_text(text, encoding="utf-8")
            for text, got in zip(texts, printed(paths)):
                try:
                    compile(text, "f", "exec", dont_inherit=True)
                    refused = False
                except (SyntaxError, ValueError):
                    refused = True
                last = got.rpartition("\n")[2]
                if not last.startswith("unsupported") and (NEWER or "f'" not in text and 'f"' not in text):
                    self.assertEqual("Error: " in last and last[:1].isdigit(), refused, f"{last}\n{text}")


if __name__ == "__main__":
    unittest.main()
