# unsupported 4:7: SyntaxError: except* is not supported; write except, and a loop over the exceptions
try:
    pass
except* ValueError:
    pass
