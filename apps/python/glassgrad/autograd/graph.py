"""The nodes of the graph (torch.autograd.graph)."""

from glassgrad._C import Node
