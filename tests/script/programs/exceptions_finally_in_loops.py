for i in range(4):
    try:
        if i == 1:
            continue
        if i == 3:
            break
        print(i)
    finally:
        print("finally", i)
def f():
    try:
        return 1
    finally:
        print("cleanup")
def g():
    while True:
        try:
            return "g"
        finally:
            break
    return "after"
print(f(), g())
