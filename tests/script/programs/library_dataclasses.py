import dataclasses
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from typing import List, Optional


@dataclass
class Config:
    n_layer: int = 2
    n_head: int = 4
    dropout: float = 0.0
    name: Optional[str] = None
    sizes: List[int] = field(default_factory=list)

    @property
    def head_size(self):
        return 64 // self.n_head

    def scaled(self, by: int) -> "Config":
        return replace(self, n_layer=self.n_layer * by)


a, b = Config(), Config(n_head=8, name="small")
a.sizes.append(3)
print(a, b, a == b, Config() == Config(), a.head_size, b.scaled(3))
print(asdict(a), astuple(b), [f.name for f in fields(Config)], dataclasses.is_dataclass(a), dataclasses.is_dataclass(3))
b.dropout = 0.5
print(b.dropout, Config.n_layer, b != a)


@dataclass(order=True, frozen=True)
class Version:
    major: int
    minor: int = 0
    note: str = field(default="", compare=False, repr=False)


print(sorted([Version(1, 2), Version(0, 9), Version(1)]), Version(1) < Version(2), Version(1, 0, "x") == Version(1), Version(3) >= Version(2, 9))


@dataclass
class Base:
    x: int
    y: int = field(init=False)

    def __post_init__(self):
        self.y = self.x * 2


@dataclass
class Derived(Base):
    z: float = 1.5

    def __repr__(self):
        return f"<{self.x} {self.y} {self.z}>"


print(Base(3), Derived(4), Derived(4, z=2.5), asdict(Derived(1)))


@dataclass
class Nested:
    config: Config
    pairs: dict = field(default_factory=dict)


print(asdict(Nested(Config(sizes=[1]), {"a": (1, 2)})))


def bad_default():
    @dataclass
    class Bad:
        x: list = []


def bad_order():
    @dataclass
    class Bad:
        x: int = 1
        y: int


for wrong in (lambda: Version(), lambda: Version(1, 2, 3, 4), lambda: Config(width=3), lambda: setattr(Version(1), "major", 2), bad_default, bad_order,
              lambda: Config(1, n_layer=2), lambda: asdict(3), lambda: fields(3)):
    try:
        wrong()
    except Exception as e:
        print(type(e).__name__, str(e).split(' follows default')[0])  # newer Pythons say more
