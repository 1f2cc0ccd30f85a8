# unsupported 2:5: SyntaxError: halves of a surrogate pair are not supported; write the character itself
x = "\ud800"
