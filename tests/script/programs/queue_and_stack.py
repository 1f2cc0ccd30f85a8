stack, queue = [], []
for i in range(4):
    stack.append(i)
    queue.insert(0, i)
out = []
while stack:
    out.append((stack.pop(), queue.pop()))
print(out)
def balanced(s):
    pairs, st = {")": "(", "]": "["}, []
    for c in s:
        if c in pairs.values():
            st.append(c)
        elif c in pairs and (not st or st.pop() != pairs[c]):
            return False
    return not st
print(balanced("([])[]"), balanced("([)]"), balanced("(("))
