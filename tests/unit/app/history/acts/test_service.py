"""The history lists what was done as one, and undoes each entry, whatever its kind, also after a restart."""

from pathlib import Path
from typing import Any

import pytest

from app.api.caller import OWNER, Caller, caller_of
from app.changes import ChangeSet
from app.core.clock import DAY_MS
from app.errors import AccessDeniedError, InputError, NotFoundError, StaleError
from app.history.acts.model import Act
from app.host import Host


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


def acts(host: Host, who: str = "all") -> list[Act]:
    found, cursor = list[Act](), ""
    while True:
        page = host.ask("history.list", who=who, limit=7, cursor=cursor)
        found += page.acts
        cursor = page.cursor
        if not cursor:
            return found


def texts(host: Host, who: str = "all") -> list[str]:
    return [act.text for act in acts(host, who)]


def agent(host: Host, name: str = "robin", **options: Any) -> Caller:
    if name not in {one.name for one in host.ask("agent.list")}:
        host.ask("agent.add", name=name, **({"trust": "full", "review": True} | options))
    return caller_of(next(one for one in host.ask("agent.list") if one.name == name))


def propose(host: Host, **arguments: Any) -> int:
    return int(host.call("note.save", arguments, agent(host)).result().value.proposed)


def contents(host: Host) -> list[str]:
    return sorted(note.content for note in (host.ask("note.get", id=row.id) for row in host.ask("note.list")))


def rewrite(host: Host, note: str, content: str) -> None:
    host.ask("note.update", id=note, version=host.ask("note.get", id=note).version, content=content)


def markdown(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.md").write_text(f"# {name}\n\nOn {name} and the river.\n", encoding="utf-8")
    return folder


def test_what_the_person_does_is_told_in_plain_sentences(host: Host) -> None:
    note = host.ask("note.save", title="Rose list", content="Souvenir du Docteur Jamain")
    host.ask("note.pin", id=note.id, pinned=True)
    host.ask("note.delete", id=note.id)
    assert texts(host) == [
        "Deleted the note ‘Rose list’",
        "Pinned the note ‘Rose list’",
        "Wrote the note ‘Rose list’",
    ]
    assert {act.who for act in acts(host)} == {"me"}


def test_an_act_is_undone_and_that_undone_in_turn(host: Host) -> None:
    note = host.ask("note.save", title="Rose list", content="roses")
    host.ask("note.delete", id=note.id)
    deletion = acts(host)[0]
    host.ask("history.undo", id=deletion.id)
    assert contents(host) == ["roses"]
    undoing, deletion = acts(host)[:2]
    assert (undoing.text, undoing.step) == ("Undid: Deleted the note ‘Rose list’", "undo")
    assert (deletion.state, deletion.undone_by) == ("undone", undoing.id)
    with pytest.raises(InputError, match="undone already"):
        host.ask("history.undo", id=deletion.id)
    host.ask("history.undo", id=undoing.id)
    assert contents(host) == []
    assert acts(host)[0].text == "Did again: Deleted the note ‘Rose list’"


def test_a_change_of_project_is_told_as_that(host: Host) -> None:
    host.ask("session.append", session="tea", title="Tea", messages=[{"role": "user", "content": "Two cups."}])
    host.ask("session.set_project", session="tea", project="alice/garden")
    assert acts(host)[0].text == "Changed the project of the conversation ‘Tea’"


def test_a_step_back_undoes_the_latest_own_act_after_a_restart(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    host.ask("session.append", session="tea", messages=[{"role": "user", "content": "Two cups."}])
    host.ask("session.rename", session="tea", title="Tea time")
    host.ask("session.forget", session="tea")
    host.stop()
    again = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    again.start()
    try:
        undone = again.ask("history.step")
        assert undone.act.text == "Deleted the conversation ‘Tea time’"
        assert [one.id for one in again.ask("session.list")] == ["tea"]
        steps = again.ask("history.next")
        assert (steps.undo.text, steps.redo.text) == (
            "Renamed the conversation ‘Tea time’",
            "Undid: Deleted the conversation ‘Tea time’",
        )
        again.ask("history.step", step="redo")
        assert again.ask("session.list") == []
    finally:
        again.stop()


def test_a_step_back_never_undoes_what_an_agent_did(host: Host) -> None:
    host.ask("note.save", content="mine")
    host.call("note.save", {"content": "its"}, agent(host, "wren", review=False)).result()
    assert host.ask("history.step").act.text == "Wrote the note ‘mine’"
    assert contents(host) == ["its"]
    with pytest.raises(NotFoundError, match="nothing to undo"):
        host.ask("history.step")
    assert texts(host, "agents") == ["Wrote the note ‘its’"]


def test_an_acceptance_is_undone_as_one_and_the_proposal_waits_again(host: Host) -> None:
    proposal = propose(host, title="Kestrel", content="A kestrel over the field")
    host.ask("note.save", content="older")
    host.ask("inbox.accept", id=proposal)
    assert host.ask("history.next").undo.text == "Accepted the proposal ‘Kestrel’, proposed by robin"
    host.ask("history.step")
    assert contents(host) == ["older"]
    (waiting,) = host.ask("inbox.list")
    assert (waiting.id, waiting.state, waiting.run_id) == (proposal, "waiting", "")
    host.ask("history.step", step="redo")
    assert len(contents(host)) == 2
    assert host.ask("inbox.get", id=proposal).state == "accepted"


def test_an_acceptance_that_was_done_anew_is_not_done_twice(host: Host) -> None:
    proposal = propose(host, content="once only")
    host.ask("inbox.accept", id=proposal)
    host.ask("history.step")
    undoing = acts(host)[0]
    (decision,) = host.ask("inbox.accept", id=proposal)
    assert decision.state == "accepted"
    with pytest.raises(StaleError, match="proposal"):
        host.ask("history.undo", id=undoing.id)
    assert contents(host) == ["once only"]


def test_an_acceptance_whose_memory_was_changed_since_is_refused_with_what_to_undo_first(host: Host) -> None:
    proposal = propose(host, title="Kestrel", content="a kestrel")
    (decision,) = host.ask("inbox.accept", id=proposal)
    (note,) = decision.ids
    rewrite(host, note, "two kestrels")
    acceptance = next(act for act in acts(host) if act.id == decision.run_id)
    changed = "The note was changed again since (text). Undo this first: Changed the note ‘Kestrel’."
    assert acceptance.refusal == changed
    with pytest.raises(StaleError, match=rf"Undo this first: Changed the note ‘Kestrel’ \({acts(host)[0].id}\)\."):
        host.ask("history.undo", id=acceptance.id)
    with pytest.raises(StaleError, match=r"Undo this first: entry \d+ of the history, an edit by person at"):
        host.ask("memory.undo", run_id=decision.run_id)
    assert host.ask("inbox.get", id=proposal).state == "accepted"
    host.ask("history.step")
    host.ask("history.step")
    assert contents(host) == []
    assert host.ask("inbox.get", id=proposal).state == "waiting"


def test_rejections_and_edits_of_proposals_are_undone(host: Host) -> None:
    proposal = propose(host, content="a kestrel")
    host.ask("inbox.edit", id=proposal, arguments={"content": "a falcon"})
    host.ask("inbox.reject", id=proposal, reason="no")
    assert host.ask("history.step").act.text == "Rejected the proposal ‘a falcon’, proposed by robin"
    assert host.ask("inbox.get", id=proposal).state == "waiting"
    host.ask("history.step")
    assert host.ask("inbox.get", id=proposal).arguments["content"] == "a kestrel"
    host.ask("history.step", step="redo")
    host.ask("history.step", step="redo")
    rejected = host.ask("inbox.get", id=proposal)
    assert (rejected.state, rejected.note, rejected.arguments["content"]) == ("rejected", "no", "a falcon")


def test_an_import_is_one_act_and_what_was_edited_since_stays(host: Host, tmp_path: Path) -> None:
    folder = markdown(tmp_path / "notes", "Elder", "Birch", "Alder")
    host.ask("exchange.import", path=str(folder))
    (act,) = acts(host, "imports")
    assert act.text == "Imported 3 notes, from markdown"
    edited = next(row.id for row in host.ask("note.list") if row.title == "Birch")
    rewrite(host, edited, "My own words on birches.")
    undone = host.ask("history.undo", id=act.id)
    assert undone.kept == 1
    assert undone.reason.endswith("Undo this first: Changed the note ‘Birch’.")
    assert contents(host) == ["My own words on birches."]
    undoing = acts(host)[0]
    assert undoing.text == "Undid part of: Imported 3 notes, from markdown"
    (partly,) = acts(host, "imports")
    assert (partly.state, partly.undone_by, partly.refusal) == ("partly", undoing.id, undone.reason)
    assert partly.is_to_redo
    host.ask("history.undo", id=undoing.id)
    assert len(contents(host)) == 3
    (whole,) = acts(host, "imports")
    assert (whole.state, whole.undone_by) == ("done", "")


def test_the_rest_of_an_import_is_undone_once_nothing_is_in_the_way(host: Host, tmp_path: Path) -> None:
    run = host.ask("exchange.import", path=str(markdown(tmp_path / "notes", "Elder", "Birch"))).run_id
    rewrite(host, next(row.id for row in host.ask("note.list") if row.title == "Birch"), "My own words.")
    edit = acts(host)[0]
    host.ask("history.undo", id=run)
    with pytest.raises(StaleError, match="Undo this first: Changed the note ‘Birch’"):
        host.ask("history.undo", id=run)
    host.ask("history.undo", id=edit.id)
    host.ask("history.undo", id=run)
    assert contents(host) == []
    (act,) = acts(host, "imports")
    assert act.state == "undone"
    host.ask("history.undo", id=act.undone_by)
    assert len(contents(host)) == 2
    assert acts(host, "imports")[0].state == "done"


def test_an_import_is_undone_done_again_and_undone_again(host: Host, tmp_path: Path) -> None:
    host.ask("exchange.import", path=str(markdown(tmp_path / "notes", "Elder", "Birch")))
    for expected in (0, 2, 0, 2):
        host.ask("history.step", step="redo" if expected else "undo")
        assert len(contents(host)) == expected
    assert len(acts(host)) == 5


def test_only_the_owner_sees_and_undoes_acts(host: Host) -> None:
    proposal = propose(host, content="a kestrel")
    host.ask("inbox.reject", id=proposal)
    reader = agent(host, "wren", review=False)
    for operation in ("history.list", "history.next", "history.step"):
        with pytest.raises(AccessDeniedError):
            host.call(operation, {}, reader).result()
    assert host.call("memory.history", {}, reader).result().value == []
    entry = int(acts(host)[0].id.removeprefix("entry:"))
    with pytest.raises(NotFoundError):
        host.call("memory.undo", {"history_ids": [entry]}, reader).result()


def test_pages_tell_of_everything_once(host: Host) -> None:
    for number in range(25):
        host.ask("note.save", content=f"note {number}")
    assert texts(host) == [f"Wrote the note ‘note {number}’" for number in reversed(range(25))]
    with pytest.raises(InputError, match="cursor"):
        host.ask("history.list", cursor="x")


def test_the_history_of_a_proposal_goes_with_its_text(host: Host) -> None:
    proposal = propose(host, title="Secret garden", content="the secret garden")
    (decision,) = host.ask("inbox.accept", id=proposal)
    host.ask("memory.forget_forever", ids=list(decision.ids), confirm=True)
    assert all("ecret" not in act.text for act in acts(host))


def test_an_acceptance_with_a_key_is_accepted_anew_after_its_undo(host: Host) -> None:
    proposal = propose(host, content="a kestrel", key="k1")
    for _ in range(2):
        host.ask("inbox.accept", id=proposal)
        assert contents(host) == ["a kestrel"]
        host.ask("history.step")
        assert contents(host) == []
    host.ask("inbox.accept", id=proposal)
    assert contents(host) == ["a kestrel"]


def test_an_acceptance_that_no_history_keeps_is_refused_and_stays_accepted(host: Host) -> None:
    tea = [{"role": "user", "content": "Two cups."}]
    reply = host.call("session.append", {"session": "tea", "agent": "wren", "messages": tea}, agent(host)).result()
    host.ask("inbox.accept", id=reply.value.proposed)
    (act,) = acts(host)
    assert "cannot be undone here" in act.refusal
    with pytest.raises(StaleError, match="cannot be undone here"):
        host.ask("history.undo", id=act.id)
    assert host.ask("inbox.get", id=reply.value.proposed).state == "accepted"


def test_what_is_typed_into_a_proposal_is_kept_until_it_is_decided(host: Host) -> None:
    proposal = propose(host, content="a kestrel")
    host.ask("inbox.draft", id=proposal, texts={"content": "two kestr"})
    assert host.ask("inbox.get", id=proposal).draft == {"content": "two kestr"}
    host.ask("inbox.accept", id=proposal)
    assert host.ask("inbox.get", id=proposal).draft == {}
    assert not host.ask("inbox.draft", id=proposal, texts={"content": "x"})
    assert contents(host) == ["a kestrel"]


def test_what_decay_lowered_is_given_back_and_lowered_again(vault: Path) -> None:
    clock = SetClock()
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"}, clock=clock)
    host.start()
    try:
        host.ask("fact.remember", content="Rosa lives in Graz")
        clock.ms += 5 * DAY_MS
        run = host.ask("upkeep.run", job="decay").run_id
        lowered = host.ask("fact.list")[0].confidence
        (act,) = host.ask("history.find", ids=[run])
        assert (act.text, act.who) == ("Lowered the confidence of 1 fact", "upkeep")
        host.ask("history.undo", id=run)
        assert host.ask("fact.list")[0].confidence > lowered
        (act,) = host.ask("history.find", ids=[run])
        assert act.state == "undone"
        host.ask("history.undo", id=act.undone_by)
        assert host.ask("fact.list")[0].confidence == lowered
        assert host.ask("history.find", ids=[run])[0].state == "done"
    finally:
        host.stop()


def test_several_conversations_are_deleted_as_one(host: Host) -> None:
    for name in ("tea", "walk"):
        host.ask("session.append", session=name, messages=[{"role": "user", "content": name}])
    host.ask("session.forget_many", sessions=["tea", "walk"])
    assert host.ask("session.list") == []
    assert host.ask("history.step").act.text == "Deleted 2 conversations"
    assert {one.id for one in host.ask("session.list")} == {"tea", "walk"}


def test_changes_of_an_agent_are_its_own_after_an_undo_and_redo(host: Host) -> None:
    wren = agent(host, "wren", review=False)
    host.call("note.save", {"content": "its"}, wren).result()
    for _ in range(2):
        host.ask("agent.undo", name="wren", since="2020-01-01T00:00:00+00:00")
        assert host.ask("history.step").act.text == "Undid 1 change of wren"
        assert contents(host) == ["its"]


def test_what_is_in_the_way_is_undone_first_where_that_is_asked_for(host: Host) -> None:
    note = host.ask("note.save", title="Kestrel", content="one")
    for content in ("two", "three"):
        rewrite(host, note.id, content)
        host.ask("note.pin", id=note.id, pinned=content == "two")
    host.ask("note.save", title="Rose list", content="roses")
    first = acts(host)[-1]
    assert first.obstacle is not None
    assert first.obstacle.reason == "changed"
    assert first.obstacle.first in {act.id for act in acts(host)}
    with pytest.raises(StaleError) as refused:
        host.ask("history.undo", id=first.id)
    assert refused.value.data["act"] == first.id
    reply = host.call("history.undo", {"id": first.id, "with_later": True}, OWNER).result(30)
    assert note.id in reply.changes.ids
    assert contents(host) == ["roses"]
    assert acts(host)[0].text == "Undid: Wrote the note ‘Kestrel’"
    host.ask("history.undo", id=acts(host)[0].id)
    assert "one" in contents(host)


def test_a_run_of_which_all_was_changed_since_says_what_to_undo_first(host: Host, tmp_path: Path) -> None:
    names = [f"Tree {number}" for number in range(25)]
    run = host.ask("exchange.import", path=str(markdown(tmp_path / "notes", *names))).run_id
    for row in host.ask("note.list", limit=100):
        rewrite(host, row.id, f"My own words on {row.title}.")
    with pytest.raises(StaleError, match="Undo this first: Changed the note") as refused:
        host.ask("history.undo", id=run)
    assert refused.value.data["obstacle"]["reason"] == "changed"
    host.ask("history.undo", id=run, with_later=True)
    assert len(contents(host)) == 24


def rename_note(host: Host, note: str, title: str) -> None:
    host.ask("note.update", id=note, version=host.ask("note.get", id=note).version, title=title)


def undo_with_later(host: Host, identity: str) -> Any:
    """Undo an act with what is in its way; fail, and let the host go on, where that has no end."""
    call = host.call("history.undo", {"id": identity, "with_later": True}, OWNER)
    try:
        return call.result(30)
    finally:
        call.cancel()


def titled(host: Host, *titles: str) -> str:
    """Write a note and rename it, so that its history has an entry for each title; return its id."""
    note = host.ask("note.save", title=titles[0], content="text")
    for title in titles[1:]:
        rename_note(host, note.id, title)
    return str(note.id)


def found(host: Host, identity: str) -> Act:
    (act,) = host.ask("history.find", ids=[identity])
    return act


def test_an_undoing_is_undone_with_the_renaming_before_it(host: Host) -> None:
    note = titled(host, "t", "a", "b")
    undo_with_later(host, "entry:1")
    assert [act.id for act in acts(host)[:3]] == ["entry:6", "entry:5", "entry:4"]
    undo_with_later(host, "entry:4")
    assert host.ask("note.get", id=note).title == "b"
    assert texts(host)[:3] == [
        "Did again: Renamed the note ‘b’",
        "Did again: Renamed the note ‘a’",
        "Did again: Wrote the note ‘t’",
    ]
    assert len(acts(host)) == 9


def test_what_to_undo_first_is_what_the_fields_depend_on(host: Host) -> None:
    titled(host, "t", "a", "b")
    undo_with_later(host, "entry:1")
    host.ask("history.undo", id="entry:6")
    obstacle = found(host, "entry:4").obstacle
    assert obstacle is not None
    assert (obstacle.reason, obstacle.fields, obstacle.first) == ("changed", ("title",), "entry:5")


def test_an_undoing_is_undone_with_several_renamings_before_it(host: Host) -> None:
    note = titled(host, "t", "a", "b", "c")
    undo_with_later(host, "entry:2")
    undo_with_later(host, "entry:5")
    assert host.ask("note.get", id=note).title == "c"
    assert len(acts(host)) == 4 + 3 + 3


def test_a_deletion_that_was_taken_back_is_not_in_the_way_of_a_renaming(host: Host) -> None:
    note = titled(host, "t", "a", "b")
    host.ask("note.delete", id=note)
    host.ask("note.restore", id=note)
    assert "Undo this first: Renamed the note" in found(host, "entry:2").refusal
    undo_with_later(host, "entry:2")
    assert host.ask("note.get", id=note).title == "t"
    assert len(acts(host)) == 5 + 2


def test_an_undo_that_fails_after_a_later_one_tells_of_that(host: Host) -> None:
    host.ask("note.save", content="Anna Kovacs met Eve Miller in Graz.")
    host.ask("vault.settle", names=True)
    ids = {row.name: row.id for row in host.ask("entity.list", limit=100)}
    anna, eve = ids["Anna Kovacs"], ids["Eve Miller"]
    host.ask("entity.rename", id=anna, name="Anna Lund", type="project")
    first = acts(host)[0].id
    host.ask("entity.rename", id=anna, name="Anna Berg")
    second = acts(host)[0].id
    host.ask("entity.rename", id=eve, name="Anna Kovacs")
    events: list[Any] = []
    leave = host.subscribe(events.append)
    with pytest.raises(StaleError, match=rf"A later change was undone before that \({second}\)") as refused:
        undo_with_later(host, first)
    leave()
    assert refused.value.data["undone"] == [second]
    (event,) = (one for one in events if isinstance(one, ChangeSet) and one.history_ids)
    assert (event.operation, event.ids, "entities" in event.areas) == ("history.undo", (anna,), True)
    assert found(host, second).state == "undone"
