"""Adam with a weight decay of its own (torch.optim.adamw)."""

from glassgrad.optim.adam import Adam


class AdamW(Adam):
    """Adam, but p ·= 1 − lr·weight_decay before each step, and no weight decay in the gradient."""

    _decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, **settings):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **settings)
