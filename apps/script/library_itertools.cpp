// Python's itertools and functools.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kItertools = R"py(
def module(native):
    class Lazy:
        def __iter__(self): return self
    class count(Lazy):
        def __init__(self, start=0, step=1): self._next, self._step = start, step
        def __next__(self):
            now = self._next
            self._next = now + self._step
            return now
        def __repr__(self): return f'count({self._next})' if self._step == 1 else f'count({self._next}, {self._step})'
    class cycle(Lazy):
        def __init__(self, iterable): self._items, self._at = list(iterable), -1
        def __next__(self):
            if not self._items:
                raise StopIteration
            self._at = (self._at + 1) % len(self._items)
            return self._items[self._at]
    class repeat(Lazy):
        def __init__(self, object, times=None): self._object, self._times = object, times
        def __next__(self):
            if self._times is not None:
                if self._times <= 0:
                    raise StopIteration
                self._times -= 1
            return self._object
    class chain(Lazy):
        def __init__(self, *iterables): self._outer, self._inner = iter(iterables), iter(())
        def __next__(self):
            while True:
                try:
                    return next(self._inner)
                except StopIteration:
                    self._inner = iter(next(self._outer))
        @staticmethod
        def from_iterable(iterables):
            made = chain()
            made._outer = iter(iterables)
            return made
    class islice(Lazy):
        def __init__(self, iterable, *range_of):
            start, stop, step = (range_of + (1,))[:3] if len(range_of) > 1 else (0, range_of[0], 1)
            self._items, self._skip, self._stop, self._step, self._at = iter(iterable), start or 0, stop, step or 1, 0
        def __next__(self):
            while True:
                if self._stop is not None and self._at >= self._stop:
                    raise StopIteration
                x = next(self._items)
                self._at += 1
                if self._at > self._skip and (self._at - 1 - self._skip) % self._step == 0:
                    return x
    class takewhile(Lazy):
        def __init__(self, predicate, iterable): self._holds, self._items, self._over = predicate, iter(iterable), False
        def __next__(self):
            if not self._over:
                x = next(self._items)
                if self._holds(x):
                    return x
                self._over = True
            raise StopIteration
    class dropwhile(Lazy):
        def __init__(self, predicate, iterable): self._holds, self._items = predicate, iter(iterable)
        def __next__(self):
            while True:
                x = next(self._items)
                if self._holds is None or not self._holds(x):
                    self._holds = None
                    return x
    class accumulate(Lazy):
        def __init__(self, iterable, func=None, *, initial=None):
            self._items, self._func, self._total, self._begun = iter(iterable), func, initial, False
            self._given = initial is not None
        def __next__(self):
            if not self._begun:
                self._begun = True
                if not self._given:
                    self._total = next(self._items)
            else:
                x = next(self._items)
                self._total = self._total + x if self._func is None else self._func(self._total, x)
            return self._total
    def starmap(function, iterable): return map(lambda arguments: function(*arguments), iterable)
    def filterfalse(predicate, iterable): return filter(lambda x: not (x if predicate is None else predicate(x)), iterable)
    def compress(data, selectors):
        for x, chosen in zip(data, selectors):
            if chosen: yield x
    def pairwise(iterable):
        items = iter(iterable)
        before = next(items, None)
        for x in items:
            yield before, x
            before = x
    def zip_longest(*iterables, fillvalue=None):
        columns, end = [iter(items) for items in iterables], object()
        while True:
            row = [next(items, end) for items in columns]
            if all([x is end for x in row]): return
            yield tuple([fillvalue if x is end else x for x in row])
    def tee(iterable, n=2):
        items, seen, end = iter(iterable), [], object()
        def one():
            for k in count():
                if k == len(seen): seen.append(next(items, end))
                if seen[k] is end: return
                yield seen[k]
        return tuple([one() for _ in range(n)])
    class groupby(Lazy):
        def __init__(self, iterable, key=None):
            self._items, self._key = iter(iterable), key
            self._now = self._last = self._value = object()
        def _read(self):
            self._value = next(self._items)
            self._now = self._value if self._key is None else self._key(self._value)
        def __next__(self):
            self._group = object()
            while self._now == self._last:
                self._read()
            self._last = self._now
            return self._now, self._members(self._now, self._group)
        def _members(self, of, group):
            while self._group is group and self._now == of:
                yield self._value
                try: self._read()
                except StopIteration: return
    def product(*iterables, repeat=1):
        rows = [()]
        for items in [list(items) for items in iterables] * repeat:
            rows = [row + (x,) for row in rows for x in items]
        return iter(rows)
    def chosen(items, r, places):
        rows = [()]
        for _ in range(r):
            rows = [row + (k,) for row in rows for k in places(row)]
        return iter([tuple([items[k] for k in row]) for row in rows])
    def permutations(iterable, r=None):
        items = list(iterable)
        return chosen(items, len(items) if r is None else r, lambda row: [k for k in range(len(items)) if k not in row])
    def combinations(iterable, r):
        items = list(iterable)
        return chosen(items, r, lambda row: range(row[-1] + 1 if row else 0, len(items)))
    def combinations_with_replacement(iterable, r):
        items = list(iterable)
        return chosen(items, r, lambda row: range(row[-1] if row else 0, len(items)))
    def batched(iterable, n):
        items = iter(iterable)
        while True:
            batch = tuple(islice(items, n))
            if not batch: return
            yield batch
    return {'count': count, 'cycle': cycle, 'repeat': repeat, 'chain': chain, 'islice': islice, 'takewhile': takewhile,
            'dropwhile': dropwhile, 'accumulate': accumulate, 'starmap': starmap, 'filterfalse': filterfalse, 'compress': compress,
            'pairwise': pairwise, 'zip_longest': zip_longest, 'tee': tee, 'groupby': groupby, 'product': product,
            'permutations': permutations, 'combinations': combinations,
            'combinations_with_replacement': combinations_with_replacement, 'batched': batched}
)py";

const std::string_view kFunctools = R"py(
def module(native):
    def reduce(function, iterable, *initial):
        items = iter(iterable)
        if initial:
            total = initial[0]
        else:
            try:
                total = next(items)
            except StopIteration:
                raise TypeError('reduce() of empty iterable with no initial value') from None
        for x in items:
            total = function(total, x)
        return total
    class partial:
        def __init__(self, func, *args, **keywords): self.func, self.args, self.keywords = func, args, keywords
        def __call__(self, *args, **keywords): return self.func(*self.args, *args, **{**self.keywords, **keywords})
    def wraps(wrapped): return lambda wrapper: native.wrap(wrapper, wrapped)
    def lru_cache(maxsize=128, typed=False):
        def decorated(function):
            results = {}
            def cached(*args, **named):
                key = (args, tuple(named.items()))
                if key not in results:
                    if limit is not None and len(results) >= limit:
                        results.pop(next(iter(results)))
                    results[key] = function(*args, **named)
                else:
                    results[key] = results.pop(key)
                return results[key]
            return native.wrap(cached, function)
        limit = 128 if callable_(maxsize) else maxsize
        return decorated(maxsize) if callable_(maxsize) else decorated
    def callable_(x): return x is not None and not isinstance(x, int)
    def cache(function): return lru_cache(None)(function)
    def cmp_to_key(compare):
        class Key:
            def __init__(self, x): self.x = x
            def __lt__(self, other): return compare(self.x, other.x) < 0
        return Key
    return {'reduce': reduce, 'partial': partial, 'wraps': wraps, 'lru_cache': lru_cache, 'cache': cache, 'cmp_to_key': cmp_to_key}
)py";

}  // namespace glassgrad::script
