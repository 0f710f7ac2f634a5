"""Ids of messages: what is written is read again, and nothing else is taken for one."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.message_ids import MessageRef, parse


@given(st.text(min_size=1), st.integers(0, 10**18 - 1))
@example("a#b", 0)
def test_what_is_written_is_read_again(session: str, seq: int) -> None:
    ref = MessageRef(session, seq)
    assert parse(str(ref)) == ref


@given(st.text(alphabet="a#-1٣ ", max_size=25))
def test_what_is_read_has_a_session_and_a_number_that_sqlite_holds(text: str) -> None:
    ref = parse(text)
    if ref is not None:
        assert ref.session
        assert 0 <= ref.seq < 2**63
        assert text == f"{ref.session}#{text.rpartition('#')[2]}"


@pytest.mark.parametrize("text", ["", "#", "ses-1", "#1", "ses-1#", "ses-1#-1", "ses-1#٣", "ses-1#1 ", f"s#{10**18}"])
def test_other_texts_name_no_message(text: str) -> None:
    assert parse(text) is None
