"""Front matter: the YAML block that begins a Markdown file.

It is found, read as plain strings, and written.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from app.core.clock import parse_instant, to_ms
from app.errors import FormatError
from app.sentence import Sentence

MAX_CHARACTERS = 256 << 10
MAX_NESTING = 30
MAX_ALIASES = 10
COMPACT_DATE = 8
_BLOCK = re.compile(
    r"\A---[ \t]*(?:ya?ml)?[ \t]*\r?\n"
    r"(?P<yaml>(?:(?!(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)).*\n)*)"
    r"(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)",
)
_SPECIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_SPLIT = re.compile(r"[,\n]")
_CREATED = ("created", "created_at", "date created", "date_created", "creation date", "date")
_UPDATED = ("updated", "updated_at", "modified", "date modified", "date_modified", "last_modified", "lastmod")
# Every scalar stays a string: nothing is built, and a note tagged 2023, no or 1:30 keeps that word.
_LOADER: Any = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A head block.

    Args:
        raw: The block as written, delimiters and the line end after them included; ``raw + body`` is the file.
        fields: What it says; names lower-cased.
    """

    raw: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title it gives, ``""`` for none."""
        title = self.fields.get("title")
        return " ".join(title.split()) if isinstance(title, str) else ""

    @property
    def tags(self) -> list[str]:
        """The tags it gives, as written."""
        return [tag for name in ("tags", "tag") for tag in _words(self.fields.get(name))]

    @property
    def aliases(self) -> list[str]:
        """Other names of the note."""
        return [name for key in ("aliases", "alias") for name in _words(self.fields.get(key))]

    @property
    def created_ms(self) -> int | None:
        """Creation time of the note."""
        return _instant(self.fields, _CREATED)

    @property
    def updated_ms(self) -> int | None:
        """Time of the note's last change."""
        return _instant(self.fields, _UPDATED)


def split(source: str) -> tuple[FrontMatter, str]:
    """Part a Markdown file into its front matter and its body.

    Raises:
        FormatError: It begins like front matter, but that is not YAML, or not of a size and shape a person writes.
    """
    if not source.startswith("---"):
        return FrontMatter(), source
    match = _BLOCK.match(source[: MAX_CHARACTERS + 16])
    if match is None:
        return FrontMatter(), source
    value = _load(match["yaml"])
    if value is not None and not isinstance(value, dict):
        return FrontMatter(), source
    fields = {str(name).strip().lower(): inner for name, inner in (value or {}).items()}
    return FrontMatter(source[: match.end()], fields), source[match.end() :]


def dump(fields: dict[str, Any]) -> str:
    """Return ``fields`` as a head block."""
    body = yaml.dump(fields, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1 << 20) if fields else ""
    return f"---\n{body}---\n"


class _Dumper(yaml.SafeDumper):
    """Dumper that escapes line ends and control characters, so that strings survive."""


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if _SPECIAL.search(text) else None)


_Dumper.add_representer(str, _string)


def _load(source: str) -> Any:
    try:
        _check_shape(source)
        loader = _LOADER(source)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        sentence = Sentence("Its front matter is not YAML ({reason}); it stays part of the text.", reason=reason)
        if mark is not None:
            sentence = Sentence(
                "Its front matter is not YAML, line {line} ({reason}); it stays part of the text.",
                line=mark.line + 2,
                reason=reason,
            )
        raise FormatError(sentence) from error


def _check_shape(source: str) -> None:
    """Refuse what would make a loader work or recurse without end."""
    depth = aliases = 0
    for event in yaml.parse(source, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_NESTING or aliases > MAX_ALIASES:
            raise FormatError("Its front matter is nested or repeated beyond reason; it stays part of the text.")


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        pieces = value.split() if value.lstrip().startswith("#") else _SPLIT.split(value)
        return [piece.strip() for piece in pieces if piece.strip()]
    if isinstance(value, list):
        return [item.strip() for item in value if isinstance(item, str) and item.strip()]
    return []


def _instant(fields: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and (moment := _read_instant(value.strip())) is not None:
            return moment
    return None


def _read_instant(value: str) -> int | None:
    """Read a date; a short number is a year or ``20240131``, never seconds since 1970."""
    if not value.isdecimal() or len(value) > COMPACT_DATE:
        return parse_instant(value)
    try:
        return to_ms(datetime.fromisoformat(value).replace(tzinfo=UTC))
    except ValueError:
        return None
