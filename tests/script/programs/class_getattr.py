class G:
    known = 1
    def __getattr__(self, name):
        if name.startswith("x"):
            return name.upper()
        raise AttributeError(name)
g = G()
print(g.known, g.xyz, hasattr(g, "abc"), getattr(g, "abc", "default"))
g.abc
