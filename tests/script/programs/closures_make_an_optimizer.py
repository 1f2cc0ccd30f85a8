def momentum(rate, mu):
    v = 0.0
    def step(x, g):
        nonlocal v
        v = mu * v - rate * g
        return x + v
    return step
step, x = momentum(0.1, 0.9), 5.0
for i in range(5):
    x = step(x, 2 * x)
    print(i, f"{x:.6f}")
