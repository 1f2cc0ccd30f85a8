# unsupported 3:1: SyntaxError: tabs as indentation are not supported; use four spaces
if 1:
	pass
