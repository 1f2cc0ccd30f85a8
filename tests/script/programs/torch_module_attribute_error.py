import torch.nn as nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
m = M()
print(hasattr(m, "fc"), hasattr(m, "fd"), m.fc)
m.fc_out
