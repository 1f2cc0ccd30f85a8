"""`import safetensors.torch`: saves and loads tensors by name, and modules whose tensors share memory."""

import io
import os
from collections import defaultdict

from glassgrad import _C
from glassgrad._C import Tensor
from glassgrad.runner.safetensors import parts_of, read_header, read_tensor, safe_open


# ---- tensors that share memory
def storage_ptr(tensor):
    """Where the memory of a tensor begins."""
    return tensor.untyped_storage().data_ptr()


def storage_size(tensor):
    """How many bytes the memory of a tensor has."""
    return tensor.untyped_storage().nbytes()


def _reach(x):
    """The bytes from a tensor's first element to the end of its last."""
    return (sum((n - 1) * step for n, step in zip(x.shape, x.stride())) + 1) * x.element_size()


def _find_shared_tensors(state_dict):
    """The names of tensors, in sets: of one set overlap in memory."""
    by_storage = defaultdict(list)
    for name, x in state_dict.items():
        if x.numel() and not x.is_meta:
            by_storage[str(x.device), storage_ptr(x), storage_size(x)].append((x.data_ptr(), name))
    sets = []
    for areas in by_storage.values():
        end = None
        for start, name in sorted(areas):
            if end is None or start >= end:
                sets.append(set())
            sets[-1].add(name)
            end = start + _reach(state_dict[name])
    return sets


def _remove_duplicate_names(state_dict, *, preferred_names=(), discard_names=()):
    """{the name to keep: the names of the same memory to leave out}."""
    removed = defaultdict(list)
    for shared in _find_shared_tensors(state_dict):
        whole = {name for name in shared if _is_whole(state_dict[name])}
        if not whole:
            raise RuntimeError(
                "Error while trying to find names to remove to save state dict, but found no suitable name to keep for "
                f"saving amongst: {shared}. None is covering the entire storage.Refusing to save/load the model since "
                "you could be storing much more memory than needed. Please refer to "
                "https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue.")
        kept = min(whole & set(preferred_names or ()) or whole - set(discard_names or ()) or whole)
        for name in sorted(shared - {kept}):
            removed[kept].append(name)
    return removed


def _is_whole(x):
    return x.data_ptr() == storage_ptr(x) and x.numel() * x.element_size() == storage_size(x)


# ---- tensors by name
def _checked(tensors):
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(x)}")
    shared = [names for names in _find_shared_tensors(tensors) if len(names) > 1]
    if shared:
        margin = " " * 12
        raise RuntimeError(
            f"\n{margin}Some tensors share memory, this will lead to duplicate memory on disk and potential "
            f"differences when loading them again: {shared}.\n{margin}A potential "
            f"way to correctly save your model is to use "
            f"`save_model`.\n{margin}More information at "
            f"https://huggingface.co/docs/safetensors/torch_shared_tensors\n{margin}")
    for name, x in tensors.items():
        if not x.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you "
                "are trying to save tensors which are reference of each other in which case it's recommended to save "
                "only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to "
                "pack it before saving.")
    return tensors


def save_file(tensors, filename, metadata=None):
    """Writes a dict of tensors, none of which share memory, and a dict of texts beside it."""
    with _C._files.Output(os.fspath(filename)) as file:
        for part in parts_of(_checked(tensors), metadata):
            file.write(part)


def save(tensors, metadata=None):
    """The bytes of the file that save_file writes."""
    return b"".join(parts_of(_checked(tensors), metadata))


def load_file(filename, device="cpu"):
    """A dict of the tensors of a file, by name."""
    with safe_open(filename, framework="pt", device=device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def load(data):
    """The same from the bytes of a file."""
    file = io.BytesIO(data)
    start, entries, _ = read_header(file, len(data), "")
    return {name: read_tensor(file, start, entry) for name, entry in entries.items()}


# ---- modules
def save_model(model, filename, metadata=None, force_contiguous=True):
    """Writes a module's state: of tensors that share memory only one, with the names of the others as metadata."""
    state = model.state_dict()
    for kept, names in _remove_duplicate_names(state).items():
        for name in names:
            metadata = {} if metadata is None else metadata
            metadata.setdefault(name, kept)
            del state[name]
    if force_contiguous:
        state = {name: x.contiguous() for name, x in state.items()}
    try:
        save_file(state, filename, metadata)
    except ValueError as error:
        raise ValueError(f"{error} Or use save_model(..., force_contiguous=True), read the docs for potential caveats.")


def load_model(model, filename, strict=True, device="cpu"):
    """Copies the tensors of a file into a module: (names that the file lacks, names that the module lacks).

    A name that shares the memory of one in the file is not missing. RuntimeError if strict and a name is.
    """
    state = load_file(filename, device=device)
    removed = _remove_duplicate_names(model.state_dict(), preferred_names=state.keys())
    missing, unexpected = model.load_state_dict(state, strict=False)
    shared = [name for names in removed.values() for name in names]
    unexpected = [*unexpected, *(name for name in shared if name not in missing)]
    missing = set(missing).difference(shared)
    if strict and (missing or unexpected):
        text = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for kind, names in ("Missing", missing), ("Unexpected", unexpected):
            if names:
                listed = ", ".join(f'"{name}"' for name in sorted(names))
                text += f"\n    {kind} key(s) in state_dict: {listed}"
        raise RuntimeError(text)
    return missing, unexpected
