name, n, x = "cat", 3, 2.5
print(f"{name} {n} {x} {n + 1} {name!r} {name.upper()} {[n, x]} {{braces}} {n if n > 2 else 0}")
print(f"{name=} {n + 1 = } {x=:.3f} {name=!s}", f"" f"a" "b", rf"\d{n}", f"{'nested'} {f'{n}'}")
print(f"{ {'a': 1}['a'] }", f"{(lambda y: y * 2)(n)}", f"{n:>{n + 2}}|{x:{'.1f'}}|", f'''{
    n}''')
