# unsupported 3:15: SyntaxError: async and await are not supported; call the function as it is
def f(x):
    return [y async for y in x]
