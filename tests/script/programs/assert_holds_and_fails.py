assert 1 + 1 == 2, "fine"
assert [0]
try:
    assert 0, "text"
except AssertionError as e:
    print(e)
try:
    assert not 1
except AssertionError as e:
    print(repr(e))
x = 3
assert x % 2 == 0, f"{x} must be even"
