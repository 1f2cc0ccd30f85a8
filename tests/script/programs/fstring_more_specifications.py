for x in (0.0, -1.5, 1234567.891, 1e-7, 100.0, 99.95, float("inf"), float("-inf"), float("nan")):
    print(f"[{x:.2f}] [{x:10.3f}] [{x:<10.1f}] [{x:^+12.2e}] [{x:g}] [{x:.3g}] [{x:.3}] [{x:.1}] [{x:,.2f}] [{x:010.2f}] [{x:%}] [{x:.1%}] [{x: }] [{x:*>9}] [{x:E}] [{x:.0f}]")
for n in (0, 255, -42, 10**15):
    print(f"[{n}] [{n:>8}] [{n:08}] [{n:+d}] [{n:,}] [{n:_}] [{n:x}] [{n:#x}] [{n:#010x}] [{n:b}] [{n:_b}] [{n:o}] [{n:.2f}] [{n:e}] [{n:%}] [{n:020,}]")
for s in ("", "a", "héllo", "abcdef"):
    print(f"[{s}] [{s:8}] [{s:>8}] [{s:^8}] [{s:.3}] [{s:é^9}] [{s:<5.2}] [{s!r:>9}] [{s:s}] [{s:05}]")
width, precision = 9, 3
print(f"{3.14159:{width}.{precision}f} {'x':>{width}} {True:d} {True} {None} {[1]} {width=} {1 / 3 = :.2f}")
f"{1.5:d}"
