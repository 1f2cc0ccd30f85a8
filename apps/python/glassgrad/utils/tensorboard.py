"""Files for TensorBoard (torch.utils.tensorboard): they need a package that is not here."""

from glassgrad._names import missing as _missing


class SummaryWriter:
    """ModuleNotFoundError: tensorboard's own writer needs PyTorch."""

    def __init__(self, *args, **kwargs):
        raise ModuleNotFoundError("glassgrad writes no files for TensorBoard: print the numbers, or keep them in a "
                                  "list and plot it", name="tensorboard")


FileWriter = SummaryWriter
__getattr__ = _missing("torch.utils.tensorboard", globals())
