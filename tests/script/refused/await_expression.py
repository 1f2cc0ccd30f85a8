# unsupported 3:12: SyntaxError: async and await are not supported; call the function as it is
def f(x):
    return await x
