if 1: x = 5; y = 6
def f(): return f
print(f()()() is f, [][:] == [], not not not True, - - 5, ~-3, 2 if [] else 3, (1,)[0], ((((7)))))
print({}.get, ) if False else print("ok", )
for i in 1, 2, 3: print(i, end=",")
else: print("done")
