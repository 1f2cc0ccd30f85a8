"""The training of a run folder once more in PyTorch: from the same initial weights, on the same batches. Prints JSON.

    python3 tests/bench/train_torch.py RUN INITIAL THREADS

RUN: a folder of `glassgrad train --tokenizer byte`; INITIAL: the same with --steps 1 --lr 0, which changes no weight.
"""
import json
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import gpt  # noqa: E402

DTYPES = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64}


def read_checkpoint(folder):
    """The metadata of its last.safetensors, and the weights."""
    data = bytearray((pathlib.Path(folder) / "last.safetensors").read_bytes())
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = {key: json.loads(text) for key, text in header.pop("__metadata__").items() if text.startswith("{")}
    weights = {name: torch.frombuffer(data, dtype=DTYPES[t["dtype"]], offset=8 + length + t["data_offsets"][0],
                                      count=torch.Size(t["shape"]).numel()).view(t["shape"])
               for name, t in header.items() if name != "generator" and not name.startswith("optimizer.")}
    return metadata, weights


def main():
    run, initial, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    metadata, _ = read_checkpoint(run)
    _, weights = read_checkpoint(initial)
    config, s = metadata["model"], metadata["training"]["settings"]

    torch.manual_seed(s["seed"])
    model = gpt.GPT(config)
    parameters = dict(model.named_parameters())
    drawn = max((parameters[name] - w).abs().max().item() for name, w in weights.items())
    with torch.no_grad():
        for name, w in weights.items():
            parameters[name].copy_(w)

    matrices, others = ([p for p in model.parameters() if (p.dim() >= 2) == matrix] for matrix in (True, False))
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": s["weight_decay"]},
                                   {"params": others, "weight_decay": 0.0}], lr=s["lr"], betas=(0.9, 0.95))
    data = torch.tensor(list(pathlib.Path(s["text"]).read_bytes()))
    data = data[:int(len(data) * (1 - s["validation"]))]
    n, losses = config["context_length"], []
    for step in range(s["steps"]):
        for group in optimizer.param_groups:
            group["lr"] = gpt.lr_at(step, s["lr"], s["lr"] / 10, min(100, s["steps"] // 20), s["steps"])
        starts = torch.randint(len(data) - n, (s["batch"],)).tolist()
        x = torch.stack([data[at:at + n] for at in starts])
        y = torch.stack([data[at + 1:at + 1 + n] for at in starts])
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    print(json.dumps({"version": torch.__version__, "drawn_difference": drawn, "losses": losses}))


if __name__ == "__main__":
    main()
