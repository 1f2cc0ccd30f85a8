class Node:
    def __init__(self, value, *children):
        self.value, self.children = value, children
    def total(self):
        return self.value + sum(c.total() for c in self.children)
    def show(self, depth=0):
        print("  " * depth + str(self.value))
        for c in self.children:
            c.show(depth + 1)
t = Node(1, Node(2, Node(3)), Node(4))
t.show()
print(t.total(), len(t.children))
