// Python's dataclasses.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kDataclasses = R"py(
def module(native):
    class Missing:
        def __repr__(self): return '<dataclasses._MISSING_TYPE object>'
    MISSING = Missing()
    class FrozenInstanceError(AttributeError): pass
    class Field:
        def __init__(self, default, default_factory, init, repr, compare):
            self.default, self.default_factory, self.init, self.repr, self.compare = default, default_factory, init, repr, compare
            self.name, self.type = None, None
    def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, compare=True, hash=None, metadata=None, kw_only=False):
        if default is not MISSING and default_factory is not MISSING:
            raise ValueError('cannot specify both default and default_factory')
        return Field(default, default_factory, init, repr, compare)

    def fields_of(cls):
        found = dict(getattr(cls, '__dataclass_fields__', {}))
        for name, annotation in cls.__dict__.get('__annotations__', {}).items():
            if annotation.startswith('ClassVar') or annotation.startswith('typing.ClassVar'):
                continue
            given = cls.__dict__.get(name, MISSING)
            f = given if isinstance(given, Field) else Field(given, MISSING, True, True, True)
            if isinstance(f.default, list) or isinstance(f.default, dict) or isinstance(f.default, set):
                raise ValueError(f'mutable default {type(f.default)} for field {name} is not allowed: use default_factory')
            if isinstance(given, Field) and f.default is not MISSING:
                setattr(cls, name, f.default)
            f.name, f.type = name, annotation
            found[name] = f
        return found

    def process(cls, init, repr, eq, order, frozen):
        found = fields_of(cls)
        setattr(cls, '__dataclass_fields__', found)
        all_fields = list(found.values())
        has_default = False
        for f in all_fields:
            optional = f.default is not MISSING or f.default_factory is not MISSING
            if f.init and has_default and not optional:
                raise TypeError(f"non-default argument '{f.name}' follows default argument")
            has_default = has_default or (f.init and optional)
        defaults = {f.name: f.default if f.default is not MISSING else MISSING
                    for f in all_fields if f.default is not MISSING or f.default_factory is not MISSING}
        names = [f.name for f in all_fields if f.init]
        def make(self, *args, **kwargs):
            given = dict(zip(names, native.bind(cls.__qualname__ + '.__init__', ['self'] + names, defaults, (self,) + args, kwargs)[1:]))
            for f in all_fields:
                value = given.get(f.name, f.default)
                if value is MISSING and f.default_factory is not MISSING:
                    value = f.default_factory()
                if value is not MISSING:
                    object.__setattr__(self, f.name, value)
            if hasattr(self, '__post_init__'):
                self.__post_init__()
        def show(self):
            return type(self).__qualname__ + '(' + ', '.join([f'{f.name}={getattr(self, f.name)!r}' for f in all_fields if f.repr]) + ')'
        def values(self): return tuple([getattr(self, f.name) for f in all_fields if f.compare])
        def equal(self, other): return values(self) == values(other) if type(other) is type(self) else NotImplemented
        def less(self, other): return values(self) < values(other) if type(other) is type(self) else NotImplemented
        def at_most(self, other): return values(self) <= values(other) if type(other) is type(self) else NotImplemented
        def greater(self, other): return values(self) > values(other) if type(other) is type(self) else NotImplemented
        def at_least(self, other): return values(self) >= values(other) if type(other) is type(self) else NotImplemented
        def refuse(self, name, value): raise FrozenInstanceError(f"cannot assign to field '{name}'")
        chosen = [(init, '__init__', make), (repr, '__repr__', show), (eq, '__eq__', equal), (order, '__lt__', less),
                  (order, '__le__', at_most), (order, '__gt__', greater), (order, '__ge__', at_least), (frozen, '__setattr__', refuse)]
        for wanted, name, function in chosen:
            if wanted and name not in cls.__dict__:
                setattr(cls, name, function)
        return cls

    def dataclass(cls=None, *, init=True, repr=True, eq=True, order=False, frozen=False, unsafe_hash=False, slots=False, kw_only=False):
        if cls is None:
            return lambda cls: process(cls, init, repr, eq, order, frozen)
        return process(cls, init, repr, eq, order, frozen)

    def is_dataclass(x): return hasattr(x, '__dataclass_fields__')
    def fields(x):
        if not is_dataclass(x):
            raise TypeError('must be called with a dataclass type or instance')
        return tuple(x.__dataclass_fields__.values())
    def plain(x):
        if is_dataclass(x):
            return {f.name: plain(getattr(x, f.name)) for f in fields(x)}
        if isinstance(x, list):
            return [plain(item) for item in x]
        if isinstance(x, tuple):
            return tuple([plain(item) for item in x])
        if isinstance(x, dict):
            return {key: plain(x[key]) for key in x}
        return x
    def asdict(x):
        if not is_dataclass(x):
            raise TypeError('asdict() should be called on dataclass instances')
        return plain(x)
    def astuple(x):
        if not is_dataclass(x):
            raise TypeError('astuple() should be called on dataclass instances')
        return tuple([plain(getattr(x, f.name)) for f in fields(x)])
    def replace(x, **changes):
        return type(x)(**{**{f.name: getattr(x, f.name) for f in fields(x) if f.init}, **changes})
    return {'dataclass': dataclass, 'field': field, 'fields': fields, 'asdict': asdict, 'astuple': astuple, 'replace': replace,
            'is_dataclass': is_dataclass, 'MISSING': MISSING, 'FrozenInstanceError': FrozenInstanceError, 'Field': Field}
)py";

}  // namespace glassgrad::script
