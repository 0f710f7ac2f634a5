"""One JSON object read field by field: known fields checked, everything else kept."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from app.core.clock import parse_instant
from app.core.text import storable
from app.exchange.parsing.lenient import clean

T = TypeVar("T", bound=str)


class WrongFieldError(Exception):
    """Required field that is missing or wrong; the message ends a sentence."""


class ObjectFields:
    """Fields of one object; each read marks its field as known.

    ``rest`` gives the fields that no read asked for.

    Args:
        source: The object as decoded.

    Raises:
        WrongFieldError: It is no object.
    """

    def __init__(self, source: object) -> None:
        if not isinstance(source, dict):
            raise WrongFieldError("it is not a JSON object")
        self._source: dict[str, Any] = source
        self._known: set[str] = set()
        self.wrong: dict[str, None] = {}
        self.replaced = False

    def has(self, *names: str) -> bool:
        """Return whether all of ``names`` are there."""
        return all(name in self._source for name in names)

    def skip(self, *names: str) -> None:
        """Know fields without reading them: they follow from others."""
        self._known.update(names)

    def text(self, *names: str) -> str:
        """Return the first of ``names`` that is a string with something in it, else ``""``."""
        return self.optional_text(*names) or ""

    def optional_text(self, *names: str) -> str | None:
        """Return the first of ``names`` that is a string, ``None`` for none.

        A number counts as its digits.
        """
        for name in names:
            value = self._source.get(name)
            if value is None:
                self._known.add(name)
                continue
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            if isinstance(value, str):
                self._known.add(name)
                return self._storable(value)
            self._note(name, value)
        return None

    def needed_text(self, name: str) -> str:
        """Return a string that must be there.

        Raises:
            WrongFieldError: It is not.
        """
        value = self._source.get(name)
        if not isinstance(value, str):
            problem = "missing" if value is None else f"a {_KINDS.get(type(value), 'value')}, not text"
            raise WrongFieldError(f"its '{name}' is {problem}")
        self._known.add(name)
        return self._storable(value)

    def choice(self, name: str, allowed: Iterable[T]) -> T | None:
        """Return a string that is one of ``allowed``, ``None`` when absent.

        Raises:
            WrongFieldError: It is something else.
        """
        value = self._source.get(name)
        self._known.add(name)
        options = tuple(allowed)
        for option in options:
            if option == value:
                return option
        if value is None:
            return None
        raise WrongFieldError(f"its '{name}' is {str(value)[:40]!r}; allowed are {', '.join(options)}")

    def texts(self, name: str) -> list[str]:
        """Return a list of strings; one string counts as a list of one."""
        value = self._source.get(name)
        if isinstance(value, str):
            value = [value]
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            self._known.add(name)
            return [self._storable(item) for item in value]
        self._note(name, value)
        return []

    def objects(
        self, name: str, fits: Callable[[dict[str, Any]], bool] = lambda _item: True
    ) -> list[dict[str, Any]] | None:
        """Return a list of objects that all ``fits`` takes, ``None`` when absent."""
        value = self._source.get(name)
        if isinstance(value, list) and all(isinstance(item, dict) and fits(item) for item in value):
            self._known.add(name)
            return [clean(item) for item in value]
        self._note(name, value)
        return None

    def whole(self, name: str) -> int | None:
        """Return a whole number from 0 to 2^53, ``None`` when absent."""
        value = self._source.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1 << 53:
            self._known.add(name)
            return value
        self._note(name, value)
        return None

    def share(self, name: str, most: float = 1.0) -> float | None:
        """Return a number from 0 to ``most``, ``None`` when absent."""
        value = self._source.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            self._known.add(name)
            return float(value)
        self._note(name, value)
        return None

    def flag(self, name: str) -> bool:
        """Return whether ``name`` is ``true``."""
        value = self._source.get(name)
        if isinstance(value, bool):
            self._known.add(name)
            return value
        self._note(name, value)
        return False

    def instant(self, *names: str) -> int | None:
        """Return the first of ``names`` that is a time, in milliseconds since 1970 UTC."""
        for name in names:
            value = self._source.get(name)
            if (moment := parse_instant(value)) is not None:
                self._known.add(name)
                return moment
            self._note(name, value)
        return None

    def rest(self, *names: str) -> dict[str, Any] | None:
        """Return the objects under ``names``, together with every field that was not read.

        It is ``None`` when there is nothing at all.
        """
        fields: dict[str, Any] | None = None
        for name in names:
            value = self._source.get(name)
            if isinstance(value, dict):
                self._known.add(name)
                fields = {**(fields or {}), **clean(value)}
            elif value is None:
                self._known.add(name)
        unknown = {name: value for name, value in self._source.items() if name not in self._known}
        return {**(fields or {}), **clean(unknown)} if unknown else fields

    def _note(self, name: str, value: object) -> None:
        if value is None:
            self._known.add(name)
        elif name not in self._known:
            self.wrong.setdefault(name)

    def _storable(self, value: str) -> str:
        if value.isascii() and "\x00" not in value:
            return value
        text, replaced = storable(value)
        self.replaced = self.replaced or bool(replaced)
        return text


_KINDS: dict[type, str] = {dict: "object", list: "list", int: "number", float: "number", bool: "true or false"}
