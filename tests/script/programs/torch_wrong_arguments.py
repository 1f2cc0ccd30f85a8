import torch
for f in (lambda: torch.zeros("a"), lambda: torch.tensor("text"), lambda: torch.softmax(torch.ones(2)), lambda: torch.ones(2).sum(dim=3), lambda: torch.tensor([[1], [1, 2]]),
          lambda: torch.ones(2) + "a", lambda: torch.cat(torch.ones(2)), lambda: torch.ones(2, 3).transpose(0, 5), lambda: torch.arange(3).mean(), lambda: torch.ones(2).reshape(3)):
    try:
        f()
        print("fine")
    except (TypeError, ValueError, IndexError, RuntimeError) as e:
        print(type(e).__name__)
