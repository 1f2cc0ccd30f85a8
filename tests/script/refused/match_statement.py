# unsupported 3:1: SyntaxError: match statements are not supported; write if … elif … else
x = 1
match x:
    case 1:
        print("one")
