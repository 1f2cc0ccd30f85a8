def counter(start=0):
    n = start
    def up(by=1):
        nonlocal n
        n += by
        return n
    def get():
        return n
    return up, get
up, get = counter(10)
up()
up(5)
print(get(), counter()[0](), get())
