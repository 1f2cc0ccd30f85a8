import torch.nn as nn
class Bad(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 2)
Bad()
