"""Lazy module: imported when it is first used."""

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when one of its names is first used.

    Any thread may use it first.

    Use it in the ``else`` branch of ``if TYPE_CHECKING``, so that type checkers see the real module.

    Args:
        name: Its full name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        """Return a name of the module.

        Raises:
            AttributeError: The module has no such name.
        """
        return getattr(import_module(self._name), attribute)
