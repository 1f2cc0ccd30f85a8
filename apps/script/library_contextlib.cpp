// Python's contextlib: managers for `with`.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kContextlib = R"py(
def module(native):
    class Manager:
        def __enter__(self): return self
        def __exit__(self, kind, error, trace): return None
    class ContextDecorator:
        def __call__(self, function):
            def inside(*args, **named):
                with self._again(): return function(*args, **named)
            return native.wrap(inside, function)
        def _again(self): return self
    class GeneratorManager(ContextDecorator):
        def __init__(self, function, args, named):
            self._made = function, args, named
            self.gen = function(*args, **named)
        def _again(self): return GeneratorManager(*self._made)
        def __enter__(self):
            try:
                return next(self.gen)
            except StopIteration:
                raise RuntimeError("generator didn't yield") from None
        def __exit__(self, kind, error, trace):
            if kind is None:
                try:
                    next(self.gen)
                except StopIteration:
                    return False
                raise RuntimeError("generator didn't stop")
            try:
                self.gen.throw(error)
            except StopIteration as stop:
                return stop is not error
            except BaseException as raised:
                if raised is error or (isinstance(error, StopIteration) and raised.__cause__ is error):
                    return False
                raise
            raise RuntimeError("generator didn't stop after throw()")
    def contextmanager(function):
        return native.wrap(lambda *args, **named: GeneratorManager(function, args, named), function)
    class nullcontext(Manager):
        def __init__(self, enter_result=None): self.enter_result = enter_result
        def __enter__(self): return self.enter_result
    class closing(Manager):
        def __init__(self, thing): self.thing = thing
        def __enter__(self): return self.thing
        def __exit__(self, kind, error, trace): self.thing.close()
    class suppress(Manager):
        def __init__(self, *exceptions): self._exceptions = exceptions
        def __enter__(self): return None
        def __exit__(self, kind, error, trace): return kind is not None and issubclass(kind, self._exceptions)
    return {'contextmanager': contextmanager, 'ContextDecorator': ContextDecorator, 'nullcontext': nullcontext, 'closing': closing,
            'suppress': suppress, 'AbstractContextManager': Manager}
)py";

}  // namespace glassgrad::script
