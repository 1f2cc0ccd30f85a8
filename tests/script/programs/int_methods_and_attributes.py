print((5).bit_length(), (-3).real, (7).imag, (3).numerator, (2.5).is_integer(), (4.0).is_integer(), (0).bit_length())
