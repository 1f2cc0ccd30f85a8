"""Sequences of different lengths (torch.nn.utils.rnn)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import missing as _missing

_OUT = "recurrent layers are out of glassgrad's scope: pad_sequence pads"


def pad_sequence(sequences: list[Tensor], batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """The sequences side by side, padding_value where one ends: (longest, N, …), with batch_first (N, longest, …)."""
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest = max(x.size(0) for x in sequences)
    padded = torch.full((len(sequences), longest, *sequences[0].shape[1:]), padding_value, dtype=sequences[0].dtype,
                        device=sequences[0].device)
    for row, x in zip(padded, sequences):
        (row[:x.size(0)] if padding_side == "right" else row[longest - x.size(0):]).copy_(x)
    return padded if batch_first else padded.transpose(0, 1).contiguous()


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences again, as long as lengths says."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:int(length)] for row, length in zip(rows, lengths)]


__getattr__ = _missing("torch.nn.utils.rnn", globals(), dict.fromkeys(
    ["pack_padded_sequence", "pad_packed_sequence", "pack_sequence", "PackedSequence"], _OUT))
