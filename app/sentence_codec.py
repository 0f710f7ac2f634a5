"""Sentences on the wire and in the vault, as templates and values."""

import json
from string import Formatter
from typing import Any, Final

from app.sentence import Sentence

MAX_TEMPLATE: Final = 2_000
"""Characters of a template that is taken from the wire."""
MAX_FIELDS: Final = 20
MAX_SENTENCES: Final = 1_000
"""Sentences of an answer; the others are told in English."""
MAX_VALUES: Final = 20_000
"""Characters of all values of a sentence together."""
_MAX_DEPTH: Final = 6
_LARGEST_NUMBER: Final = 2**53


def sentence_to_wire(sentence: Sentence) -> dict[str, Any] | None:
    """Return the template and values of a sentence, as JSON values.

    ``None`` for one without values, whose English says as much, and for one too large to carry.
    """
    wire = _sentence_to_wire(sentence) if sentence.values else None
    return wire if sentence_from_wire(wire, str(sentence)) is not None else None


def sentence_from_wire(wire: object, english: str) -> Sentence | None:
    """Return the sentence that ``sentence_to_wire`` encoded; ``None`` unless its English is ``english``.

    A peer may send anything: templates have plain fields only, and what they can grow to is bounded.
    """
    sentence = _sentence(wire, _MAX_DEPTH)
    return sentence if sentence == english else None


def sentence_to_json(text: str) -> str:
    """Return a sentence as JSON, ``""`` for other texts and large ones."""
    if not isinstance(text, Sentence):
        return ""
    wire = _sentence_to_wire(text)
    return json.dumps(wire, ensure_ascii=False) if sentence_from_wire(wire, str(text)) is not None else ""


def sentence_from_json(stored: str, english: str) -> str:
    """Return the sentence that ``sentence_to_json`` encoded, or the English text where it encoded none."""
    if not stored:
        return english
    try:
        return sentence_from_wire(json.loads(stored), english) or english
    except (ValueError, RecursionError):
        return english


def with_sentences(value: Any, wires: object) -> Any:
    """Return JSON values in which the texts that ``wires`` names are sentences again.

    Args:
        value: The values.
        wires: What ``sentence_to_wire`` made, by the English sentence.
    """
    if not isinstance(wires, dict) or not wires or len(wires) > MAX_SENTENCES:
        return value
    sentences = {english: sentence_from_wire(wire, english) for english, wire in wires.items()}
    return _with_sentences(value, {english: sentence for english, sentence in sentences.items() if sentence})


def _with_sentences(value: Any, sentences: dict[str, Sentence]) -> Any:
    if isinstance(value, str):
        return sentences.get(value, value)
    if isinstance(value, list):
        return [_with_sentences(item, sentences) for item in value]
    if isinstance(value, dict):
        return {name: _with_sentences(item, sentences) for name, item in value.items()}
    return value


def _sentence(wire: object, depth: int) -> Sentence | None:
    if not isinstance(wire, dict) or depth == 0:
        return None
    template, values = wire.get("template"), wire.get("values")
    if not isinstance(template, str) or not isinstance(values, dict):
        return None
    if not values:  # a template without values is told as it is, whatever stands in it
        return Sentence(template) if len(template) <= MAX_TEMPLATE else None
    fields = _fields(template)
    if not fields or not fields <= values.keys():
        return None
    shown = {name: _value(values[name], depth) for name in fields}
    if None in shown.values() or sum(len(str(value)) for value in shown.values()) > MAX_VALUES:
        return None
    return Sentence(template, **shown)


def _fields(template: str) -> set[str] | None:
    """Return the names of a template's fields, ``None`` unless all are plain and few."""
    if len(template) > MAX_TEMPLATE:
        return None
    try:
        parts = [part for part in Formatter().parse(template) if part[1] is not None]
    except ValueError:
        return None
    is_plain = all(name and name.isidentifier() and not spec and not kind for _, name, spec, kind in parts)
    return {str(name) for _, name, _, _ in parts} if is_plain and len(parts) <= MAX_FIELDS else None


def _sentence_to_wire(sentence: Sentence) -> dict[str, Any]:
    fields = _fields(sentence.template) or set() if sentence.values else set()
    values = {name: _value_to_wire(value) for name, value in sentence.values.items() if name in fields}
    return {"template": sentence.template, "values": values}


def _value_to_wire(value: object) -> object:
    if isinstance(value, Sentence):
        return _sentence_to_wire(value)
    if type(value) is int:
        return value if abs(value) <= _LARGEST_NUMBER else f"{value:,}"
    return f"{value}"


def _value(wire: object, depth: int) -> object:
    """Return what stands in a field, ``None`` for what never does."""
    if isinstance(wire, dict):
        return _sentence(wire, depth - 1)
    if type(wire) is int:
        return wire if abs(wire) <= _LARGEST_NUMBER else None
    return wire if isinstance(wire, str) else None
