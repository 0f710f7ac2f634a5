from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.tag_names import normalise_tags
from app.errors import FormatError
from app.exchange.formats.markdown import parse, read
from app.exchange.formats.note_file import render_note
from app.memories.foreign_record import MemoryRecord
from app.memories.model import Memory
from tests.unit.app.exchange.reading import only, records

NOW = datetime(2024, 1, 31, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


def memory(**fields: Any) -> Memory:
    known: dict[str, Any] = {"id": "note-1", "kind": "note", "title": "T", "content": "x", "store": "private"}
    return Memory(**{**known, "source": "person", "created_at": NOW, "updated_at": NOW, **fields})


def imported(file: Path) -> Memory:
    (record,) = only(records(read, file), MemoryRecord)
    return memory(title=record.title, content=record.content, tags=record.tags, attributes=record.attributes)


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"plain\n",
        b"# Title\n\nBody #tag and #Other\n",
        b"---\ntitle: Given  title # comment\ntags:   [b, A]\n---\nBody\n",
        b"---\r\ntags: x\r\n---\r\nBody\r\n",
        b"\xef\xbb\xbf---\naliases: [y]\n...\nBody",
        b"---\ntitle: {{title}}\n---\nBody\n",
        b"---\nscene\n---\nBody",
        b"mixed\r\nline\nends",
        b"old\rmac\r",
    ],
)
def test_an_unchanged_note_gives_the_same_bytes(tmp_path: Path, source: bytes) -> None:
    file = tmp_path / "Note.md"
    file.write_bytes(source)
    assert render_note(imported(file), "Note").encode() == source


def test_a_changed_body_keeps_the_front_matter_as_written(tmp_path: Path) -> None:
    file = tmp_path / "Note.md"
    file.write_text("---\ntags: [b]   # why\n---\nBody\n")
    assert render_note(replace(imported(file), content="New\n"), "Note") == "---\ntags: [b]   # why\n---\nNew\n"


def test_changed_tags_and_titles_are_written_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "Note.md"
    file.write_text("---\ntags: [b]\nmood: good\ntitle: Old\n---\nBody\n")
    parsed = parse(render_note(replace(imported(file), tags=("c",), title="New"), "Note"))
    assert (parsed.front.title, parsed.tags, parsed.body) == ("New", ("c",), "Body\n")
    assert parsed.front.fields["mood"] == "good"


def test_a_note_of_our_own_says_what_it_is() -> None:
    fields = parse(render_note(memory(kind="fact", category="food", key="tea", pinned=True), "T")).front.fields
    assert (fields["id"], fields["kind"], fields["category"], fields["key"]) == ("note-1", "fact", "food", "tea")
    assert (fields["created"], fields["pinned"]) == ("2024-01-31T00:00:00.000+00:00", "true")


@given(
    title=TEXT.map(lambda text: " ".join(text.split())).filter(bool),
    content=TEXT | TEXT.map(lambda text: f"---\n{text}\n---\n{text}"),
    tags=st.lists(TEXT, max_size=4).map(normalise_tags),
    raw=st.none() | TEXT.map(lambda text: f"---\n{text}\n---\n"),
)
def test_reading_what_was_written_gives_the_note(
    title: str, content: str, tags: tuple[str, ...], raw: str | None
) -> None:
    attributes = {"path": "a.md", **({"front_matter": raw} if raw else {})}
    for kept in (
        memory(title=title, content=content, tags=tags, attributes=attributes),
        memory(title=title, content=content, tags=tags),
    ):
        try:
            parsed = parse(render_note(kept, "Name"))
        except FormatError:
            # Kept as it was imported: front matter that is no YAML, in a note nobody changed.
            assert render_note(kept, "Name") == (raw or "") + content
            continue
        assert parsed.body == content
        assert (parsed.front.title or "Name") == title
        assert set(parsed.tags) >= set(tags) or len(parsed.tags) == 16
