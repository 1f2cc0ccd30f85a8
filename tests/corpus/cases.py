"""The cases of the corpus: what is run, and what it reads."""
import dataclasses
import json
import pathlib
import re
import shlex
import textwrap

import answers
from screens import SCREENS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = re.compile(r'<script[^>]*id="data"[^>]*>(.*?)</script>', re.S)

# Flags that keep a heavy lesson small, and flags of a run with different settings. Other lessons vary only the seed.
SMALL = {"gpt-attention": "--width 24 --context 8 --heads 2", "training": "--steps 2 --width 4"}
OTHER = {
    "journey": "--heads 3 --d-out 6 --seed-v2 11 --dropout 0.2", "gpt-attention": "--width 12 --context 5 --heads 3 --d-out 4",
    "single-and-multi": "--width 24 --heads 4 --hidden 8 --vocab 23", "cat": "--heads 3 --d-out 6 --dropout 0.25",
    "climb": "--width 8 --head-size 4 --context 6", "autograd.order": "--a 7 --b 11", "autograd.accumulate": "--rows 3 --a 4",
    "autograd.broadcast": "--rows 2 --columns 5", "autograd.matmul": "--rows 3 --inner 4 --columns 2", "autograd.softmax": "--size 6",
    "rnn.why": "--seed -1", "mask.five-ways": "--d-out 5", "scale.why": "--width 64 --keys 4",
    "dropout.factor": "--dropout 0.25 --size 3", "heads.same": "--heads 3 --d-out 4",
    "kv.cache": "--layers 3 --written 3", "heads.grouped": "--heads 6 --kv-heads 3", "mask.window": "--window 2 --layers 2",
    "softmax.online": "--tile 4 --width 2", "experts": "--experts 3 --top-k 1",
    "latent": "--heads 2 --latent 6", "gpt.scalars": "--width 2 --steps 5", "text.tokens": "--merges 4 --width 2", "weights.shared": "--width 4 --rank 1",
    "lab": "--heads 4 --d-out 8 --dropout 0.2 --a 5", "training": "--steps 3 --width 4 --lr 0.05 --dropout 0.1",
    "compare": "--heads 3", "errata": "--dropout 0.3"}
LARGE = "dropout.factor", "training", "gpt"  # explaining a wrong number takes seconds in these
TRAINED = "training", "gpt"  # each run trains, which takes seconds
FORMATS = ["--outputs", "--plain", "", "--format json", "--format markdown", "--speak", "--format python", "--format notebook",
           "--html -"]

OWN = {"x.csv": "0.1, 0.2, 0.3\n0.4, -0.5, 0.6\n0.7, 0.8, 0.9\n", "w.csv": "1, 2\n3, 4\n5, 6\n"}
REPLIES = {"mixed": "0.5\n?\n\na\n?\n?\n?\n0.25\nb\n\n(6, 2)\n1/3\n-inf\nc\n\n" * 6, "nothing": "", "letters": "a\nb\n\n" * 40,
           "numbers": "0\n0.5\n(2, 3)\n\n" * 40}
TYPED = {
    "learn": "?\nwords\nclass\nedit\nnext\nback\nsearch softmax\nsearch\nsearch nowhere\nwhy\nB\nnext\nB\ngoto 12\n\ngoto 99\nn\nb\nx\nreset\nq\n",
    "journey": "goto masked-softmax\nwhy attn_weights[2,1]\nwhy nothing[0]\nset masked[2,1]=0.9\nnext\nreset\nedit 3 x = 1\nedit\nedit 90\nwords mask\nquit\n",
    "build": "help\nhint\nhint\nhint\nhint\nsolution\nscore = query * key\nscore = query @ key\nscores = x @ x.T\nback\nundo\nreset\ngoto 3\ngoto 77\n"
             "weights = torch.softmax(scores, dim=0)\nweights = nothing\nquit\n"}

PROGRAMS = {
    "train.py": """\
        import torch
        from torch import nn
        torch.manual_seed(3)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        x = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
        for step in range(3):
            loss = nn.functional.cross_entropy(model(x), torch.tensor([0, 1]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(step, loss)
        """,
    "layers.py": """\
        import torch
        from torch import nn
        torch.manual_seed(5)
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.LayerNorm(width)
                self.heads = nn.ModuleList([nn.Linear(width, 2, bias=False) for _ in range(2)])
                self.drop = nn.Dropout(0.5)
            def forward(self, x):
                return self.drop(torch.cat([head(self.norm(x)) for head in self.heads], dim=-1))
        block = Block(4)
        print(block)
        y = block(torch.randn(2, 4))
        print(y, y.shape)
        for name, weight in block.named_parameters():
            print(name, tuple(weight.shape))
        for optimizer in torch.optim.SGD(block.parameters(), lr=0.1, momentum=0.9), torch.optim.Adam(block.parameters()):
            y.sum().backward(retain_graph=True)
            optimizer.step()
            print(block.norm.weight.grad)
        block.eval()
        print(block.state_dict()["norm.bias"])
        """,
    "wrong.py": "import torch\nx = torch.ones(2, 3)\ny = x @ x\nprint(y)\n",
    "syntax.py": "x = (1,\ny = 2\n",
    "deep.py": "def f(n):\n    return f(n + 1)\nf(0)\n"}

# A lesson's file; cases use it as it is and with mistakes.
DOCUMENT = textwrap.dedent('''\
    # A small lesson

    ```lesson
    understand: what a product is
    minutes: 3
    tokens: a, b
    seed: .., seed of all random numbers
    rows: 1..9, rows of x
    ```

    ```python hidden
    import torch
    seed, rows = 1, 2
    ```

    ## First {#first}

    What comes first.

    ```python
    torch.manual_seed(seed)
    x = torch.rand(rows, 2)
    print(x)
    ```

    It has {x.shape[0]} rows.

    ## Second {#second}

    ```python
    y = x @ x.T
    ```

    The largest is {y.max()}.
    ''')
EDITS = [("# A small lesson\n", ""), ("minutes: 3\n", ""), ("minutes: 3", "minutes: many"), ("understand: what a product is\n", ""),
         ("```lesson", "```lessons"), ("rows: 1..9", "rows: 9..1"), ("rows: 1..9,", "rows: 1..9"), ("{#second}", "{#first}"),
         (" {#second}", ""), ("{y.max()}", "{y.maxi()}"), ("{y.max()}", "{y.max("), ("y = x @ x.T", "y = x @ x"), ("y = x @", "y = z @"),
         ("print(x)\n```", "print(x)\n"), ("seed, rows = 1, 2", "seed = 1"), ("tokens: a, b", "tokens:"), ("What comes first.", "What *comes* `first.")]


@dataclasses.dataclass
class Case:
    words: list             # the arguments of the program
    reads: str = ""         # the name of its stdin, which is `typed`
    typed: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    model: bool = False     # it needs the trained model `m`
    screen: object = None   # its keys, if it runs on a terminal
    seconds: float = 0      # how long it took

    @property
    def name(self):
        name = shlex.join(self.words) + (f" < {self.reads}" if self.reads else "")
        return name + (f" @ {self.screen.name}" if self.screen else "")

    @property
    def is_page(self):
        return "--html" in self.words


def page_data(html):
    """The data in a page, but for what only a page with the engine, or only one without it, brings along."""
    match = PAGE.search(html)
    if not match:
        return html
    data = json.loads(match[1])
    return json.dumps({key: value for key, value in data.items() if key not in ("file", "cells")}, ensure_ascii=False)


def lessons_of(run):
    """The lessons, and the cells of some tensors of each."""
    for name in re.findall(r"^  (\S+) +\d+ minutes$", run("docs"), re.M):
        tensors = re.findall(r"^(\S+:\S+) +\((.*)\)$", run("why", name, *SMALL.get(name, "").split(), "--list"), re.M)
        cells = [tensor + (f"[{','.join('0' * (1 + shape.count(',')))}]" if shape else "") for tensor, shape in tensors]
        yield name, cells[::1 + len(cells) // 6]


def of_lesson(name, cells):
    small = SMALL.get(name, "")
    other = OTHER.get(name, "--seed -1")
    for settings in small, (small + " --seed 7").strip() if "autograd.order" != name else "--a 5", other:
        for way in FORMATS if name not in TRAINED or settings == small else FORMATS[:1]:
            yield Case(["learn", name, *settings.split(), *way.split()])
    learn = ["learn", name, *small.split()]
    for ways in "--list", "--backward", "--backward --speak", "--help", "--detect-anomaly", "--set nothing[0]=1":
        yield Case([*learn, *ways.split()])
    for how in "first", "cells":
        for replies, typed in REPLIES.items():
            if name in LARGE and "0.5" in typed:
                continue
            yield Case([*learn, "--predict", how], replies, typed)
    yield Case([*learn, "--predict", "exam", "--format", "markdown"])
    yield Case([*learn, "--step"], "commands", TYPED["learn"])
    yield Case([*learn, "--step", "--speak"], "commands", TYPED["learn"])
    for cell in cells:
        for how in [], ["--depth", "9", "--exact"], ["--backward"], ["--format", "json", "--depth", "3"]:
            yield Case(["why", name, cell, *small.split(), *how])
    for how in "drawing", "text", "dot", "svg", "text --expand":
        yield Case(["graph", name, *small.split(), "--format", *how.split()])
    yield Case(["diff", f"{name} {small}".strip(), f"{name} {other}"])
    yield Case(["diff", "journey", f"{name} {small}".strip(), "--format", "json"])
    if name not in SMALL:
        yield Case(["docs", name])


def graded(run, name):
    """Answer files for --answers, from the solutions that the program itself prints."""
    words = ["learn", name, *SMALL.get(name, "").split(), "--predict"]
    exam = run(*words, "exam", "--format", "markdown").rsplit("```", 2)
    solutions = exam[1].strip("\n").split("\n") if len(exam) == 3 else []
    wrong = [re.sub(r"=\S+", lambda m: "=b" if m[0] == "=a" else "=a" if len(m[0]) == 2 else "=0.1234", line) for line in solutions]
    for kind, lines in ("right", solutions), ("wrong", wrong), ("unread", ["nothing", *solutions[:2]]):
        if name in LARGE and kind == "wrong":
            continue
        yield Case([*words[:-1], "--answers", kind + ".txt"], files={kind + ".txt": "".join(line + "\n" for line in lines)})


def of_course(run, name):
    page = PAGE.search(run("build", name, "--html", "-"))
    course = json.loads(page[1])
    texts = [path.read_text() for path in ROOT.glob(f"apps/*/{name}.md")]
    solutions = {exercise["id"]: "".join(line + "\n" for line in exercise["solution"]) for exercise in course["exercises"]}
    mistakes = answers.mistakes_of(next(text for text in texts if "#: blank" in text), solutions)
    for exercise in course["exercises"]:
        solution = solutions[exercise["id"]]
        kinds = {"mistake": mistakes.get(exercise["id"], []), "right": answers.rights(solution), "wrong": answers.wrongs(solution)}
        for kind, ways in kinds.items():
            for number, text in enumerate(ways, 1):
                file = f"{kind}-{number}.py"
                how = ["--json"] if number % 3 else []
                yield Case(["build", name, "--answer", f"{exercise['id']}={file}", *how], files={file: text})
    first = course["exercises"][0]["id"]
    loops = {"endless.py": "while True: pass\n", "deep.py": "def f(): return f()\nf()\n", "large.py": "x = torch.zeros(10**9)\n"}
    for file, text in loops.items():
        yield Case(["build", name, "--answer", f"{first}={file}"], files={file: text})
    kept = "".join(f"# == {e['id']}\n" + "".join(line + "\n" for line in e["solution"]) for e in course["exercises"])
    for how in [], ["--json"]:
        yield Case(["build", name, "--grade", ".", *how], files={"a.py": kept, "b.py": kept.replace("@", "*"), "c.py": "nothing\n"})
    for seed in [], ["--seed", "7"]:
        yield Case(["build", name, "--html", "-", *seed])
    for way in "--step", "--speak":
        yield Case(["build", name, way], "commands", TYPED["build"])


def of_model():
    at = {"model": True}
    for way in ["--plain", "", "--format json", "--format markdown", "--speak", "--list", "--backward", "--html -", "--outputs",
                "--text cats --plain", "--predict exam --format markdown"]:
        yield Case(["learn", "gpt", "--model", "m", *way.split()], **at)
    for way in "scores:attn_scores[0,0,1,0]", "next-token:probabilities[0,2]", "--list":
        yield Case(["why", "m", "--text", "cats climb", way], **at)
    for words in [["graph", "m"], ["inspect", "m", "--text", "cats climb"], ["inspect", "m", "--text", "cats climb", "--format", "json"],
                  ["inspect", "m", "--text", "cats climb", "--html", "-"], ["generate", "m", "--prompt", "cats", "--max-tokens", "9"],
                  ["verify", "m/best.safetensors"], ["graph", "m", "--format", "dot", "--expand"]]:
        yield Case(words, **at)


def others(run):
    for way in FORMATS + ["--speak --html -", "--backward"]:
        for change in "masked-scores:masked[2,1]=0.9", "inputs:inputs[0,0]=1":
            yield Case(["learn", "journey", "--set", change, *way.split()])
    yield Case(["learn", "journey", "--bug", "list"])
    for number, line in enumerate(run("learn", "journey", "--bug", "list").splitlines()):
        bug = line.split()[0]
        for way in dict.fromkeys(["", FORMATS[number % len(FORMATS)]]):
            yield Case(["learn", "journey", "--bug", bug, *way.split()])
        yield Case(["learn", "cat", "--bug", bug, "--seed", "7"])
        yield Case(["learn", "lab", "--bug", bug, "--heads", "4", "--d-out", "8"])
    for lesson in "journey", "cat", "mask.five-ways", "heads.same":
        for way in "--outputs", "--format json", "--html -":
            yield Case(["learn", lesson, "--inputs", "x.csv", "--tokens", "to,be,or", *way.split()], files=OWN)
    yield Case(["learn", "journey", "--weights", "W_query=w.csv", "--outputs"], files=OWN)
    yield Case(["learn", "journey", "--weights", "nothing=w.csv", "--outputs"], files=OWN)
    for name in PROGRAMS:
        for way in FORMATS + ["--backward", "--list", "--lint"]:
            yield Case(["learn", name, *way.split()], files={name: textwrap.dedent(PROGRAMS[name])})
    for way in FORMATS + ["--lint", "--list", "--help", "--rows 3 --seed 5"]:
        yield Case(["learn", "small.md", *way.split()], files={"small.md": DOCUMENT})
    for number, (old, new) in enumerate(EDITS, 1):
        for way in "--lint", "--plain":
            yield Case(["learn", f"edited-{number}.md", way], files={f"edited-{number}.md": DOCUMENT.replace(old, new)})
    for command in ["", "start", "learn", "build", "review", "why", "diff", "graph", "docs", "train", "generate", "inspect", "convert",
                    "verify", "check", "gradcheck", "bench", "help"]:
        yield Case([*command.split(), "--help"])
        if command:
            yield Case([command, "--no-such-flag"])
    for words in ["learn", "build", "docs", "docs glossary", "docs journey#masked-scores", "docs nothing", "help --format man",
                  "help --format bash", "help --format zsh", "nothing", "learn nothing", "build nothing", "check journey",
                  "gradcheck journey", "learn journey --from nothing", "learn journey --heads 5", "learn journey --seed x",
                  "diff journey.SelfAttention_v2 journey.CausalAttention", "diff cat journey", "diff journey journey"]:
        yield Case(words.split())
    yield Case(["learn", "journey", "--step"], "journey", TYPED["journey"])
    for way in "--plain", "--speak":
        for typed in "4\n", "storms\n", "":
            yield Case(["start", "--steps", "5", way], typed.strip() or "nothing", typed)
    due = {"lessons": {"journey": {"questions": {"masked-softmax:attn_weights.argmax(-1)[1]": ["2026-11-01 wrong"]}}}}
    state = {"state/glassgrad/progress.json": json.dumps(due)}
    for reads, typed in ("right", "a\n"), ("wrong", "b\n?\nc\n"), ("nothing", ""):
        yield Case(["review"], reads, typed, files=state)
    yield Case(["review", "--export", "-"], files=state)
    for lesson in "gpt-attention", "training":  # once at full size
        yield Case(["learn", lesson, "--outputs"])


def cases(run, glass):
    """All cases; `run` is a function from arguments to the program's output, `glass` says whether Python's are among them."""
    found = list(lessons_of(run))
    made = list(others(run))[::-1]  # heavy cases first
    for name, cells in found:
        made += [*of_lesson(name, cells), *graded(run, name)]
    for course in re.findall(r"^  (\S+) +\d+ of +\d+ solved", run("build"), re.M):
        made += of_course(run, course)
    made += of_model()
    for screen in SCREENS:
        if glass or not screen.glass:
            made += [Case(screen.words, screen=sized, files=screen.files) for sized in screen.sizes()]
    return made
