import sys


def main(n):
    print("before", n)
    if n > 2:
        sys.exit(n)


try:
    sys.exit()
except SystemExit as e:
    print("caught", e, e.code if hasattr(e, "code") else None)
main(1)
main(3)
print("never")
