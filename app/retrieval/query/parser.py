"""Query parser: words, ``"phrases"``, ``-excluded``, ``prefix*`` and operators like ``kind:note``.

Any text is a query. An unknown operator is searched as words, with a hint that says so.

``after:x`` means from the start of x on, ``before:x`` until the start of x, ``on:x`` within x; so ``on:2026-10`` is
``after:2026-10 before:2026-11``. ``-before:x`` is ``after:x`` and the reverse.

A whole sentence is not a command: what it puts in quotation marks is preferred and not demanded, and in a text of
several lines or many words a hyphen before a word excludes nothing. See ``app.retrieval.query.intent``. Operators with
a value work everywhere.
"""

import re
import unicodedata
from datetime import tzinfo
from difflib import get_close_matches
from typing import Final

from app.core.text import collapse, excerpt, storable
from app.core.time_rules.timespans import parse_span
from app.retrieval.model import OperatorHelp, Query, Term
from app.retrieval.operators import OPERATORS, Operator
from app.retrieval.query.intent import QueryStyle, classify_query, without_emphasis
from app.retrieval.query.time_expressions import find_time_spans
from app.sentence import Sentence, joined

MAX_LENGTH: Final = 4_000
MAX_TERMS: Final = 256
"""Maximum number of words in a query; ``app.retrieval.query.match_expression`` selects those to search."""
MAX_PREFERRED: Final = 8
"""Maximum number of preferred phrases in a sentence."""
_PREFERRED: Final = Sentence(
    "This reads as a sentence: texts with the quoted words side by side are preferred, others are found too."
    " Search a quotation by itself to demand it."
)
_NOTHING: Final = Sentence("There is nothing to search for: type a word, or an operator such as kind:note.")
_QUOTES: Final = str.maketrans("“”„‟", '""""')
_VALUES: Final = r'(?:"[^"]*(?:"|\Z)|[^\s"])*'
_TOKEN: Final = re.compile(rf'(-?)(?:([A-Za-z]+):({_VALUES})|"([^"]*)"(\*?)|(\S+))')
_VALUE: Final = re.compile(r'"([^"]*)"?|([^",]+)')
_EDGES: Final = "\"'.,;:!?()[]{}"


def operators() -> tuple[OperatorHelp, ...]:
    """Return the operators of the language, for completion and help.

    The values are all there are for ``kind``, ``store``, ``role`` and ``is``, and examples for the others.
    """
    return tuple(OperatorHelp(operator.name, operator.help, operator.values) for operator in OPERATORS.values())


def parse(text: str, now_ms: int, zone: tzinfo | None = None) -> Query:
    """Parse a query as typed.

    Args:
        text: As typed.
        now_ms: The current time, milliseconds since 1970 UTC, for ``after:yesterday``.
        zone: Time zone of the days; the machine's when ``None``.
    """
    parser = _Parser(now_ms, zone)
    kept = storable(text[: MAX_LENGTH + 1])[0]
    if len(kept) > MAX_LENGTH:
        kept = kept[:MAX_LENGTH]
        parser.hint(Sentence("Only the first {most} characters were searched.", most=MAX_LENGTH))
    written = without_emphasis(kept.translate(_QUOTES))
    tokens = list(_TOKEN.finditer(written))
    parser.style = classify_query(written, [token[6] for token in tokens if token[6] and not token[1]])
    for token in tokens:
        parser.take(token)
    if tokens and parser.is_empty():
        parser.refuse("text", _NOTHING)
    return parser.query(kept)


def parse_plain(text: str, now_ms: int, zone: tzinfo | None = None) -> Query:
    """Parse a text without operators, such as a prompt to an agent.

    Args:
        text: Of any length; of a long one the first and the last words count, for a question stands at either end.
        now_ms: The current time, milliseconds since 1970 UTC, for "yesterday".
        zone: Time zone of the days; the machine's when ``None``.
    """
    parser = _Parser(now_ms, zone)
    words = storable(text)[0].split()
    half = MAX_TERMS // 2
    for word in words if len(words) <= MAX_TERMS else [*words[:half], *words[-half:]]:
        parser.add(Term(word.strip(_EDGES)))
    return parser.query(text)


class _Parser:
    """State of parsing a query."""

    def __init__(self, now_ms: int, zone: tzinfo | None) -> None:
        self.now_ms = now_ms
        self.zone = zone
        self.terms: list[Term] = []
        self.values: dict[str, list[str]] = {operator.name: [] for operator in OPERATORS.values() if operator.field}
        self.excluded: list[tuple[str, str]] = []
        self.since: int | None = None
        self.until: int | None = None
        self.hints: list[str] = []
        self.unknown: set[str] = set()
        """Operators with an unknown value."""
        self.style: QueryStyle = "search"
        self.preferred: list[Term] = []
        self.has_preferred = False

    def query(self, text: str) -> Query:
        if self.since is not None and self.until is not None and self.since >= self.until:
            self.hint(Sentence("No time is both after and before what you asked, so nothing can match."))
        if self.has_preferred:
            self.hint(_PREFERRED)
        values = {OPERATORS[name].field: tuple(dict.fromkeys(texts)) for name, texts in self.values.items()}
        return Query(
            text=text,
            terms=(*self.terms, *dict.fromkeys(self.preferred)),
            excluded=tuple(dict.fromkeys(self.excluded)),
            since=self.since,
            until=self.until,
            moments=self._moments(),
            hints=tuple(self.hints),
            matches_nothing=self._matches_nothing(),
            **values,
        )

    def _matches_nothing(self) -> bool:
        # One known value of several alternatives is enough.
        return any(
            name not in OPERATORS or not OPERATORS[name].is_closed or OPERATORS[name].needs_all or not self.values[name]
            for name in self.unknown
        )

    def is_empty(self) -> bool:
        """Tell whether the query has neither words nor operators."""
        parts = (self.terms, self.preferred, self.excluded, self.hints, *self.values.values())
        return not any(parts) and self.since is None and self.until is None

    def _moments(self) -> tuple[tuple[int, int], ...]:
        text = " ".join(term.text for term in self.terms if not term.excluded)
        # Relative times count from ``until``, since nothing after it can be found.
        return find_time_spans(text, self.now_ms if self.until is None else min(self.now_ms, self.until), self.zone)

    def hint(self, sentence: str) -> None:
        if sentence not in self.hints:
            self.hints.append(sentence)

    def refuse(self, name: str, sentence: str) -> None:
        """Match nothing and give a hint; in a sentence only give the hint."""
        self.hint(sentence)
        if self.style == "search":
            self.unknown.add(name)

    def take(self, token: re.Match[str]) -> None:
        minus, name, values, phrase, star, word = token.groups()
        excluded = minus == "-" and (bool(name) or self.style != "passage")
        if name:
            self.take_operator(name, values, excluded)
        elif phrase is not None and self.style != "search" and not excluded:
            self.take_preferred(phrase)
        elif phrase is not None:
            self.add(Term(" ".join(phrase.split()), phrase=not star, prefix=bool(star), excluded=excluded))
        elif word.startswith("-"):  # an option such as --force, or a line of dashes
            self.take_word(minus + word, excluded=False)
        else:
            self.take_word(word, excluded=excluded)

    def take_word(self, word: str, *, excluded: bool) -> None:
        bare = word.strip(_EDGES)
        stem = bare.strip("*")
        # Several stars, or a leading one, are emphasis and not a prefix.
        is_prefix = bare == f"{stem}*" and stem[-1:].isalnum()
        self.add(Term(stem.strip(_EDGES), prefix=is_prefix, excluded=excluded))

    def take_preferred(self, phrase: str) -> None:
        """Search the words of a phrase, and prefer texts with the whole phrase."""
        words = [word for word in phrase.split() if any(map(_says_something, word))]
        self.has_preferred = self.has_preferred or bool(words)
        for word in words:
            self.take_word(word, excluded=False)
        if len(words) > 1 and len(self.preferred) < MAX_PREFERRED:
            self.preferred.append(Term(" ".join(words).strip(_EDGES)))

    def add(self, term: Term) -> None:
        if not any(map(_says_something, term.text)):
            return
        if len(self.terms) < MAX_TERMS:
            self.terms.append(term)
        else:
            self.hint(Sentence("Only the first {most} words were searched.", most=MAX_TERMS))

    def take_operator(self, name: str, written: str, excluded: bool) -> None:
        operator = OPERATORS.get(name.lower())
        if operator is None:
            self.take_unknown(name, written, excluded)
            return
        values = [collapse(quoted or bare) for quoted, bare in _VALUE.findall(written)]
        values = [value for value in values if value]
        if not values and self.style != "search":  # "Before: a wall. After: a gate."
            self.take_word(name, excluded=False)
        elif not values:
            hint = Sentence("{name}: needs a value right after the colon to match anything.", name=operator.name)
            self.refuse(operator.name, joined((hint, _such_as(operator))))
        for value in values:
            if operator.condition is None:
                self.take_time(operator, value, excluded)
            else:
                self.take_value(operator, value, excluded)

    def take_unknown(self, name: str, written: str, excluded: bool) -> None:
        excluded = excluded and self.style != "passage"
        if '"' in written and self.style != "search" and not excluded:
            self.take_word(name, excluded=False)
            self.take_preferred(written.replace('"', " "))
        elif '"' in written:
            self.add(Term(collapse(f"{name}: {written.replace(chr(34), ' ')}"), phrase=True, excluded=excluded))
        else:
            self.take_word(f"{name}:{written}", excluded=excluded)
        # Web addresses, paths, scopes and words before a colon in a sentence are not operators.
        if (
            self.style == "search"
            and len(name) > 1
            and written.lstrip('"')[:1].isalnum()
            and name.lower() not in ("mailto", "urn", "doi")
        ):
            close = get_close_matches(name.lower(), OPERATORS, n=1)
            instead = Sentence("There are {names}.", names=", ".join(f"{name}:" for name in OPERATORS))
            if close:
                instead = Sentence("Did you mean {name}:?", name=close[0])
            hint = Sentence("“{name}:” is not an operator, so it was searched as a word.", name=excerpt(name, 20))
            self.hint(joined((hint, instead)))

    def take_value(self, operator: Operator, value: str, excluded: bool) -> None:
        known = operator.stored_value(value)
        if known is None:
            self.take_as_words(operator, value)
            hint = Sentence("{name}: does not know “{value}”.", name=operator.name, value=excerpt(value, 40))
            hint = joined((hint, self._without(), _such_as(operator)))
            if excluded:  # an unknown value excludes nothing
                self.hint(hint)
            else:
                self.refuse(operator.name, hint)
        elif excluded:
            self.excluded.append((operator.name, known))
        else:
            self.values[operator.name].append(known)

    def take_time(self, operator: Operator, value: str, excluded: bool) -> None:
        span = parse_span(value, self.now_ms, self.zone)
        if span is None:
            self.take_as_words(operator, value)
            hint = Sentence("{name}: does not know the time “{value}”.", name=operator.name, value=excerpt(value, 40))
            self.refuse(operator.name, joined((hint, self._without(), _such_as(operator))))
            return
        if operator.name == "on" and excluded:
            hint = Sentence("-on: cannot be searched, so nothing matches; use before: or after: instead.")
            self.refuse("on", hint)
            return
        since, until = span
        if operator.name == "on":
            self.from_(since)
            self.up_to(until)
        elif (operator.name == "after") != excluded:
            self.from_(since)
        else:
            self.up_to(since)

    def _without(self) -> str:
        return Sentence("Nothing matches that.") if self.style == "search" else ""

    def take_as_words(self, operator: Operator, value: str) -> None:
        """Search an operator of a sentence as words, such as ``is:that``."""
        if self.style != "search":
            for word in (operator.name, *value.split()):
                self.take_word(word, excluded=False)

    def from_(self, since: int) -> None:
        self.since = since if self.since is None else max(self.since, since)

    def up_to(self, until: int) -> None:
        self.until = until if self.until is None else min(self.until, until)


def _such_as(operator: Operator) -> str:
    if not operator.values:
        return ""
    values = (*operator.values, "episode") if operator.name == "kind" else operator.values
    if operator.is_closed:
        return Sentence("It takes {values}.", values=", ".join(values))
    return Sentence("Try {values}.", values=", ".join(values))


def _says_something(character: str) -> bool:
    """Tell whether a character is worth searching: letter, digit or symbol."""
    return character.isalnum() or (not character.isascii() and unicodedata.category(character)[0] not in "PZC")
