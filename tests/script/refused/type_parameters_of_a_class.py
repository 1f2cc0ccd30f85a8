# unsupported 2:10: SyntaxError: type parameters are not supported; leave them out: types are not checked
class Box[T]:
    pass
