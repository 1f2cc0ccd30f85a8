#!/usr/bin/env python3
"""torch.autograd.detect_anomaly: PyTorch's errors, the line of the program, and that nothing else changes."""
import unittest
import warnings

import glassgrad as torch

HINT = ("Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!")


def root_of_zero(x):
    return (torch.sqrt(x) * 0).sum()  # 0 · 1/(2·√0)


class Anomalies(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)

    def test_the_first_nan_is_named_with_the_line_that_led_to_it(self):
        x = torch.zeros(2, requires_grad=True)
        with torch.autograd.detect_anomaly():
            loss = root_of_zero(x)
            with warnings.catch_warnings(record=True) as told, self.assertRaises(RuntimeError) as error:
                warnings.simplefilter("always")
                loss.backward()
        self.assertEqual(str(error.exception), "Function 'SqrtBackward0' returned nan values in its 0th output.")
        self.assertIn("Error detected in SqrtBackward0.", str(told[0].message))
        self.assertIn("torch.sqrt(x) * 0", str(told[0].message))
        self.assertIsNone(x.grad)
        self.assertFalse(torch.is_anomaly_enabled())
        root_of_zero(x).backward()  # no error outside of detect_anomaly
        self.assertTrue(x.grad.isnan().all())

    def test_which_output_has_it(self):
        x = torch.zeros(2, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True), self.assertRaises(RuntimeError) as error:
            (x / x).sum().backward()
        self.assertEqual(str(error.exception), "Function 'DivBackward0' returned nan values in its 1th output.")

    def test_finite_gradients_are_as_without_it(self):
        x = torch.tensor([1.0, 4.0], requires_grad=True)
        with torch.autograd.detect_anomaly():
            torch.sqrt(x).sum().backward()
        self.assertEqual(x.grad.tolist(), [0.5, 0.25])

    def test_on_and_off(self):
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        self.assertTrue(torch.is_anomaly_enabled())
        self.assertFalse(torch.is_anomaly_check_nan_enabled())
        x = torch.zeros(2, requires_grad=True)
        root_of_zero(x).backward()
        with torch.autograd.set_detect_anomaly(False):
            self.assertFalse(torch.is_anomaly_enabled())
        self.assertTrue(torch.is_anomaly_enabled())
        torch.autograd.set_detect_anomaly(False)
        self.assertFalse(torch.is_anomaly_enabled())

    def test_it_does_not_advise_itself(self):
        x = torch.ones(2, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True), self.assertRaises(RuntimeError) as error:
            y = x.exp()
            y.add_(1)
            y.sum().backward()
        self.assertTrue(str(error.exception).endswith("expected version 0 instead. " + HINT))


if __name__ == "__main__":
    unittest.main()
