"""A random expression for a seed: a function of tensors with zeros, ties and signs, of shapes that broadcast, are empty or have no
dimensions. `random_edges.py FROM TO` prints those of seeds; test_edges.py runs them, under PyTorch too.
"""
import math
import random
import sys

NUMBERS = ["0.", "-0.", "1.", "-1.", "2.", "0.5", "3.", "-3.", "1.", "2.", "0.25", "-2."]
UNARY = ("F.hardswish F.relu6 F.hardtanh F.softshrink F.hardshrink F.elu F.leaky_relu F.softplus F.logsigmoid F.softsign F.mish F.silu "
         "F.gelu torch.sinc torch.frac torch.abs torch.square torch.sign torch.erf torch.exp").split()
BINARY = ("torch.fmax torch.fmin torch.maximum torch.minimum torch.logaddexp torch.atan2 torch.hypot torch.fmod torch.remainder "
          "torch.pow torch.mul torch.div torch.copysign").split()


class Generator:
    """The pieces of one expression."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def pick(self, *choices):
        return self.r.choice(choices)

    def up_to(self, low, high):
        return self.r.randint(low, high)

    def shape(self, dims=None):
        sizes = [1, 2, 3, 2, 0] if self.r.random() < 0.15 else [1, 2, 3]
        return [self.r.choice(sizes) for _ in range(self.up_to(0, 3) if dims is None else dims)]

    def broadcasting(self, shape):
        """A shape that broadcasts to that one."""
        shape = [1 if self.r.random() < 0.3 else size for size in shape]
        while shape and self.r.random() < 0.2:
            shape = shape[1:]
        return shape

    def tensor(self, shape):
        numbers = ", ".join(self.r.choice(NUMBERS) for _ in range(math.prod(shape)))
        return f"torch.tensor([{numbers}], dtype=torch.float64).reshape({list(shape)})"

    def lines(self):
        """A shape and one of its dimensions."""
        shape = self.shape(self.up_to(1, 3))
        return shape, self.up_to(-len(shape), len(shape) - 1)

    def unary(self):
        return f"grads(lambda x: {self.pick(*UNARY)}(x), {self.tensor(self.shape())})"

    def binary(self):
        shape = self.shape()
        other = self.tensor(self.broadcasting(shape))
        return f"grads(lambda x, y: {self.pick(*BINARY)}(x, y), {self.tensor(shape)}, {other})"

    def norm(self):
        shape, d = self.lines()
        p = self.pick("0.5", "1", "1.5", "2", "3", "inf")
        f = self.pick(f"torch.linalg.vector_norm(x, {p}, dim={d})", f"F.normalize(x, p={p}, dim={d})", f"x.norm({p}, dim={d})")
        return f"grads(lambda x: {f}, {self.tensor(shape)})"

    def reduction(self):
        shape, d = self.lines()
        f = self.pick("x.median()", f"x.median({d})", f"x.amax({d})", f"x.amin({d}, True)", "x.max()", f"x.max({d})", f"x.prod({d})",
                      f"x.cumprod({d})", f"x.cumsum({d})", f"x.std({d})", f"x.logsumexp({d})", f"x.softmax({d})",
                      f"x.nanmean({d}, True)", f"x.sum({d}, dtype=torch.float32)")
        return f"grads(lambda x: {f}, {self.tensor(shape)})"

    def product(self):
        shape, d = self.lines()
        f, other = self.pick(
            (f"F.cosine_similarity(x, y, dim={d})", self.broadcasting(shape)), ("torch.kron(x, y)", self.shape(2)),
            ("torch.inner(x, y)", [*self.shape(self.up_to(0, 2)), shape[-1]]),
            (f"F.pairwise_distance(x, y, p={self.pick(1, 2, 3, 0.5)})", self.broadcasting(shape)))
        return f"grads(lambda x, y: {f}, {self.tensor(shape)}, {self.tensor(other)})"

    def places(self):
        shape, d = self.lines()
        places = [self.up_to(0, shape[d] - 1) for _ in range(self.up_to(0, 3))] if shape[d] else []
        if self.r.random() < 0.4:
            value = self.tensor([])
            return f"grads(lambda x, y: x.index_fill({d}, torch.tensor({places}).long(), y), {self.tensor(shape)}, {value})"
        source = list(shape)
        source[d] = len(places)
        name = "index_add" if len(set(places)) < len(places) else self.pick("index_add", "index_copy")
        return (f"grads(lambda x, y: x.{name}({d}, torch.tensor({places}).long(), y), {self.tensor(shape)}, "
                f"{self.tensor(source)})")

    def distances(self):
        lead, width = self.shape(self.up_to(0, 1)), self.up_to(1, 3)
        x, y = (self.tensor([*lead, self.up_to(1, 3), width]) for _ in range(2))
        return f"grads(lambda x, y: torch.cdist(x, y, p={self.pick('0.5', '1.', '1.5', '2.', '3.', 'inf')}), {x}, {y})"

    def attention(self):
        batch, heads, queries, keys, width = (self.up_to(1, most) for most in (2, 2, 3, 4, 3))
        q, kv = (f"made({batch}, {heads}, {length}, {width})" for length in (queries, keys))
        shape = self.pick((queries, keys), (batch, heads, queries, keys), (batch, 1, queries, keys), (1, keys), (heads, queries, keys))
        seen = ", ".join(self.pick("True", "False", "False") for _ in range(math.prod(shape)))
        mask = f"torch.tensor([{seen}]).reshape({list(shape)})"
        mask = self.pick(mask, f"torch.where({mask}, 0.5, -inf).double()", "None")
        causal, part = self.pick("", "", ", is_causal=True"), self.pick("", "[0]", "[0, 0]")
        return (f"grads(lambda q, k, v: F.scaled_dot_product_attention(q{part}, k{part}, v{part}, {mask}{causal}), {q}, {kv}, {kv})")

    def diagonal(self):
        matrix = self.tensor([self.up_to(0, 9), self.up_to(0, 4)])
        return f"grads(lambda x: (x * 2).fill_diagonal_(7, wrap={self.pick(True, False)}), {matrix})"

    def channels(self):
        count = self.up_to(1, 3)
        x = self.tensor(self.pick([2, count], [2, count, 2], [count], []))
        return f"grads(lambda x, y: F.prelu(x, y), {x}, {self.tensor([self.pick(1, count)])})"


def expression(seed):
    g = Generator(seed)
    return g.pick(g.unary, g.binary, g.binary, g.norm, g.reduction, g.product, g.places, g.distances, g.attention, g.attention,
                  g.diagonal, g.channels)()


if __name__ == "__main__":
    for number in range(*map(int, sys.argv[1:3])):
        print(number, expression(number))
