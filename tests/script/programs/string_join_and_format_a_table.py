rows = [("name", "score"), ("ann", 3.14159), ("bob", 22.5)]
for name, score in rows:
    print(f"{name:<8}|{score if isinstance(score, str) else f'{score:.2f}':>8}")
print("-" * 17, "=".join("abc"), sep="\n")
