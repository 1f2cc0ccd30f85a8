class P: pass
P(1)
