import torch
if torch.tensor([1.0]) > 0:
    print("one is fine")
if torch.tensor([1.0, 2.0]) > 0:
    print("never")
