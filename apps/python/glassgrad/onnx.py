"""Models for other programs (torch.onnx): out of scope."""

from glassgrad._names import missing as _missing


def export(*args, **kwargs):
    """NotImplementedError."""
    raise NotImplementedError("ONNX is out of glassgrad's scope: torch.save(model.state_dict(), 'model.safetensors') "
                              "writes the weights for other programs")


dynamo_export = export


def is_in_onnx_export():
    """False."""
    return False


__getattr__ = _missing("torch.onnx", globals())
