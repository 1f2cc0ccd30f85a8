# 4:1: SyntaxError: default 'except:' must be last
try:
    pass
except:
    pass
except ValueError:
    pass
