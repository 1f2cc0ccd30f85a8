größe = 3
π = 3.14
def flächeninhalt(α): return α * größe
print(größe, π, flächeninhalt(2), "日本語", len("日本語"), "ß".upper())
