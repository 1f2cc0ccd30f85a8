import torch
x = torch.ones(2)
print(hasattr(x, "shape"), hasattr(x, "shap"))
x.shap
