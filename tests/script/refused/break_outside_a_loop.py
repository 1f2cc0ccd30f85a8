# 2:1: SyntaxError: 'break' outside loop
break
