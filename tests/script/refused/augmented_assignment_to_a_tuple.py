# 2:1: SyntaxError: 'tuple' is an illegal expression for augmented assignment
a, b += 1, 2
