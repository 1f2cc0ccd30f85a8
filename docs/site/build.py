#!/usr/bin/env python3
"""docs/site/build.py PROGRAM FOLDER: the pages of lessons and courses, the chapters and an index, as files that need no server.

The pages of lessons and courses are written by the program, docs/*.md rendered by cmark-gfm. Links are relative. The folder is
replaced when the new one is whole; the same sources give the same bytes."""
import base64
import gzip
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SITE = pathlib.Path(__file__).resolve().parent
DOCS = SITE.parent
ROOT = DOCS.parent
THEME = (ROOT / "apps" / "page" / "assets" / "theme.css").read_text(encoding="utf-8")
STYLE = (SITE / "style.css").read_text(encoding="utf-8")
TITLE = "How attention works, number by number"
TOUCHED = ("journey", "masked-softmax", "attn_weights")  # the first page's matrix: lesson, step, tensor
PROMPT = "cats climb trees during"  # what its model reads first
HEAD = re.compile(r"^\| ([^|]+) \| you will understand \|", re.M)
ROW = re.compile(r"^\| \[(.+)\]\((\S+)\.md\) \| (.+) \| (\d+) \|$", re.M)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body{kind}>
{top}{body}{end}</body>
</html>
"""
TOP = """<a class="skip" href="#content">To the text</a>
<header><nav aria-label="Site"><a class="name" href="{up}index.html">glassgrad</a>
<a href="{up}index.html#lessons">Lessons</a> <a href="{up}index.html#courses">Exercises</a>
<a href="{up}docs/index.html">Documentation</a>
<a href="{up}docs/glossary.html">Glossary</a></nav></header>
<main id="content">
"""
END = """</main>
<footer>Every number on these pages was computed by glassgrad. They ask nothing of any network.</footer>
"""


def escaped(text):
    return html.escape(text, quote=True)


def page(title, body, up="", kind=""):
    kind = f' class="{kind}"' if kind else ""
    return FRAME.format(policy=POLICY, title=escaped(title), style=THEME + STYLE, top=TOP.format(up=up), body=body, end=END, kind=kind)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def rendered(markdown):
    """HTML of a page in GitHub's Markdown. Its anchors are HTML already, so HTML is let through; data in a page is escaped
    by whoever wrote the page."""
    run = subprocess.run(["cmark-gfm", "--unsafe", "--extension", "table"], input=markdown, encoding="utf-8",
                         stdout=subprocess.PIPE, check=True)
    return run.stdout


def text_of(markup):
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def split(program, command, shared, up):
    """The page that the program has written. Its style, scripts and engine go to files that all pages share."""
    run = subprocess.run([program, *command, "--site", "--html", "-"], check=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, encoding="utf-8")
    markup = run.stdout
    for pattern, file, text, link in (
            (r"<style>\n(.*?)</style>", f"{command[0]}.css", str, '<link rel="stylesheet" href="{}">'),
            (r"<script>(\(\(\) => .*?)</script>", f"{command[0]}.js", str, '<script src="{}"></script>'),
            (r'(<script type="text/plain" id="wasm">.*?</script>)', "engine.js",
             lambda part: f"document.currentScript.insertAdjacentHTML('afterend', {json.dumps(part)});\n",
             '<script src="{}"></script>')):
        part = re.search(pattern, markup, re.S)
        if part:
            write(shared / file, text(part[1]))
            markup = markup[:part.start()] + link.format(f"{up}shared/{file}") + markup[part.end():]
    for kind in "style-src", "script-src":
        markup = markup.replace(f"{kind} 'unsafe-inline'", f"{kind} 'unsafe-inline' 'self' file:", 1)
    return markup


def written(program, command, name, path):
    """Writes the page of a lesson or a course, with its data packed. Returns the data."""
    markup = split(program, [command, name], path.parent.parent / "shared", "../")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', markup, re.S)
    packed = base64.b64encode(gzip.compress(data[1].encode(), mtime=0)).decode()  # start.js unpacks it
    write(path, f'{markup[:data.start()]}<script type="text/plain" id="data">{packed}</script>{markup[data.end():]}')
    return json.loads(data[1])


def matrix(recorded):
    """The matrix of the first page, from the data of its lesson's page."""
    lesson, step, tensor = TOUCHED
    entries = next(one["entries"] for one in recorded["forward"] if one["id"] == step)
    numbers = recorded["numbers"][next(entry["numbers"] for entry in entries if entry["name"] == tensor)]
    tokens, cells = recorded["tokens"], re.findall(r"\d+\.\d+", numbers["text"])
    rows = [cells[at:at + len(tokens)] for at in range(0, len(cells), len(tokens))]
    text = "<tr><th>looks \\ at</th>" + "".join(f'<th scope="col">{escaped(token)}</th>' for token in tokens) + "</tr></thead>\n<tbody>\n"
    for token, row in zip(tokens, rows):
        text += f'<tr><th scope="row">{escaped(token)}</th>' + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n"
    return (f'<section id="touch" aria-label="Attention weights" data-lesson="{lesson}" data-tensor="{step}:{tensor}">\n'
            f'<div class="scroll" tabindex="0"><table class="matrix"><thead>{text}</tbody></table></div>\n'
            f'<p class="says"><a href="lessons/{lesson}.html#{step}">How these numbers are computed</a></p>\n</section>\n')


def living_page(program, folder):
    """The page of a model that is trained here, which reads what one types."""
    with tempfile.TemporaryDirectory() as run:
        subprocess.run([program, "train", "--out", run, "--threads", "1"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return split(program, ["inspect", run, "--text", PROMPT, "--top", "5", "--threads", "1"], folder / "shared", "")


class Lessons:
    """What the index of the documentation says of the lessons, and what their pages hold."""

    def __init__(self, index):
        # (heading, rows (title, name, what one will understand, minutes)) of each table, in the index's order
        self.sections = [(HEAD.search(part)[1], rows) for part in re.split(r"\n\n(?=[^|])", index) if (rows := ROW.findall(part))]
        self.names = [name for _, rows in self.sections for _, name, _, _ in rows]
        self.formulas = {}  # LaTeX -> MathML

    def write(self, program, folder):
        folder.mkdir(parents=True)
        for name in self.names:
            recorded = written(program, "learn", name, folder / f"{name}.html")
            if name == TOUCHED[0]:
                self.touched = matrix(recorded)
            for step in recorded["forward"] + recorded["backward"]:
                self.formulas |= {f["latex"].strip(): f["mathml"] for f in step["formulas"]}


class Chapter:
    """A page of docs/ as HTML."""

    def __init__(self, path, lessons):
        self.name, self.lessons = path.stem, lessons
        self.is_lesson = self.name in lessons.names
        self.sources = set()  # files of the project that it links to
        self.body = self.finished(rendered(path.read_text(encoding="utf-8")))
        self.title = text_of(re.search(r"<h1[^>]*>(.*?)</h1>", self.body, re.S)[1])

    def finished(self, body):
        body = re.sub(r'<pre><code class="language-math">(.*?)</code></pre>', self.formula, body, flags=re.S)
        # What scrolls can be reached by the keyboard.
        body = body.replace("<pre>", '<pre tabindex="0">')
        body = re.sub(r"<table>.*?</table>", r'<div class="scroll" tabindex="0">\g<0></div>', body, flags=re.S)
        body = re.sub(r'href="([^"#]*)(#[^"]*)?"', self.link, body)
        body = self.with_anchors(body)
        return self.with_contents(body) if self.is_lesson else body

    def formula(self, found):
        latex = html.unescape(found[1]).strip()
        return f'<p class="formula" tabindex="0">{self.lessons.formulas.get(latex) or escaped(latex)}</p>'

    def link(self, found):
        target, place = found[1], found[2] or ""
        if re.match(r"[a-z]+:", target) or not target:
            return found[0]
        path = (DOCS / target).resolve().relative_to(ROOT)
        if path.parent.name == "docs" and path.suffix == ".md":
            name = "index" if path.stem == "README" else path.stem
            return f'href="{name}.html{place}"'
        if path.as_posix() == "README.md":
            return f'href="../index.html{place}"'
        self.sources.add(path)
        return f'href="../source/{path.as_posix()}.html{place}"'

    def with_anchors(self, body):
        """Headings get the anchors that GitHub would give them, and those of a lesson's steps a way into its page."""
        taken = set(re.findall(r'id="([^"]+)"', body))

        def heading(found):
            level, title = found[1], found[2]
            words = re.sub(r"[^\w\- ]", "", text_of(title).lower()).replace(" ", "-")
            anchor = next(a for n in range(1000) if (a := words + (f"-{n}" if n else "")) not in taken)
            taken.add(anchor)
            return f'<h{level} id="{escaped(anchor)}">{title}</h{level}>'

        body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S)
        if not self.is_lesson:
            return body
        step = re.compile(r'<p><a id="([^"]+)"></a></p>\n<h3 id="[^"]*">(.*?)</h3>', re.S)
        return step.sub(lambda s: f'<h3 id="{s[1]}">{s[2]} <a class="open" href="../lessons/{self.name}.html#{s[1]}" '
                                  f'aria-label="step through: {escaped(text_of(s[2]))}">step through</a></h3>', body)

    def with_contents(self, body):
        """The list of the steps stands beside the text where there is room."""
        body = re.sub(r'<h2 id="contents">.*?(?=<h[23])', r'<nav class="contents" aria-label="Contents">\g<0></nav>\n', body,
                      count=1, flags=re.S)
        way = f'<p><a class="button" href="../lessons/{self.name}.html">Step through this lesson</a></p>\n'
        return body.replace("</h1>\n", f"</h1>\n{way}", 1)


def cards(lessons):
    text = ""
    for heading, rows in lessons.sections:
        text += f"<h3>{heading}</h3>\n<ul class=\"cards\">\n"
        for name, lesson, will, minutes in rows:
            about = text_of(rendered(will)).strip()
            title = escaped(text_of(rendered(name)).strip())
            text += (f'<li><a class="to" href="lessons/{lesson}.html">{title}</a>\n'
                     f"<p>You will understand {escaped(about)}.</p>\n"
                     f'<p class="small">{minutes} minutes · <a href="docs/{lesson}.html" aria-label="read as a chapter: {title}">'
                     "read as a chapter</a></p></li>\n")
        text += "</ul>\n"
    return text


def courses(program, folder):
    """The data of each course's page, in the program's order."""
    folder.mkdir(parents=True)
    listed = subprocess.run([program, "build", "--no-state"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            encoding="utf-8").stdout
    names = re.findall(r"^  (\w+) +\d+ of +\d+ solved", listed, re.M)
    return [written(program, "build", name, folder / f"{name}.html") for name in names]


def course_cards(pages):
    text = '<ul class="cards">\n'
    for page in pages:
        about = "".join(word if isinstance(word, str) else next(iter(word.values())) for word in page["understand"])
        text += (f'<li><a class="to" href="courses/{page["id"]}.html">{escaped(page["title"])}</a>\n'
                 f"<p>You will understand {escaped(about)}.</p>\n"
                 f'<p class="small">{len(page["exercises"])} exercises · {page["minutes"]} minutes</p></li>\n')
    return text + "</ul>\n"


def index(lessons, pages, living):
    """The first page: a matrix to touch, a model that reads what one types, and a way into each lesson."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    intro = re.search(r"\n\n(.*?)\n", readme)[1]
    first = lessons.names[0]
    above = f"""<h1>{TITLE}</h1>
<p class="lead">A model that reads lets each word look back at the words before it, and these numbers say how much it takes from each.</p>
{lessons.touched}"""
    below = f"""<h2 id="lessons">Lessons</h2>
<p>Each lesson is one page with everything on it: the matrices of every step, the arithmetic behind any number you choose, what changes when
you change one, the way back through the gradients, and the program's own engine to compute all that in your browser.</p>
<p><a class="button" href="lessons/{first}.html">Begin with the first lesson</a></p>
{cards(lessons)}<h2 id="courses">Write it yourself</h2>
<p>Each course is a program with a blank in every part. You write the missing lines, they run in your browser, and every tensor is
compared with the right one.</p>
{course_cards(pages)}<h2 id="more">More</h2>
<p>{escaped(intro)} <a href="docs/index.html">The documentation</a> says how the engine works, where its numbers come from and how they
are checked; <a href="docs/glossary.html">the glossary</a> explains the words. The program itself does more: your own texts and numbers,
training, the lessons on a terminal. <a href="docs/errata.html">What the sources get wrong</a> is told too.</p>
"""
    for old, new in (
            (r"<title>.*?</title>", f"<title>glassgrad: {TITLE[0].lower()}{TITLE[1:]}</title>"),
            ("</head>", f"<style>\n{STYLE}</style>\n</head>"),
            ('<body class="page-inspect">', f'<body class="page-inspect first">\n{TOP.format(up="")}{above}'),
            # The plain page ends where its data begin.
            (r'(?=<script type="application/json" id="data">)', f"{below}{END}")):
        living, count = re.subn(old, lambda found: new, living, count=1)
        assert count == 1, old
    return living


def source_page(path):
    lines = escaped((ROOT / path).read_text(encoding="utf-8"))
    up = "../" * len(path.parts)
    body = f'<h1>{escaped(path.as_posix())}</h1>\n<pre tabindex="0">{lines}</pre>\n'
    return page(path.as_posix(), body, up=up)


def build(program, folder):
    readme = (DOCS / "README.md").read_text(encoding="utf-8")
    lessons = Lessons(readme)
    lessons.write(program, folder / "lessons")
    pages = courses(program, folder / "courses")
    sources = set()
    for path in sorted(DOCS.glob("*.md")):
        chapter = Chapter(path, lessons)
        sources |= chapter.sources
        name = "index" if path.stem == "README" else path.stem
        write(folder / "docs" / f"{name}.html",
              page(f"{chapter.title} · glassgrad", chapter.body, up="../", kind="chapter" if chapter.is_lesson else ""))
    for path in sorted(sources):
        write(folder / "source" / f"{path.as_posix()}.html", source_page(path))
    write(folder / "index.html", index(lessons, pages, living_page(program, folder)))
    write(folder / ".nojekyll", "")  # GitHub Pages: the files as they are


def main():
    program, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    new, old = target.with_name(target.name + ".new"), target.with_name(target.name + ".old")
    for folder in new, old:
        shutil.rmtree(folder, ignore_errors=True)
    new.mkdir(parents=True)
    build(program, new)
    if target.exists():
        os.rename(target, old)
    os.rename(new, target)
    shutil.rmtree(old, ignore_errors=True)
    files = [f for f in target.rglob("*") if f.is_file()]
    print(f"{target}: {len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB; open {target}/index.html")


if __name__ == "__main__":
    main()
