"""Sentences with names and numbers in them, which can be told in another language."""

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
