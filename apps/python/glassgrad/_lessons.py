"""The lessons from Python: every tensor that one shows, and every number of it opened down to its arithmetic.

    journey = glassgrad.lesson("journey", seed=7)
    masked = journey["masked-scores:masked"]   # a tensor
    masked.why(2, 1)                           # how masked[2, 1] came about
"""
import json
import os
import re

from glassgrad import _C


def lesson(name, **settings):
    """Runs a lesson: lesson("journey", seed=7, d_out=4).

    Settings are the flags of `glassgrad learn`, as Python writes them. Also: inputs=a tensor (tokens, features),
    weights={"W_query": a tensor}, tokens=["to", "be"], set={"masked[2,1]": 0.9} (what if?).
    """
    changes = settings.pop("set", {})
    changes = [f"{cell}={value}" for cell, value in changes.items()] if isinstance(changes, dict) else list(changes)
    inputs = settings.pop("inputs", None)
    weights = {name: as_tensor(values) for name, values in settings.pop("weights", {}).items()}
    tokens = settings.pop("tokens", "")
    flags = [(f"--{flag.replace('_', '-')}", str(value)) for flag, value in settings.items()]
    recording = in_python(_C.record, name, flags, weights, None if inputs is None else as_tensor(inputs),
                          tokens if isinstance(tokens, str) else ",".join(tokens), changes)
    return Lesson(name, recording)


def lesson_names():
    """The names that lesson() takes."""
    return _C.lesson_names()


class Lesson:
    """A lesson that has run: a mapping from "STEP:TENSOR" to tensors, in the order in which it shows them."""

    def __init__(self, name, recording):
        self.name, self._recording = name, recording
        self.steps = [Step(self, described) for described in recording.steps()]

    def keys(self):
        return [key for step in self.steps for key in step.keys()]

    def values(self):
        return [self[key] for key in self.keys()]

    def items(self):
        return [(key, self[key]) for key in self.keys()]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, key):
        return key in self.keys()

    def __getitem__(self, key):
        """The tensor; what you change in it changes nothing here. KeyError with the nearest name."""
        try:
            tensor = in_python(self._recording.tensor, key)
        except ValueError as error:
            raise NoSuchTensor(str(error)) from None
        tensor.why = CellsOf(self, key, tuple(tensor.shape))
        return tensor

    def why(self, address, depth=1, exact=False):
        """How the number at "STEP:TENSOR[i,j]" came about; depth=2 opens what it was computed from as well."""
        opened = self._recording.opened
        return Why(in_python(opened, address, depth, exact, False),
                   lambda: json.loads(in_python(opened, address, depth, exact, True)))

    def __repr__(self):
        return f"<lesson {self.name}: {len(self.steps)} steps, {len(self)} tensors; .steps and .keys() list them>"


class Step:
    """A step of a lesson: id, number, section, title, sentences, code, and its tensors by name."""

    def __init__(self, lesson, described):
        self._lesson = lesson
        self.__dict__.update(described)

    def keys(self):
        return [f"{self.id}:{name}" for name in self.tensors]

    def __getitem__(self, name):
        return self._lesson[f"{self.id}:{name}"]

    def __repr__(self):
        return f"<step {self.number} {self.id}: {self.title}>"


class CellsOf:
    """tensor.why(i, j) for a tensor of a lesson."""

    def __init__(self, lesson, key, shape):
        self.lesson, self.key, self.shape = lesson, key, shape

    def __call__(self, *index, depth=1, exact=False):
        if len(index) == 1 and isinstance(index[0], (tuple, list)):
            index = tuple(index[0])
        index = [i + n if i < 0 else i for i, n in zip(index, self.shape)] + list(index[len(self.shape):])
        cell = f"[{','.join(str(int(i)) for i in index)}]" if index else ""
        return self.lesson.why(self.key + cell, depth=depth, exact=exact)

    def __repr__(self):
        return f"<why of {self.key} {list(self.shape)}: call it with an index>"


class Why(str):
    """An opened number: the text of `glassgrad why`, shown as it is; .json is the same as a tree."""

    def __new__(cls, text, tree):
        self = super().__new__(cls, text)
        self._tree = tree
        return self

    @property
    def json(self):
        return self._tree()

    def __repr__(self):
        return self.rstrip("\n")


class NoSuchTensor(KeyError):
    """A KeyError whose text is shown without quotes."""

    __str__ = Exception.__str__


def as_tensor(values):
    import glassgrad
    if isinstance(values, glassgrad.Tensor):
        return values
    if isinstance(values, (str, os.PathLike)):
        raise TypeError(f"a tensor or a list of numbers, not a path: load {os.fspath(values)!r} first")
    return glassgrad.tensor(values, dtype=glassgrad.float32)


def in_python(function, *arguments):
    """Calls it; what it says about flags is said about arguments."""
    try:
        return function(*arguments)
    except ValueError as error:
        text = re.sub(r"--([a-z][a-z-]*)", lambda flag: flag[1].replace("-", "_"), str(error))
        raise ValueError(text.replace(" list shows all", "")) from None
