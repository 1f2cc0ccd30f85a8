"""Of the program."""
def f():
    """Of f."""
class C:
    """Of C."""
    def m(self):
        'Of m.'
        return 1
print(f.__doc__, C.__doc__, C.m.__doc__, C().m())
print(f.__name__, C.__name__, C.m.__name__, f())
