print(int(), float(), str(), bool(), list(), tuple(), dict(), set(), bool("False"), int(2.9), float("3"), str(2.50), tuple("ab"))
