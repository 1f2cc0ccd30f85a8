"""`import tiktoken` without tiktoken: GPT-2's tokenizer, from the files that the user names with --gpt2 FOLDER."""
import os
import re
import sys
import types

from glassgrad import _C
from glassgrad.runner.serve import VERSION, versions

END = "<|endoftext|>"
FILES = ("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")  # Hugging Face's names, and OpenAI's


def serve_as_tiktoken(folder):
    """Puts a module tiktoken in place that knows the one encoding, gpt2. RuntimeError: the files do not fit."""
    encoding = Encoding(folder)
    module = types.ModuleType("tiktoken", "GPT-2's tokenizer, served by glassgrad.")
    module.get_encoding = lambda name: known(encoding, name, "gpt2")
    module.encoding_for_model = lambda name: known(encoding, name, "gpt2", "gpt-2")
    module.list_encoding_names = lambda: ["gpt2"]
    module.Encoding = Encoding
    module.__version__ = versions["tiktoken"] = VERSION
    sys.modules["tiktoken"] = module


def known(encoding, name, *names):
    if name not in names:
        raise ValueError(f"glassgrad's tiktoken knows the encoding gpt2, not {name}")
    return encoding


class Encoding:
    """What programs use of tiktoken.Encoding."""

    def __init__(self, folder):
        pairs = [[os.path.join(folder, name) for name in names] for names in FILES]
        self._tokenizer = _C.load_gpt2_tokenizer(*next((p for p in pairs if all(map(os.path.exists, p))), pairs[0]))
        self.name, self.n_vocab = "gpt2", len(self._tokenizer)
        self.eot_token = self.n_vocab - 1  # GPT-2's last token; a smaller vocabulary may have none
        self.special_tokens_set = {END} if self.decode_bytes([self.eot_token]) == END.encode() else set()

    @property
    def max_token_value(self):
        return self.n_vocab - 1

    def encode_ordinary(self, text):
        return self._tokenizer.encode(text)

    def encode_ordinary_batch(self, texts, *, num_threads=8):
        return [self.encode_ordinary(text) for text in texts]

    def encode_single_token(self, text_or_bytes):
        """KeyError: it is no token."""
        text = text_or_bytes if isinstance(text_or_bytes, str) else text_or_bytes.decode("utf-8", errors="replace")
        ids = self.encode(text, allowed_special="all")
        if len(ids) != 1:
            raise KeyError(text_or_bytes)
        return ids[0]

    def encode(self, text, *, allowed_special=(), disallowed_special="all"):
        allowed = self.special_tokens_set if allowed_special == "all" else set(allowed_special)
        refused = self.special_tokens_set - allowed if disallowed_special == "all" else set(disallowed_special)
        for token in refused:
            if token in text:
                raise ValueError(f"Encountered text corresponding to disallowed special token {token!r}: pass it in "
                                 "allowed_special, or disallowed_special=() to take it as text")
        ids = []
        for part in re.split(f"({re.escape(END)})", text) if END in allowed else [text]:
            ids += [self.eot_token] if part == END and END in allowed else self.encode_ordinary(part)
        return ids

    def encode_batch(self, texts, *, num_threads=8, **options):
        return [self.encode(text, **options) for text in texts]

    def decode(self, tokens, errors="replace"):
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_batch(self, batch, *, errors="replace", num_threads=8):
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_tokens_bytes(self, tokens):
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_bytes(self, tokens):
        return self._tokenizer.decode([int(token) for token in tokens])

    def decode_single_token_bytes(self, token):
        return self.decode_bytes([token])

    def __repr__(self):
        return f"<Encoding {self.name!r}>"
