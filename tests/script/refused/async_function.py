# unsupported 2:1: SyntaxError: async and await are not supported; call the function as it is
async def f():
    pass
