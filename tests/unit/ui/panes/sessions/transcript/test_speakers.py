"""Whose messages are the person's own, and the colours of all who speak."""

from app.sessions.model import Message
from tests.helpers.vault_filler import NOW
from ui.panes.sessions.transcript.speakers import Speakers


def said(author: str, role: str = "user") -> Message:
    return Message("ses-1", 1, role, author, "Hello", NOW, 0.5, 10)  # type: ignore[arg-type]


def test_the_one_who_speaks_with_an_assistant_is_the_person(look: object) -> None:
    speakers = Speakers()
    assert not speakers.meet([said("Maren"), said("Atlas", "assistant"), said("Maren")])
    assert speakers.is_own(said("Maren"))
    assert not speakers.is_own(said("Atlas", "assistant"))


def test_in_a_group_nobody_is_the_person_unless_without_a_name(look: object) -> None:
    speakers = Speakers()
    assert not speakers.meet([said("Alice")])
    assert speakers.meet([said("Bob"), said("Carol")])
    assert not speakers.meet([said("Dan")])
    assert not any(speakers.is_own(said(name)) for name in ("Alice", "Bob"))
    assert speakers.is_own(said(""))
    colours = [speakers.colour(said(name), name) for name in ("Alice", "Bob", "Carol", "Dan", "Alice")]
    assert len(set(colours)) == 4
    assert colours[0] == colours[4]
    assert speakers.colour(said(""), "You") not in colours
