"""What torch.cuda has beside tensors, on a GPU that only its answers stand for."""
import unittest
from unittest import mock

import glassgrad as torch


def as_if_on_a_gpu(waits):
    """torch.cuda with one GPU; each wait for it goes into the list."""
    return mock.patch.multiple(torch.cuda._gpus, device_count=lambda: 1, current_device=lambda: 0, version=lambda: "12.4",
                               synchronize=waits.append, memory_allocated=lambda device: 40,
                               max_memory_allocated=lambda device: 50, reset_peak_memory_stats=lambda device: None)


class CudaNames(unittest.TestCase):
    def setUp(self):
        self.waits = []
        patched = as_if_on_a_gpu(self.waits)
        patched.start()
        self.addCleanup(patched.stop)

    def test_events_wait_for_the_gpu(self):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with self.assertRaisesRegex(RuntimeError, "Both events must be recorded before"):
            begin.elapsed_time(end)
        begin.record()
        end.record(torch.cuda.current_stream())
        self.assertEqual(list(map(str, self.waits)), ["cuda:0", "cuda:0"])
        self.assertTrue(0 <= begin.elapsed_time(end) < 60_000)
        self.assertTrue(end.query())
        with self.assertRaisesRegex(RuntimeError, "created with argument 'enable_timing=True'"):
            torch.cuda.Event().elapsed_time(end)

    def test_there_is_one_stream(self):
        stream = torch.cuda.Stream()
        self.assertEqual(stream, torch.cuda.current_stream())
        self.assertEqual(repr(stream), "<torch.cuda.Stream device=cuda:0 cuda_stream=0x0>")
        with torch.cuda.stream(stream):
            stream.wait_stream(torch.cuda.default_stream("cuda:0"))
            stream.wait_event(stream.record_event())
        self.assertTrue(stream.query())
        with self.assertRaisesRegex(NotImplementedError, "call the function again"):
            torch.cuda.CUDAGraph()

    def test_the_one_device(self):
        for device in 0, None, -1, "cuda", "cuda:0":
            with torch.cuda.device(device):
                pass
        with self.assertRaisesRegex(NotImplementedError, 'say device="cuda:1"'):
            torch.cuda.device(1).__enter__()

    def test_memory(self):
        self.assertEqual((torch.cuda.memory_allocated(), torch.cuda.max_memory_reserved(0)), (40, 50))
        self.assertEqual(torch.cuda.memory_stats()["allocated_bytes.all.peak"], 50)
        self.assertEqual(torch.cuda.memory.memory_stats_as_nested_dict()["reserved_bytes"]["all"]["current"], 40)
        self.assertIsNone(torch.cuda.reset_peak_memory_stats())
        for call in torch.cuda.mem_get_info, lambda: torch.cuda.set_per_process_memory_fraction(0.5):
            with self.assertRaises(NotImplementedError):
                call()


if __name__ == "__main__":
    unittest.main()
