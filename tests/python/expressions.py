"""What expressions say, under glassgrad or PyTorch. Run as a program under PyTorch 2.6 it records the files named:
expressions.py tests/python/tensor.json tests/python/indexing.json
"""
import copy
import json
import pickle
import sys
import warnings


def said(code, torch, numpy):
    """repr of an expression's value, or the exception it raises."""
    names = {"torch": torch, "np": numpy, "copy": copy, "pickle": pickle, "Parameter": torch.nn.Parameter}
    try:
        return repr(eval(code, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def indexed(case, torch):
    """What x[index], or x[index] = value, gives, with the gradients of x and the value."""
    shape, index, value = case["shape"], case["index"], case["value"]
    numel = 1
    for size in shape:
        numel *= size
    x0 = (torch.arange(numel, dtype=torch.float32) + 0.5).reshape(shape).requires_grad_()
    names = {"torch": torch, "x": x0 * 1, "v": None}
    try:
        if value is None:
            y = eval(f"x[{index}]", names)
        else:
            names["v"] = torch.tensor(value, dtype=torch.float32).requires_grad_()
            exec(f"x[{index}] = v", names)
            y = names["x"]
        (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return [y.tolist(), y.grad_fn.name(), x0.grad.tolist(), None if value is None else names["v"].grad.tolist()]


def main():
    import numpy
    import torch

    warnings.simplefilter("ignore")
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            cases = json.load(file)
        for case in cases:
            if isinstance(case, dict):
                case["expected"] = indexed(case, torch)
            else:
                case[1] = said(case[0], torch, numpy)
        with open(path, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
