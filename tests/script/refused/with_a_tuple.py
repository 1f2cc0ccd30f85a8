# unsupported 2:6: SyntaxError: a tuple after with is not supported; leave out its parentheses
with (a, b): pass
