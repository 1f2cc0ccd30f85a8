# 3:1: IndentationError: expected an indented block after function definition on line 2
def f():
x = 1
