"""Calls of the engine's operations, such as ``operations.note.save(title="Tea")``.

The generated stub beside this file says which there are, what each takes and what it answers.
"""

from typing import Any

from ui.typed_call import TypedCall


class _Words:
    """The words of a name so far; called, they make the call."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, word: str) -> "_Words":
        return _Words(f"{self._name}.{word.rstrip('_')}")  # a Python keyword ends with one

    def __call__(self, **arguments: Any) -> TypedCall[Any]:
        return TypedCall(self._name, arguments)


def __getattr__(subject: str) -> _Words:
    return _Words(subject)
