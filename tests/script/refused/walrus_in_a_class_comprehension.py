# 3:10: SyntaxError: assignment expression within a comprehension cannot be used in a class body
class C:
    x = [y := 1 for _ in range(2)]
