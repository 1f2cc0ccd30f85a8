# unsupported 2:5: SyntaxError: integers beyond 64 bits are not supported; write it as a float: 1e20
x = 0xffff_ffff_ffff_ffff
