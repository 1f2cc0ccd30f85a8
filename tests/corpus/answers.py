"""Answers to an exercise, made from its solution: other ways to write it, and small mistakes. The same on every run."""
import ast
import copy
import re
import textwrap


def changed(solution, diff):
    """The solution's lines with the changes of a diff; an empty line parts the changes."""
    for change in diff.split("\n\n"):
        lines = [line for line in change.split("\n") if line]
        before, after = ("".join(line[1:] + "\n" for line in lines if line[0] in signs) for signs in ("- ", "+ "))
        solution = solution.replace(before, after)
    return solution


def mistakes_of(text, solutions):
    """The stored mistakes of a course's file: {exercise: [lines of each]}."""
    found, exercise = {}, None
    blocks = re.finditer(r"^## .*\{#([\w.-]+)\}$|^mistake: .*\n\n```(python|diff)\n((?:.*\n)*?)```$", text, re.M)
    for match in blocks:
        exercise = match[1] or exercise
        if match[2]:
            found.setdefault(exercise, []).append(changed(solutions[exercise], match[3]) if match[2] == "diff" else match[3])
    return found


class Rewritten(ast.NodeTransformer):
    """Changes the node that comes as number `at` among those that `change` takes."""

    def __init__(self, change, at=None):
        self.change, self.at, self.seen = change, at, 0

    def visit(self, node):
        node = self.generic_visit(node)
        new = self.change(copy.deepcopy(node))
        if new is None:
            return node
        self.seen += 1
        return new if self.at in (None, self.seen - 1) else node


def rewritten(source, change, at=None):
    """The source with that change, or None where nothing is changed."""
    transformer = Rewritten(change, at)
    tree = ast.fix_missing_locations(transformer.visit(ast.parse(source)))
    done = transformer.seen > (at or 0)
    return ast.unparse(tree) + "\n" if done else None


def call(function, *arguments):
    return ast.Call(ast.parse(function, mode="eval").body, list(arguments), [])


# ---- ways to write the same numbers
def as_matmul(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return call("torch.matmul", node.left, node.right)


def as_transpose(node):
    if isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(node.ctx, ast.Load):
        return ast.Call(ast.Attribute(node.value, "transpose", ast.Load()), [ast.Constant(0), ast.Constant(1)], [])


def as_method(node):
    """torch.softmax(x, dim=1) becomes x.softmax(dim=1)."""
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "torch" and node.func.attr in ("softmax", "matmul", "sqrt", "exp", "tanh", "log", "relu")):
        return ast.Call(ast.Attribute(node.args[0], node.func.attr, ast.Load()), node.args[1:], node.keywords)


def through_a_name(node):
    """name = value becomes _held = value; name = _held."""
    if isinstance(node, ast.Assign):
        return [ast.Assign([ast.Name("_held", ast.Store())], node.value), ast.Assign(node.targets, ast.Name("_held", ast.Load()))]


def through_a_lambda(node):
    if isinstance(node, ast.Assign):
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Assign(node.targets, ast.Call(ast.Lambda(nothing, node.value), [], []))


def times_one(node):
    if isinstance(node, ast.Assign):
        return ast.Assign(node.targets, ast.BinOp(node.value, ast.Mult(), ast.Constant(1)))


def cloned(node):
    if isinstance(node, ast.Assign):
        return ast.Assign(node.targets, ast.Call(ast.Attribute(node.value, "clone", ast.Load()), [], []))


def rights(solution):
    inside = textwrap.indent(solution, "    ")
    ways = [solution, "# my own way\n" + solution.rstrip("\n") + "  # done\n", "if True:\n" + inside,
            "for _once in range(1):\n" + inside, "try:\n" + inside + "finally:\n    pass\n", ast.unparse(ast.parse(solution)) + "\n",
            "_a = 1; _b = [_a, 2]\n" + solution + "_c = {'b': _b}\n", "assert True\n" + solution]
    ways += [rewritten(solution, change) for change in
             (as_matmul, as_transpose, as_method, through_a_name, through_a_lambda, times_one, cloned)]
    return [way for way in ways if way]


# ---- ways to write different numbers
def other_operator(node):
    other = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.MatMult: ast.Mult, ast.Pow: ast.Mult}
    if isinstance(node, ast.BinOp):
        node.op = other[type(node.op)]() if type(node.op) in other else ast.Add()
        return node


def other_number(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return ast.Constant(node.value + 1)


def other_truth(node):
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        return ast.Constant(not node.value)


def no_transpose(node):
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return node.value


def fewer_keywords(node):
    if isinstance(node, ast.Call) and node.keywords:
        node.keywords = node.keywords[:-1]
        return node


def arguments_turned(node):
    if isinstance(node, ast.Call) and len(node.args) > 1:
        node.args = node.args[::-1]
        return node


def operands_turned(node):
    if isinstance(node, ast.BinOp):
        node.left, node.right = node.right, node.left
        return node


def other_name(node):
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return ast.Name(node.id + "s", ast.Load())


def plus_one(node):
    if isinstance(node, ast.Assign):
        return ast.Assign(node.targets, ast.BinOp(node.value, ast.Add(), ast.Constant(1)))


def doubled(node):
    if isinstance(node, ast.Assign):
        return ast.Assign(node.targets, ast.Call(ast.Attribute(node.value, "double", ast.Load()), [], []))


def in_a_list(node):
    if isinstance(node, ast.Assign):
        return ast.Assign(node.targets, ast.List([node.value], ast.Load()))


def wrongs(solution):
    edits = [(change, at) for change in (other_operator, other_number) for at in range(2)]
    edits += [(change, 0) for change in (other_truth, no_transpose, fewer_keywords, arguments_turned, operands_turned, other_name,
                                         plus_one, doubled, in_a_list)]
    ways = [rewritten(solution, *edit) for edit in edits]
    ways += ["", "pass\n", solution.rstrip("\n)") + "(\n", "\n".join(solution.split("\n")[1:]), "raise ValueError('no')\n",
             "import os\n", "print('x' * 3)\n"]
    return list(dict.fromkeys(way for way in ways if way is not None and way != solution))
