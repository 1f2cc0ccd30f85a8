class Up:
    def __init__(self, n): self.n = n
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
print(list(Up(3)), [x * 2 for x in Up(2)], sum(Up(4)), max(Up(3)), 2 in Up(3))
a, b = Up(2)
print(a, b, *Up(2))
class Old:
    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i * i
print(list(Old()))
