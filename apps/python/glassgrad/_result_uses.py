"""What becomes of the result of an instruction: does the program store it under a name, or return it?

A tensor is given to a program by an instruction: a call, an operator, an attribute. The instructions behind it say how
the program calls it, so nothing has to be looked at while the program runs but where it is.
"""
import builtins
import dis
import os
import sys

NOTHING, RETURNED, RETURNED_BY_SCOPE, NAMED = range(4)
OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX", "CALL_METHOD"}
# Instructions whose result is computed by the operand's type.
OPERATORS = ("BINARY_", "INPLACE_", "UNARY_", "COMPARE_OP", "LOAD_ATTR", "LOAD_METHOD")
STORES = {"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"}
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF", "LOAD_ATTR", "LOAD_METHOD")
COPIES = {"DUP_TOP", "COPY"}
SKIPPED = {"CACHE", "NOP", "EXTENDED_ARG", "PRECALL", "RESUME"}
# Functions that call other functions, whose results are not their own.
GO_BETWEENS = set(dir(builtins)) | {"reduce", "starmap", "accumulate"}


def result_uses(code):
    """For each instruction that may give a tensor: (where it begins, where it ends, (what becomes of its result, is
    a tuple taken apart, [[names] of each part], is it at a file's top, "file:line")).

    A frame that has called another one stands at the end of its call.
    """
    ours = code.co_filename.startswith(OURS)
    at_top = code.co_name == "<module>" or code.co_name.startswith("<cell")
    every = list(dis.get_instructions(code))
    instructions = [i for i in every if i.opname not in SKIPPED]
    # Python 3.11 calls some functions in PRECALL, before CALL.
    starts = {after.offset: i.offset for i, after in zip(every, every[1:]) if i.opname == "PRECALL"}
    begins = [starts.get(i.offset, i.offset) for i in instructions] + [sys.maxsize]
    lines = list(dis.findlinestarts(code))
    found = []
    for at, instruction in enumerate(instructions):
        kind, is_tuple, names = result_use(code, instructions, at, ours)
        if kind != NOTHING:
            where = place(code, lines, instruction.offset)
            found.append((begins[at], begins[at + 1], (kind, is_tuple, names, at_top, where)))
    return found


def result_use(code, instructions, at, ours):
    if not gives_its_result(instructions, at):
        return NOTHING, False, []
    if at + 1 < len(instructions) and instructions[at + 1].opname == "RETURN_VALUE":
        return RETURNED, False, []
    if ours:  # in our own code only module.forward's result counts; it is returned past the end of its scope
        return RETURNED_BY_SCOPE if code.co_name == "watched" else NOTHING, False, []
    is_tuple, names = stored(instructions, at + 1)
    return NAMED if names else NOTHING, is_tuple, names


def place(code, lines, offset):
    """"mha.py:12"; of a notebook's cell "line 12"."""
    line = 0
    for start, number in lines:
        if start > offset:
            break
        line = number or line
    name = os.path.basename(code.co_filename)
    in_notebook = name.startswith("<") or "ipykernel" in code.co_filename
    return f"line {line}" if in_notebook else f"{name}:{line}"


def gives_its_result(instructions, at):
    opname = instructions[at].opname
    if opname.startswith(OPERATORS):
        return True
    if opname not in CALLS:
        return False
    callee = called(instructions, at)
    return callee is not None and callee not in GO_BETWEENS


def called(instructions, at):
    """The name of the function that is called; None where the way to it is not straight."""
    call = instructions[at]
    above = arguments_of(call)  # the number of values above the function on the stack
    depth = 0
    for i in reversed(instructions[:at]):
        if "JUMP" in i.opname or i.opname in ("FOR_ITER", "SEND", "YIELD_VALUE"):
            return None
        try:
            effect = dis.stack_effect(i.opcode, i.arg if i.opcode >= dis.HAVE_ARGUMENT else None)
        except ValueError:
            return None
        if i.opname == "PUSH_NULL":  # between the function and its arguments, in Python 3.13
            continue
        depth += effect
        if depth == above and i.opname == "LOAD_ATTR":  # replaces its object on the stack
            return i.argval
        if depth > above and i.opname.startswith(LOADS):
            return i.argval if isinstance(i.argval, str) else None
        if depth > above:
            return None
    return None


def arguments_of(call):
    if call.opname == "CALL_FUNCTION_EX":
        return 1 + (call.arg & 1)
    return call.arg + (call.opname in ("CALL_FUNCTION_KW", "CALL_KW"))


def stored(instructions, at):
    """(is it taken apart, [[names] of each part])"""
    first = instructions[at].opname if at < len(instructions) else ""
    if first == "UNPACK_SEQUENCE":
        return True, names_of_parts(instructions, at + 1, instructions[at].arg)
    names = names_at(instructions, at)
    return False, [names] if names else []


def names_of_parts(instructions, at, n):
    names = []
    while len(names) < n and at < len(instructions):
        i = instructions[at]
        if i.opname == "STORE_FAST_STORE_FAST":  # two values in one instruction, since Python 3.13
            names += [[i.argval[0]], [i.argval[1]]]
        elif i.opname == "STORE_FAST_LOAD_FAST":
            names.append([i.argval[0]])
        elif i.opname in STORES:
            names.append([i.argval])
        else:
            return []
        at += 1
    return names if len(names) == n else []


def names_at(instructions, at):
    """Under which names the value on the stack is stored: of `a = b = f(x)` two."""
    names = []
    while at < len(instructions):
        i = instructions[at]
        copied = i.opname in COPIES and (i.arg in (None, 0, 1))
        store = instructions[at + 1] if copied and at + 1 < len(instructions) else i
        if store.opname == "STORE_FAST_STORE_FAST":
            return names + list(store.argval[:2 if copied else 1])
        if store.opname == "STORE_FAST_LOAD_FAST":
            return names + [store.argval[0]]
        if store.opname not in STORES:
            return names
        names.append(store.argval)
        if not copied:
            return names
        at += 2
    return names
