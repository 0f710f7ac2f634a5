"""Short ids: which ids have one, and what is read as one."""

import pytest

from app.core.ids import new_id
from app.core.text_rules.short_ids import LEAST, SHOWN, ShortId, parse, short_id

UUID = "01a21511-aa2e-7b1c-9d3f-0123456789ab"


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        (f"fact-{UUID}", "fact-456789ab"),
        (f"ses-{UUID}#12", "ses-456789ab#12"),
        (f"claude-code:{UUID}", "ses-456789ab"),
        (f"claude-code:{UUID}#3", "ses-456789ab#3"),
    ],
)
def test_an_id_of_an_item_has_a_short_form(whole: str, shown: str) -> None:
    assert short_id(whole) == shown
    assert short_id(shown) == shown
    read = parse(shown)
    assert read is not None
    assert whole.removesuffix(read.turn).endswith(read.ending)


@pytest.mark.parametrize(
    "text", ["", "4", "sch-decay", f"run-{UUID}", f"{UUID}", "my chat#3", f"see note-{UUID}", "ses-a"]
)
def test_other_texts_stay(text: str) -> None:
    assert short_id(text) == text
    assert parse(text) is None


def test_any_ending_that_is_long_enough_is_read() -> None:
    whole = new_id("note")
    for length in range(len(UUID)):
        read = parse(f"note-{whole[-length:]}") if length else None
        has_one = length >= LEAST and not whole[-length:].startswith("-")
        assert read == (ShortId("note", whole[-length:], "") if has_one else None), length
    assert parse(whole) is None
    assert SHOWN >= LEAST
