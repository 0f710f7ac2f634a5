"""Templates of notes over a real vault."""

from datetime import datetime

import pytest

from app.errors import InputError, NotFoundError
from app.host import Host


def test_only_notes_that_are_there_make_notes(host: Host) -> None:
    fact = host.ask("fact.remember", content="No template").memory.id
    for wrong in (fact, "note-unknown"):
        with pytest.raises(NotFoundError):
            host.ask("note.from_template", template=wrong)
    empty = host.ask("note.save", content="#template", title="Nothing").id
    with pytest.raises(InputError):
        host.ask("note.from_template", template=empty)


def test_templates_are_tagged_notes_and_those_of_a_template_folder(host: Host) -> None:
    tagged = host.ask("note.save", content="A", title="Meeting", tags=["template"]).id
    nested = host.ask("note.save", content="B", title="Day", tags=["template/daily"]).id
    imported = host.ask(
        "note.save",
        content="C",
        title="Book",
        attributes={"origin": {"format": "markdown", "key": "vault/Templates/Book.md"}},
    ).id
    host.ask("note.save", content="about templates", title="Other", tags=["templates"])
    gone = host.ask("note.save", content="D", title="Gone", tags=["template"]).id
    host.ask("note.delete", id=gone)
    assert [row.id for row in host.ask("note.templates")] == [imported, nested, tagged]


def test_a_note_from_a_template_has_its_words_and_tags_and_is_no_template(host: Host) -> None:
    template = host.ask(
        "note.save", content="# {{title}}\n\n{{date}} #work", title="Meeting", tags=["template", "talk"], store="shared"
    ).id
    reply = host.call("note.from_template", {"template": template, "title": "Roof", "tags": ["daily"]}).result()
    made = reply.value
    today = datetime.now().astimezone().date().isoformat()
    assert (made.title, made.content) == ("Roof", f"# Roof\n\n{today} #work")
    assert set(made.tags) == {"daily", "talk", "work"}
    assert made.store == "shared"
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert host.ask("note.get", id=made.id).deleted_at is not None


def test_a_title_with_placeholders_names_the_note(host: Host) -> None:
    template = host.ask("note.save", content="Walk", title="{{date:YYYY}} walk", tags=["template"]).id
    made = host.ask("note.from_template", template=template)
    assert made.title == f"{datetime.now().astimezone().year} walk"
