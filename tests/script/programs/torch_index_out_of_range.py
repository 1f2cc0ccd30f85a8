import torch
x = torch.zeros(2, 3)
try:
    x[5]
except IndexError as e:
    print(e)
try:
    x[0, 0, 0]
except IndexError as e:
    print(e)
x[:, 3]
