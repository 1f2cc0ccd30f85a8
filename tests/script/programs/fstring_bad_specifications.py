for f in (lambda: f"{'a':d}", lambda: f"{1:s}", lambda: f"{1.5:d}", lambda: f"{1:.2}", lambda: f"{[1]:5}", lambda: f"{None:3}",
          lambda: f"{'a':=5}", lambda: f"{'a':,}", lambda: f"{1:zz}", lambda: f"{1.0:q}", lambda: f"{'a':+}"):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
