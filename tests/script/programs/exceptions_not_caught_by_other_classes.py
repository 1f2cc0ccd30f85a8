try:
    int("x")
except (KeyError, TypeError):
    print("wrong")
finally:
    print("finally")
