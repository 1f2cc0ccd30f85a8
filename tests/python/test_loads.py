#!/usr/bin/env python3
"""What a load takes that does not bear the module's own names or shapes: hooks, and numbers of old files."""
import unittest

import glassgrad as torch
from glassgrad import nn


class Loads(unittest.TestCase):
    def test_a_hook_renames_before_a_load(self):
        net, seen = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)), []

        def rename(module, state, prefix, metadata, strict, missing, unexpected, problems):
            seen.append((module is net[1], prefix, missing, unexpected, problems))
            state[prefix + "weight"] = state.pop(prefix + "w")

        handle = net[1].register_load_state_dict_pre_hook(rename)
        state = {"0.weight": torch.ones(1, 1), "0.bias": torch.ones(1), "1.w": torch.full((1, 1), 2.0), "1.bias": torch.ones(1)}
        self.assertEqual(repr(net.load_state_dict(state)), "<All keys matched successfully>")
        self.assertEqual((net[1].weight.item(), seen, "1.w" in state), (2.0, [(True, "1.", [], [], [])], True))
        handle.remove()
        self.assertEqual(net.load_state_dict(state, strict=False).unexpected_keys, ["1.w"])

    def test_a_number_comes_from_a_vector_of_one(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.tensor(1.0))

        net = Scale()
        net.load_state_dict({"scale": torch.tensor([3.0])})
        self.assertEqual((net.scale.item(), net.scale.shape), (3.0, torch.Size([])))
        with self.assertRaisesRegex(RuntimeError, "size mismatch for scale"):
            net.load_state_dict({"scale": torch.ones(1, 1)})


if __name__ == "__main__":
    unittest.main()
