print(abs(-5), abs(-2.5), abs(True), abs(-0.0), pow(2, 10), pow(2.0, -1))
