"""The words of a field with another name or type are stored or named."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import FormatError
from app.exchange.format_registry import noise_of
from app.exchange.formats.detect import detect
from app.exchange.formats.known_formats import SPECS
from app.exchange.importing.accounting import Account
from app.exchange.importing.batches import BatchReader
from app.exchange.model import MessageRecord, SessionRecord, VaultDetail
from app.exchange.parsing.source_words import spoken, texts
from app.memories.foreign_record import MemoryRecord, Problem
from tests.unit.app.exchange.format_samples import SAMPLES, Files

Steps = tuple[str | int, ...]
CHANGES: dict[str, Callable[[Any], Any]] = {
    "list": lambda value: [value],
    "object": lambda value: {"value": value},
}
EXTREMES: tuple[Any, ...] = (
    10**400,
    10**5000,
    -5,
    float("nan"),
    float("inf"),
    "9" * 5000,
    "12024-01-01T00:00:00Z",
    253402300801,
    [],
    {},
    None,
    True,
)


def write(folder: Path, files: Files) -> Path:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = value if isinstance(value, tuple) else (value,)
        path.write_text("".join(f"{dumped(row)}\n" for row in rows), encoding="utf-8")
    return folder if len(files) > 1 else path


def dumped(value: Any) -> str:
    """Return JSON, with numbers of any length as their digits."""
    text = json.dumps(value, default=str)
    return text.replace('"#huge#"', "9" * 5000)


def taken(fmt: str, path: Path) -> tuple[str, list[Problem]]:
    """Return the texts that a person finds after an import, and the problems."""
    reader = BatchReader(SPECS[fmt].read(path, lambda: False), path, account=Account(noise_of(fmt)))
    said: list[str] = []
    problems: list[Problem] = []
    while True:
        try:
            batch = reader.next()
        except FormatError as error:
            return "\n".join(said), [*problems, Problem(path.name, error.message)]
        problems += batch.problems
        for record in batch.records:
            if isinstance(record, MessageRecord):
                message = record.message
                said += texts([message.content, message.author, message.tool_name, message.tool_calls, message.payload])
            elif isinstance(record, MemoryRecord):
                said += texts([record.content, record.title, record.tags, record.category, record.attributes])
            elif isinstance(record, SessionRecord):
                said += texts([record.title, record.attributes])
            elif isinstance(record, VaultDetail):
                said += texts(record.fields)
        if batch.is_last:
            counts = batch.items
            assert counts is not None
            assert counts.read == counts.stored + counts.left_out + counts.wordless
            return "\n".join(said), problems


def fields(value: Any, way: Steps = ()) -> Iterator[Steps]:
    """Yield the way to each field of each object."""
    children: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    )
    for name, inner in children:
        if isinstance(value, dict):
            yield (*way, name)
        yield from fields(inner, (*way, name))


def changed(files: Files, way: Steps, *, name: str = "", to: Callable[[Any], Any] = lambda value: value) -> Files:
    """Return files with one field under another name or with another value."""
    made = {key: list(value) if isinstance(value, tuple) else value for key, value in copy.deepcopy(files).items()}
    holder: Any = made
    for step in way[:-1]:
        holder = holder[step]
    value = to(holder.pop(way[-1]))
    holder[name or way[-1]] = value
    return {key: tuple(made[key]) if isinstance(files[key], tuple) else made[key] for key in made}


def words(files: Files, fmt: str) -> list[str]:
    """Return what somebody says in files."""
    values = [list(value) if isinstance(value, tuple) else value for value in files.values()]
    return [one.text for one in spoken(values, noise_of(fmt))]


def is_held(text: str, said: str) -> bool:
    plain = text.replace("<p>", "").replace("</p>", "").replace("<b>", "").replace("</b>", "")
    return plain.strip() in said.replace("**", "") or plain.removeprefix("Prompted ") in said


@pytest.mark.parametrize("fmt", SAMPLES)
def test_a_sample_goes_in_whole(fmt: str, tmp_path: Path) -> None:
    path = write(tmp_path, SAMPLES[fmt])
    assert detect(path) == fmt
    said, problems = taken(fmt, path)
    assert [problem for problem in problems if not problem.foreign] == []
    assert [text for text in words(SAMPLES[fmt], fmt) if not is_held(text, said)] == []


@pytest.mark.parametrize("change", ["name", *CHANGES])
@pytest.mark.parametrize("fmt", SAMPLES)
def test_the_words_of_a_changed_field_are_stored_or_named(fmt: str, change: str, tmp_path: Path) -> None:
    silent = []
    for number, way in enumerate(fields(SAMPLES[fmt])):
        if len(way) < 2:
            continue
        made = (
            changed(SAMPLES[fmt], way, name="zzz")
            if change == "name"
            else changed(SAMPLES[fmt], way, to=CHANGES[change])
        )
        said, problems = taken(fmt, write(tmp_path / str(number), made))
        lost = [text for text in words(made, fmt) if not is_held(text, said)]
        if lost and not any(problem.lost or "retry replaced" in problem.what for problem in problems):
            silent.append((way, lost))
    assert silent == []


@pytest.mark.parametrize("fmt", SAMPLES)
def test_no_value_of_a_field_ends_an_import(fmt: str, tmp_path: Path) -> None:
    whole = words(SAMPLES[fmt], fmt)
    for number, way in enumerate(fields(SAMPLES[fmt])):
        for extreme, value in enumerate(EXTREMES if len(way) > 1 else ()):
            to = "#huge#" if value == 10**5000 else value
            made = changed(SAMPLES[fmt], way, to=lambda _value, to=to: to)
            said, problems = taken(fmt, write(tmp_path / f"{number}-{extreme}", made))
            lost = [text for text in words(made, fmt) if text in whole and not is_held(text, said)]
            assert not lost or any(problem.lost for problem in problems), (way, extreme, lost)
