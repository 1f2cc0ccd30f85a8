print((5).bit_length(), (-3).real, (7).imag, (3).numerator, (2.5).is_integer(), (4.0).is_integer(), int.from_bytes if False else "-", (0).bit_length())
