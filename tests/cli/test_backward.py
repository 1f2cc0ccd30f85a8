#!/usr/bin/env python3
"""`learn --backward` and `gradcheck`: their forms, and what they answer to words that they do not know."""
import json
import re
import unittest

from program import ROOT, SANITIZED, glassgrad, learn, listed


class Backward(unittest.TestCase):
    def test_every_form_shows_the_same_steps(self):
        listed = re.findall(r"^ *\d+  (backward-\d+) ", learn("--backward", "--list").out, re.M)
        steps = json.loads(learn("--backward", "--format", "json").out)["steps"]
        self.assertGreater(len(listed), 100)
        self.assertEqual(listed, [step["id"] for step in steps])
        self.assertEqual(listed, re.findall(r", step (backward-\d+) ", learn("--backward").out))
        one = learn("--backward", "--from", "backward-49", "--to", "49")
        for words in ("SoftmaxBackward0: from attn_weights to scaled_scores",
                      "Raising scaled_scores[0,1,0] by a little raises the loss by 0.1698 times as much; none of its other numbers",
                      "- softmax_backward_data: y · (g − Σ g·y) (g: what arrives, y: the result)",
                      "- grad_attn_weights arrives from the expand of attn_weights (backward-48).",
                      "- grad_scaled_scores goes on to the div that made scaled_scores (backward-50).",
                      "docs/journey.md#causal-weights"):
            self.assertIn(" ".join(words.split()), " ".join(one.out.split()))
        for form in ("--plain", "--speak", "--format=markdown"):
            self.assertEqual(learn("--backward", "--from", "49", "--to", "49", form).code, 0, form)

    def test_the_leaves_have_the_gradients_that_pytorch_finds(self):
        steps = json.loads(learn("--backward", "--format", "json").out)["steps"]
        leaves = {t["name"]: t["data"] for step in steps for t in step["tensors"]}
        golden = {"ca.W_query.weight.grad": [[.0627, .0960, .0662], [.0306, .0456, .0323]],
                  "ca.W_key.weight.grad": [[.0155, .0715, -.0203], [.0034, .0112, -.0028]],
                  "ca.W_value.weight.grad": [[2.8251, 3.0572, 4.0758]] * 2}
        for name, rows in golden.items():  # PyTorch's, for one sentence; the lesson's batch has it twice
            for found, expected in zip(sum(leaves[name], []), sum(rows, []), strict=True):
                self.assertAlmostEqual(found, 2 * expected, delta=2e-4, msg=name)

    def test_gradients_that_meet_are_said_to(self):
        out = " ".join(learn("--backward", lesson="single-and-multi").out.split())
        self.assertRegex(out, r"embeddings was used 3 times, so its gradient is a sum: grad_embeddings adds up what "
                              r"arrives from the view of embeddings( \(backward-\d+\) and the view of embeddings){2} \(")
        self.assertRegex(out, r"By this way alone, raising tokens\[|By this way alone, raising embeddings\[")

    def test_what_goes_nowhere_says_so(self):
        for arguments, code, words in (
                (["learn", "journey", "--backward", "--outputs"], 2, "--outputs"),
                (["learn", "journey", "--backward", "--from", "backward-999"], 2, "did you mean")):
            answer = glassgrad(*arguments)
            self.assertEqual((answer.code, answer.err.count("\n")), (code, 1), answer.err)
            self.assertIn(words, answer.err)


class Page(unittest.TestCase):
    def test_what_the_page_quotes_is_what_the_program_says(self):
        page = (ROOT / "docs" / "backward.md").read_text()
        quotations = re.findall(r"<!-- glassgrad (.*?) -->\n```\n(.*?)```", page, re.S)
        self.assertEqual(len(quotations), 1)
        for command, text in quotations:
            self.assertIn(text.rstrip("\n"), glassgrad(*command.split()).out, command)


class Gradcheck(unittest.TestCase):
    def test_a_class_passes_parameter_by_parameter(self):
        answer = glassgrad("gradcheck", "journey.CausalAttention")
        self.assertEqual(answer.code, 0, answer.err)
        self.assertEqual(re.findall(r"^ok  (\S+) +(\d+) cells  worst \S+ at \[\d,\d\]: \S+ and \S+$", answer.out, re.M),
                         [("W_query.weight", "16"), ("W_key.weight", "16"), ("W_value.weight", "16")])
        self.assertEqual(glassgrad("gradcheck", "journey.CausalAttention").out, answer.out)

    def test_every_lesson_passes(self):
        lessons = listed(glassgrad("docs").out)
        if SANITIZED:  # every third short lesson: the walkthroughs are slow, and gpt trains for each cell
            long = ("journey", "gpt-attention", "single-and-multi", "cat", "climb", "gpt")
            lessons = [lesson for lesson in lessons if lesson[0] not in long][::3]
        for lesson, _, _ in lessons:
            answer = glassgrad("gradcheck", lesson, "--cells", "1")
            if lesson == "rnn.why":  # its passes start inside a function, from local names
                self.assertIn("names no loss that one of its parameters leads to", answer.err)
            else:
                self.assertEqual((answer.code, answer.err), (0, ""), lesson)
            if lesson != "lab":
                self.assertNotIn("leaf#", learn("--backward", "--list", lesson=lesson).out)  # every leaf has a name

    def test_a_lesson_passes(self):
        checked = json.loads(glassgrad("gradcheck", "journey", "--cells", "2", "--format", "json").out)
        names = [p["name"] for p in checked["parameters"]]
        self.assertIn("sa_v2.W_query.weight", names)
        self.assertTrue(all(p["ok"] and p["cells"] == 2 for p in checked["parameters"]))

    def test_too_large_a_step_is_a_mismatch(self):
        answer = glassgrad("gradcheck", "journey.CausalAttention", "--eps", "1")
        self.assertEqual(answer.code, 1)
        self.assertRegex(answer.out, r"(?m)^OFF W_query.weight")
        self.assertIn("2 of 3 parameters of journey.CausalAttention are off, first W_query.weight[", answer.err)

    def test_words_it_does_not_know(self):
        for arguments, words in ((["journe"], "did you mean journey?"),
                                 (["journey.CausalAtention"], "did you mean journey.CausalAttention?"),
                                 (["journey", "--eps", "0"], "--eps"), (["journey", "--eps", "nan"], "--eps"),
                                 (["journey", "--cells", "0"], "--cells"), (["journey", "--seed", "x"], "--seed"),
                                 (["journey", "--format", "xml"], "--format")):
            answer = glassgrad("gradcheck", *arguments)
            self.assertEqual((answer.code, answer.out, answer.err.count("\n")), (2, "", 1), arguments)
            self.assertIn(words, answer.err)


if __name__ == "__main__":
    unittest.main()
