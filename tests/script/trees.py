"""The trees of programs as Python's own parser makes them, in the text of tree.cpp."""
import ast
import struct

BINARY = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
          "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>"}
UNARY = {"USub": "-", "UAdd": "+", "Invert": "~", "Not": "not"}
COMPARE = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
           "In": "in", "NotIn": "not in"}
COMPREHENSIONS = {"ListComp": "ListOf", "SetComp": "SetOf", "DictComp": "DictOf", "GeneratorExp": "Generator"}


def op(node, table):
    return table[type(node).__name__]


def constant(x):
    if isinstance(x, str):
        return '"' + "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\x{b:02x}" for b in x.encode()) + '"'
    if isinstance(x, float):
        return "float " + struct.pack(">d", x).hex()
    if isinstance(x, int) and not isinstance(x, bool):
        return f"int {x}"
    return "..." if x is ... else str(x)


class Trees:
    def __init__(self, text):
        self.lines = []
        self.body(ast.parse(text).body, 0)

    def line(self, level, text):
        self.lines.append(" " * level + text)

    def body(self, statements, level):
        for statement in statements:
            self.statement(statement, level)

    def parts(self, parts, level, places):
        for part in parts:
            if part is None:
                self.line(level, "-")
            else:
                self.expression(part, level, places)

    def parameters(self, a, level, places):
        plain = [("plain", x) for x in a.args]
        defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
        rows = [(kind, x, default) for (kind, x), default in zip(plain, defaults)]
        rows += [("star", a.vararg, None)] if a.vararg else []
        rows += [("keyword", x, default) for x, default in zip(a.kwonlyargs, a.kw_defaults)]
        rows += [("doublestar", a.kwarg, None)] if a.kwarg else []
        for kind, x, default in rows:
            self.line(level, f"{kind} {x.arg}")
            if default:
                self.expression(default, level + 1, places)

    def expression(self, x, level, places):
        kind = type(x).__name__
        text, parts, below = kind, [], places
        match kind:
            case "Constant": text = f"Constant {constant(x.value)}"
            case "Name": text = f"Name {x.id}"
            case "JoinedStr": text, parts, below = "FString", x.values, False
            case "FormattedValue":
                text = "Formatted" + (f" {chr(x.conversion)}" if x.conversion > 0 else "")
                parts = [x.value] + ([x.format_spec] if x.format_spec else [])
            case "Tuple" | "List" | "Set": parts = x.elts
            case "Dict": parts = [part for pair in zip(x.keys, x.values) for part in pair]
            case "Attribute": text, parts = f"Attribute {x.attr}", [x.value]
            case "Subscript": parts = [x.value, x.slice]
            case "Slice": parts = [x.lower, x.upper, x.step]
            case "Starred": parts = [x.value]
            case "UnaryOp": text, parts = f"Unary {op(x.op, UNARY)}", [x.operand]
            case "BinOp": text, parts = f"Binary {op(x.op, BINARY)}", [x.left, x.right]
            case "BoolOp": text, parts = f"Bool{type(x.op).__name__}", x.values
            case "Compare":
                text = " ".join(["Comparison"] + [op(o, COMPARE) for o in x.ops])
                parts = [x.left] + x.comparators
            case "Yield" | "YieldFrom": parts = [x.value] if x.value else []
            case "IfExp": text, parts = "Conditional", [x.test, x.body, x.orelse]
            case "Call": parts = [x.func]
            case "DictComp": text, parts = "DictOf", [x.key, x.value]
            case "ListComp" | "SetComp" | "GeneratorExp": text, parts = COMPREHENSIONS[kind], [x.elt]
        if places:
            text += f" {x.lineno}:{x.col_offset}-{x.end_lineno}:{x.end_col_offset}"
        self.line(level, text)
        self.parts(parts, level + 1, below)
        if kind == "Call":
            for argument in sorted(x.args + x.keywords, key=lambda a: (a.lineno, a.col_offset)):
                starred = isinstance(argument, ast.Starred)
                if starred or isinstance(argument, ast.keyword):
                    self.line(level + 1, "*" if starred else f"{argument.arg}=" if argument.arg else "**")
                    argument = argument.value
                self.expression(argument, level + 1, below)
        for clause in getattr(x, "generators", []):
            self.line(level + 1, "for")
            self.parts([clause.target, clause.iter] + clause.ifs, level + 2, below)
        if kind == "Lambda":
            self.parameters(x.args, level + 1, below)
            self.expression(x.body, level + 1, below)

    def statement(self, s, level):
        kind = type(s).__name__
        text, parts, imports, decorators = kind, [], [], getattr(s, "decorator_list", [])
        match kind:
            case "Expr": text, parts = "Expression", [s.value]
            case "Assign": parts = s.targets + [s.value]
            case "AugAssign": text, parts = f"AugAssign {op(s.op, BINARY)}=", [s.target, s.value]
            case "AnnAssign": parts = [s.target] + ([s.value] if s.value else [])
            case "If" | "While": parts = [s.test]
            case "For": parts = [s.target, s.iter]
            case "Return": parts = [s.value] if s.value else []
            case "FunctionDef": text = f"Def {s.name}"
            case "ClassDef": text, parts = f"Class {s.name}", s.bases
            case "Raise": parts = ([s.cause] if s.cause else []) + ([s.exc] if s.exc else [])
            case "Assert": parts = [s.test] + ([s.msg] if s.msg else [])
            case "With": parts = [part for item in s.items for part in (item.context_expr, item.optional_vars)]
            case "Delete": parts = s.targets
            case "Global" | "Nonlocal": text = " ".join([kind] + [name for name in s.names])
            case "Import": imports = s.names
            case "ImportFrom": text, imports = f"ImportFrom {s.module}", s.names
        self.line(level, f"{text} {s.lineno}:{s.col_offset} {s.end_lineno}")
        self.parts(decorators + parts, level + 1, True)
        for name in imports:
            self.line(level + 1, f"{name.name} {name.asname if name.asname else '-'}")
        if kind == "FunctionDef":
            self.parameters(s.args, level + 1, True)
        self.body(getattr(s, "body", []), level + 1)
        for handler in getattr(s, "handlers", []):
            self.line(level + 1, f"except {handler.name or '-'}")
            self.parts([handler.type], level + 2, True)
            self.body(handler.body, level + 2)
        for name, field in (("else", "orelse"), ("finally", "finalbody")):
            if getattr(s, field, None):
                self.line(level + 1, name)
                self.body(getattr(s, field), level + 2)


def tree(text):
    return "\n".join(Trees(text).lines)
