class Greeter:
    def __init__(self, word): self.word = word
    def greet(self, name): return f"{self.word} {name}"
hello, bye = Greeter("hello").greet, Greeter("bye").greet
print(hello("ann"), list(map(bye, ["a", "b"])), Greeter.greet(Greeter("hi"), "c"))
table = {g.word: g.greet for g in (Greeter("x"), Greeter("y"))}
print({k: f("z") for k, f in table.items()}, hello.__name__)
