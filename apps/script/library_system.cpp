// Python's os, sys, time, string, warnings and typing, as far as a program without files needs them.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kOs = R"py(
def module(native):
    def join(path, *parts):
        for part in parts:
            if part.startswith('/'):
                path = part
            elif not path or path.endswith('/'):
                path += part
            else:
                path += '/' + part
        return path
    def split(path):
        at = path.rfind('/') + 1
        head = path[:at]
        return (head.rstrip('/') or head), path[at:]
    def splitext(path):
        dot = path.rfind('.')
        for k in range(path.rfind('/') + 1, dot):
            if path[k] != '.':
                return path[:dot], path[dot:]
        return path, ''
    def no_file(*arguments, **named): raise RuntimeError('a program reads and writes no files')
    path = {'join': join, 'split': split, 'splitext': splitext, 'basename': lambda path: path[path.rfind('/') + 1:],
            'dirname': lambda path: split(path)[0], 'exists': lambda path: False, 'isfile': lambda path: False,
            'isdir': lambda path: False, 'sep': '/'}
    return {'path': path, 'name': 'posix', 'sep': '/', 'linesep': '\n', 'environ': {}, 'getenv': lambda key, default=None: default,
            'cpu_count': lambda: 1, 'getcwd': no_file, 'listdir': no_file, 'makedirs': no_file, 'mkdir': no_file, 'remove': no_file,
            'system': no_file}
)py";

const std::string_view kSmallModules = R"py(
def module(native):
    class Output:
        def __init__(self, write): self._write = write
        def write(self, text):
            self._write(text)
            return len(text)
        def flush(self): pass
        def isatty(self): return False
    def exit(*status): raise SystemExit(*status)
    sys = {'argv': [''], 'stdout': Output(native.write), 'stderr': Output(lambda text: None), 'exit': exit, 'maxsize': 9223372036854775807,
           'version_info': (3, 13, 0, 'final', 0), 'version': '3.13.0 (glassgrad)', 'platform': 'linux', 'modules': {}, 'path': [],
           'setrecursionlimit': lambda limit: None, 'getrecursionlimit': lambda: 1000, 'byteorder': 'little'}
    time = {'time': native.time, 'perf_counter': native.clock, 'monotonic': native.clock, 'process_time': native.clock,
            'time_ns': lambda: int(native.time() * 1e9), 'perf_counter_ns': lambda: int(native.clock() * 1e9),
            'sleep': lambda seconds: None}
    lower, digits = 'abcdefghijklmnopqrstuvwxyz', '0123456789'
    punctuation, whitespace = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', ' \t\n\r\x0b\x0c'
    string = {'ascii_lowercase': lower, 'ascii_uppercase': lower.upper(), 'ascii_letters': lower + lower.upper(), 'digits': digits,
              'hexdigits': digits + 'abcdefABCDEF', 'octdigits': '01234567', 'punctuation': punctuation, 'whitespace': whitespace,
              'printable': digits + lower + lower.upper() + punctuation + whitespace}
    warnings = {'warn': lambda *arguments, **named: None, 'filterwarnings': lambda *arguments, **named: None,
                'simplefilter': lambda *arguments, **named: None}
    class Form:
        def __init__(self, name): self._name = name
        def __getitem__(self, arguments): return self
        def __or__(self, other): return self
        def __ror__(self, other): return self
        def __repr__(self): return 'typing.' + self._name
    names = ('Any Callable ClassVar Deque Dict Final FrozenSet Generator Iterable Iterator List Literal Mapping MutableMapping NoReturn '
             'Optional Self Sequence Set Tuple Type Union Counter DefaultDict OrderedDict Hashable Sized Collection Text Annotated')
    typing = {name: Form(name) for name in names.split()}
    typing.update({'TYPE_CHECKING': False, 'TypeVar': lambda name, *bounds, **named: Form(name), 'cast': lambda kind, value: value,
                   'overload': lambda function: function, 'final': lambda x: x, 'NewType': lambda name, kind: lambda x: x})
    future = {'annotations': None, 'division': None, 'print_function': None}
    return {'sys': sys, 'time': time, 'string': string, 'warnings': warnings, 'typing': typing, 'future': future}
)py";

}  // namespace glassgrad::script
