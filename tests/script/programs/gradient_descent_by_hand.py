def f(x): return (x - 3) ** 2 + 1
def slope(x, h=1e-5): return (f(x + h) - f(x - h)) / (2 * h)
x, rate = 0.0, 0.1
for step in range(50):
    x -= rate * slope(x)
    if step % 10 == 0:
        print(f"{step:3d} {x:.4f} {f(x):.6f}")
print(round(x, 3))
