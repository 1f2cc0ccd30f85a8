def search(grid, goal):
    for r, row in enumerate(grid):
        for c, v in enumerate(row):
            if v is None:
                continue
            if v == goal:
                return r, c
            if v < 0:
                break
        else:
            print("row", r, "done")
    return None
grid = [[1, None, 2], [3, -1, 4], [5, 6, 7]]
print(search(grid, 4), search(grid, 7), search(grid, 1))
