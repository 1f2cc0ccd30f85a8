from __future__ import annotations
import os
import os.path
import string
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, Dict, List, Optional, Tuple, TypeVar, Union, TYPE_CHECKING

T = TypeVar("T")
Numbers = Union[int, float]
Table = Dict[str, List[Tuple[int, Optional[str]]]]


def apply(f: Callable[[int], int], x: Numbers, *rest: Any) -> Table:
    return {"x": [(f(x), None)]}


print(apply(lambda x: x + 1, 3), TYPE_CHECKING)
print(os.path.join("a", "b", "c.txt"), os.path.join("a/", "b"), os.path.join("a", "/b"), os.path.join("", "b"), os.path.basename("x/y.txt"), os.path.dirname("x/y.txt"), os.path.dirname("/y"))
print([os.path.splitext(p) for p in ("a.txt", "a/b.c/d", ".hidden", "a/.b.c", "x.tar.gz", "..", "a.")], os.path.split("a/b/c"), os.path.split("a//b"), os.path.split("c"))
print(os.path.exists("/there/is/no/such.file"), os.path.isfile("/there/is/no"), os.getenv("GLASSGRAD_NO_SUCH_NAME"), os.getenv("GLASSGRAD_NO_SUCH_NAME", "x"), os.sep)
print(string.ascii_lowercase, string.digits, string.ascii_letters[-3:], len(string.punctuation), len(string.printable), repr(string.whitespace))
start = time.time()
begin = time.perf_counter()
print(start > 1.7e9, time.perf_counter() >= begin, isinstance(time.perf_counter_ns(), int), time.time() - start < 100)
sys.stdout.write("written\n")
sys.stdout.flush()
print("to the output", file=sys.stdout)
print("to the errors", file=None)
print(sys.maxsize, sys.version_info >= (3, 8), sys.version_info[0])
warnings.filterwarnings("ignore")
sys.setrecursionlimit(5000)


class Log:
    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)


log = Log()
print("a", 1, file=log, sep="-")
print(log.lines)
