import random

for seed in range(6):
    random.seed(seed)
    print(random.gauss(0, 1), random.gauss(), random.gauss(mu=10, sigma=0.5), random.gauss(1, 2))
random.seed(1)
random.gauss(0, 1)
random.seed(1)
print(random.gauss(0, 1))
random.seed(9)
a = random.gauss(0, 1)
b = random.random()
print(a, b, random.gauss(0, 1))
print([random.normalvariate(0, 1) for _ in range(5)], random.normalvariate(mu=3.0, sigma=0.1))
matrix = [[random.gauss(0, 0.08) for _ in range(3)] for _ in range(2)]
print(matrix)
