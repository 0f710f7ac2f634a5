"""Arguments of operations as command lines, and the other way round."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from app.cli.input import PATH
from app.cli.verbs.model import JSON, MOMENT, NUMBER, WHOLE, YES_NO, Verb, VerbParameter
from app.cli.verbs.option_parser import parsed
from app.cli.verbs.values import arguments_of

# A command line carries no NUL and no half of a character.
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["-", "--", "@", "@@x", "-x", "--json", "a,b", "[1]", '["a"]', "null", "a=b", "{", "{}", " ", "", "true"]
)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | TEXT
OBJECTS = st.dictionaries(TEXT, SCALARS | st.lists(SCALARS, max_size=2), min_size=1, max_size=2)


@dataclass(frozen=True)
class Line:
    """A rendered command line: its words, and what is piped into it."""

    words: tuple[str, ...] = ()
    piped: str | None = None


def values(item: VerbParameter) -> st.SearchStrategy[Any]:
    """Return what a parameter may be, as JSON values."""
    if item.kind == JSON and item.many:
        return st.lists(OBJECTS, min_size=1, max_size=3)
    if item.name == PATH:  # a relative one is made whole
        return st.sampled_from(("/notes", "/my notes/@x", "/-"))
    if item.choices:
        one: st.SearchStrategy[Any] = st.sampled_from(item.choices)
    else:
        one = {
            JSON: OBJECTS,
            WHOLE: st.integers(-(10**6), 10**6),
            NUMBER: st.floats(allow_nan=False, allow_infinity=False),
            YES_NO: st.booleans() | st.none() if item.nullable else st.booleans(),
            MOMENT: st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
        }.get(item.kind, TEXT)
    return st.lists(one, min_size=1, max_size=3) if item.many else one


@st.composite
def arguments(draw: st.DrawFn, verb: Verb) -> dict[str, Any]:
    """Draw arguments of a verb, those that it needs and some others."""
    found: dict[str, Any] = {}
    for item in verb.parameters:
        if item.place == "hidden" or item.name == "filter" or not (item.required or draw(st.booleans())):
            continue
        value = draw(values(item))
        if item.kind == YES_NO and len(item.names) == 1 and not item.nullable:
            value = True
        target = found.setdefault(item.inside, {}) if item.inside else found
        target[item.name] = value
    return found


def rendered(verb: Verb, given: dict[str, Any]) -> Line:
    """Return a command line that gives a verb these arguments."""
    options, placed, line = [], [], Line()
    open_arguments = [item for item in verb.parameters if item.place == "argument"]
    for item in verb.parameters:
        source = given.get(item.inside, {}) if item.inside else given
        if item.place == "option" and item.name in source:
            words, line = _option(item, source[item.name], line)
            options += words
    for item in open_arguments:
        if item.name in given:
            words, line = _words(item, given[item.name], line)
            placed += words
    return replace(line, words=(*options, "--", *placed))


def understood(verb: Verb, line: Line) -> dict[str, Any]:
    """Return the arguments that a command line gives a verb."""
    return arguments_of(verb, parsed(verb, line.words).values, lambda: line.piped or "")


def _option(item: VerbParameter, value: Any, line: Line) -> tuple[list[str], Line]:
    if item.kind == YES_NO and not item.nullable:
        return [item.names[0] if value else item.names[1]], line
    if item.many or item.kind == JSON:
        words, line = _words(item, value, line)
        return [part for word in words for part in (item.names[-1], word)], line
    words, line = _words(item, value, line)
    return [f"{item.names[0]}={words[0]}"], line


def _words(item: VerbParameter, value: Any, line: Line) -> tuple[list[str], Line]:
    if item.kind == JSON:
        return [json.dumps(value)], line
    if item.many:
        return [json.dumps(value)], line
    if not isinstance(value, str):
        return [json.dumps(value)], line
    if item.reads == "file" and value.startswith("@"):
        return ["@" + value], line
    if item.reads and value == "-":
        return ["-"], replace(line, piped="-")
    return [value], line
