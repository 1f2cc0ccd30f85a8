def a(): return b()
def b():
    try:
        return c()
    finally:
        print("b leaves")
def c(): raise IndexError("deep")
try:
    a()
except IndexError as e:
    print("caught", e)
a()
