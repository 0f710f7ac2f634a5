"""What was drawn from a conversation, its export, its groups, and the names in it."""

from pathlib import Path

import pytest

from app.errors import InputError, KeepsakeError, NotFoundError
from app.host import Host


@pytest.fixture
def talk(host: Host) -> str:
    """Return a conversation of which something is remembered."""
    said = ["My sister Anna Keller moved to Bern.", "How nice! Does she like it?", "Yes, Anna Keller loves the river."]
    messages = [{"role": "assistant" if n == 1 else "user", "content": text} for n, text in enumerate(said)]
    host.ask("session.append", session="ses-1", title="Anna", agent="scout", messages=messages)
    host.ask(
        "fact.remember",
        content="Anna Keller lives in Bern.",
        session="ses-1",
        sources=[{"kind": "message", "id": "ses-1#1"}, {"kind": "message", "id": "ses-1#3"}],
    )
    return "ses-1"


def test_memories_of_a_conversation_quote_its_messages(host: Host, talk: str) -> None:
    host.ask("session.append", session="ses-10", messages=[{"role": "user", "content": "Another one"}])
    host.ask("fact.remember", content="Another one is there.", sources=[{"kind": "message", "id": "ses-10#1"}])
    (found,) = host.ask("session.memories", session=talk)
    assert found.memory.content == "Anna Keller lives in Bern."
    assert [(quote.seq, quote.text[:7]) for quote in found.quotes] == [(1, "My sist"), (3, "Yes, An")]
    (other,) = host.ask("session.memories", session="ses-10")
    assert [quote.id for quote in other.quotes] == ["ses-10#1"]
    assert host.ask("session.memory_counts", sessions=[talk, "ses-10", "nothing"]) == {talk: 1, "ses-10": 1}


def test_deleted_memories_are_not_listed(host: Host, talk: str) -> None:
    (found,) = host.ask("session.memories", session=talk)
    host.ask("fact.forget", id=found.memory.id)
    assert host.ask("session.memories", session=talk) == []
    assert host.ask("session.memory_counts", sessions=[talk]) == {}


def test_memories_of_no_conversation_are_an_error(host: Host) -> None:
    with pytest.raises(NotFoundError):
        host.ask("session.memories", session="nothing")
    with pytest.raises(InputError):
        host.ask("session.memory_counts", sessions=["x"] * 1_001)
    with pytest.raises(InputError):
        host.ask("entity.named", owners=["x"] * 501)


def test_names_come_with_the_words_that_stand_there(host: Host, talk: str) -> None:
    (found,) = host.ask("session.memories", session=talk)
    host.ask("vault.settle", names=True)
    named = host.ask("entity.named", owners=[f"{talk}#3", f"{talk}#2", f"{talk}#x", found.memory.id, "nothing"])
    texts = {(one.owner_id, one.text) for one in named}
    assert (f"{talk}#3", "Anna Keller") in texts
    assert (found.memory.id, "Anna Keller") in texts
    assert not [one for one in named if one.owner_id == f"{talk}#2"]
    assert {one.entity_id for one in named if one.text == "Anna Keller"} == {
        row.id for row in host.ask("entity.list") if row.name == "Anna Keller"
    }


def test_groups_fit_the_order_of_the_list(host: Host, talk: str) -> None:
    for number, day in enumerate(("2026-01-05T12:00:00Z", "2026-01-05T13:00:00Z", "2026-01-07T12:00:00Z")):
        message = {"role": "user", "content": "Hello", "created_at": day}
        host.ask("session.append", session=f"old-{number}", agent="Ada", messages=[message])
    assert host.ask("session.groups", order="title") == []
    for order in ("recent", "oldest", "agent"):
        groups, ids = host.ask("session.groups", order=order), host.ask("session.ids", order=order)
        assert sum(group.count for group in groups) == len(ids)
    assert [(one.name, one.count) for one in host.ask("session.groups", order="agent")] == [("Ada", 3), ("scout", 1)]
    assert [one.count for one in host.ask("session.groups", filter={"agent": "Ada"})] == [1, 2]


@pytest.mark.parametrize("kind", ["markdown", "jsonl"])
def test_one_conversation_is_exported(host: Host, talk: str, tmp_path: Path, kind: str) -> None:
    host.ask("session.append", messages=[{"role": "user", "content": "Not exported"}])
    target = tmp_path / f"talk.{kind}"
    for _ in range(2):  # the second one replaces the first
        report = host.ask("exchange.export_session", session=talk, path=str(target), format=kind)
    assert (report.sessions, report.messages, report.bytes) == (1, 3, target.stat().st_size)
    text = target.read_text()
    assert "loves the river" in text
    assert "Not exported" not in text
    if kind == "jsonl":
        assert host.ask("exchange.import", path=str(target), format="keepsake").unchanged


@pytest.mark.parametrize("kind", ["markdown", "jsonl"])
def test_an_export_replaces_nothing_foreign(host: Host, talk: str, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "diary.md"
    target.write_text("---\ntitle: mine\n---\nDear diary")
    with pytest.raises(InputError):
        host.ask("exchange.export_session", session=talk, path=str(target), format=kind)
    assert target.read_text().endswith("Dear diary")
    with pytest.raises(KeepsakeError):
        host.ask("exchange.export_session", session="nothing", path=str(tmp_path / "new.md"))
    assert sorted(file.name for file in tmp_path.glob("*.md")) == ["diary.md"]


def test_condensing_and_consolidating_can_be_undone(host: Host, talk: str) -> None:
    reply = host.call("session.compact", {"session": talk, "retain_recent": 1}).result(30)
    assert reply.value.condensed == 2
    assert reply.changes is not None
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert host.ask("session.summary.get", session=talk).summary == ""
    reply = host.call("session.consolidate", {"session": talk}).result(60)
    assert reply.changes is not None
    assert reply.changes.history_ids == reply.value.history_ids
    before = len(host.ask("fact.list"))
    if reply.value.added:
        host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
        assert len(host.ask("fact.list")) == before - len(reply.value.added)
