"""Sentences with names and numbers in them, which can be told in another language."""

from collections.abc import Iterable
from typing import Self


class Sentence(str):
    """A sentence made of a template and what stands in its fields.

    Args:
        template: The English sentence, with fields such as ``{name}``.
        values: What stands in the fields. A whole number gets separators of thousands; one that is
            a name, such as an id, is given as text.
    """

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Return the English sentence."""
        shown = {name: f"{value:,}" if type(value) is int else value for name, value in values.items()}
        text = super().__new__(cls, template.format(**shown) if values else template)
        text.template, text.values = template, values
        return text


def joined(parts: Iterable[str], gap: str = " ") -> Sentence:
    """Return sentences as one, each of which is told in another language by itself.

    Args:
        parts: The sentences; empty ones do not count.
        gap: What stands between them.
    """
    values = {f"part{number}": as_sentence(part) for number, part in enumerate(part for part in parts if part)}
    if len(values) == 1:
        return values["part0"]
    return Sentence(gap.join(f"{{{name}}}" for name in values), **values)


def as_sentence(text: str) -> Sentence:
    """Return a text as a sentence, which may have values."""
    return text if isinstance(text, Sentence) else Sentence(text)


def plain_text(value: object) -> str:
    """Return a sentence as a plain text, for encoders, which know no other.

    Raises:
        TypeError: It is no sentence.
    """
    if isinstance(value, Sentence):
        return str(value)
    raise TypeError(type(value).__name__)


def counted_sentence(number: int, single: str, many: str, **values: object) -> Sentence:
    """Return a sentence about one or several things.

    Args:
        number: How many there are.
        single: The template for one of them, such as ``1 note was left out.``
        many: The template for several, with ``{count}``.
        values: What stands in the other fields.
    """
    return Sentence(single, **values) if number == 1 else Sentence(many, count=number, **values)
