A = [[1, 2], [3, 4], [5, 6]]
B = [[1, 0, 2], [0, 1, 3]]
def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]
def transpose(m):
    return [list(r) for r in zip(*m)]
for row in matmul(A, B):
    print(" ".join(f"{x:3d}" for x in row))
print(transpose(A), matmul(B, A), [max(r) for r in A])
