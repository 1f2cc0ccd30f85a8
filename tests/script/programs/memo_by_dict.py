memo = {}
def ways(n, coins=(1, 5, 10, 25)):
    if n == 0: return 1
    if n < 0 or not coins: return 0
    key = (n, coins)
    if key not in memo:
        memo[key] = ways(n - coins[-1], coins) + ways(n, coins[:-1])
    return memo[key]
print(ways(10), ways(100), len(memo) > 10)
