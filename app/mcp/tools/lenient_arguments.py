"""Lenient reading of tool arguments: aliases, numbers and lists as text, times."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from app.errors import InputError
from app.sentence import Sentence

# Other names that models use for an argument, by the name it has here.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "query": ("q", "search", "search_query", "text", "question", "prompt"),
    "limit": ("top_k", "topk", "k", "n", "count", "max_results", "num_results", "size", "page_size"),
    "max_tokens": ("token_budget", "budget", "max_token"),
    "ids": ("id", "memory_ids", "memory_id", "note_id", "uids"),
    "id": ("memory_id", "fact_id", "note_id", "uid"),
    "content": ("text", "fact", "memory", "body", "value", "new_content", "correction", "statement"),
    "prompt": ("query", "question", "message", "q"),
    "around": ("at", "date", "when", "id", "anchor", "since", "from", "timeframe"),
    "since": ("after", "from", "start", "date_from", "timeframe", "time_range"),
    "until": ("before", "to", "end", "date_to"),
    "tag": ("tags",),
    "tags": ("tag", "labels"),
    "name": ("entity", "id", "query", "entity_name", "entity_id"),
    "kind": ("kinds", "memory_type"),
    "kinds": ("kind", "types", "type"),
    "session": ("session_id", "conversation", "conversation_id", "thread"),
    "store": ("visibility", "scope"),
    "items": ("lines", "content", "notes", "text"),
    "action": ("command", "op", "mode"),
    "cursor": ("next_cursor", "page_token"),
    "people": ("related_people",),
    "files": ("related_files",),
    "delete": ("forget", "remove"),
}
_WORDS: Final = {
    "true": True,
    "yes": True,
    "1": True,
    "on": True,
    "false": False,
    "no": False,
    "0": False,
    "off": False,
}
_SHORT_SPAN: Final = re.compile(r"(?:last|past)?\s*(\d{1,4})\s*(h|d|w|m|mo|y)", re.IGNORECASE)
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks", "m": "months", "mo": "months", "y": "years"}
_MOST: Final = 1_000_000


class Arguments:
    """Arguments of one tool call; what is empty counts as not given.

    Args:
        given: As the client sent them.
        declared: The properties of the tool's schema: unknown arguments are matched to these.

    Raises:
        InputError: An argument is of no name that can be meant.
    """

    def __init__(self, given: Mapping[str, Any] | None, declared: Mapping[str, Any]) -> None:
        self._values: dict[str, Any] = {}
        values = {_plain(name): value for name, value in (given or {}).items()}
        for name in declared:
            if name in values:
                self._values[name] = values.pop(name)
        for name in declared:
            if self._is_empty(name):
                alias = next((other for other in ALIASES.get(name, ()) if other in values), None)
                if alias is not None:
                    self._values[name] = values.pop(alias)
        unknown = sorted(name for name, value in values.items() if value not in ("", None, [], {}))
        if unknown:
            raise InputError(
                Sentence(
                    "There is no argument '{name}'. There are: {names}.", name=unknown[0], names=", ".join(declared)
                ),
                field=unknown[0],
            )

    def text(self, name: str) -> str:
        """Return a text, ``""`` where it is not given."""
        value = None if self._is_empty(name) else self._values[name]
        if value is None:
            return ""
        if isinstance(value, list):
            value = " ".join(str(part) for part in value)
        if isinstance(value, dict):
            raise InputError(Sentence("'{name}' must be a text.", name=name), field=name)
        return str(value).strip() if not isinstance(value, str) else value

    def required(self, name: str) -> str:
        """Return a text that must not be empty.

        Raises:
            InputError: It is.
        """
        value = self.text(name)
        if not value.strip():
            raise InputError(Sentence("'{name}' is missing: give a text.", name=name), field=name)
        return value

    def number(self, name: str, default: int | None = None) -> int | None:
        """Return a whole number, the default where it is not given.

        Raises:
            InputError: It is no number, or a negative one.
        """
        value = None if self._is_empty(name) else self._values[name]
        if value is None:
            return default
        try:
            number = int(float(value))
        except (TypeError, ValueError, OverflowError):
            raise InputError(Sentence("'{name}' must be a whole number.", name=name), field=name) from None
        if not 0 <= number <= _MOST:
            raise InputError(Sentence("'{name}' must be from 0 to {most}.", name=name, most=_MOST), field=name)
        return number

    def flag(self, name: str) -> bool:
        """Return a yes or no, no where it is not given.

        Raises:
            InputError: It is neither.
        """
        value = None if self._is_empty(name) else self._values[name]
        if value is None:
            return False
        if isinstance(value, bool):
            return value
        flag = _WORDS.get(str(value).strip().lower())
        if flag is None:
            raise InputError(Sentence("'{name}' must be true or false.", name=name), field=name)
        return flag

    def texts(self, name: str) -> list[str]:
        """Return a list of texts, also from JSON, lines or a comma-separated text.

        Raises:
            InputError: An object or a list stands where a text belongs.
        """
        value = None if self._is_empty(name) else self._values[name]
        if value is None:
            return []
        if isinstance(value, str):
            value = _listed(value)
        if not isinstance(value, list):
            value = [value]
        if any(isinstance(part, (dict, list)) for part in value):
            raise InputError(Sentence("'{name}' must be a list of texts.", name=name), field=name)
        return [text for text in (str(part).strip() for part in value if part is not None) if text]

    def lines(self, name: str) -> list[str]:
        """Return a list of texts that may hold commas themselves."""
        value = self._values.get(name)
        if isinstance(value, str) and not value.lstrip().startswith("["):
            return [line.strip() for line in value.splitlines() if line.strip()]
        return self.texts(name)

    def objects(self, name: str) -> list[dict[str, Any]]:
        """Return a list of objects; JSON text and a single object are taken too.

        Raises:
            InputError: It is no such list, or an empty one.
        """
        value = self._values.get(name)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = None
        objects = [value] if isinstance(value, dict) else value
        if not isinstance(objects, list) or not objects or not all(isinstance(part, dict) for part in objects):
            raise InputError(Sentence("'{name}' must be a list of objects.", name=name), field=name)
        return objects

    def choice(self, name: str, allowed: tuple[str, ...], default: str = "") -> str:
        """Return one of some words, given in any case or in the plural.

        Where it is not given, that is the default.

        Raises:
            InputError: It is another word.
        """
        value = self.text(name).strip()
        return one_of(name, value, allowed) if value else default

    def identifier(self, name: str) -> str:
        """Return an id, also in the brackets that answers print around it.

        Raises:
            InputError: It is not given.
        """
        return bare(self.required(name))

    def identifiers(self, name: str) -> list[str]:
        """Return ids, also in the brackets that answers print around them."""
        return [identifier for text in self.texts(name) if (identifier := bare(text))]

    def span(self, name: str) -> str:
        """Return a time as the query language writes it: ``7d`` becomes ``last 7 days``."""
        value = bare(" ".join(self.text(name).replace('"', " ").split()))
        match = _SHORT_SPAN.fullmatch(value)
        return f"last {match[1]} {_UNITS[match[2].lower()]}" if match else value

    def _is_empty(self, name: str) -> bool:
        value = self._values.get(name)
        return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def bare(text: str) -> str:
    """Return an id without the brackets of recalled text."""
    return text.strip().strip("⟦⟧").strip()


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the allowed word that is meant, in any case or in the plural.

    Raises:
        InputError: None is.
    """
    word = value.strip().lower()
    choice = next((candidate for candidate in (word, word.removesuffix("s")) if candidate in allowed), None)
    if choice is None:
        raise InputError(
            Sentence("'{name}' must be one of: {choices}.", name=name, choices=", ".join(allowed)), field=name
        )
    return choice


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().replace("-", "_").strip()


def _listed(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError):
            items = None
        if isinstance(items, list):
            return items
    return text.splitlines() if "\n" in text.strip() else text.split(",")
