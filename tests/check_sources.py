"""Checks the rules of the sources that no compiler checks: who may include whom, file lengths, names of test cases; and
the documents that show the way through the sources."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["engine", "nn", "apps", "tests"]
LAYERS = ["core/types.h", "core/error.h", "core/device.h", "core/storage.h", "tensor.h", "trace.h", "autograd.h", "ops.h"]
# Tables of files with their rounded line counts.
READING = ["docs/read-the-engine.md", "docs/read-the-program.md"]
MAX_READING_FILES, MAX_READING_LINES = 12, 3000
DESIGN = "docs/design.md"  # the rows of its layout table define the layers
MAX_LINES = 450
MAX_COLUMNS = 120
# A kernel file is compiled once per instruction set. The linker might keep the copy of a shared inline
# function that was compiled for a newer processor, so kernels may use almost nothing of the standard library.
KERNEL_STANDARD = {"arm_neon.h", "immintrin.h", "initializer_list", "limits", "span", "type_traits", "utility"} | {
    "c" + name for name in ("assert", "fenv", "float", "limits", "math", "stddef", "stdint", "stdlib", "string")}

PLAIN_DATA = {"engine/core/" + name for name in ("types.h", "nest.h", "dtypes.def", "kernel_arguments.h")}

# Names of the standard library and the header that must be included for them: precompiled headers and joined files hide a
# missing include.
STANDARD = {name: header for header, names in {
    "algorithm": "all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range fill fill_n find find_if "
                 "find_if_not for_each generate is_sorted lexicographical_compare lower_bound max max_element merge min min_element minmax "
                 "mismatch none_of nth_element partial_sort remove remove_if replace reverse rotate search set_difference sort stable_partition "
                 "stable_sort transform unique upper_bound",
    "array": "array", "atomic": "atomic", "bit": "bit_cast bit_ceil bit_width countl_zero countr_zero has_single_bit popcount",
    "charconv": "from_chars to_chars", "chrono": "chrono", "condition_variable": "condition_variable",
    "cmath": "atan2 ceil copysign erf exp fabs floor fma fmod hypot isfinite isinf isnan ldexp lgamma log log10 log2 nearbyint nextafter "
             "pow round signbit sqrt tanh trunc",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strlen", "deque": "deque", "filesystem": "filesystem",
    "fstream": "ifstream ofstream", "functional": "function greater hash less multiplies plus reference_wrapper",
    "limits": "numeric_limits", "list": "list", "map": "map multimap", "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex once_flag scoped_lock unique_lock", "new": "bad_alloc",
    "numeric": "accumulate gcd inner_product iota lcm partial_sum reduce", "optional": "nullopt optional", "queue": "priority_queue queue",
    "regex": "regex", "set": "multiset set", "span": "span", "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument length_error logic_error out_of_range runtime_error",
    "string": "getline string to_string", "string_view": "string_view", "thread": "this_thread thread", "tuple": "tie tuple",
    "type_traits": "conditional_t decay_t is_base_of_v is_floating_point_v is_integral_v is_same_v remove_cvref_t",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector"}.items() for name in names.split()}

# Calls that only one file may make; other files must use that file's functions.
ONLY_CALLERS = {
    r"\bstrerror\(": "engine/io/file.cpp",  # check_system reads errno before anything else can change it
    r"\b(json|Json|ordered_json)::(sax_)?parse\(": "apps/cli/parse_json.cpp",  # linear time, little memory
    r"fputs\(fmt::": "apps/cli/complain.cpp",  # its output cannot move the cursor
}

# Headers that each host provides on its include path, because the table of torch's functions is compiled once
# per host; the value is one such file.
HOST_HEADERS = {"host.h": "apps/script/host.h"}

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")


def source_files():
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), ROOT)
                if not path.startswith("tests/golden/") and name.endswith((".h", ".cpp", ".def", ".cu", ".py")):
                    yield path


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read().splitlines()


def includes(path, lines, known):
    """(line number, text, file of ours it names or None) of each #include line."""
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            quoted, name = match[1] == '"', match[2]
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            target = next((t for t in (beside, name) if quoted and t in known), None)
            if quoted and target is None and name not in HOST_HEADERS:
                problem(path, number, f'"{name}" is no file of the project (system headers stand in <>)')
            if path.startswith("engine/") and target == name != beside:
                problem(path, number, f'"{name}": inside engine/, includes are relative')
            yield number, name, target


def read_layers(graph):
    """The layer of each folder, as the rows of the design's layout have it: the folders that there are, each in one row."""
    rows = [(number, row.split("|")[1]) for number, row in enumerate(read(DESIGN), 1) if row.startswith("| `")]
    layers, has_files = {}, {os.path.dirname(path) for path in graph}
    for layer, (number, cell) in enumerate(rows):
        for folder in re.findall(r"`((?:engine|nn|apps)[\w/]*)/`", cell):
            if folder in layers:
                problem(DESIGN, number, f"{folder}/ stands in the layout twice")
            if folder not in has_files:
                problem(DESIGN, number, f"{folder}/ has no file: take it out of the layout")
            layers[folder] = layer
    for folder in sorted(has_files - layers.keys() - {"apps"}):
        if not folder.startswith("tests"):
            problem(DESIGN, 0, f"the layout lacks {folder}/")
    return layers


def check_folders(path, uses, layers):
    """An include goes down: from a folder to itself or to one in a row above its own. Nobody includes tests."""
    folder = os.path.dirname(path)
    above_all = len(layers)
    for number, _, target in uses:
        other = os.path.dirname(target or path)
        upward = layers.get(other, above_all) >= layers.get(folder, above_all) < above_all
        if other != folder and (upward or other.startswith("tests") > folder.startswith("tests")):
            problem(path, number, f"{folder}/ must not include {target}, which stands on a layer above it or on its own")


def cycles(graph):
    """The strongly connected parts of a graph {node: nodes}, of more than one node."""
    order, seen = [], set()
    back = {node: set() for node in graph}
    for node, others in graph.items():
        for other in others:
            back[other].add(node)

    def follow(start, edges, found):
        open_nodes = [(start, iter(edges[start]))]
        seen.add(start)
        while open_nodes:
            node, rest = open_nodes[-1]
            other = next((n for n in rest if n not in seen), None)
            if other is None:
                found.append(open_nodes.pop()[0])
            else:
                seen.add(other)
                open_nodes.append((other, iter(edges[other])))
        return found

    for node in graph:
        if node not in seen:
            follow(node, graph, order)
    seen.clear()
    parts = [follow(node, back, []) for node in reversed(order) if node not in seen]
    return [sorted(part) for part in parts if len(part) > 1]


def check_cycles(graph):
    """No file reaches itself, and no folder: neither by the files of engine, nn and apps, nor by those of tests."""
    files = {path: {target for _, _, target in uses if target} for path, uses in graph.items()}
    folders = {os.path.dirname(path): set() for path in graph}
    for path, targets in files.items():
        folders[os.path.dirname(path)] |= {os.path.dirname(target) for target in targets} - {os.path.dirname(path)}
    for part in cycles(files) + cycles(folders):
        problem(part[0], 0, f"includes itself by way of {', '.join(part[1:])}")


def check_module(path, uses):
    """apps/python is a program of its own: it includes the others, and none of them includes it."""
    for number, _, target in uses:
        if target and target.startswith("apps/python/") and not path.startswith("apps/python/"):
            problem(path, number, f"only apps/python/ includes {target}")


def check_package(path, lines):
    for number, line in enumerate(lines, 1):
        if re.match(r"(import|from) (torch|numpy)\b", line):
            problem(path, number, "the package imports neither PyTorch nor, before it is used, numpy")
        if len(line) > MAX_COLUMNS:
            problem(path, number, f"{len(line)} columns; a line of the package has at most {MAX_COLUMNS}")


def check_kernel(path, uses):
    for number, name, target in uses:
        if target is None and name not in KERNEL_STANDARD:
            problem(path, number, f"a kernel file must not include <{name}>")
        check_kernel_folders(path, number, target)


def check_kernel_folders(path, number, target):
    shared = target is None or target in PLAIN_DATA
    if not shared and os.path.dirname(target) not in (os.path.dirname(path), "engine/numbers"):
        problem(path, number, f"a kernel file includes types.h, nest.h, kernel_arguments.h, engine/numbers and its own folder, not {target}")


def check_only_callers(path, lines):
    for number, line in enumerate(lines, 1):
        for call, caller in ONLY_CALLERS.items():
            if path not in (caller, "apps/page/answers.cpp") and re.search(call, line):  # a page reads no files
                problem(path, number, f"{call} stands in {caller} only: call what is there")


def reached(path, graph):
    """Every file of ours that path includes, directly or not."""
    seen, open_files = set(), [path]
    while open_files:
        for _, _, target in graph[open_files.pop()]:
            if target and target not in seen:
                seen.add(target)
                open_files.append(target)
    return seen


def check_standard(path, lines, graph):
    """Each name of the standard library has its header, here or in a file of ours that is included."""
    def standard(start):
        return {name for file in {start} | reached(start, graph) for _, name, target in graph[file] if not target}

    found = standard(path)
    for name, example in HOST_HEADERS.items():
        found |= standard(example) if name in found else set()
    found |= {"string_view"} if "string" in found else set()
    found |= {"string"} if found & {"fstream", "sstream"} else set()
    for number, line in enumerate(lines, 1):
        for name in re.findall(r"\bstd::(?:ranges::)?(\w+)", re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)):
            if name in STANDARD and STANDARD[name] not in found:
                problem(path, number, f"std::{name} needs <{STANDARD[name]}>")


def check_layers(graph):
    layers = ["engine/" + name for name in LAYERS]
    for rank, path in enumerate(layers):
        for other in reached(path, graph) & set(layers[rank + 1:]) if path in graph else ():
            problem(path, 0, f"must not reach {other}; the order is {' -> '.join(LAYERS)}")


def check_kernels(graph):
    for path in [p for p in graph if p.endswith(".isa.cpp")]:
        for file in {path} | reached(path, graph) - {"engine/core/types.h"}:
            check_kernel(file, graph[file])
    for path in [p for p in graph if p.endswith(".cu")]:
        for number, _, target in graph[path]:
            if target not in ("engine/core/device.h", "engine/core/gpu.h"):
                check_kernel_folders(path, number, target)


def check_forms(path, lines):
    for number, line in enumerate(lines, 1):
        for form, better in ((r"^\s*typedef\b", "write using"), (r"\w\(void\)", "write ()"), (r"\bassert\(", "throw an error")):
            if re.search(form, line):
                problem(path, number, f"an old form: {better}")


def check_test_names(path, text):
    # CTest's and doctest's filters treat other characters as syntax, and a filter that matches nothing passes.
    for match in re.finditer(r"\b(?:TEST_CASE|SCENARIO)\w*\s*\(", text):
        name = re.search(r'"((?:[^"\\]|\\.)*)"', text[match.end():])
        line = text.count("\n", 0, match.start()) + 1
        if name is None or not re.fullmatch(r"[A-Za-z0-9 _-]+", name[1]):
            problem(path, line, "a test case's name holds only letters, digits, space, - and _")
        if os.path.dirname(path) not in ("tests", "tests/apps") or not path.endswith(".cpp"):
            problem(path, line, "test cases stand in tests/*.cpp and tests/apps/*.cpp; CTest runs them by that file's name")


def check_reading(page, files):
    lines, code, total = read(page), set(), 0
    stated = {}
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"### (\d+)\. \[(\S+)\]\(\.\./(\S+)\), (\d+) lines", line)
        if not match:
            continue
        path, says = match[3], int(match[4])
        if path not in files or match[2] != path:
            problem(page, number, f"{path} is no file of the project: lead through the file that took its place")
            continue
        has, stated[path] = len(files[path]), says
        total += has
        code.update(re.findall(r"\w+", "\n".join(files[path])))
        if int(match[1]) != len(stated):
            problem(page, number, f"is number {match[1]}, but the file comes as number {len(stated)}")
        if says % 10 or abs(says - has) > 10:
            problem(page, number, f"says {says} lines, {path} has {has}: write {round(has, -1)}, and mend the total")
    for number, line in enumerate(lines, 1):
        for match in re.finditer(r"(\d+) files, ([\d,]+) lines", line):
            if (int(match[1]), int(match[2].replace(",", ""))) != (len(stated), sum(stated.values())):
                problem(page, number, f"says {match[0]}, its headings add up to {len(stated)} files, {sum(stated.values()):,} lines")
        for first, count, says in re.findall(r"files 1 to (\d+) these are (\d+) files of ([\d,]+) lines", line):
            # the links of its paragraph, and the first files of the walk
            begin = max(n for n in range(number) if lines[n].startswith("- "))
            paths = [path for text in lines[begin:number] for path in re.findall(r"\]\(\.\./(\S+?)\)", text)] + [*stated][:int(first)]
            has = sum(len(files[path]) for path in paths)
            if int(count) != len(paths) or abs(int(says.replace(",", "")) - has) > 20:
                problem(page, number, f"says {count} files of {says} lines, they are {len(paths)} of {round(has, -1):,}")
        for name in re.findall(r"`([A-Za-z_][\w:]+)`", line):
            if not code.issuperset(re.findall(r"\w+", name)):
                problem(page, number, f"`{name}` stands in none of the files: write the name that took its place")
    if not 0 < len(stated) <= MAX_READING_FILES or total > MAX_READING_LINES:
        problem(page, 0, f"{len(stated)} files of {total} lines; an afternoon has at most {MAX_READING_FILES} of {MAX_READING_LINES}")


def check_types(files):
    """A type that the design links to a file stands in that file."""
    for number, line in enumerate(read(DESIGN), 1):
        for name, path in re.findall(r"\[`(\w+)`\]\(\.\./([\w/.]+)\)", line):
            if name not in re.findall(r"\w+", "\n".join(files.get(path, []))):
                problem(DESIGN, number, f"`{name}` does not stand in {path}: name the type or the file that took its place")


def main():
    files = {path: read(path) for path in source_files()}
    graph = {path: list(includes(path, lines, files)) for path, lines in files.items() if not path.endswith(".py")}
    layers = read_layers(graph)
    for path, lines in files.items():
        if len(lines) >= MAX_LINES:
            problem(path, 0, f"{len(lines)} lines; a file stays below {MAX_LINES}")
        if path in graph:
            check_folders(path, graph[path], layers)
            check_module(path, graph[path])
            check_standard(path, lines, graph)
            check_forms(path, lines)
        if path.startswith(("engine/", "nn/", "apps/")) and not path.startswith("apps/python/"):
            check_only_callers(path, lines)
        if path.startswith("apps/python/") and path.endswith(".py"):
            check_package(path, lines)
        if path.startswith("tests/") and path in graph:
            check_test_names(path, "\n".join(lines))
    check_cycles(graph)
    check_layers(graph)
    check_kernels(graph)
    for page in READING:
        check_reading(page, files)
    check_types(files)
    print("\n".join(sorted(set(problems))) or f"{len(files)} files follow the rules; include cycles: 0")
    sys.exit(1 if problems else 0)


main()
