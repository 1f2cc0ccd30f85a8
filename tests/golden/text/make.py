"""Writes the files of tests/test_tokenizers.cpp: what GPT-2's pattern and plain byte-pair encoding make of texts.

  python3 make.py    needs the module regex (pip install regex), whose pattern is the one that GPT-2 was trained with

The byte-pair encoding here is the slow textbook form, which counts all pairs anew after every merge.
"""

import collections
import itertools
import json
import pathlib
import random
import unicodedata

import regex

HERE = pathlib.Path(__file__).resolve().parent
PATTERN = regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")
VOCABULARY = 400

TRAINING_TEXT = """Cats climb trees during storms. The cats' claws aren't made for it, but they've climbed them anyway;
a tree that's high is a tree that's dry. Dogs don't climb: they bark at the tree, then at the cat, then at the storm.
In 2024 it rained 365 days, in 2025 only 36. Die Kätzchen klettern während des Sturmes über die Äste.
Кошки лазают по деревьям во время грозы. 猫は嵐の間に木に登る。 🐈🐈🌲⛈️
    while (storm) {\n\t\tclimb(tree);\r\n\t}\n\n\nThe end... or the storm's end? aaaaaaaa aaaa aa
"""
TEXTS = [
    "", "a", " ", "   ", "\n", "cats climb trees during storms", "I'm sure they'll say we've won, don't you'd think it's?",
    "'S 'T 'RE ''s 'sst ' s", "a  b   c    ", "  leading", "tab\tand\nline\r\nend \n x", "3.14159 and 1,000,000",
    "x² ½ Ⅷ ٣٤ १२३", "naïve café — “quoted” …", "日本語のテキスト、句読点。", "한국어 텍스트", "Ελληνικά και עברית",
    "emoji 👩‍👩‍👧 🐈 flags 🇩🇪", "nbsp\u00a0and\u2003em\u3000ideographic", "\x1c\x1d\x1e\x1f\x85 separators", "\ufeffbom",
    "e\u0301 combining", "zero\u200bwidth", "under_score CamelCase snake'sCase", "!!!???  ...", "a\x00b\x00 \x00", "\u2028\u2029",
]


def random_texts(count):
    """Of characters that Unicode 14 knows, since later versions class no other ones anew."""
    chance = random.Random(4)
    pools = [" ", " \n\t\r\u00a0", "'", "strvemld", "abcXYZ", "0123456789", ".,!?-_()", "äß猫Дא", "²½Ⅷ٣", "\u0301\u200d🐈"]
    for _ in range(count):
        text = ""
        for _ in range(chance.randrange(1, 40)):
            pool = chance.choice(pools + [None])
            character = chance.choice(pool) if pool else chr(chance.randrange(0x3000))
            text += character if unicodedata.category(character) != "Cn" else "?"
        yield text


def alphabet():
    """GPT-2's character for each byte, the printable ones first."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def merged(row, pair, token):
    out = []
    while row:
        if tuple(row[:2]) == pair:
            out.append(token)
            row = row[2:]
        else:
            out.append(row[0])
            row = row[1:]
    return out


def train(text):
    """The tokens' bytes by id, and the pairs of ids in the order of their merges."""
    tokens, merges = [bytes([byte]) for byte in range(256)], []
    rows = [list(piece.encode()) for piece in PATTERN.findall(text)]
    while len(tokens) < VOCABULARY:
        counts = collections.Counter(pair for row in rows for pair in zip(row, row[1:]))
        able = [pair for pair, n in counts.items() if n > 1 and tokens[pair[0]] + tokens[pair[1]] not in tokens]
        if not able:
            break
        best = min(able, key=lambda pair: (-counts[pair], pair))
        rows = [merged(row, best, len(tokens)) for row in rows]
        merges.append(best)
        tokens.append(tokens[best[0]] + tokens[best[1]])
    return tokens, merges


def encode(text, pairs, ids):
    """Ids of a text; pairs of names by rank, ids by name."""
    letters, out = alphabet(), []
    for piece in PATTERN.findall(text):
        row = [letters[byte] for byte in piece.encode()]
        while able := [pair for pair in zip(row, row[1:]) if pair in pairs]:
            best = min(able, key=pairs.get)
            row = merged(row, best, "".join(best))
        out += [ids[name] for name in row]
    return out


def shuffled_merges():
    """A tokenizer whose merges rank in no order that training gives, and what it makes of some texts."""
    chance, letters = random.Random(5), list(alphabet().values())
    longer = ["".join(word) for n in (2, 3, 4) for word in itertools.product("ab", repeat=n)]
    splits = [(word[:i], word[i:]) for word in longer for i in range(1, len(word))]
    chance.shuffle(splits)
    pairs = {pair: rank for rank, pair in enumerate(splits)}
    ids = {name: i for i, name in enumerate(letters + longer)}
    texts = ["".join(chance.choices("ab", k=chance.randrange(2, 24))) for _ in range(60)]
    description = {"kind": "bpe", "tokens": list(ids), "merges": [" ".join(pair) for pair in splits]}
    return {"description": description, "cases": [{"text": text, "ids": encode(text, pairs, ids)} for text in texts]}


def write(name, lines):
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    texts = TEXTS + list(random_texts(60))
    tokens, merges = train(TRAINING_TEXT)
    letters = alphabet()
    names = ["".join(letters[byte] for byte in token) for token in tokens]
    pairs = {(names[left], names[right]): rank for rank, (left, right) in enumerate(merges)}
    # GPT-2's order of ids: the alphabet, the merges, the end-of-text token.
    ids = {name: i for i, name in enumerate([*letters.values(), *names[256:], "<|endoftext|>"])}
    write("vocab.json", [json.dumps(ids)])
    write("merges.txt", ["#version: 0.2", *(" ".join(pair) for pair in pairs)])
    cases = [{"text": text, "pieces": PATTERN.findall(text), "ids": encode(text, pairs, ids)} for text in texts]
    assert all("".join(case["pieces"]) == case["text"] for case in cases)
    write("cases.json", ["{", f'"training_text": {json.dumps(TRAINING_TEXT)},', '"cases": [',
                         ",\n".join(json.dumps(case) for case in cases), "],",
                         f'"shuffled": {json.dumps(shuffled_merges())}', "}"])


main()
