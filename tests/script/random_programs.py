"""Random programs that run: of a seed always the same one.

    python3 random_programs.py SEED      prints it
"""
import random
import sys

INTS, FLOATS, TEXTS, LISTS, DICTS = "ijkn", "xyz", "st", "ab", "de"
WORDS = ["", "a", "cat", "the mat", "Zz9", "it's", "é", "x\\ny"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tensors = seed % 4 == 3
        self.lines = ["import torch", "import torch.nn.functional as F",
                      f"torch.manual_seed({seed})"] if self.tensors else []
        self.functions, self.classes = [], []
        for name, value in [(n, self.number()) for n in INTS] + [(n, self.real()) for n in FLOATS] + \
                [(n, repr(self.one(WORDS))) for n in TEXTS] + [(n, self.items()) for n in LISTS] + \
                [(n, f"{{'k': {self.number()}, 2: {self.number()}}}") for n in DICTS]:
            self.lines.append(f"{name} = {value}")
        if self.tensors:
            self.lines += ["u = torch.rand(2, 3)", "v = torch.randn(3)", "w = torch.arange(6.0).view(2, 3) - 2.5"]
        for _ in range(self.random.randrange(3)):
            self.function()
        for _ in range(self.random.randrange(3)):
            self.kind()
        for _ in range(self.random.randint(4, 9)):
            # An exception in one statement does not end most programs.
            guarded = self.random.random() < 0.9
            if guarded:
                self.add(0, "try:")
            self.statement(int(guarded), 2)
            if guarded:
                self.add(0, "except Exception as error:")
                self.add(1, "print(type(error).__name__, error)")
        self.lines.append(f"print({', '.join(INTS + FLOATS + TEXTS + LISTS + DICTS)})")

    def text(self):
        return "\n".join(self.lines) + "\n"

    def one(self, of):
        return self.random.choice(of)

    def number(self):
        return str(self.one([0, 1, 2, 3, 5, -1, -4, 7, 10, 63]))

    def real(self):
        return self.one(["0.5", "-1.25", "3.0", "1e-3", "2.5e10", "0.1", "-0.0"])

    def items(self):
        return "[" + ", ".join(self.number() for _ in range(self.random.randrange(5))) + "]"

    # ---- expressions of one type, at most `depth` levels deep
    def int(self, depth):
        if depth == 0:
            return self.one([self.number(), self.one(INTS)])
        a, b = (self.int(depth - 1) for _ in range(2))
        choices = [f"({a} {self.one('+-')} {b})", f"({a} * {b} % 1009)", f"({a} {self.one(['//', '%'])} {b})",
                   f"({a} {self.one('&|^')} {b})",
                   f"len({self.list(depth - 1)})", f"len({self.str(depth - 1)})", f"abs({a})", f"-{a}",
                   f"max({a}, {b})", f"({a} if {self.bool(depth - 1)} else {b})",
                   f"sum({self.list(depth - 1)})", f"{self.one(LISTS)}[{self.int(0)}]", f"{self.one(DICTS)}['k']",
                   f"{self.one(DICTS)}.get({a}, {b})",
                   f"int({self.float(0)} % 100)", f"({self.bool(depth - 1)} + {a})",
                   f"round({self.float(0)}) % 50"]
        if self.functions:
            choices += [f"{self.one(self.functions)}({a}, {b})", f"{self.one(self.functions)}({a}, k={b})",
                        f"{self.one(self.functions)}(*[{a}, {b}, 3])"]
        if self.classes:
            c = self.one(self.classes)
            choices += [f"{c}({a}).value({b})", f"{c}({a}) % {b}", f"({c}({a}) + {b}).n", f"len({c}({a}))",
                        f"{c}({a})[{b}]", f"{c}({a})({b})",
                        f"sum({c}({a}))", f"({c}({a}) == {c}({b}))", f"max({c}({a}), {c}({b})).n", f"{c}.made % 1009"]
        return self.one(choices)

    def float(self, depth):
        if depth == 0:
            return self.one([self.real(), self.one(FLOATS)])
        a, b = (self.one([self.float, self.int])(depth - 1) for _ in range(2))
        return self.one([f"({a} {self.one(['+', '-', '*', '/'])} {self.float(depth - 1)})", f"float({a})",
                         f"({a} / {b})", f"abs({self.float(depth - 1)})",
                         f"({self.float(depth - 1)} // {b})", f"({self.float(depth - 1)} % {b})",
                         f"round({self.float(depth - 1)}, {self.one('0123')})",
                         f"min({a}, {self.float(depth - 1)})"])

    def str(self, depth):
        if depth == 0:
            return self.one([repr(self.one(WORDS)), self.one(TEXTS)])
        a, b, n = self.str(depth - 1), self.str(depth - 1), self.int(0)
        spec = self.one(["", ":5", ":>7", ":^6", ":<4"])
        number = self.one([":d", ":05", ":+", ":x", ":,", ":b"])
        real = self.one([":.2f", ":8.3f", ":e", ":g", ":.3", ":+.1f", ":010.1f", ""])
        return self.one([f"({a} + {b})", f"({a} * ({n} % 4))",
                         f"{a}.{self.one(['upper', 'lower', 'title', 'strip', 'lstrip', 'capitalize'])}()",
                         f"{a}[{self.slice()}]", f"str({self.int(depth - 1)})", f"repr({a})",
                         f'f"{{{self.one(TEXTS)}{spec}}}|{{{self.one(INTS)}{number}}}|{{{self.one(FLOATS)}{real}}}"',
                         f"{a}.replace('a', {b})", f"','.join(str(q) for q in {self.list(depth - 1)})",
                         *([f"{self.one(['str', 'repr'])}({self.one(self.classes)}({n}))"] * 2 if self.classes else []),
                         f"{a}.center({n} % 9, '*')", f"str({self.list(0)})"])

    def slice(self):
        part = lambda: self.one(["", "", self.number(), self.one(INTS)])
        return f"{part()}:{part()}" + self.one(["", "", ":2", ":-1"])

    def list(self, depth):
        if depth == 0:
            return self.one([self.items(), self.one(LISTS)])
        a, n = self.list(depth - 1), self.int(0)
        return self.one([f"({a} + {self.list(depth - 1)})", f"{a}[{self.slice()}]", f"sorted({a})",
                         f"[q * {n} % 97 for q in {a}]", f"[q for q in {a} if q > {n}]",
                         f"list(range({n} % 6))", f"list(reversed({a}))", f"({a} * ({n} % 3))",
                         f"list(set({a}) & {{1, 2, 3}})", f"[*{a}, {self.int(depth - 1)}]",
                         f"[p + q for p, q in zip({a}, {self.list(0)})]", f"[p * q for p, q in enumerate({a})]",
                         f"list(map(lambda q: q - {n}, {a}))",
                         f"sorted({a}, key=lambda q: (q % 3, -q))",
                         *([f"[c.n for c in sorted(map({self.one(self.classes)}, {a}))]",
                            f"[q for q, c in zip({a}, map({self.one(self.classes)}, {a})) if c]"] if self.classes else [])])

    def bool(self, depth):
        if depth == 0:
            return self.one(["True", "False", f"{self.one(INTS)} > {self.number()}"])
        a, b = self.int(depth - 1), self.int(depth - 1)
        return "(" + self.one([f"{a} {self.one(['<', '<=', '==', '!=', '>', '>='])} {b}", f"not {self.bool(depth - 1)}",
                               f"{self.bool(depth - 1)} {self.one(['and', 'or'])} {self.bool(depth - 1)}",
                               f"{a} in {self.list(depth - 1)}", f"{a} < {b} <= {self.int(0)}",
                               f"{self.str(0)} in {self.str(depth - 1)}", f"{self.str(0)} < {self.str(0)}",
                               f"bool({self.list(0)})", f"{self.one(LISTS)} == {self.list(0)}", f"isinstance({a}, int)",
                               f"any(q > {self.int(0)} for q in {self.list(0)})"]) + ")"

    def tensor(self, depth):
        """Of shape (2, 3)."""
        if depth == 0:
            return self.one(["u", "w", "torch.ones(2, 3)", "(u * v)"])
        a, b = self.tensor(depth - 1), self.tensor(depth - 1)
        return "(" + self.one([f"({a} {self.one('+-*')} {b})",
                               f"({a} {self.one('+-*/')} {self.one(['2', '0.5', 'v', '(v * v + 1)'])})", f"-{a}",
                               f"{a}.{self.one(['relu', 'abs', 'tanh', 'clone', 'sigmoid', 'floor'])}()",
                         f"torch.softmax({a}, dim={self.one(['0', '1', '-1'])})",
                         f"{a}.masked_fill({b} > 0.5, {self.real()})", f"torch.where({a} > {b}, {a}, {b})",
                         f"({a} @ {b}.T @ {a})", f"{a}.clamp(-1, 1)", f"{a}[[1, 0]]", f"{a}.view(3, 2).T.reshape(2, 3)",
                         f"{a}.sum({self.one('01')}, keepdim=True) + {b}",
                         f"torch.cat([{a}[:1], {b}[1:]])", f"{a}.sort(dim=1).values", f"F.relu({a} - {b})",
                         f"({a} > {b}).float()"]) + ")"

    # ---- statements
    def add(self, level, line):
        self.lines.append("    " * level + line)

    def body(self, level, depth):
        for _ in range(self.random.randint(1, 3)):
            self.statement(level, depth)

    def statement(self, level, depth):
        kinds = ["set"] * 4 + ["print"] * 3 + ["augment", "unpack", "append", "item"]
        kinds += ["if", "for", "while", "try"] * 2 if depth else []
        kinds += ["tensor", "gradient"] * 4 if self.tensors else []
        kind = self.one(kinds)
        if kind == "set":
            name, value = self.one([(INTS, self.int), (FLOATS, self.float), (TEXTS, self.str), (LISTS, self.list)])
            value = value(2)
            # Values stay small, whatever a loop does with them.
            value = {INTS: f"{value} % 4099", FLOATS: value, TEXTS: f"({value})[:20]", LISTS: f"({value})[:8]"}[name]
            self.add(level, f"{self.one(name)} = {value}")
        elif kind == "print":
            self.add(level, f"print({', '.join(self.one([self.int, self.float, self.str, self.list, self.bool])(2) for _ in range(2))})")
        elif kind == "augment":
            self.add(level, self.one([f"{self.one(INTS)} += {self.int(1)} % 7", f"{self.one(INTS)} -= {self.number()}",
                                      f"{self.one(FLOATS)} *= 0.5", f"{self.one(DICTS)}['k'] += {self.number()}",
                                      f"{self.one(INTS)} //= 2", f"{self.one(LISTS)}[-1:] = {self.items()}"]))
        elif kind == "unpack":
            self.add(level, self.one(["i, j = j, i", "i, *a = [k, *b]",
                                      f"(k, n), s = ({self.int(1)}, 7), {self.str(1)}[:9]",
                                      f"x, y = {self.float(1)}, x", "i = j = k"]))
        elif kind == "append":
            self.add(level, f"if len({self.one(LISTS)}) < 9: {self.one(LISTS)}.{self.one(['append({})', 'insert(0, {})', 'extend([{}])'])}".format(self.int(1)))
        elif kind == "item":
            self.add(level, self.one([f"{self.one(DICTS)}[{self.int(0)} % 3] = {self.int(1)}",
                                      f"{self.one(LISTS)}[{self.number()}] = {self.int(1)}",
                                      f"{self.one(DICTS)}.pop({self.int(0)}, None)",
                                      f"{self.one(DICTS)}.update(k={self.int(1)})"]))
        elif kind == "if":
            self.add(level, f"if {self.bool(2)}:")
            self.body(level + 1, depth - 1)
            if self.random.random() < 0.5:
                self.add(level, f"elif {self.bool(1)}:")
                self.body(level + 1, depth - 1)
            if self.random.random() < 0.5:
                self.add(level, "else:")
                self.body(level + 1, depth - 1)
        elif kind == "for":
            self.add(level, self.one([f"for i in range({self.random.randint(1, 4)}):",
                                      f"for j in ({self.list(1)})[:4]:", f"for n, s in enumerate({self.str(1)}[:3]):",
                                      f"for k in list({self.one(DICTS)}.values())[:3]:",
                                      f"for i, j in zip({self.list(0)}, range(3)):"]))
            self.body(level + 1, depth - 1)
            if self.random.random() < 0.3:
                self.add(level + 1, f"if {self.bool(1)}: {self.one(['break', 'continue'])}")
            if self.random.random() < 0.3:
                self.add(level, "else:")
                self.add(level + 1, "print('else', i, j)")
        elif kind == "while":
            turns = f"turns{level}_{len(self.lines)}"
            self.add(level, f"{turns} = 0")
            self.add(level, f"while {turns} < {self.random.randint(1, 3)}:")
            self.add(level + 1, f"{turns} += 1")
            self.body(level + 1, depth - 1)
        elif kind == "try":
            self.add(level, "try:")
            self.body(level + 1, depth - 1)
            if self.random.random() < 0.4:
                self.add(level + 1, f"raise ValueError({self.str(1)})")
            self.add(level, f"except {self.one(['Exception', '(ZeroDivisionError, IndexError)', 'ValueError', 'ArithmeticError', 'LookupError'])} as error:")
            self.add(level + 1, "print(type(error).__name__, error)")
            if self.random.random() < 0.5:
                self.add(level, "finally:")
                self.add(level + 1, f"print('finally', {self.int(1)})")
        elif kind == "tensor":
            self.add(level, self.one([f"print({self.tensor(2)})", f"u = {self.tensor(2)}.clamp(-9, 9)",
                                      f"w[{self.one('01')}] = {self.tensor(1)}[0]",
                                      f"print(f'{{({self.tensor(1)}).mean():.3f}}', v)",
                                      f"u[{self.tensor(1)} > 0] = 0.5",
                                      f"print({self.tensor(2)}.argmax(), {self.tensor(1)}.shape, ({self.tensor(1)} > 0).sum().item())", f"v = {self.tensor(1)}[{self.one('01')}].tanh()"]))
        elif kind == "gradient":
            self.add(level, "r = (torch.arange(6.0).view(2, 3) / 7).requires_grad_()")
            self.add(level, f"{self.tensor(2)}.add(r * {self.tensor(1)}).{self.one(['sum', 'mean'])}().backward()")
            self.add(level, "print(r.grad)")

    def function(self):
        name = f"f{len(self.functions)}"
        before, self.functions = self.functions, []
        self.add(0, f"def {name}(i, j=2, *rest, k=1):")
        self.add(1, self.one(["global n", f"n = {self.number()}", "'''It computes.'''"]))
        self.add(1, f"x, a = {self.real()}, {self.items()}")
        tensors, self.tensors = self.tensors, False
        for _ in range(self.random.randint(1, 3)):
            self.add(1, self.one([f"if {self.bool_of_locals()}: return {self.one('ijk')}",
                                  f"i = (i * 3 + {self.one('jk')}) % 101", "a = [q + i for q in a]",
                                  "g = lambda q: q + j\n    j = g(i) % 50",
                                  "def up():\n        nonlocal k\n        k += 1\n        return k\n    up()",
                                  "try:\n        j = i // k\n    except ZeroDivisionError:\n        j = -1\n    finally:\n        k = 3"]))
        self.tensors = tensors
        self.add(1, f"return ({self.one('ij')} + {self.one(['k', 'len(a)', 'sum(a)', 'len(rest)'])}) % 1000")
        self.functions = [*before, name]

    def kind(self):
        """A class, mostly derived from the one before."""
        name, base = f"C{len(self.classes)}", self.classes[-1] if self.classes and self.random.random() < 0.7 else None
        self.add(0, f"class {name}({base}):" if base else f"class {name}:")
        self.add(1, f"made = {self.number()}")
        methods = ["def __init__(self, n, *rest):\n        {up}self.n = n % 211\n        type(self).made += 1",
                   "def value(self, k=2): return (self.n * k + {up_value}) % 499",
                   "def __add__(self, k): return {name}(self.n + (k if isinstance(k, int) else k.n))",
                   "def __mod__(self, k): return self.n % k", "def __len__(self): return self.n % 9",
                   "def __getitem__(self, i):\n        if i > self.n % 5: raise IndexError(i)\n        return i * self.n", "def __call__(self, *a, **k): return self.n + len(a) + len(k)",
                   "def __eq__(self, other): return isinstance(other, {name}) and self.n % 3 == other.n % 3",
                   "def __lt__(self, other): return (self.n % 7, self.n) < (other.n % 7, other.n)",
                   "def __repr__(self): return f'{name}<{{self.n}}>'",
                   "def __str__(self): return '{name}:' + str(self.n)", "def __bool__(self): return self.n % 2 == 0"]
        for i, method in enumerate(methods):
            needed = i == 0 or "__repr__" in method and not base  # so that no address is printed
            if not needed and self.random.random() < (0.6 if base else 0.2):
                continue
            up = "super().__init__(n)\n        " if base and self.random.random() < 0.7 else ""
            up_value = "super().value(k)" if base and self.random.random() < 0.5 else "1"
            self.add(1, method.format(name=name, up=up, up_value=up_value))
        self.classes.append(name)

    def bool_of_locals(self):
        return self.one(["i > j", "not a", "i % 2 == k", "j in a", "x < 1 and i"])


if __name__ == "__main__":
    print(Program(int(sys.argv[1])).text(), end="")
