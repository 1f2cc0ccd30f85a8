print(bin(5), bin(-5), hex(255), hex(-1), oct(8), chr(65), bin(0), hex(16)[2:], int(bin(9), 2))
chr(-1)
