#!/usr/bin/env python3
"""`convert`: models to Hugging Face's GPT-2 or Llama and back."""
import json
import shutil
import struct
import sys
import unittest

from program import GOLDEN, glassgrad
from training import Folder, read_checkpoint

sys.path.insert(0, str(GOLDEN))
import huggingface  # noqa: E402

WORDS = ["--vocab", GOLDEN / "text" / "vocab.json", "--merges", GOLDEN / "text" / "merges.txt"]


def write_model(path, tensors):
    """tensors: {name: (shape, bytes)}, of float32 or, where there are half as many, bfloat16."""
    header, body = {}, b""
    for name, (shape, data) in tensors.items():
        count = 1
        for size in shape:
            count *= size
        header[name] = {"dtype": "F32" if len(data) == 4 * count else "BF16", "shape": list(shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def tensors_of(path):
    """name: (dtype, shape, bytes) of the file's tensors, but for the generator."""
    header, data = read_checkpoint(path)
    body = data[8 + struct.unpack("<Q", data[:8])[0]:]
    return {name: (t["dtype"], t["shape"], body[slice(*t["data_offsets"])]) for name, t in header.items()
            if name not in ("__metadata__", "generator")}


def weights_of(path):
    return {name: t for name, t in tensors_of(path).items() if not name.startswith("optimizer.")}


def bytes_of_token():
    """GPT-2's alphabet: printable characters stand for themselves, the others for what follows 255, in order."""
    shown = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    hidden = [b for b in range(256) if b not in shown]
    byte = {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}
    return {i: bytes(byte[c] for c in token) for token, i in huggingface.IDS.items()}


class Converting(Folder):
    def convert(self, *arguments, **options):
        return glassgrad("convert", *arguments, cwd=self.folder, **options)

    def converted(self, *arguments):
        run = self.convert(*arguments)
        self.assertEqual((run.code, run.err), (0, ""))
        return run.out.rstrip("\n")

    def public(self, change=lambda tensors: None, name="gpt2.safetensors"):
        """A file as PyTorch's users share it."""
        tensors = huggingface.weights()
        change(tensors)
        return write_model(self.folder / name, tensors)


class RoundTrip(Converting):
    def check(self, *flags):
        self.trained(*flags)
        there = self.converted(self.run_folder, "there")
        self.assertEqual(there, "there/model.safetensors")
        back = self.converted("there", "back.safetensors")
        ours = self.run_folder / "best.safetensors"
        self.assertEqual(weights_of(self.folder / back), weights_of(ours))
        say = ["--prompt", "cats climb", "--greedy", "--max-tokens", 30]
        self.assertEqual(self.generate(*say, out=self.folder / back).out, self.generate(*say).out)
        metadata = [read_checkpoint(path)[0]["__metadata__"] for path in (self.folder / back, ours)]
        for key in ("model", "tokenizer"):
            self.assertEqual(metadata[0][key], metadata[1][key])
        return self.folder / there

    def test_every_bit_comes_back(self):
        for flags in ([], ["--tokenizer", "bpe", "--vocab", 300, "--dropout", 0.1, "--force"]):
            with self.subTest(flags):
                theirs = self.check(*flags)
                for path in (theirs.parent, self.folder / "back.safetensors"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_what_transformers_reads(self):
        there = self.check()
        config = json.loads((there.parent / "config.json").read_text())
        theirs, ours = tensors_of(there), weights_of(self.run_folder / "best.safetensors")
        self.assertEqual(sorted(p.name for p in there.parent.iterdir()), ["config.json", "model.safetensors"])
        self.assertEqual(read_checkpoint(there)[0]["__metadata__"]["format"], "pt")
        self.assertEqual([config[k] for k in ("n_embd", "n_layer", "n_head", "n_positions")], [16, 1, 2, 8])
        self.assertEqual(theirs["transformer.wte.weight"], ours["tok_emb.weight"])
        dtype, shape, data = theirs["transformer.h.0.attn.c_attn.weight"]
        self.assertEqual((dtype, shape), ("F32", [16, 48]))
        rows = struct.unpack("<768f", data)
        for part, name in enumerate(("query", "key", "value")):
            weight = struct.unpack("<256f", ours[f"trf_blocks.0.att.W_{name}.weight"][2])
            for i in range(16):
                for o in range(16):
                    self.assertEqual(rows[48 * i + 16 * part + o], weight[16 * o + i])
        self.assertEqual(theirs["transformer.h.0.attn.c_attn.bias"][1], [48])

    def test_a_model_without_biases_gets_zeros(self):
        self.trained()
        best = self.run_folder / "best.safetensors"
        header, data = read_checkpoint(best)
        body, kept = data[8 + struct.unpack("<Q", data[:8])[0]:], b""
        del header["__metadata__"]["crc32"]
        header["__metadata__"]["model"] = header["__metadata__"]["model"].replace('"bias":true', '"bias":false')
        for name in [n for n in header if n != "__metadata__"]:
            begin, end = header[name]["data_offsets"]
            if "att.W_" in name and name.endswith("bias"):
                del header[name]
                continue
            header[name]["data_offsets"] = [len(kept), len(kept) + end - begin]
            kept += body[begin:end]
        text = json.dumps(header).encode()
        best.write_bytes(struct.pack("<Q", len(text)) + text + kept)
        there = self.folder / self.converted(best, "there")
        self.assertEqual(tensors_of(there)["transformer.h.0.attn.c_attn.bias"], ("F32", [48], bytes(192)))
        self.assertEqual(weights_of(self.folder / self.converted("there", "back")), weights_of(best))

    def test_two_bytes_per_number(self):
        self.trained()
        there = self.folder / self.converted(self.run_folder, "there", "--bf16")
        back = self.folder / self.converted("there", "back.safetensors")
        self.assertEqual({t[0] for t in tensors_of(there).values()}, {"BF16"})
        ours = weights_of(self.run_folder / "best.safetensors")
        for name, (_, shape, data) in weights_of(back).items():
            self.assertEqual(shape, ours[name][1])
            for a, b in zip(struct.unpack(f"<{len(data) // 4}f", data),
                            struct.unpack(f"<{len(data) // 4}f", ours[name][2])):
                self.assertLessEqual(abs(a - b), abs(b) / 256)


class Public(Converting):
    def assert_answers_as_in_pytorch(self, *arguments, line=0):
        file = self.folder / self.converted(*arguments, "ours.safetensors", "--force")
        run = glassgrad("generate", file, "--prompt", huggingface.PROMPT, "--greedy", "--max-tokens", huggingface.ADDED,
                        encoding="latin-1")
        token = bytes_of_token()
        expected = b"".join(token[int(i)] for i in (GOLDEN / "huggingface.txt").read_text().splitlines()[line].split())
        self.assertEqual((run.out, run.err), (expected.decode("latin-1") + "\n", ""))

    def test_a_file(self):
        self.assert_answers_as_in_pytorch(self.public(), "--heads", huggingface.HEADS, *WORDS)

    def test_a_folder_with_prefixes_masks_and_a_tied_head(self):
        def change(tensors):
            for name in list(tensors):
                tensors["transformer." + name] = tensors.pop(name)
            tensors["lm_head.weight"] = tensors["transformer.wte.weight"]
            tensors["transformer.h.0.attn.bias"] = (1, 1, 2, 2), bytes(16)
            tensors["transformer.h.0.attn.masked_bias"] = (1,), bytes(4)
        self.public(change, "model.safetensors")
        self.write("config.json", json.dumps({"n_head": huggingface.HEADS, "activation_function": "gelu_new"}))
        for name in ("vocab.json", "merges.txt"):
            shutil.copy(GOLDEN / "text" / name, self.folder)
        self.assert_answers_as_in_pytorch(self.folder)

    def test_a_folder_with_a_fast_tokenizer(self):
        vocab = json.loads((GOLDEN / "text" / "vocab.json").read_text())
        merges = [line for line in (GOLDEN / "text" / "merges.txt").read_text().splitlines() if line and not line.startswith("#version")]
        last = max(vocab, key=vocab.get)
        model = {"type": "BPE", "vocab": {token: number for token, number in vocab.items() if token != last}}
        self.public(lambda tensors: None, "model.safetensors")
        self.write("config.json", json.dumps({"n_head": huggingface.HEADS, "activation_function": "gelu_new"}))
        for form in merges, [line.split(" ") for line in merges]:
            self.write("tokenizer.json", json.dumps({"added_tokens": [{"id": vocab[last], "content": last}], "decoder": {"type": "ByteLevel"},
                                                     "model": model | {"merges": form}}))
            self.assert_answers_as_in_pytorch(self.folder)
        self.write("tokenizer.json", json.dumps({"model": model | {"type": "Unigram"}}))
        run = glassgrad("convert", self.folder, self.folder / "x.safetensors")
        self.assertEqual(run.code, 1)
        self.assertIn("tokenizer.json: GPT-2's kind of tokenizer is read, a BPE of bytes (ByteLevel); this is Unigram", run.err)

    def test_rows_that_no_token_has_are_cut_off(self):
        tokens = len(huggingface.IDS)
        padded = (tokens + 63) // 64 * 64
        self.assertNotEqual(padded, tokens)

        def change(tensors):
            shape, data = tensors["wte.weight"]
            tensors["wte.weight"] = (padded, shape[1]), data + bytes(4 * shape[1] * (padded - tokens))
        file = self.public(change)
        self.assert_answers_as_in_pytorch(file, "--heads", huggingface.HEADS, *WORDS)
        self.assertEqual(weights_of(self.folder / "ours.safetensors")["tok_emb.weight"][1], [tokens, huggingface.WIDTH])

    def test_all_that_does_not_fit_is_named(self):
        def change(tensors):
            del tensors["h.0.ln_1.bias"], tensors["ln_f.weight"]
            tensors["h.1.mlp.c_fc.weight"] = (48, 12), tensors["h.1.mlp.c_fc.weight"][1]
            tensors["h.1.other"] = (1,), bytes(4)
        self.assert_fails(self.convert(self.public(change), "to", "--heads", 3, *WORDS), "h.0.ln_1.bias is missing",
                          "ln_f.weight is missing", "h.1.mlp.c_fc.weight is torch.float32 [48, 12], not",
                          "h.1.other is unexpected")
        self.assertFalse((self.folder / "to").exists())


LLAMA = ["--norm", "rms", "--positions", "rope", "--mlp", "swiglu"]


class Llama(Converting):
    def public(self, change=lambda tensors: None, **config):
        """A folder as PyTorch's users share it."""
        tensors = huggingface.llama_weights()
        change(tensors)
        folder = self.folder / "llama"
        folder.mkdir(exist_ok=True)
        write_model(folder / "model.safetensors", tensors)
        (folder / "config.json").write_text(json.dumps(huggingface.LLAMA | config))
        return folder

    def test_it_answers_as_in_pytorch(self):
        Public.assert_answers_as_in_pytorch(self, self.public(), *WORDS, line=1)
        model = json.loads(read_checkpoint(self.folder / "ours.safetensors")[0]["__metadata__"]["model"])
        self.assertEqual([model[k] for k in ("norm", "positions", "mlp", "kv_heads", "bias", "tie_weights")],
                         ["rms", "rope", "swiglu", 2, False, False])

    def test_names_without_model_and_tables_that_old_files_hold(self):
        def change(tensors):
            for name in list(tensors):
                tensors[name.removeprefix("model.")] = tensors.pop(name)
            tensors["layers.0.self_attn.rotary_emb.inv_freq"] = (2,), bytes(8)
        Public.assert_answers_as_in_pytorch(self, self.public(change), *WORDS, line=1)

    def test_every_bit_comes_back(self):
        for flags in ([], ["--kv-heads", 1], ["--kv-heads", 1, "--dropout", 0.1]):
            with self.subTest(flags):
                self.trained(*LLAMA, *flags, "--force")
                there = self.folder / self.converted(self.run_folder, "there", "--force")
                ours, theirs = weights_of(self.run_folder / "best.safetensors"), tensors_of(there)
                self.assertEqual(theirs["model.layers.0.self_attn.k_proj.weight"], ours["trf_blocks.0.att.W_key.weight"])
                self.assertEqual(theirs["model.layers.0.mlp.down_proj.weight"], ours["trf_blocks.0.ff.down.weight"])
                self.assertEqual(len(theirs), len(ours))  # lm_head shares the embeddings
                config = json.loads((there.parent / "config.json").read_text())
                keys = "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "rope_theta"
                self.assertEqual([config["architectures"], *(config[k] for k in keys)],
                                 [["LlamaForCausalLM"], 16, 48, 2, 1 if flags else 2, 10000])
                back = self.folder / self.converted("there", "back.safetensors", "--force")
                self.assertEqual(weights_of(back), ours)
                metadata = [read_checkpoint(p)[0]["__metadata__"] for p in (back, self.run_folder / "best.safetensors")]
                self.assertEqual(metadata[0]["model"], metadata[1]["model"])
                say = ["--prompt", "cats climb", "--greedy", "--max-tokens", 30]
                self.assertEqual(self.generate(*say, out=back).out, self.generate(*say).out)

    def test_parts_that_no_layout_holds(self):
        for flags in (["--norm", "rms"], ["--kv-heads", 1], ["--window", 3], LLAMA[:4], [*LLAMA, "--window", 3],
                      [*LLAMA[:3], "sinusoid", *LLAMA[4:]]):
            with self.subTest(flags):
                self.trained(*flags, "--force")
                self.assert_fails(self.convert(self.run_folder, "there"), "has no layout for a model of",
                                  f"{flags[0][2:].replace('-', '_')} {flags[1]}", "norm rms, positions rope and mlp swiglu")
                self.assertFalse((self.folder / "there").exists())

    def test_llamas_that_compute_otherwise(self):
        for config, words in (({"rope_theta": 500000.0}, "rope_theta must be 10000.0"),
                              ({"rms_norm_eps": 1e-6}, "rms_norm_eps must be"),
                              ({"rope_scaling": {"factor": 2}}, "rope_scaling must be null"),
                              ({"intermediate_size": 64}, "intermediate_size must be 48"),
                              ({"hidden_act": "gelu"}, "hidden_act must be"),
                              ({"hidden_size": 1 << 60}, "width 16, but its description says"),
                              ({"num_key_value_heads": 3}, "kv_heads must divide heads 4"),
                              ({"num_key_value_heads": 1}, "k_proj.weight is torch.float32 [8, 16], not torch.float32 [4, 16]"),
                              ({"max_position_embeddings": 0}, "context_length must be between 1")):
            with self.subTest(config):
                self.assert_fails(self.convert(self.public(**config), "to", *WORDS), words)
        (self.public() / "config.json").unlink()
        self.assert_fails(self.convert(self.folder / "llama", "to", *WORDS), "put its config.json there")
        folder = self.public(lambda tensors: tensors.pop("model.layers.1.mlp.up_proj.weight"))
        self.assert_fails(self.convert(folder, "to", *WORDS), "is no Llama of 2 layers", "layers.1.mlp.up_proj.weight is missing")


class Refusals(Converting):
    def refuse(self, *arguments, words, code):
        self.assert_fails(self.convert(*arguments), *words, code=code)
        self.assertFalse((self.folder / "to").exists())

    def test_what_the_weights_do_not_tell(self):
        file = self.public()
        self.refuse(file, "to", *WORDS, words=["how many heads", "--heads"], code=2)
        self.refuse(file, "to", "--heads", 5, *WORDS, words=["width 12 is not divisible by heads 5"], code=1)
        self.refuse(file, "to", "--heads", 3, words=["no tokenizer", "--vocab"], code=2)
        self.refuse(file, "to", "--heads", 3, *WORDS[:2], words=["go together"], code=2)
        self.write("config.json", '{"n_head": 4}')
        self.refuse(file, "to", "--heads", 3, *WORDS, words=["--heads 3", "config.json says: 4"], code=2)
        for text, word in (("[]", "JSON object"), ('{"n_head": "4"}', "n_head"),
                           ('{"n_head": 3, "activation_function": "relu"}', "relu"),
                           ('{"n_head": 3, "layer_norm_epsilon": 0.1}', "layer_norm_epsilon must be")):
            self.write("config.json", text)
            self.refuse(file, "to", *WORDS, words=["config.json", word], code=1)
        for size, word in (("n_layer", "layers 2"), ("n_embd", "width 12"), ("n_positions", "context length 24")):
            self.write("config.json", json.dumps({"n_head": 3, size: 7}))
            self.refuse(file, "to", *WORDS, words=[file, word, "says 7"], code=1)

    def test_files_that_are_no_models(self):
        self.refuse("nothing", "to", words=["nothing"], code=1)
        self.refuse(self.folder, "to", words=["holds no checkpoint"], code=1)
        data = self.public().read_bytes()
        self.refuse(self.write("cut", data[:-1]), "to", "--heads", 3, *WORDS, words=["cut"], code=1)
        other = write_model(self.folder / "other", {"weight": ((1,), bytes(4))})
        self.refuse(other, "to", "--heads", 3, *WORDS, words=["wte.weight"], code=1)
        flat = self.public(lambda tensors: tensors.update({"wpe.weight": ((4,), bytes(16))}))
        self.refuse(flat, "to", "--heads", 3, *WORDS, words=["wpe.weight must be a matrix"], code=1)

    def test_nothing_is_replaced_unasked(self):
        self.trained()
        old = self.write("old", "mine")
        self.assert_fails(self.convert(self.run_folder, "old"), "old: exists already", "--force")
        self.assert_fails(self.convert(self.run_folder, "old", "--force"), "old: cannot be made a folder")
        self.assertEqual(old.read_bytes(), b"mine")
        self.refuse(self.run_folder, "no/such/to", words=["no/such/to"], code=1)

    def test_wrong_flags(self):
        self.trained()
        file = self.public()
        for arguments, word in (([], "FROM TO"), ([file], "FROM TO"), ([file, "to", "--to", "keras"], "keras"),
                                ([self.run_folder, "to", "--to", "glassgrad"], "is a checkpoint"),
                                ([file, "to", "--to", "huggingface"], "is no checkpoint"),
                                ([file, "to", "--bf16"], "--bf16"), ([self.run_folder, "to", "--heads", 2], "--heads"),
                                ([file, "to", "--heads", 0], "--heads")):
            with self.subTest(arguments):
                self.refuse(*arguments, words=[word], code=2)


if __name__ == "__main__":
    unittest.main()
