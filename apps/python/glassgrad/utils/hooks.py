"""What registering a hook gives back (torch.utils.hooks)."""

import itertools

_ids = itertools.count()


class RemovableHandle:
    """Takes a hook out of its dictionary: by remove(), or at the end of a `with`."""

    def __init__(self, hooks):
        self.hooks = hooks
        self.id = next(_ids)

    def remove(self):
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()
