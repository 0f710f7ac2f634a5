"""Unlinked mentions: found outside links and code, and linked with one call."""

import pytest

from app.errors import InputError, NotFoundError
from app.host import Host
from app.memories.note_links.unlinked_mentions import places


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("About Soil and soil.", "Soil", ["Soil", "soil"]),
        ("[[Soil]] `Soil` [Soil](x.md) https://x.org/Soil", "Soil", []),
        ("[[Soil|earth]] and Soil", "Soil", ["Soil"]),
        ("Soiled topsoil", "Soil", []),
        ("The  old\tmill", "The old mill", ["The  old\tmill"]),
        ("a b", "a", []),
        ("C# is", "C#x", []),
        ("", "Soil", []),
    ],
)
def test_places_are_whole_words_outside_links_and_code(text: str, title: str, expected: list[str]) -> None:
    assert [text[place.start : place.end] for place in places(text, title)] == expected


def test_unknown_notes_are_not_found(host: Host) -> None:
    with pytest.raises(NotFoundError):
        host.ask("note.mentions", id="note-unknown")
    target = host.ask("note.save", content="x", title="Soil").id
    other = host.ask("note.save", content="Nothing of it").id
    with pytest.raises(InputError, match="no longer names"):
        host.ask("note.link_mention", id=other, target=target)
    with pytest.raises(NotFoundError):
        host.ask("note.link_mention", id="note-unknown", target=target)


def test_mentions_are_found_and_one_call_links_them(host: Host) -> None:
    soil = host.ask("note.save", content="Dark. Soil is soil.", title="Soil").id
    naming = host.ask("note.save", content="First line\nThe soil here is dry.", title="Garden").id
    host.ask("note.save", content="See [[Soil]]; soil again", title="Linked")
    host.ask("note.save", content="`Soil`", title="Code")
    gone = host.ask("note.save", content="Soil too").id
    host.ask("note.delete", id=gone)
    (found,) = host.ask("note.mentions", id=soil)
    assert (found.memory_id, found.title, found.text) == (naming, "Garden", "The soil here is dry.")
    reply = host.call("note.link_mention", {"id": naming, "target": soil}).result()
    assert reply.value.content == "First line\nThe [[Soil|soil]] here is dry."
    assert host.ask("note.mentions", id=soil) == []
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert host.ask("note.get", id=naming).content == "First line\nThe soil here is dry."


@pytest.mark.parametrize("title", ["", "ab", '"', "a | b title", 'so "quoted" OR'])
def test_odd_titles_do_no_harm(host: Host, title: str) -> None:
    note = host.ask("note.save", content="text", title=title).id
    host.ask("note.save", content=f"It says {title} here.")
    assert len(host.ask("note.mentions", id=note)) <= 1
