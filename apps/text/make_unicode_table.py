"""Writes unicode_table.h beside it from Python's unicodedata.

  python3 make_unicode_table.py            writes the table
  python3 make_unicode_table.py --classes  prints the class of every code point as runs, "FIRST CLASS" a line

Take a Python whose unicodedata.unidata_version is not older than the table's.
"""

import pathlib
import sys
import unicodedata

CLASSES = {"O": "Other", "L": "Letter", "N": "Number", "S": "Space", "U": "Unassigned"}


def class_of(code):
    character = chr(code)
    # isspace() is true for White_Space and for four ASCII separators, which have only its bidirectional class.
    if character.isspace() and not 0x1C <= code <= 0x1F:
        return "S"
    category = unicodedata.category(character)
    return "U" if category == "Cn" else category[0] if category[0] in "LN" else "O"


def runs():
    """(first code point, class) of each run of equal classes."""
    before = None
    for code in range(sys.maxunicode + 1):
        now = class_of(code)
        if now != before:
            yield code, now
        before = now


def lines_of(entries, width):
    line = " "
    for entry in entries:
        if len(line) + 1 + len(entry) > width:
            yield line
            line = " "
        line += " " + entry
    yield line


def table():
    yield f"// Made by make_unicode_table.py from Unicode {unicodedata.unidata_version}: run it again, edit it never."
    yield "// The class of every code point: each run starts here and ends before the next one."
    yield "#pragma once"
    yield '#include "unicode.h"'
    yield ""
    yield "namespace glassgrad {"
    yield ""
    yield f'inline constexpr const char* kUnicodeVersion = "{unicodedata.unidata_version}";'
    yield ""
    yield "struct ClassRun {"
    yield "  uint32_t first;"
    yield "  CharClass of;"
    yield "};"
    for letter, name in CLASSES.items():
        yield f"inline constexpr CharClass k{letter} = CharClass::{name};"
    yield ""
    yield "// clang-format off"
    yield "inline constexpr ClassRun kClassRuns[] = {"
    yield from lines_of((f"{{{first:#x},k{of}}}," for first, of in runs()), 110)
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace glassgrad"


def main():
    if sys.argv[1:] == ["--classes"]:
        print(f"unicode {unicodedata.unidata_version}")
        for first, of in runs():
            print(f"{first} {CLASSES[of]}")
    else:
        path = pathlib.Path(__file__).resolve().with_name("unicode_table.h")
        path.write_text("\n".join(table()) + "\n", encoding="ascii")


main()
