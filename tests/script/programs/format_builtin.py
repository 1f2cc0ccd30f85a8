print(format(3.14159, ".2f"), format(42, "05d"), format("a", ">3"), format(5), format([1]), format(255, "#x"), format(1234567, ","))
class T:
    def __format__(self, spec): return f"<{spec}>"
print(f"{T():abc} {T()}", format(T(), "x"), "{:y}".format(T()))
