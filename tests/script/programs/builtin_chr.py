print(chr(65))
chr(-1)
