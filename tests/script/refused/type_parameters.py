# unsupported 2:10: SyntaxError: type parameters are not supported; leave them out: types are not checked
def first[T](x: list[T]) -> T:
    return x[0]
