"""A group of one process, which is all there is (torch.distributed)."""

import os

from glassgrad._names import missing as _missing

_DEFAULT = {"backend": None}
_ALONE = "glassgrad computes in one process: start one, with world size 1, or leave torch.distributed out"
_UNSET = "Default process group has not been initialized, please make sure to call init_process_group."


class ReduceOp:
    """How all_reduce joins the tensors of the processes: of one process, each gives the tensor itself."""

    SUM, AVG, PRODUCT, MIN, MAX = "sum", "avg", "product", "min", "max"


class ProcessGroup:
    """The processes that work together: this one."""

    def rank(self):
        return 0

    def size(self):
        return 1


class group:
    WORLD = None


class Backend(str):
    """The name of what carries the messages."""

    GLOO, NCCL, MPI, UNDEFINED = "gloo", "nccl", "mpi", "undefined"


def is_available():
    """True: a group of one process can be made."""
    return True


def is_initialized():
    """Whether there is a group, from init_process_group to destroy_process_group."""
    return _DEFAULT["backend"] is not None


def is_gloo_available():
    return True


def _no(*args):
    return False


is_nccl_available = is_mpi_available = is_ucc_available = is_torchelastic_launched = _no


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
                       group_name="", pg_options=None, device_id=None):
    """A group of this one process. RuntimeError where more are asked for, here or in $WORLD_SIZE."""
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    size = world_size if world_size > 0 else int(os.environ.get("WORLD_SIZE", 1))
    if size != 1 or rank > 0:
        raise RuntimeError(_ALONE)
    _DEFAULT["backend"] = str(backend or "gloo").lower()
    group.WORLD = ProcessGroup()


def destroy_process_group(group=None):
    """There is no group any more."""
    _needed()
    _DEFAULT["backend"] = None
    globals()["group"].WORLD = None


def _needed():
    if not is_initialized():
        raise ValueError(_UNSET)


def get_rank(group=None):
    """0."""
    _needed()
    return 0


def get_world_size(group=None):
    """1."""
    _needed()
    return 1


def get_backend(group=None):
    """What init_process_group was given."""
    _needed()
    return _DEFAULT["backend"]


def new_group(ranks=None, timeout=None, backend=None, pg_options=None):
    """The group of this process."""
    _needed()
    return ProcessGroup()


def barrier(group=None, async_op=False, device_ids=None):
    """Waits for all others: for nobody."""
    _needed()
    return _Done() if async_op else None


class _Done:
    """What async_op gives: it is done."""

    def wait(self, timeout=None):
        return True

    def is_completed(self):
        return True


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """The tensor stays as it is."""
    _needed()
    return _Done() if async_op else None


def reduce(tensor, dst=0, op=ReduceOp.SUM, group=None, async_op=False):
    """The tensor stays as it is."""
    return all_reduce(tensor, op, group, async_op)


def broadcast(tensor, src=0, group=None, async_op=False):
    """The tensor stays as it is."""
    return all_reduce(tensor, None, group, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """tensor_list[0] becomes the tensor."""
    tensor_list[0].copy_(tensor)
    return all_reduce(tensor, None, group, async_op)


def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
    """gather_list[0] becomes the tensor."""
    return all_gather(gather_list, tensor, group, async_op)


def scatter(tensor, scatter_list=None, src=0, group=None, async_op=False):
    """The tensor becomes scatter_list[0]."""
    tensor.copy_(scatter_list[0])
    return all_reduce(tensor, None, group, async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """The output becomes the input."""
    output_tensor.copy_(input_tensor.view_as(output_tensor))
    return all_reduce(output_tensor, None, group, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """The output becomes the input."""
    return all_gather_into_tensor(output, input, group, async_op)


def all_gather_object(object_list, obj, group=None):
    """object_list[0] becomes the object."""
    _needed()
    object_list[0] = obj


def gather_object(obj, object_gather_list=None, dst=0, group=None):
    """object_gather_list[0] becomes the object."""
    all_gather_object(object_gather_list, obj, group)


def broadcast_object_list(object_list, src=0, group=None, device=None):
    """The list stays as it is."""
    _needed()


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """Waits for all others: for nobody."""
    _needed()


def _nobody(*args, **kwargs):
    raise RuntimeError("there is no other process to send to or to receive from. " + _ALONE)


send = recv = isend = irecv = _nobody

__getattr__ = _missing("torch.distributed", globals(), dict.fromkeys(
    ["rpc", "fsdp", "pipeline", "tensor", "elastic", "launch", "run", "checkpoint", "optim", "DeviceMesh",
     "init_device_mesh", "TCPStore", "FileStore"], _ALONE))
