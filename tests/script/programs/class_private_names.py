class A:
    def __init__(self):
        self.__x = 1
    def get(self):
        return self.__x
    def __hidden(self):
        return "hidden"
    def call(self):
        return self.__hidden()
a = A()
print(a.get(), a._A__x, a.call(), hasattr(a, "__x"), a.__dict__)
