#!/usr/bin/env python3
"""Every function of the module with sizes that overflow: tensors of 2^62 elements, which are one element stretched, and numbers
near the ends of int64. Each call ends at once, with an error or with a view, and takes no memory worth the name.

The calls run in children, one after the other, with a limit of memory; of a child that dies or takes too long, the call it was
at is told. What adds up, compares or looks at 2^62 elements and gives few takes its time, here as in PyTorch: SLOW.
"""
import os
import re
import resource
import select
import signal
import sys
import unittest

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad import _C

HUGE, END = 1 << 62, (1 << 63) - 1
SECONDS = 5  # a child that is silent for longer hangs
PLACES = {"torch": torch, "torch.Tensor": torch.Tensor, "torch.nn.functional": F, "torch.linalg": torch.linalg}
# Functions that loop over all elements but have a small result.
SLOW = set(
    "sum nansum mean prod var std var_mean std_mean max min amax amin argmax argmin aminmax all any norm logsumexp dot vdot "
    "inner equal allclose nll_loss cross_entropy mse_loss l1_loss smooth_l1_loss huber_loss kl_div count_nonzero "
    "binary_cross_entropy binary_cross_entropy_with_logits scatter_add scatter_add_ trace vector_norm mv addmv dist "
    "matmul mm bmm addmm linear einsum tensordot baddbmm addbmm cosine_similarity pairwise_distance is_nonzero "
    "triplet_margin_loss cosine_embedding_loss normalize copy_ fill_ zero_ masked_fill_ one_hot __matmul__ __rmatmul__ "
    "cov corrcoef __contains__ index_put_ histc bincount isin chain_matmul multi_dot bilinear __repr__ __str__ __format__".split()
)
# Functions that start something else, or change state that the other calls use.
NO_CALLS = set("set_printoptions set_default_dtype set_num_threads set_grad_enabled manual_seed seed save load".split())


def names():
    one, index, mask = torch.ones(1), torch.zeros(1, dtype=torch.int64), torch.ones(1, dtype=torch.bool)
    return {
        "torch": torch, "F": F, "one": one, "x": torch.ones(4), "m": torch.ones(2, 2), "i": index, "huge": one.expand(HUGE),
        "wide": torch.ones(1, 1).expand(HUGE // 2, 2), "row": torch.ones(1, 1).expand(1, HUGE), "ints": index.expand(HUGE),
        "truths": mask.expand(HUGE), "nothing": torch.ones(0),
    }


def sample(kind):
    """Expressions for an argument of this kind."""
    if "Sequence[Tensor]" in kind:
        return ["[huge] * 4", "[huge, one]", "[wide, wide]"]
    if "Tensor" in kind:
        return ["huge", "ints", "wide", "x", "m"]
    if "Sequence[int]" in kind:
        return [f"[{HUGE}, 4]", f"[{END}]", f"[{1 << 32}, {1 << 32}]", f"[{-END - 1}]", f"[{END}, {END}]", "[0]"]
    if kind in ("int", "Optional[int]"):
        return [f"{HUGE}", f"{END}", f"{-END - 1}", f"{HUGE + 1}", "0"]
    return {"str": ["'mean'"], "bool": ["False"]}.get(kind, ["1"])


def calls_of(place, name, signature):
    """Its required arguments, and the optional ones that are sizes, one varied at a time; then all of one sort huge."""
    arguments = []
    inside = re.sub(r"\[[^\]]*\]", lambda m: m[0].replace(",", ";"), signature.strip("()"))
    inside = re.sub(r"\[[^\[\]]*\[[^\]]*\]\]", lambda m: m[0].replace(",", ";"), inside)
    for argument in inside.split(", "):
        key, _, kind = argument.partition(": ")
        kind, default = kind.partition(" = ")[::2]
        kind = kind.replace(";", ",")
        if key.startswith("*"):
            break
        if not default or "int" in kind:
            arguments.append(["self" if key == "self" else key, "Tensor" if key == "self" else kind, default])
    function = f"{place}.{name}".replace("torch.nn.functional", "F")
    options = [sample(kind) for _, kind, _ in arguments]
    for varied in range(len(options)):
        for value in options[varied]:
            for others in (0, -1):
                chosen = [value if k == varied else o[others] for k, o in enumerate(options)]
                yield f"{function}({', '.join(chosen)})"


def all_calls():
    more = """one.expand(1 << 32, 1 << 32)
one.expand(HUGE, 2, 0)
torch.cat([huge] * 2)
torch.ones(4).repeat(HUGE + 1)
torch.ones(4).tile(HUGE + 1)
F.pad(one, (END, 2))
F.pad(one, (-END - 1, -END - 1))
F.pad(torch.ones(1, 1, 2), (END, 0), mode='replicate')
F.pad(torch.ones(1, 1, 2), (HUGE, 0), mode='circular')
torch.cartesian_prod(huge, x)
torch.gather(one, 0, ints)
F.embedding(ints, torch.ones(3, 4))
torch.ones(3)[ints]
huge[truths]
torch.arange(END)
torch.arange(0, 1e30)
torch.linspace(0, 1, END)
torch.eye(1 << 32)
torch.as_strided(one, (2,), (END,))
torch.as_strided(one, (0, HUGE), (HUGE, HUGE))
torch.as_strided(one, (1,), (1,), -END - 1)
torch.ones(0).expand(1 << 31, 1 << 31, 0).flatten()
torch.ones(5, 5)[::END]
torch.ones(5)[END:]
huge[-END - 1]
huge.view(1 << 31, 1 << 31)
one.view(1 << 32, 1 << 32)
one.unflatten(0, (1 << 32, 1 << 32))
torch.ones(0).reshape(-1, HUGE, 4)
F.nll_loss(huge.unsqueeze(1), ints, reduction='none')
torch.diag(one, -END - 1)
torch.diagonal(m, -END - 1)
torch.nn.Linear(1 << 32, 1 << 32)
torch.nn.Embedding(HUGE, 4)
torch.repeat_interleave(torch.ones(2), torch.tensor([HUGE, HUGE]))
x.split_with_sizes([HUGE, HUGE, HUGE, HUGE, 4])
x.requires_grad_().expand(HUGE, 4).sum(0)"""
    for call in more.replace("HUGE", str(HUGE)).replace("END", str(END)).splitlines():
        yield "", call
    for place in PLACES:
        for name, signatures, _ in _C.signatures[place]:
            if name in SLOW | NO_CALLS or name.startswith("__"):
                continue
            for signature in signatures:
                for call in calls_of(place, name, signature):
                    yield name, call


def run(calls, begin, pipe):
    """In a child: says the number of each call before it is made."""
    # AddressSanitizer needs unlimited address space; the engine itself refuses sizes beyond any memory.
    if "SANITIZE" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    sys.stderr = open(os.devnull, "w")
    for number in range(begin, len(calls)):
        os.write(pipe, b"%d\n" % number)
        try:
            eval(calls[number][1], names())
        except Exception as e:
            if "vector::" in str(e) or "basic_string" in str(e):
                os.abort()  # an error from inside of the C++ library


class Sizes(unittest.TestCase):
    maxDiff = None

    def test_every_call_ends_at_once(self):
        torch.set_num_threads(1)
        calls = list(dict.fromkeys(all_calls()))
        self.assertGreater(len(calls), 3000)
        begin, wrong = 0, []
        while begin < len(calls) and len(wrong) < 20:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                run(calls, begin, writer)
                os._exit(0)
            os.close(writer)
            at, said, slow = begin, b"", False
            while True:
                ready, _, _ = select.select([reader], [], [], SECONDS)
                if not ready:
                    slow = True
                    os.kill(child, signal.SIGKILL)
                    break
                some = os.read(reader, 1 << 16)
                if not some:
                    break
                said = (said + some)[-64:]
                at = int(said.split(b"\n")[-2])
            os.close(reader)
            status = os.waitpid(child, 0)[1]
            if slow or status:
                wrong.append(f"{calls[at][1]}: {'takes too long' if slow else f'ends the process, {status}'}")
            begin = at + 1
        print(f"sizes: {len(calls)} calls")
        self.assertEqual(wrong, [])

    def test_errors(self):
        """What PyTorch says, or of its results that are wrong the error instead."""
        for call, expected in {
            "one.expand(1 << 32, 1 << 32)": "numel: integer multiplication overflow",
            "torch.empty(1 << 62)": "Storage size calculation overflowed with sizes=[4611686018427387904]",
            "torch.gather(one, 0, ints)": "Storage size calculation overflowed with sizes=[4611686018427387904]",
            "one.view(1 << 32, 1 << 32)": "shape '[4294967296, 4294967296]' is invalid for input of size 1",
            "F.pad(one, ((1 << 63) - 1, 2))":
                "The input size 1, plus negative padding 9223372036854775807 and 2 resulted in a negative output size, "
                "which is invalid. Check dimension 0 of your input.",
            "torch.cat([huge] * 4)": "numel: integer addition overflow",
            "torch.ones(4).repeat((1 << 62) + 1)": "numel: integer multiplication overflow",
            "torch.cartesian_prod(huge, x)": "numel: integer multiplication overflow",
        }.items():
            with self.subTest(call), self.assertRaises(RuntimeError) as caught:
                eval(call, names())
            self.assertEqual(str(caught.exception), expected)
        self.assertEqual(torch.ones(1).expand(HUGE).view(1 << 31, 1 << 31).stride(), (0, 0))


if __name__ == "__main__":
    unittest.main()
