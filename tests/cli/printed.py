"""Two texts of printed tensors, number by number: sums on a GPU are made in another order."""
import re

NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?")


def last_place(number):
    """What a 1 in its last printed digit is worth."""
    digits, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def rounds_to(a, b):
    """Do they differ by one in the last digit, or by less than float32 tells apart near 1?"""
    return abs(float(a) - float(b)) <= max(1.01 * last_place(a), 1.01 * last_place(b), 1.2e-7)


def compare(text, expected):
    """(equal numbers, numbers that differ by rounding, what else differs, as texts)."""
    ours, theirs = NUMBER.findall(text), NUMBER.findall(expected)
    between, expected_between = (re.sub(r"\s+", " ", NUMBER.sub("#", t)) for t in (text, expected))
    if between != expected_between:
        at = next((i for i, (a, b) in enumerate(zip(between, expected_between)) if a != b), 0)
        return 0, 0, [f"…{expected_between[max(at - 40, 0):at + 40]}… is …{between[max(at - 40, 0):at + 40]}…"]
    differing = [(a, b) for a, b in zip(ours, theirs) if a != b]
    wrong = [f"{b} is {a}" for a, b in differing if not rounds_to(a, b)]
    return len(ours) - len(differing), len(differing) - len(wrong), wrong
