# unsupported 2:8: SyntaxError: keywords of a class, as metaclass=, are not supported; leave them out
class C(metaclass=type): pass
