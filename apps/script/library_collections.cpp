// Python's collections. Counter, defaultdict and OrderedDict hold a dict; they are no dicts themselves.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kCollections = R"py(
def module(native):
    class Mapping:
        def __getitem__(self, key): return self._all[key]
        def __setitem__(self, key, value): self._all[key] = value
        def __contains__(self, key): return key in self._all
        def __iter__(self): return iter(self._all)
        def __len__(self): return len(self._all)
        def __eq__(self, other): return self._all == (other._all if isinstance(other, Mapping) else other)
        def keys(self): return self._all.keys()
        def values(self): return self._all.values()
        def items(self): return self._all.items()
        def get(self, key, default=None): return self._all.get(key, default)
        def pop(self, *key_and_default): return self._all.pop(*key_and_default)
        def setdefault(self, key, default=None): return self._all.setdefault(key, default)
        def update(self, *others, **named):
            for other in others:
                self._all.update(other)
            self._all.update(named)
        def clear(self): self._all.clear()

    class defaultdict(Mapping):
        def __init__(self, default_factory=None, *others, **named):
            self.default_factory = default_factory
            self._all = {}
            self.update(*others, **named)
        def __getitem__(self, key):
            if key not in self._all:
                if self.default_factory is None:
                    raise KeyError(key)
                self._all[key] = self.default_factory()
            return self._all[key]
        def __repr__(self): return f'defaultdict({self.default_factory!r}, {self._all!r})'
        def copy(self): return defaultdict(self.default_factory, self._all)

    class OrderedDict(Mapping):
        def __init__(self, *others, **named):
            self._all = {}
            self.update(*others, **named)
        def __repr__(self): return f'OrderedDict({self._all!r})' if self._all else 'OrderedDict()'
        def copy(self): return OrderedDict(self._all)
        def popitem(self, last=True):
            if not self._all:
                raise KeyError('dictionary is empty')
            key = list(self._all)[-1 if last else 0]
            return key, self._all.pop(key)
        def move_to_end(self, key, last=True):
            value = self._all.pop(key)
            others = {} if last else dict(self._all)
            if not last:
                self._all.clear()
            self._all[key] = value
            self._all.update(others)

    class Counter(Mapping):
        def __init__(self, iterable=None, **counts):
            self._all = {}
            self.update(iterable, **counts)
        def __getitem__(self, key): return self._all.get(key, 0)
        def _count(self, iterable, sign, counts):
            if iterable is not None:
                for key, n in iterable.items() if hasattr(iterable, 'items') else [(key, 1) for key in iterable]:
                    self._all[key] = self._all.get(key, 0) + sign * n
            for key in counts:
                self._all[key] = self._all.get(key, 0) + sign * counts[key]
        def update(self, iterable=None, **counts): self._count(iterable, 1, counts)
        def subtract(self, iterable=None, **counts): self._count(iterable, -1, counts)
        def most_common(self, n=None):
            ranked = sorted(self._all.items(), key=lambda item: item[1], reverse=True)
            return ranked if n is None else ranked[:max(n, 0)]
        def elements(self): return iter([key for key in self._all for _ in range(self._all[key])])
        def total(self): return sum(self._all.values())
        def copy(self): return Counter(self._all)
        def __repr__(self): return f'Counter({dict(self.most_common())!r})' if self._all else 'Counter()'
        def _with(self, other, combined):
            keys = list(self._all) + [key for key in other if key not in self._all]
            both = {key: combined(self[key], other[key]) for key in keys}
            return Counter({key: both[key] for key in both if both[key] > 0})
        def __add__(self, other): return self._with(other, lambda a, b: a + b)
        def __sub__(self, other): return self._with(other, lambda a, b: a - b)
        def __or__(self, other): return self._with(other, max)
        def __and__(self, other): return self._with(other, min)

    class deque:
        def __init__(self, iterable=(), maxlen=None):
            self.maxlen = maxlen
            self._items = []
            self.extend(iterable)
        def append(self, x):
            self._items.append(x)
            if self.maxlen is not None and len(self._items) > self.maxlen:
                self._items.pop(0)
        def appendleft(self, x):
            self._items.insert(0, x)
            if self.maxlen is not None and len(self._items) > self.maxlen:
                self._items.pop()
        def pop(self):
            if not self._items:
                raise IndexError('pop from an empty deque')
            return self._items.pop()
        def popleft(self):
            if not self._items:
                raise IndexError('pop from an empty deque')
            return self._items.pop(0)
        def extend(self, iterable):
            for x in iterable:
                self.append(x)
        def extendleft(self, iterable):
            for x in iterable:
                self.appendleft(x)
        def rotate(self, n=1):
            if self._items:
                n = n % len(self._items)
                self._items = self._items[len(self._items) - n:] + self._items[:len(self._items) - n]
        def clear(self): self._items.clear()
        def copy(self): return deque(self._items, self.maxlen)
        def count(self, x): return self._items.count(x)
        def index(self, x): return self._items.index(x)
        def remove(self, x): self._items.remove(x)
        def reverse(self): self._items.reverse()
        def __getitem__(self, k):
            if not -len(self._items) <= k < len(self._items):
                raise IndexError('deque index out of range')
            return self._items[k]
        def __setitem__(self, k, x): self._items[k] = x
        def __len__(self): return len(self._items)
        def __iter__(self): return iter(self._items)
        def __contains__(self, x): return x in self._items
        def __eq__(self, other): return isinstance(other, deque) and self._items == other._items
        def __repr__(self): return f'deque({self._items!r})' if self.maxlen is None else f'deque({self._items!r}, maxlen={self.maxlen})'

    def namedtuple(typename, field_names, *, defaults=()):
        names = field_names.replace(',', ' ').split() if isinstance(field_names, str) else list(field_names)
        class Named:
            _fields = tuple(names)
            _field_defaults = dict(zip(names[len(names) - len(defaults):], defaults))
            def __init__(self, *args, **kwargs):
                for name, value in zip(names, native.bind(typename + '.__new__', ['_cls'] + names, self._field_defaults, (0,) + args, kwargs)[1:]):
                    object.__setattr__(self, name, value)
            def _all(self): return tuple([getattr(self, name) for name in names])
            def __setattr__(self, name, value): raise AttributeError("can't set attribute" if name in names else f"'{typename}' object has no attribute '{name}'")
            def __getitem__(self, k): return self._all()[k]
            def __len__(self): return len(names)
            def __iter__(self): return iter(self._all())
            def __contains__(self, x): return x in self._all()
            def __eq__(self, other): return self._all() == (other._all() if hasattr(other, '_fields') else other)
            def __lt__(self, other): return self._all() < (other._all() if hasattr(other, '_fields') else other)
            def __repr__(self): return typename + '(' + ', '.join([f'{name}={getattr(self, name)!r}' for name in names]) + ')'
            def _asdict(self): return {name: getattr(self, name) for name in names}
            def _replace(self, **changed): return Named(**{**self._asdict(), **changed})
            @classmethod
            def _make(cls, iterable): return cls(*iterable)
        return native.rename(Named, typename, '__main__')

    return {'Counter': Counter, 'defaultdict': defaultdict, 'OrderedDict': OrderedDict, 'deque': deque, 'namedtuple': namedtuple}
)py";

}  // namespace glassgrad::script
