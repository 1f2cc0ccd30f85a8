a = [1]
b = a
print(id(a) == id(b), id(a) == id([1]), hash(1) == hash(1.0) == hash(True), hash("a") == hash("a"), hash((1, 2)) == hash((1, 2)))
hash([])
