"""What registering a hook gives back (torch.utils.hooks)."""

import itertools

_ids = itertools.count()


class RemovableHandle:
    """Takes a hook out of its dictionary, and its id out of others: by remove(), or at the end of a `with`."""

    def __init__(self, hooks_dict, *, extra_dict=None):
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or []
        self._hooks = [hooks_dict, *extra]
        self.id = next(_ids)

    def remove(self):
        for hooks in self._hooks:
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()
