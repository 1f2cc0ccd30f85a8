# 2:10: SyntaxError: unexpected character after line continuation character
x = 1 + \ 2
