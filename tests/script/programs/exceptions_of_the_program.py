class ModelError(Exception):
    pass
class ShapeError(ModelError):
    def __init__(self, shape):
        super().__init__(f"bad shape {shape}")
        self.shape = shape
try:
    raise ShapeError((2, 3))
except ModelError as e:
    print(e, e.shape, e.args, repr(e))
try:
    raise ModelError
except ModelError as e:
    print(repr(e), str(e) == "", e.args)
raise ShapeError([1])
