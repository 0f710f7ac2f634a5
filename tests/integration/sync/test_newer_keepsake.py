"""Fields that only a newer Keepsake knows are kept and passed on by an older one."""

import apsw

from app.sync.folding import row_settler
from app.sync.segments import capture
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import Machine, settle

OWN = "lane = (SELECT lane FROM lanes WHERE is_own)"


def write_as_newer(machine: Machine) -> None:
    """Let all that was written last say a field that this Keepsake does not know."""

    def work(connection: apsw.Connection) -> None:
        connection.execute(
            f"UPDATE memory_history SET after = json_set(after, '$.mood', 'calm') WHERE {OWN} AND after IS NOT NULL"
        )

    machine.host.submit(engine_of(machine.host).store.write(work)).result()


def moods(machine: Machine) -> dict[str, object]:
    """Return the field of each row as the changes of all machines make it, by kind."""

    def work(connection: apsw.Connection) -> dict[str, object]:
        rows = connection.execute("SELECT DISTINCT target_kind, target FROM memory_history").fetchall()
        states = {str(kind): row_settler.folded(connection, str(kind), str(target)).state for kind, target in rows}
        return {kind: (state or {}).get("mood") for kind, state in states.items()}

    found: dict[str, object] = machine.host.submit(engine_of(machine.host).store.read(work)).result()
    return found


def test_a_field_of_a_newer_keepsake_outlives_an_edit_by_an_older_one(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="first\nKenji Tanaka\nlast").id
    one.ask("vault.settle", names=True)
    [entity] = [entity for entity in one.ask("entity.list") if entity.name == "Kenji Tanaka"]
    one.ask("entity.rename", id=entity.id, name="Kenji", summary="A sailor")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "hello"}])
    one.ask("session.rename", session="talk", title="Talk")
    schedule = one.ask("schedule.create", goal="look", cadence={"kind": "interval", "seconds": 86_400})
    one.ask("saved_search.save", name="birds", query="heron")
    one.ask("inbox.rule.set", action="reject", agent="claude")
    write_as_newer(one)
    settle(one, other)
    assert set(moods(one)) == set(capture.KINDS)
    [memory] = other.ask("memory.get", ids=[note]).memories
    other.ask("note.update", id=note, version=memory.version, content="second\nKenji Tanaka\nlast", tags=["x"])
    other.ask("entity.rename", id=entity.id, name="Kenji T.")
    other.ask("session.rename", session="talk", title="Renamed")
    other.ask("schedule.update", id=schedule.id, patch={"goal": "look twice"})
    settle(one, other)
    [memory] = one.ask("memory.get", ids=[note]).memories
    one.ask("note.update", id=note, version=memory.version, title="Titled")
    settle(one, other)
    assert moods(one) == moods(other) == dict.fromkeys(capture.KINDS, "calm")
    assert one.contents() == ["second\nKenji Tanaka\nlast"]
