class S:
    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)
s = S()
s.a = 5
s.a += 1
print(s.a)
