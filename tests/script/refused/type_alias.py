# unsupported 2:1: SyntaxError: type aliases are not supported; leave the line out: types are not checked
type Row = list[float]
