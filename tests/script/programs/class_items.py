class Grid:
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d.get(k, 0)
    def __setitem__(self, k, v): self.d[k] = v
g = Grid()
g[1, 2] = 5
g["a"] = 6
g["a"] += 1
print(g[1, 2], g["a"], g["zz"])
print(g["a"], g.d)
class Slices:
    def __getitem__(self, k): return k
print(Slices()[1:2], Slices()[::2, 0], Slices()[...])
