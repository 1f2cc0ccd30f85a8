s = "hello World ß"
print(s.upper(), s.lower(), s.capitalize())
print("abc".isalpha(), "ab1".isalnum(), "12".isdigit(), "1.2".isdigit(), " \t".isspace(), "Abc".isupper(), "ABC".isupper(), "abc".islower(), "".isalpha())
