"""What modules do with their tensors beside computing: where they go, and how saved ones come back."""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn.modules import hooks


def restore(module, attributes):
    """Gives a module that was made without __init__ its attributes, of one of PyTorch's too."""
    module.__dict__.update(hooks.none_yet() | {"_non_persistent_buffers_set": set()} | attributes)


def portable(attributes):
    """A module's attributes as PyTorch's modules have them."""
    # Methods of PyTorch's own classes; those of ours have other names.
    kept = OrderedDict(
        (key, hook) for key, hook in attributes["_load_state_dict_pre_hooks"].items()
        if not type(getattr(hook, "__self__", None)).__module__.startswith("torch.")
    )
    return attributes | {"_load_state_dict_pre_hooks": kept}


def zero_grad(parameter, set_to_none):
    """The gradient becomes None, or zeros in its own memory."""
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
    else:
        parameter.grad.detach_().zero_()


def destination(*args, device=None, dtype=None, non_blocking=False):
    """(device, dtype) of the arguments that to() takes; None for what stays."""
    for given in args:
        if isinstance(given, Tensor):
            device, dtype = given.device, given.dtype
        elif isinstance(given, torch.dtype):
            dtype = given
        elif not isinstance(given, bool):
            device = given
    return device, dtype


def moved(x, device, dtype):
    """x on the device, if it is floating or complex in the dtype; None for what stays."""
    try:
        return x.to(device, dtype if x.is_floating_point() or x.is_complex() else x.dtype)
    except NotImplementedError as error:
        if str(error) != "Cannot copy out of meta tensor; no data!":
            raise
        raise NotImplementedError(f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
                                  "moving module from meta to a different device.") from None


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that a load left out, of the module's and of the state's."""

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def load(module, state_dict, strict, assign):
    """See Module.load_state_dict. What fits is copied even where something else does not, as in PyTorch."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    metadata = getattr(state_dict, "_metadata", {})
    found = IncompatibleKeys([], [])
    problems = []
    _load_tree(module, OrderedDict(state_dict), "", metadata, assign, found, problems)
    listed = [
        f"{kind} key(s) in state_dict: {', '.join(map(_quoted, keys))}. "
        for kind, keys in (("Missing", found.missing_keys), ("Unexpected", found.unexpected_keys))
        if strict and keys
    ]
    if listed or problems:
        texts = "\n\t".join(listed + problems)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{texts}")
    return found


def _quoted(key):
    return f'"{key}"'


def _load_tree(module, given, prefix, metadata, assign, found, problems):
    local = dict(metadata.get(prefix[:-1], {})) | ({"assign_to_params_buffers": True} if assign else {})
    module._load_from_state_dict(given, prefix, local, True, found.missing_keys, found.unexpected_keys, problems)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: value for key, value in given.items() if key.startswith(below)}
            _load_tree(child, part, below, metadata, assign, found, problems)
    for hook in list(module._load_state_dict_post_hooks.values()):
        assert hook(module, found) is None, (
            "Hooks registered with ``register_load_state_dict_post_hook`` are notexpected to return new values, if "
            "incompatible_keys need to be modified,it should be done inplace."
        )


def load_own(module, given, prefix, metadata, strict, missing, unexpected, problems):
    """See Module._load_from_state_dict."""
    for hook in list(module._load_state_dict_pre_hooks.values()):
        hook(module, given, prefix, metadata, strict, missing, unexpected, problems)
    own = module._own_state()
    for name, tensor in own.items():
        key = prefix + name
        if key in given:
            _load_tensor(module, name, tensor, key, given[key], metadata.get("assign_to_params_buffers"), problems)
        elif strict:
            missing.append(key)
    for key in given if strict else ():
        name, dot, _ = key[len(prefix) :].partition(".")
        if key.startswith(prefix) and name not in (module._modules if dot else own):
            unexpected.append(key)


def save(module, destination, prefix, keep_vars):
    """See Module.state_dict."""
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in list(module._state_dict_pre_hooks.values()):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in list(module._state_dict_hooks.values()):
        changed = hook(module, destination, prefix, metadata)
        if changed is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = changed
    return destination


def _load_tensor(module, name, own, key, given, assign, problems):
    if not isinstance(given, Tensor):
        problems.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
            f"from checkpoint but received {type(given)}"
        )
        return
    if hasattr(own, "materialize"):  # of a lazy module
        if hasattr(given, "materialize"):
            return
        own.materialize(given.shape)
    if own.dim() == 0 and given.dim() == 1:  # PyTorch 0.3 saved numbers with one dimension
        given = given[0]
    if given.shape != own.shape:
        problems.append(
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
            f"the shape in current model is {own.shape}."
        )
        return
    if not assign:
        if own.is_meta and not given.is_meta:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                "to their corresponding key in the module instead of copying them in place?)", stacklevel=4)
        with torch.no_grad():
            own.copy_(given)
    elif isinstance(own, Parameter) and isinstance(given, Parameter):
        setattr(module, name, given.requires_grad_(own.requires_grad))
    elif isinstance(own, Parameter):
        setattr(module, name, Parameter(given, requires_grad=own.requires_grad))
    else:
        setattr(module, name, given)
