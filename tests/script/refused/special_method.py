# unsupported 3:5: SyntaxError: the special method __iadd__ is not supported; give the method a name of your own
class A:
    def __iadd__(self, x): return self
