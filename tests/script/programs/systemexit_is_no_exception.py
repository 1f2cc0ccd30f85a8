try:
    raise SystemExit("bye")
except Exception:
    print("no")
except BaseException as e:
    print("base", e)
