#!/usr/bin/env python3
"""`learn gpt --model`: the lesson on a model that was trained."""
import json
import math
import os
import re
import unittest

from lesson import flat, shape_of
from program import glassgrad
from terminal import Terminal
from training import SMALL, Folder

TOKENS = ["cats", "␣climb", "␣trees", "␣during"]


class ModelFolder(Folder):
    def setUp(self):
        super().setUp()
        self.trained()

    def learn(self, *arguments):
        return glassgrad("learn", "gpt", "--model", self.run_folder, *arguments, cwd=self.folder, encoding="utf-8")

    def shown(self, *arguments):
        run = self.learn(*arguments)
        self.assertEqual((run.code, run.err), (0, ""))
        return " ".join(run.out.split())

    def tensors(self, *arguments):
        """By address, and the tokens."""
        run = json.loads(self.shown("--format", "json", *arguments))
        return {f"{step['id']}:{t['name']}": t["data"] for step in run["steps"] for t in step["tensors"]}, run["tokens"]


class Lesson(ModelFolder):
    def test_it_has_a_page(self):
        tensors, tokens = self.tensors()
        run = self.learn("--html", "-")
        self.assertEqual((run.code, run.err), (0, ""))
        page = json.loads(re.search(r'id="data">(.*?)</script>', run.out, re.S)[1])
        self.assertEqual((page["tokens"], page["flags"], page["settings"]), (tokens, None, []))
        self.assertEqual({f"{step['id']}:{entry['name']}" for step in page["forward"] for entry in step["entries"]
                          if entry["numbers"] is not None}, set(tensors))
        self.assertGreater(len(page["backward"]), 20)

    def test_it_shows_what_the_model_computes(self):
        tensors, tokens = self.tensors()
        self.assertEqual(tokens, TOKENS)
        inspected = json.loads(glassgrad("inspect", self.run_folder, "--text", "cats climb trees during", "--format",
                                         "json", encoding="utf-8").out)
        theirs = {f"{s['id']}:{t['name']}": t["data"] for s in inspected["steps"] for t in s["tensors"]}
        for ours, other in (("positions:x", "embeddings:x"), ("norm:normed", "layer-0-projections:normed"),
                            ("projections:values", "layer-0-projections:values"),
                            ("scores:scores", "layer-0-scores:attn_scores"),
                            ("masked-scores:masked", "layer-0-scaled-scores:scaled_scores"),
                            ("weights:weights", "layer-0-weights:attn_weights"),
                            ("residual:attended", "layer-0-context:attended"),
                            ("gelu:activated", "layer-0-feed-forward:activated"),
                            ("feed-forward:x", "layer-0-feed-forward:x"), ("final-norm:normed",) * 2,
                            ("logits:logits",) * 2, ("probabilities:probabilities", "next-token:probabilities")):
            for mine, right in zip(flat(tensors[ours]), flat(theirs[other]), strict=True):
                self.assertTrue(mine == right or abs(mine - right) < 1e-6, ours)
        self.assertEqual(tensors["weights:trf_blocks.0.att.looks"], [head[-1] for head in tensors["weights:weights"][0]])
        for row, average, variance in zip(tensors["positions:x"][0], tensors["norm:mean"][0], tensors["norm:variance"][0]):
            self.assertAlmostEqual(sum(row) / len(row), average, places=6)
            self.assertAlmostEqual(sum((v - average) ** 2 for v in row) / len(row), variance, places=6)

    def test_its_sentences_tell_its_numbers(self):
        tensors, _ = self.tensors()
        text = self.shown()
        for h, w in enumerate(tensors["weights:weights"][0]):
            self.assertIn(f'in head {h} of block 0 at "{TOKENS[w[3].index(max(w[3]))]}", {max(w[3]):.4f}', text)
        best = max(tensors["probabilities:probabilities"])
        self.assertRegex(text, rf'the model expects "\S+" with {best:.4f}')
        for words in ("4 steps of training", "the model's word tokenizer", "glassgrad learn gpt --model",
                      "With all heads", "numbers were learned"):
            self.assertIn(words, text)
        for words in "sentences such as", "docs/gpt.md", "held_out", "cats climb, so the model cannot know":
            self.assertNotIn(words, text + self.shown("--speak") + self.shown("--format", "markdown"))

    def test_addresses_and_steps(self):
        listed = self.shown("--list", "--from", "projections", "--to", "weights")
        self.assertIn("masked-scores", listed)
        self.assertNotIn("residual", listed)
        self.assertRegex(self.shown("--plain", "--from", "weights"), r"# weights:weights tensor\(\[\[\[\[1\.0000")
        self.assertIn("step tokens", self.shown("--step"))
        self.assert_fails(self.learn("--from", "wieghts"), "did you mean weights?", f"--model {self.run_folder} --list", code=2)
        self.assertIn("likeliest:", self.learn("--outputs").out)

    def test_full_screen(self):
        with Terminal("learn", "gpt", "--model", self.run_folder, "--from", "weights", lines=24, columns=80) as t:
            t.until(" gpt  10/24", "weights", "q quit")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_several_blocks_and_one_head(self):
        run = self.train("--layers", 3, "--heads", 1, *SMALL[4:], "--steps", 1, "--lr", 0, "--seed", 5, "--force")
        self.assertEqual((run.code, run.err), (0, ""))
        tensors, _ = self.tensors()
        for block in range(3):
            self.assertEqual(shape_of(tensors[f"weights:trf_blocks.{block}.att.looks"]), (1, 4))
        likeliest = max(tensors["probabilities:probabilities"])
        self.assertLess(abs(math.log(likeliest) + math.log(len(tensors["probabilities:probabilities"]))), 0.5)
        text = self.shown()
        for words in ("has 3 blocks, one after the other", "cut into 1 piece of 16", "That was the last of 3 blocks",
                      "without head 0 of block 2:"):
            self.assertIn(words, text)
        self.assertNotIn("The heads work side by side", text)

    def test_one_token_and_more_than_fit(self):
        one, tokens = self.tensors("--text", "cats")
        self.assertEqual((tokens, flat(one["weights:weights"])), (["cats"], [1, 1]))
        text = self.shown("--text", "cats" + " climb" * 10)
        self.assertIn("longer by 3 tokens, but the model sees only 8 at once", text)
        self.assertIn("one text with 8 tokens", text)

    def test_other_tokens_and_texts_of_its_own(self):
        text = self.write("text", "the dog ran to the red house\n" * 100)
        for kind in ("char", "byte", "bpe", "word"):
            self.trained("--text", text, "--tokenizer", kind, *(["--vocab", 270] if kind == "bpe" else []), "--force")
            self.assertIn(f"the model's {kind} tokenizer", self.shown("--text", "the dog"))
            if kind == "byte":
                run = self.learn("--text", os.fsdecode(b"\xff\x1b[1m'\n"), "--to", "embeddings")
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertNotIn("\x1b", run.out)
                self.assertIn("--text $'\\xff\\x1b[1m\\x27\\x0a'", run.out)
        self.assertEqual(len(self.tensors()[1]), 8)  # from the text that it was trained on
        text.unlink()
        self.assert_fails(self.learn(), "has never seen the words", "text: cannot be", "give --text TEXT", code=2)

    def test_what_does_not_go_together(self):
        for flags, words in ((["--text", "zebras"], ["'zebras'", "did you mean"]),
                             (["--text", "cats tree"], ["'␣tree'", "'␣trees'"]),
                             (["--width", 4], ["leave --width 4 out"]), (["--tokens", "a"], ["leave --tokens a out"]),
                             (["--format", "python"], ["leave --model out"]), (["--text="], ["--text"])):
            with self.subTest(flags):
                self.assert_fails(self.learn(*flags), *words, code=2)
        for arguments, words, code in ((["journey", "--model", self.run_folder], ["lesson gpt", "not with journey"], 2),
                                       (["climb", "--model", self.run_folder], ["lesson gpt"], 2),
                                       (["gpt", "--text", "cats"], ["--model"], 2),
                                       (["gpt", "--model", self.folder / "no"], ["no"], 1),
                                       (["gpt", "--model", self.folder], ["holds no checkpoint"], 1)):
            self.assert_fails(glassgrad("learn", *arguments), *words, code=code)
        data = (self.run_folder / "last.safetensors").read_bytes()
        self.assert_fails(glassgrad("learn", "gpt", "--model", self.write("cut", data[:len(data) // 2])), "truncated", "tensor")

    def test_a_lesson_of_ones_own(self):
        head = "# Mine\n\n```lesson\nunderstand: which lines run\nminutes: 1\n```\n\n### One {#one}\n\n"
        plain, of_model = "```python\nwidth = 3\nprint(width)\n```\n\n", "```python model\nwidth = 3  #: width\nprint(width + 1)\n```\n"
        mine = self.write("my.md", head + plain + of_model)
        self.assertEqual(glassgrad("learn", mine, "--outputs").out, "3\n")
        self.assertEqual(glassgrad("learn", mine, "--lint").code, 0)
        self.assert_fails(glassgrad("learn", mine, "--model", self.run_folder), "has no weights", code=2)
        for text, *words in ((of_model, "my.md:10: python model", "right above"),
                             (plain + of_model.replace("#: width", "#: depth"), "my.md:16: #: depth", "no value of a model")):
            mine = self.write("my.md", head + text)
            self.assert_fails(glassgrad("learn", mine, "--model", self.run_folder), *words)


class Opened(ModelFolder):
    """Backward, what if, predict: what a lesson answers, a model does."""

    def why(self, *addresses, text="cats climb trees during", arguments=()):
        return glassgrad("why", self.run_folder, *addresses, "--text", text, *arguments, cwd=self.folder, encoding="utf-8")

    def test_gradients_are_slopes(self):
        id = self.tensors()[0]["tokens:ids"][0][2]
        addresses = [f"given:tok_emb.weight[{id},2]", "trf_blocks.0.att.W_query.weight[3,1]", "trf_blocks.0.ff.layers.2.bias[5]",
                     "layer-0-weights:attn_weights[0,1,2,1]", "layer-0-scores:attn_scores[0,0,2,1]", "embeddings:x[0,1,3]",
                     "final-norm:normed[0,1,0]", "logits:logits[0,0,4]", "loss:loss"]
        run = self.why(*addresses, arguments=["--backward", "--format", "json"])
        self.assertEqual((run.code, run.err), (0, ""))
        found = [json.loads(line) for line in run.out.splitlines()]
        for address, opened in zip(addresses, found, strict=True):
            self.assertEqual((opened["gradient_of"].split(":")[-1], opened["loss"]), (address.split(":")[-1], "loss"))
            self.assertLess(abs(opened["value"] - opened["difference"]), 1e-6 + 1e-4 * abs(opened["difference"]), address)
        self.assertEqual(found[-1]["value"], 1)
        text = self.why("layer-0-weights:attn_weights[0,1,2,1]", arguments=["--backward"]).out
        for words in ("The gradient of loss by layer-0-weights:attn_weights[0,1,2,1]\n", "\nCentral difference, in float64:\n"):
            self.assertIn(words, text)

    def test_gradients_of_the_lesson_are_slopes(self):
        id = self.tensors()[0]["tokens:ids"][0][2]
        addresses = [f"model.tok_emb.weight[{id},2]", "model.trf_blocks.0.att.W_query.weight[3,1]",
                     "weights:weights[0,1,3,1]", "loss:loss"]
        run = glassgrad("why", "gpt", "--model", self.run_folder, *addresses, "--backward", "--format", "json",
                        cwd=self.folder, encoding="utf-8")
        self.assertEqual((run.code, run.err), (0, ""))
        for line in run.out.splitlines():
            opened = json.loads(line)
            self.assertLess(abs(opened["value"] - opened["difference"]), 1e-6 + 1e-4 * abs(opened["difference"]), line)
        given = glassgrad("why", "gpt", "--model", self.run_folder, addresses[0], encoding="utf-8").out
        self.assertNotIn("copy_", given)
        graph = glassgrad("graph", "gpt", "loss:loss", "--model", self.run_folder, "--format", "text", encoding="utf-8")
        self.assertEqual((graph.code, graph.err), (0, ""))

    def test_backward_steps(self):
        steps = json.loads(self.shown("--backward", "--format", "json"))["steps"]
        leaves = [t["name"] for t in steps[-1]["tensors"]]
        for name in "tok_emb.weight", "pos_emb.weight", "trf_blocks.0.att.W_query.weight", "final_norm.bias":
            self.assertIn(f"model.{name}.grad", leaves)
        self.assertIn("SoftmaxBackward0: from weights to masked", {s["title"] for s in steps})
        single = self.learn("--backward", "--text", "cats", "--list")
        self.assertEqual((single.code, single.err), (0, ""))
        self.assert_fails(self.why("logits:logits[0,0,1]", text="cats", arguments=["--backward"]), "a single token")

    def test_a_number_that_is_set(self):
        before, _ = self.tensors()
        id = before["tokens:ids"][0][2]
        weight = before["embeddings:tok_emb.weight"][id][2]
        losses = []
        for change in 0.02, -0.02:
            now, _ = self.tensors("--set", f"tok_emb.weight[{id},2]={weight + change!r}")
            self.assertAlmostEqual(now["embeddings:tok_embeds"][0][2][2], weight + change, places=6)
            self.assertEqual(now["embeddings:tok_embeds"][0][1], before["embeddings:tok_embeds"][0][1])
            losses.append(now["loss:loss"])
        gradient = json.loads(glassgrad("why", "gpt", "--model", self.run_folder, f"tok_emb.weight[{id},2]", "--backward",
                                        "--format", "json", encoding="utf-8").out)["value"]
        self.assertLess(abs((losses[0] - losses[1]) / 0.04 - gradient), 1e-3 + 0.05 * abs(gradient))

        now, _ = self.tensors("--set", "masked-scores:future[0,1]=0")
        self.assertEqual(now["masked-scores:future"][0][:3], [False, False, True])
        self.assertGreater(now["weights:weights"][0][0][0][1], 0)
        self.assertEqual(now["weights:weights"][0][0][1:], before["weights:weights"][0][0][1:])

        said = self.shown("--set", "weights:weights[0,0,3,0]=2")
        self.assertIn("Set: weights:weights[0,0,3,0] ", said)
        self.assertIn("The first step that changes is 10, weights;", said)
        self.assertEqual(self.tensors()[0], before)

    def test_another_token(self):
        other, names = self.tensors("--text", "cats climb trees guard")
        now, same = self.tensors("--set", f"ids[0,3]={other['tokens:ids'][0][3]}")
        self.assertEqual(now, other)
        self.assertEqual(same, names)

    def test_predict(self):
        sheet = self.shown("--predict", "exam", "--format", "markdown")
        answers = re.findall(r"\S+:\S+=\S+", sheet[sheet.rindex("page-break-after"):])
        self.assertEqual(len(answers), 10)
        run = self.learn("--answers", self.write("answers.txt", "\n".join(answers)))
        self.assertEqual((run.code, run.out, run.err), (0, "10 of 10 right (100 %).\n", ""))
        wrong = [re.sub("=.*", "=12345", answers[0]), *answers[1:]]
        self.assert_fails(self.learn("--answers", self.write("answers.txt", "\n".join(wrong))), "90 %")

    def test_on_the_screen(self):
        with Terminal("learn", "gpt", "--model", self.run_folder, "--text", "cats climb trees", "--from", "weights",
                      lines=40, columns=120) as t:
            t.until(" gpt  10/24", "q quit")
            for keys, *words in [("\t", "weights:weights[0,0,0,0]"), ("e", "weights[0,0,0,0] ="),
                                 ("0.5\r", "[0.5000]", "r takes it back"), ("r", "As it was.", "[1.0000]"),
                                 ("r", "Nothing is set."), ("ex\r", "'x' is not a number"), ("\t", "p predict"),
                                 ("emodel.trf_blocks.0.att.W_query.weight[0,0]=3\r", "r takes it back"), ("r", "As it was."),
                                 ("eids[0,1]=-1\r", "there is no token -1"),
                                 ("B", "SoftmaxBackward0: from weights to masked"), ("B", " gpt  10/24"),
                                 ("p", "Predict:"), ("\x1b", "Tab cells"), ("G", "24/24")]:
                t.send(keys)
                with self.subTest(keys):
                    t.until(*words)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_what_is_not_there(self):
        for address, *words in (("layer-0-weight:attn_weights[0,0,0,0]", "did you mean layer-0-weights?",
                                 f"`glassgrad why {self.run_folder} --text 'cats climb trees during'"),
                                ("layer-0-weights:attn_weight[0,0,0,0]", "did you mean attn_weights?"),
                                ("layer-0-weights:attn_weights[0,0,4,0]", "index 3 goes from 0 to 3"),
                                ("layer-0-weights:attn_weights[0,0]", "needs 4 indices, not 2"),
                                ("tok_emb.wieght[0,0]", "did you mean tok_emb.weight?"),
                                ("given:tok_embweight[0,0]", "did you mean tok_emb.weight?"),
                                ("tok_emb.weight[0,99]", "index 2 goes from 0 to 15")):
            for flags in [], ["--backward"]:
                self.assert_fails(self.why(address, arguments=flags), *words, code=2)
        self.assert_fails(self.why("zeroed-head:probabilities[0]", arguments=["--backward"]), "has no gradient", code=2)
        for change, words, code in (("weights:weights[0,0,0,9]=1", "goes from 0 to 3", 2),
                                    ("weightz:weights[0,0,0,0]=1", "did you mean weights?", 2),
                                    ("weight_s[0,0,0,0]=1", "did you mean weights?", 2),
                                    ("tok_emb.weight[0,0]=big", "'big' is not a number", 2),
                                    ("ids[0,0]=1.5", "'1.5' is not a whole number", 2),
                                    ("ids[0,0]=99999", "there is no token 99999", 1)):
            self.assert_fails(self.learn("--set", change), words, code=code)


if __name__ == "__main__":
    unittest.main()
