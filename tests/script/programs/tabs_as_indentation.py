def f(x):
	if x:
		return "yes"
	return "no"
print(f(1), f(0))
