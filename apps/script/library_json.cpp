// Python's json.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kJson = R"py(
def module(native):
    class JSONDecodeError(ValueError):
        def __init__(self, text, doc, pos):
            line = doc[:pos].count('\n') + 1
            column = pos - doc[:pos].rfind('\n')
            super().__init__(f'{text}: line {line} column {column} (char {pos})')
            self.msg, self.doc, self.pos, self.lineno, self.colno = text, doc, pos, line, column

    escapes = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f'}
    def text_of(s, ascii):
        out = []
        for c in s:
            code = ord(c)
            if c in escapes:
                out.append(escapes[c])
            elif code < 32 or (ascii and 126 < code < 65536):
                out.append(f'\\u{code:04x}')
            elif ascii and code > 126:
                out.append(f'\\u{(code - 65536) // 1024 + 55296:04x}\\u{(code - 65536) % 1024 + 56320:04x}')
            else:
                out.append(c)
        return '"' + ''.join(out) + '"'
    def number(x):
        if x != x:
            return 'NaN'
        return 'Infinity' if x == float('inf') else '-Infinity' if x == -float('inf') else repr(x)
    def key_of(key):
        if isinstance(key, str):
            return key
        if key is True or key is False or key is None:
            return {True: 'true', False: 'false', None: 'null'}[key]
        if isinstance(key, float):
            return number(key)
        if isinstance(key, int):
            return repr(key)
        raise TypeError(f'keys must be str, int, float, bool or None, not {type(key).__name__}')
    def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, indent=None, separators=None,
              default=None, sort_keys=False):
        step = None if indent is None else indent if isinstance(indent, str) else ' ' * indent
        comma, colon = separators if separators else (', ' if step is None else ',', ': ')
        def joined(parts, open, close, margin):
            if not parts:
                return open + close
            if step is None:
                return open + comma.join(parts) + close
            inner = margin + step
            return open + '\n' + inner + (comma + '\n' + inner).join(parts) + '\n' + margin + close
        def shown(x, margin):
            inner = margin if step is None else margin + step
            if x is None: return 'null'
            if x is True: return 'true'
            if x is False: return 'false'
            if isinstance(x, str): return text_of(x, ensure_ascii)
            if isinstance(x, int): return repr(x)
            if isinstance(x, float):
                if not allow_nan and (x != x or x in (float('inf'), -float('inf'))):
                    raise ValueError(f'Out of range float values are not JSON compliant: {x!r}')
                return number(x)
            if isinstance(x, list) or isinstance(x, tuple) or hasattr(x, '_fields'):
                return joined([shown(item, inner) for item in x], '[', ']', margin)
            if isinstance(x, dict) or (hasattr(x, '_all') and hasattr(x, 'items')):
                items = sorted(x.items()) if sort_keys else x.items()
                return joined([text_of(key_of(key), ensure_ascii) + colon + shown(value, inner) for key, value in items], '{', '}', margin)
            if default is not None:
                return shown(default(x), margin)
            raise TypeError(f'Object of type {type(x).__name__} is not JSON serializable')
        return shown(obj, '')

    def loads(s):
        if not isinstance(s, str):
            raise TypeError(f'the JSON object must be str, bytes or bytearray, not {type(s).__name__}')
        names = {'true': True, 'false': False, 'null': None, 'NaN': float('nan'), 'Infinity': float('inf'), '-Infinity': -float('inf')}
        backs = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
        def skip(at):
            while at < len(s) and s[at] in ' \t\n\r':
                at += 1
            return at
        def unit(at):
            digits = s[at:at + 4]
            if len(digits) < 4 or any([c not in '0123456789abcdefABCDEF' for c in digits]):
                raise JSONDecodeError('Invalid \\uXXXX escape', s, at - 1)
            code = 0
            for c in digits.lower():
                code = 16 * code + '0123456789abcdef'.find(c)
            return code
        def text(begin):
            out, at = [], begin
            while True:
                if at >= len(s):
                    raise JSONDecodeError('Unterminated string starting at', s, begin - 1)
                c = s[at]
                if c == '"':
                    return ''.join(out), at + 1
                if ord(c) < 32:
                    raise JSONDecodeError('Invalid control character at', s, at)
                if c != '\\':
                    out.append(c)
                    at += 1
                    continue
                if at + 1 >= len(s):
                    raise JSONDecodeError('Unterminated string starting at', s, begin - 1)
                c = s[at + 1]
                if c == 'u':
                    code = unit(at + 2)
                    at += 6
                    if 55296 <= code < 56320 and s[at:at + 2] == '\\u' and 56320 <= unit(at + 2) < 57344:
                        code = 65536 + (code - 55296) * 1024 + unit(at + 2) - 56320
                        at += 6
                    out.append(chr(code))
                elif c in backs:
                    out.append(backs[c])
                    at += 2
                else:
                    raise JSONDecodeError('Invalid \\escape', s, at)
        def after_digits(at):
            while s[at:at + 1] != '' and s[at] in '0123456789':
                at += 1
            return at
        def number_at(begin):
            digits = begin + 1 if s[begin] == '-' else begin
            at = after_digits(digits)
            if at == digits:
                raise JSONDecodeError('Expecting value', s, begin)
            if s[digits] == '0':
                at = digits + 1
            end = after_digits(at + 1)
            if s[at:at + 1] == '.' and end > at + 1:
                at = end
            power = at + 1
            if s[power:power + 1] in ('+', '-'):
                power += 1
            end = after_digits(power)
            if s[at:at + 1] in ('e', 'E') and end > power:
                at = end
            number = s[begin:at]
            return (float if any([c in number for c in '.eE']) else int)(number), at
        # Where the part after this one begins, and whether there is one.
        def after_part(at, close, kind):
            at = skip(at)
            if s[at:at + 1] == close:
                return at + 1, False
            if s[at:at + 1] != ',':
                raise JSONDecodeError("Expecting ',' delimiter", s, at)
            comma, at = at, skip(at + 1)
            if s[at:at + 1] == close:
                raise JSONDecodeError('Illegal trailing comma before end of ' + kind, s, comma)
            return at, True
        def value(at):
            c = s[at:at + 1]
            if c == '"':
                return text(at + 1)
            if c == '{':
                found, at = {}, skip(at + 1)
                more = s[at:at + 1] != '}'
                if not more:
                    at += 1
                while more:
                    if s[at:at + 1] != '"':
                        raise JSONDecodeError('Expecting property name enclosed in double quotes', s, at)
                    key, at = text(at + 1)
                    at = skip(at)
                    if s[at:at + 1] != ':':
                        raise JSONDecodeError("Expecting ':' delimiter", s, at)
                    found[key], at = value(skip(at + 1))
                    at, more = after_part(at, '}', 'object')
                return found, at
            if c == '[':
                items, at = [], skip(at + 1)
                more = s[at:at + 1] != ']'
                if not more:
                    at += 1
                while more:
                    item, at = value(at)
                    items.append(item)
                    at, more = after_part(at, ']', 'array')
                return items, at
            for name in names:
                if s[at:at + len(name)] == name:
                    return names[name], at + len(name)
            if c != '' and c in '-0123456789':
                return number_at(at)
            raise JSONDecodeError('Expecting value', s, at)
        found, at = value(skip(0))
        at = skip(at)
        if at != len(s):
            raise JSONDecodeError('Extra data', s, at)
        return found

    def no_file(*arguments, **named): raise RuntimeError('a program reads and writes no files: use dumps and loads')
    return {'dumps': dumps, 'loads': loads, 'dump': no_file, 'load': no_file, 'JSONDecodeError': JSONDecodeError}
)py";

}  // namespace glassgrad::script
