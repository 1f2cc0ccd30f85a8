s = "hello World ß"
print(s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), s.casefold())
print("abc".isalpha(), "ab1".isalnum(), "12".isdigit(), "1.2".isdigit(), " \t".isspace(), "Abc".isupper(), "ABC".isupper(), "abc".islower(), "".isalpha())
print("Hello".istitle(), "name_1".isidentifier(), "1x".isidentifier(), "½".isnumeric(), "12".isdecimal(), "abc".isascii(), "é".isascii())
