print(abs(-5), abs(-2.5), abs(True), abs(-0.0), divmod(17, 5), divmod(-17, 5), divmod(7.5, 2), pow(2, 10), pow(2.0, -1), pow(7, 3, 5))
