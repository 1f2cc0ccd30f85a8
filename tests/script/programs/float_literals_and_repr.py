for x in (1.0, 0.1, 1e16, 1e15, 123456789012345680.0, 1e-4, 1e-5, 1.5e300, 5e-324, 0.1 + 0.2, 1 / 3, 2 / 3, 100.0, 1e22, 1e23):
    print(x, repr(x), str(x))
print(float("inf"), float("-inf"), float("nan"), -0.0, .5, 5., 1_0.0_1)
