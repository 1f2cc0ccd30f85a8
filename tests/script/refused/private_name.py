# unsupported 3:18: SyntaxError: private names (__x) are not supported; write one underscore: _x
class A:
    def f(self): self.__x = 1
