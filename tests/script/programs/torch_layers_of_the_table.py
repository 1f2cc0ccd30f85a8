# Every layer that holds no parameters, and every loss: what it prints, computes and keeps.
import torch
from torch import nn

torch.manual_seed(1)
x = torch.randn(2, 4)
for layer in (nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.GELU(approximate="tanh"), nn.ReLU(), nn.ReLU(True), nn.SiLU(), nn.LeakyReLU(0.2),
              nn.LeakyReLU(inplace=True), nn.ELU(0.5), nn.Softplus(), nn.Threshold(0.1, 20), nn.SELU(True), nn.CELU(0.5),
              nn.ReLU6(), nn.Mish(), nn.Hardsigmoid(), nn.Hardswish(), nn.Hardtanh(-0.5, 0.7), nn.LogSigmoid(),
              nn.Softsign(), nn.Tanhshrink(), nn.Softmax(1), nn.LogSoftmax(dim=-1), nn.Softmin(dim=1), nn.GLU(),
              nn.Flatten(0), nn.Dropout(0.25, inplace=True).eval(), nn.Identity()):
    print(layer, layer(x.clone()), list(layer.state_dict()))
print(nn.CosineSimilarity()(x, x + 1))
p, target = torch.rand(2, 4), torch.rand(2, 4)
for loss in (nn.L1Loss(), nn.MSELoss("sum"), nn.SmoothL1Loss(beta=0.5), nn.HuberLoss(delta=0.2), nn.KLDivLoss(reduction="batchmean"),
             nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))):
    print(loss, loss(p, target), sorted(loss.state_dict()))
weight = torch.tensor([1.0, 2.0, 3.0, 4.0])
for loss in (nn.CrossEntropyLoss(), nn.CrossEntropyLoss(weight), nn.CrossEntropyLoss(ignore_index=2, label_smoothing=0.1),
             nn.NLLLoss(weight, reduction="none")):
    print(loss, loss(x, torch.tensor([1, 2])), sorted(loss.state_dict()))
print(nn.CosineEmbeddingLoss(0.5)(x, p, torch.tensor([1, -1])))


class Doubled(nn.LeakyReLU):
    def __init__(self):
        super().__init__(0.5)
        self.factor = 2

    def forward(self, x):
        return self.factor * super().forward(x)

    def extra_repr(self):
        return super().extra_repr() + ", doubled"


layer = Doubled()
print(layer, nn.Sequential(layer, nn.Tanh()), layer(x))
layer.negative_slope = 0.1
print(layer, isinstance(layer, nn.LeakyReLU), nn.GELU is nn.GELU)
