import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (lambda: (x * 2).backward(), lambda: torch.tensor(1.0).backward(), lambda: x.add_(1), lambda: torch.tensor([1, 2], requires_grad=True), lambda: x.tolist()):
    try:
        print(f())
    except RuntimeError as e:
        print(str(e).split("\n")[0])
y = (x * x).sum()
y.backward()
y.backward()
