"""A small GPT-2 and a small Llama in Hugging Face's names and layouts, and what they answer: writes huggingface.txt.

  python3 huggingface.py

The weights are drawn with Python alone, so that the tests can make the same file. The model is computed with
PyTorch's functions as GPT2LMHeadModel does, whose matrices are (in, out), and as LlamaForCausalLM. Their tokens are
those of text/vocab.json. huggingface.txt has a line for each.
"""

import json
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
IDS = json.loads((HERE / "text" / "vocab.json").read_text())
CONTEXT, WIDTH, LAYERS, HEADS = 24, 12, 2, 3
PROMPT, ADDED = "Q~K", 20  # each character is a token
LLAMA = {"model_type": "llama", "vocab_size": len(IDS), "hidden_size": 16, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 24, "rms_norm_eps": 1e-5,
         "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": False}


def shapes():
    w = WIDTH
    yield "wte.weight", (len(IDS), w)
    yield "wpe.weight", (CONTEXT, w)
    for i in range(LAYERS):
        for name, shape in (("ln_1.weight", (w,)), ("ln_1.bias", (w,)), ("attn.c_attn.weight", (w, 3 * w)),
                            ("attn.c_attn.bias", (3 * w,)), ("attn.c_proj.weight", (w, w)), ("attn.c_proj.bias", (w,)),
                            ("ln_2.weight", (w,)), ("ln_2.bias", (w,)), ("mlp.c_fc.weight", (w, 4 * w)),
                            ("mlp.c_fc.bias", (4 * w,)), ("mlp.c_proj.weight", (4 * w, w)), ("mlp.c_proj.bias", (w,))):
            yield f"h.{i}.{name}", shape
    yield "ln_f.weight", (w,)
    yield "ln_f.bias", (w,)


def llama_shapes():
    w, hidden, keys = LLAMA["hidden_size"], LLAMA["intermediate_size"], 2 * 4  # 2 heads of 4 numbers
    yield "model.embed_tokens.weight", (len(IDS), w)
    for i in range(LLAMA["num_hidden_layers"]):
        for name, shape in (("input_layernorm", (w,)), ("self_attn.q_proj", (w, w)), ("self_attn.k_proj", (keys, w)),
                            ("self_attn.v_proj", (keys, w)), ("self_attn.o_proj", (w, w)),
                            ("post_attention_layernorm", (w,)), ("mlp.gate_proj", (hidden, w)),
                            ("mlp.up_proj", (hidden, w)), ("mlp.down_proj", (w, hidden))):
            yield f"model.layers.{i}.{name}.weight", shape
    yield "model.norm.weight", (w,)
    yield "lm_head.weight", (len(IDS), w)


def weights(shapes=shapes, seed=85):  # with these seeds the models generate many different tokens
    """name: (shape, bytes of float32), of numbers in [-1, 1)."""
    draw = random.Random(seed).random
    numbers = {}
    for name, shape in shapes():
        n = shape[0] * (shape[1] if len(shape) == 2 else 1)
        numbers[name] = shape, struct.pack(f"<{n}f", *(2 * draw() - 1 for _ in range(n)))
    return numbers


def llama_weights():
    return weights(llama_shapes, 8)


def tensors(numbers):
    import torch
    return {name: torch.frombuffer(bytearray(data), dtype=torch.float32).view(shape)
            for name, (shape, data) in numbers.items()}


def llama():
    """The logits after tokens."""
    import torch
    import torch.nn.functional as F

    p = tensors(llama_weights())
    heads, keys, width = LLAMA["num_attention_heads"], LLAMA["num_key_value_heads"], LLAMA["hidden_size"]

    def norm(x, name):
        return F.rms_norm(x, (width,), p[name + ".weight"], LLAMA["rms_norm_eps"])

    def rotate_half(x):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([-b, a], dim=-1)

    def logits(tokens):
        t = len(tokens)
        inv_freq = 1 / LLAMA["rope_theta"] ** (torch.arange(0, width // heads, 2).float() / (width // heads))
        freqs = torch.outer(torch.arange(t).float(), inv_freq)
        emb = torch.cat([freqs, freqs], dim=-1)
        x = p["model.embed_tokens.weight"][tokens]
        for i in range(LLAMA["num_hidden_layers"]):
            at = f"model.layers.{i}."
            normed = norm(x, at + "input_layernorm")
            q, k, v = ((normed @ p[f"{at}self_attn.{n}_proj.weight"].T).view(t, -1, width // heads).transpose(0, 1)
                       for n in "qkv")
            q, k = (y * emb.cos() + rotate_half(y) * emb.sin() for y in (q, k))
            k, v = (y.repeat_interleave(heads // keys, dim=0) for y in (k, v))
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).reshape(t, width)
            x = x + attended @ p[at + "self_attn.o_proj.weight"].T
            normed = norm(x, at + "post_attention_layernorm")
            gate, up = (normed @ p[f"{at}mlp.{n}_proj.weight"].T for n in ("gate", "up"))
            x = x + (F.silu(gate) * up) @ p[at + "mlp.down_proj.weight"].T
        return norm(x, "model.norm")[-1] @ p["lm_head.weight"].T

    return logits


def gpt2():
    """The logits after tokens."""
    import torch.nn.functional as F

    p = tensors(weights())

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), p[name + ".weight"], p[name + ".bias"])

    def conv1d(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    def logits(tokens):
        t = len(tokens)
        x = p["wte.weight"][tokens] + p["wpe.weight"][:t]
        for i in range(LAYERS):
            q, k, v = (part.view(t, HEADS, -1).transpose(0, 1)
                       for part in conv1d(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").chunk(3, -1))
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + conv1d(attended.transpose(0, 1).reshape(t, WIDTH), f"h.{i}.attn.c_proj")
            hidden = F.gelu(conv1d(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
            x = x + conv1d(hidden, f"h.{i}.mlp.c_proj")
        return norm(x, "ln_f")[-1] @ p["wte.weight"].T

    return logits


def answer(logits):
    tokens = [IDS[c] for c in PROMPT]
    for _ in range(ADDED):
        best = logits(tokens).topk(2)
        assert best.values[0] - best.values[1] > 1e-3, "rounding could decide: take another seed"
        tokens.append(int(best.indices[0]))
    return " ".join(map(str, tokens))


def main():
    (HERE / "huggingface.txt").write_text(answer(gpt2()) + "\n" + answer(llama()) + "\n")


if __name__ == "__main__":
    main()
