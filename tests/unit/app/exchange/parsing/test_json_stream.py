import json
from io import BytesIO
from typing import Any

import pytest

from app.exchange.importing.source_files import SourceEntry
from app.exchange.parsing import json_stream
from app.exchange.parsing.json_stream import JsonValue, values
from app.memories.foreign_record import Problem


def read(data: bytes, *wanted: str) -> list[Any]:
    entry = SourceEntry("chat.json", len(data), lambda: BytesIO(data))
    found = list(values(entry, frozenset(wanted), lambda: False))
    assert not [one for one in found if isinstance(one, Problem)]
    return [one.value for one in found if isinstance(one, JsonValue)]


@pytest.mark.parametrize(
    "number", ["9" * 400, "9" * 90_000, "1e999", "-1.5E+4000", "NaN", "-Infinity", "18446744073709551616"]
)
@pytest.mark.parametrize("step", [1, 7, 1 << 16])
def test_a_number_that_nothing_holds_costs_no_message(number: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if step == 1 and len(number) > 400:
        number = number[:400]
    monkeypatch.setattr(json_stream, "read_some", lambda stream, _size: stream.read(step))
    said = f'NaN is no "number" and \\\\ neither is {number[:30]}'
    messages = f'{{"id": {number}, "text": {json.dumps(said)}}}, {{"text": "\\\\", "id": [{number}, 1.5, 3]}}'
    first, second = read(f'{{"messages": [{messages}]}}'.encode(), "messages.item")
    assert (first["text"], second["text"]) == (said, "\\")
    assert first["id"] == number
    assert second["id"] == [number, 1.5, 3]
