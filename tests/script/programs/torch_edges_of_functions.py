import torch
import torch.nn.functional as F


def shown(name, f, *values):
    leaves = [torch.tensor(v).requires_grad_() for v in values]
    try:
        y = f(*leaves)
        (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
        print(name, y.detach(), *[x.grad for x in leaves])
    except (RuntimeError, IndexError) as error:
        print(name, type(error).__name__, error)


q = torch.arange(12.0).reshape(1, 1, 3, 4) / 10
mask = torch.ones(3, 3).triu(1).bool()
print(F.scaled_dot_product_attention(q, q, q, mask))
print(F.scaled_dot_product_attention(q.expand(1, 4, 3, 4), q.expand(1, 2, 3, 4), q.expand(1, 2, 3, 4), enable_gqa=True).shape)
shown("attention", lambda x: F.scaled_dot_product_attention(x, x, x, mask), [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
for p in (0.5, 1.5, 3.0, float("inf")):
    shown(f"norm {p}", lambda x: torch.linalg.vector_norm(x, p, dim=1), [[0.0, 0.0], [3.0, 4.0]])
shown("hardswish", F.hardswish, [-3.0, 0.0, 3.0])
shown("median", lambda x: x.median(), [2.0, 2.0, 3.0])
shown("median of nan", lambda x: x.median(), [float("nan"), 1.0])
shown("prelu", F.prelu, -1.0, [0.2])
shown("inner", torch.inner, [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])
shown("cosine", lambda x, y: F.cosine_similarity(x, y, dim=-1), [[1.0], [2.0]], [[1.0, 2.0, 3.0], [1.0, 0.0, 2.0]])
shown("index_fill", lambda x, y: x.index_fill(0, torch.tensor([1, 1]), y), [1.0, 2.0], 3.0)
shown("index_copy", lambda x, y: x.index_copy(0, torch.tensor([0, 1]), y), [1.0, 2.0], [3.0])
print(torch.zeros(7, 3).fill_diagonal_(1, wrap=True).sum(), torch.zeros(2, 2, 2).fill_diagonal_(1).flatten())
print(torch.sum(torch.ones(2), dtype=torch.bool), torch.ones(3, dtype=torch.uint8).cumsum(0, dtype=torch.int32))
