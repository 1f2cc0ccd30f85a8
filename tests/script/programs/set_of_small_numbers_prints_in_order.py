print({1, 2, 3}, {0}, set(), {5, 5}, {x for x in range(4)})
