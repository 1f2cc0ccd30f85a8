#!/usr/bin/env python3
"""Batches of numpy's arrays and numbers, and what workers of a DataLoader keep to themselves."""
import unittest

import glassgrad as torch
from glassgrad.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, default_collate, default_convert

try:
    import numpy as np
except ImportError:
    np = None


@unittest.skipIf(np is None, "numpy is not installed")
class Numpy(unittest.TestCase):
    def test_kinds_keep_their_dtypes(self):
        for example, dtype in ((np.float32(1.5), torch.float32), (np.float64(1), torch.float64), (np.int32(1), torch.int32),
                               (np.uint8(7), torch.uint8), (np.bool_(True), torch.bool), (np.float16(1), torch.float16),
                               (np.arange(2, dtype="int16"), torch.int16), (np.array(3), torch.int64)):
            batch = default_collate([example, example])
            self.assertEqual((batch.dtype, batch.tolist()), (dtype, [example.tolist()] * 2))
            self.assertEqual(default_convert(example).dtype, dtype)

    def test_texts_and_objects(self):
        for array, kind in ((np.array(["a"]), "<U1"), (np.array([None]), "object")):
            with self.assertRaisesRegex(TypeError, f"numbers, dicts or lists; found {kind}$"):
                default_collate([array])
            self.assertIs(default_convert(array), array)
        self.assertEqual(default_collate([np.str_("a")]), ["a"])

    def test_an_array_is_a_data_set(self):
        self.assertEqual([batch.tolist() for batch in DataLoader(np.arange(4), batch_size=2)], [[0, 1], [2, 3]])

    def test_workers_have_numbers_of_their_own(self):
        class Draws(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return np.random.rand()

        def drawn():
            torch.manual_seed(1)
            return torch.cat(list(DataLoader(Draws(), num_workers=2))).tolist()

        np.random.seed(0)
        before = np.random.get_state()[1].tolist()
        first = drawn()
        self.assertEqual((len(set(first)), drawn(), np.random.get_state()[1].tolist()), (4, first, before))
        # As PyTorch 2.6 seeds numpy in its workers.
        self.assertEqual([round(x, 6) for x in first], SEEDED)


SEEDED = [0.780924, 0.49401, 0.749327, 0.770463]


class Counted(Dataset):
    def __init__(self):
        self.seen, self.by_number, self.count = [], {}, 0

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.seen.append(i)
        self.by_number[i] = True
        self.count += 1
        return len(self.seen)


class Workers(unittest.TestCase):
    def test_a_worker_changes_its_own_copy(self):
        whole = Counted()
        for data in (whole, Subset(whole, [0, 1, 2, 3]), ConcatDataset([whole])):
            self.assertEqual(torch.cat(list(DataLoader(data, num_workers=2))).tolist(), [1, 1, 2, 2])
        self.assertEqual((whole.seen, whole.by_number, whole.count), ([], {}, 0))

    def test_a_data_set_that_cannot_be_copied_is_shared(self):
        class Fixed(Dataset):
            def __len__(self):
                return 2

            def __getitem__(self, i):
                return i

            def __copy__(self):
                raise TypeError("no")

        self.assertEqual(torch.cat(list(DataLoader(Fixed(), num_workers=2))).tolist(), [0, 1])

    def test_errors_keep_their_kinds(self):
        class Odd(Exception):
            def __init__(self, a, b):
                super().__init__(a)

        class Fails(IterableDataset):
            def __init__(self, error):
                self.error = error

            def __iter__(self):
                yield 1
                raise self.error

        for error, kind in ((ValueError("x"), ValueError), (KeyError("x"), KeyError), (Odd(1, 2), RuntimeError)):
            batches = iter(DataLoader(Fails(error), num_workers=1))
            next(batches)
            with self.assertRaisesRegex(kind, f"^Caught {type(error).__name__} in DataLoader worker process 0.\nOriginal Traceback"):
                next(batches)
            self.assertRaises(StopIteration, next, batches)


if __name__ == "__main__":
    unittest.main()
