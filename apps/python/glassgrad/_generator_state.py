"""A random generator's state in the form of PyTorch's files."""

import math
import struct

from glassgrad import _C
from glassgrad._C import Tensor
from glassgrad._names import typename

# The engine's: 624 words of the Mersenne Twister, how many of them are used, whether a second normal number waits,
# that number, the seed. PyTorch's: the seed, how many words are left and 1, whether there is a seed, the next word,
# the words, three numbers of which the second waits, whether it does, and the same for an older form.
_OURS, _PYTORCH = struct.Struct("<624Ii?xxxdQ"), struct.Struct("<QiiQ624Q3di4xfBxxx")
_WORDS, _LEGACY_SIZE = 624, 5048


def packed(state):
    """PyTorch's bytes for the words that the engine's get_state gives."""
    *words, used, waits, normal, seed = _OURS.unpack(_C.bytes_of(state))
    fresh = used == _WORDS and words[0] == seed % 2**32  # nothing is drawn yet: the words are those of the seed
    left, after = (1, 0) if fresh else (_WORDS + 1 - used, used)
    data = _PYTORCH.pack(seed, left, 1, after, *words, 0.0, normal if waits else 0.0, 0.0, waits, 0.0, 0)
    return _C.from_bytes(data, (len(data),), _C.dtypes["Byte"])


def unpacked(state):
    """The engine's words for PyTorch's bytes; TypeError or RuntimeError, as PyTorch's, for anything else."""
    if not isinstance(state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {typename(type(state))}")
    if state.dtype == _C.dtypes["Long"] and state.numel() * 8 == _OURS.size:
        return state  # as versions before this one saved it
    if state.dtype != _C.dtypes["Byte"] or state.device.type != "cpu":
        raise TypeError("RNG state must be a torch.ByteTensor")
    if not state.is_contiguous():
        raise RuntimeError("RNG state must be contiguous")
    if state.numel() not in (_LEGACY_SIZE, _PYTORCH.size):
        raise RuntimeError(
            f"Expected either a CPUGeneratorImplStateLegacy of size {_LEGACY_SIZE} or a CPUGeneratorImplState of size "
            f"{_PYTORCH.size} but found the input RNG state size to be {state.numel()}"
        )
    data = _C.bytes_of(state).ljust(_PYTORCH.size, b"\0")
    seed, left, seeded, after, *words, turn, normal, radius, waits, _, _ = _PYTORCH.unpack(data)
    if state.numel() == _LEGACY_SIZE:  # it has the pair that the number is made of
        normal = radius * math.sin(2 * math.pi * turn)
    if seeded != 1 or not 0 < left <= _WORDS or after > _WORDS:
        raise RuntimeError("Invalid mt19937 state")
    used = _WORDS if left == 1 else after
    data = _OURS.pack(*(word % 2**32 for word in words), used, bool(waits), normal if waits else 0.0, seed)
    return _C.from_bytes(data, (len(data) // 8,), _C.dtypes["Long"])
