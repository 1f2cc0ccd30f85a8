"""The file that TensorBoard reads (torch.utils.tensorboard): numbers by step, and nothing else."""

import os
import socket
import struct
import time

from glassgrad._names import missing as _missing


def _crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def _checksum(data):
    """CRC-32C of the bytes, turned and moved as the format wants it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# ---- protocol buffers: fields by number
def _varint(number):
    parts = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(parts) + bytes([number])


def _bytes_field(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _event(body, step=0):
    """wall_time, step and body of an Event."""
    return b"\x09" + struct.pack("<d", time.time()) + (b"\x10" + _varint(step) if step else b"") + body


def _summary(tag, value):
    """A Summary with one Value: tag and simple_value."""
    named = _bytes_field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
    return _bytes_field(5, _bytes_field(1, named))


class SummaryWriter:
    """Writes add_scalar's numbers into a file of its own in log_dir, runs/… without it.

    NotImplementedError for texts, pictures, histograms and graphs.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)
        self.log_dir = log_dir = str(log_dir)
        os.makedirs(log_dir, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.0{filename_suffix}"
        self._file = open(os.path.join(log_dir, name), "wb")
        self._write(_event(_bytes_field(3, b"brain.Event:2")))

    def _write(self, event):
        size = struct.pack("<Q", len(event))
        for part in (size, event):
            self._file.write(part + struct.pack("<I", _checksum(part)))

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A number of that name at that step."""
        self._write(_event(_summary(tag, float(scalar_value)), int(global_step or 0)))

    def get_logdir(self):
        """The folder of the file."""
        return self.log_dir

    def flush(self):
        """What was added is in the file."""
        self._file.flush()

    def close(self):
        """Nothing more is added."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _out(self, *args, **kwargs):
        raise NotImplementedError("glassgrad writes numbers for TensorBoard, by add_scalar, and nothing else")

    add_scalars = add_text = add_image = add_images = add_figure = add_histogram = add_graph = add_embedding = _out
    add_hparams = add_pr_curve = add_video = add_audio = add_mesh = add_custom_scalars = _out


__getattr__ = _missing("torch.utils.tensorboard", globals())
