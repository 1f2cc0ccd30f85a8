class R:
    def __repr__(self):
        return "R()"
class S(R):
    def __str__(self):
        return "an S"
r, s = R(), S()
print(r, s, [r, s], str(r), repr(s), f"{s} {s!r} {r!s:>5}")
print({"k": s}, (s,))
