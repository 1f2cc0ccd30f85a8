#!/usr/bin/env python3
"""`learn climb --model`: the lesson on a model that was trained."""
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
        return glassgrad("learn", "climb", "--model", self.run_folder, *arguments, cwd=self.folder, encoding="utf-8")

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
        for ours, other in (("embeddings:x",) * 2, ("norm:normed", "layer-0-projections:normed"),
                            ("projections:values", "layer-0-projections:values"),
                            ("scores:attn_scores", "layer-0-scores:attn_scores"),
                            ("masked-scores:masked_scores", "layer-0-masked-scores:masked_scores"),
                            ("weights:attn_weights", "layer-0-weights:attn_weights"),
                            ("combined:attended", "layer-0-context:attended"),
                            ("gelu:activated", "layer-0-feed-forward:activated"),
                            ("feed-forward:x", "layer-0-feed-forward:x"), ("final-norm:normed",) * 2,
                            ("logits:logits",) * 2, ("next-token:probabilities",) * 2):
            self.assertEqual(tensors[ours], theirs[other], ours)
        for row, average, variance in zip(tensors["embeddings:x"][0], tensors["norm:mean"][0], tensors["norm:variance"][0]):
            self.assertAlmostEqual(sum(row) / len(row), average, places=6)
            self.assertAlmostEqual(sum((v - average) ** 2 for v in row) / len(row), variance, places=6)

    def test_its_sentences_tell_its_numbers(self):
        tensors, _ = self.tensors()
        text = self.shown()
        weights = tensors["weights:attn_weights"][0]
        looks = (f'in head {h} "{TOKENS[w[3].index(max(w[3]))]}", {max(w[3]):.4f}' for h, w in enumerate(weights))
        self.assertIn("; ".join(looks), text)
        values = tensors["next-token:top_probabilities"]
        self.assertEqual(values, sorted(tensors["next-token:probabilities"], reverse=True)[:5])
        self.assertIn(f'{values[0]:.4f}', text[text.index("the model expects"):][:60])
        self.assertIn("after 4 steps of training", text)
        self.assertIn(f'costs {tensors["untrained-next-token:losses"][1]:.4f} now', text)
        self.assertIn("glassgrad learn climb --model", text)
        self.assertNotIn("docs/climb.md", text + self.shown("--speak") + self.shown("--format", "markdown"))

    def test_addresses_and_steps(self):
        listed = self.shown("--list", "--from", "2.2", "--to", "weights")
        self.assertIn("projections", listed)
        self.assertNotIn("residual", listed)
        self.assertIn("# weights:attn_weights tensor([[[[1.0000, 0.0000", self.shown("--plain", "--from", "weights"))
        self.assertIn("section 1.1, step tokens", self.shown("--step"))
        self.assert_fails(self.learn("--from", "wieghts"), "did you mean weights?", f"--model {self.run_folder} --list", code=2)

    def test_full_screen(self):
        with Terminal("learn", "climb", "--model", self.run_folder, "--from", "weights", lines=24, columns=80) as t:
            t.until(" climb  8/21  section 2.2  weights", "glassgrad learn climb --model", "q quit")
            t.send("\x1b[F")
            t.until("␣during", "row sum")
            for keys, words in (("[", " cat  1/"), ("]", " climb  8/21  section 2.2  weights"), ("]", " autograd.order  1/")):
                t.send(keys)
                t.until(words)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_without_training_it_is_the_fresh_model(self):
        run = self.train("--layers", 3, "--heads", 1, *SMALL[4:], "--steps", 1, "--lr", 0, "--seed", 5, "--force")
        self.assertEqual((run.code, run.err), (0, ""))
        tensors, _ = self.tensors()
        self.assertEqual(tensors["untrained-next-token:probabilities"], tensors["next-token:probabilities"])
        self.assertEqual(tensors["untrained-weights:attn_weights"], tensors["weights:attn_weights"])
        before, now = tensors["untrained-next-token:losses"]
        self.assertEqual(before, now)
        self.assertLess(abs(now - math.log(len(tensors["next-token:probabilities"]))), 0.2)
        self.assertEqual(shape_of(tensors["block-2:attn_weights"]), (1, 1, 4, 4))
        self.assertIn("The model has one head", self.shown())

    def test_one_token_and_more_than_fit(self):
        one, tokens = self.tensors("--text", "cats")
        self.assertEqual((tokens, flat(one["weights:attn_weights"])), (["cats"], [1, 1]))
        self.assertNotIn("untrained-next-token:losses", one)
        text = self.shown("--text", "cats" + " climb" * 10)
        self.assertIn("longer by 3 tokens, but the model sees only 8 at once", text)
        self.assertIn("8 tokens of the", text)

    def test_other_tokens_and_texts_of_its_own(self):
        text = self.write("text", "the dog ran to the red house\n" * 100)
        for kind in ("char", "byte", "bpe", "word"):
            self.trained("--text", text, "--tokenizer", kind, *(["--vocab", 270] if kind == "bpe" else []), "--force")
            self.assertIn(f"its {kind} tokenizer", self.shown("--text", "the dog"))
            if kind == "byte":
                run = self.learn("--text", os.fsdecode(b"\xff\x1b[1m'\n"), "--to", "embeddings")
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertNotIn("\x1b", run.out)
                self.assertIn("--text $'\\xff\\x1b[1m\\x27\\x0a'", run.out)
        self.assertEqual(len(self.tensors()[1]), 8)  # of the text that it has learned
        text.unlink()
        self.assert_fails(self.learn(), "has never seen the words", "text: cannot be", "give --text TEXT", code=2)

    def test_what_does_not_go_together(self):
        for flags, words in ((["--text", "zebras"], ["'zebras'", "did you mean"]),
                             (["--text", "cats tree"], ["'␣tree'", "'␣trees'"]),
                             (["--width", 4], ["leave --width 4 out"]), (["--tokens", "a"], ["leave --tokens a out"]),
                             (["--outputs"], ["--plain"]), (["--text="], ["--text"])):
            with self.subTest(flags):
                self.assert_fails(self.learn(*flags), *words, code=2)
        for arguments, words, code in ((["journey", "--model", self.run_folder], ["lesson climb", "journey"], 2),
                                       (["climb", "--text", "cats"], ["--model"], 2),
                                       (["climb", "--model", self.folder / "no"], ["no"], 1),
                                       (["climb", "--model", self.folder], ["holds no checkpoint"], 1)):
            self.assert_fails(glassgrad("learn", *arguments), *words, code=code)
        data = (self.run_folder / "last.safetensors").read_bytes()
        self.assert_fails(glassgrad("learn", "climb", "--model", self.write("cut", data[:len(data) // 2])), "truncated", "tensor")



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

    def test_backward_steps(self):
        steps = json.loads(self.shown("--backward", "--format", "json"))["steps"]
        leaves = [t["name"] for t in steps[-1]["tensors"]]
        for name in "tok_emb.weight", "pos_emb.weight", "trf_blocks.0.att.W_query.weight", "final_norm.bias":
            self.assertIn(name + ".grad", leaves)
        self.assertIn("The loss and its gradient", steps[0]["title"])
        self.assertIn("SoftmaxBackward0: from attn_weights to scaled_scores", {s["title"] for s in steps})
        single = self.learn("--backward", "--text", "cats")
        self.assert_fails(single, "a single token", "longer --text")
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
            self.assertEqual(now["untrained-weights:attn_weights"], before["untrained-weights:attn_weights"])
            losses.append(now["loss:loss"])
        gradient = json.loads(self.why(f"tok_emb.weight[{id},2]", arguments=["--backward", "--format", "json"]).out)["value"]
        self.assertLess(abs((losses[0] - losses[1]) / 0.04 - gradient), 1e-3 + 0.05 * abs(gradient))

        now, _ = self.tensors("--set", "masked-scores:mask_bool[0,1]=0")
        self.assertEqual(now["masked-scores:mask_bool"][0][:3], [False, False, True])
        self.assertGreater(now["weights:attn_weights"][0][0][0][1], 0)
        self.assertEqual(now["weights:attn_weights"][0][0][1:], before["weights:attn_weights"][0][0][1:])

        said = self.shown("--set", "weights:attn_weights[0,0,3,0]=2")
        self.assertIn("Set: weights:attn_weights[0,0,3,0] ", said)
        self.assertIn("The first step that changes is 8, weights;", said)
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
        with Terminal("learn", "climb", "--model", self.run_folder, "--text", "cats climb trees", "--from", "weights",
                      lines=40, columns=120) as t:
            t.until(" climb  8/21", "q quit")
            for keys, *words in [("\t", "weights:attn_weights[0,0,0,0]"), ("e", "attn_weights[0,0,0,0] ="),
                                 ("0.5\r", "[0.5000]", "r takes it back"), ("r", "As it was.", "[1.0000]"),
                                 ("r", "Nothing is set."), ("ex\r", "'x' is not a number"), ("\t", "B backward"),
                                 ("etrf_blocks.0.att.W_query.weight[0,0]=3\r", "r takes it back"), ("r", "As it was."),
                                 ("eids[0,1]=-1\r", "there is no token -1"),
                                 ("B", "SoftmaxBackward0: from attn_weights to scaled_scores"), ("B", " climb  8/21"),
                                 ("p", "Predict:"), ("\x1b", "Tab cells"), ("G", "21/21")]:
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
        for change, words, code in (("weights:attn_weights[0,0,0,9]=1", "goes from 0 to 3", 2),
                                    ("weightz:attn_weights[0,0,0,0]=1", "did you mean weights?", 2),
                                    ("attn_weight[0,0,0,0]=1", "did you mean attn_weights?", 2),
                                    ("tok_emb.weight[0,0]=big", "'big' is not a number", 2),
                                    ("ids[0,0]=1.5", "'1.5' is not a whole number", 2),
                                    ("ids[0,0]=99999", "there is no token 99999", 1)):
            self.assert_fails(self.learn("--set", change), words, code=code)


if __name__ == "__main__":
    unittest.main()
