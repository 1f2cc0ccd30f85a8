# 4:8: SyntaxError: multiple exception types must be parenthesized
try:
    pass
except ValueError, TypeError:
    pass
