# 4:5: SyntaxError: name 'x' is assigned to before global declaration
def f():
    x = 1
    global x
