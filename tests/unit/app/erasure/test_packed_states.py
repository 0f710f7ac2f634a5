"""Forgetting memories whose past is packed in the history."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.host import Host
from app.store.store import DATABASE
from tests.helpers.engine import engine_of

SECRET = "The xylozwickian quarterdeck of Ferdinand Zwickelbauer, and who went there. "
PAST = SECRET + " ".join(f"Line {number} of marmaladefjord." for number in range(200))


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def packed_of(vault: Path, memory: str) -> list[bytes]:
    """Return the packed states of a memory."""
    with closing(apsw.Connection(str(vault / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        rows = connection.execute(
            "SELECT before FROM memory_history WHERE target = ?1 AND typeof(before) = 'blob'"
            " UNION ALL SELECT after FROM memory_history WHERE target = ?1 AND typeof(after) = 'blob'",
            (memory,),
        ).fetchall()
    return [bytes(row[0]) for row in rows]


def pieces_in(vault: Path, states: list[bytes]) -> list[bytes]:
    """Return the pieces of packed states that the files of the vault have."""
    files = [path.read_bytes() for path in vault.glob(f"{DATABASE}*")]
    pieces = (state[start : start + 24] for state in states for start in range(0, len(state) - 24, 24))
    return [piece for piece in pieces if any(piece in data for data in files)]


def test_packed_states_go_with_their_memory(host: Host) -> None:
    note = host.ask("note.save", content=PAST).id
    host.ask("note.update", id=note, version=1, content="Nothing of that")
    states = packed_of(host.vault, note)
    assert states
    assert pieces_in(host.vault, states)
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert receipt.verified
    assert pieces_in(host.vault, states) == []
    assert packed_of(host.vault, note) == []


def test_what_free_space_kept_of_a_packed_state_makes_the_file_be_written_anew(host: Host) -> None:
    def write(*statements: str) -> None:
        def work(connection: apsw.Connection) -> None:
            connection.pragma("secure_delete", False)
            for statement in statements:
                connection.execute(statement)

        host.submit(engine_of(host).store.write(work)).result()

    note = host.ask("note.save", content=PAST).id
    write(
        "CREATE TABLE scratch (state BLOB) STRICT",
        "WITH numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)"
        " INSERT INTO scratch SELECT after FROM numbers, memory_history WHERE after IS NOT NULL",
    )
    write("DROP TABLE scratch")
    states = packed_of(host.vault, note)
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert (receipt.verified, receipt.how) == (True, "file rewritten")
    assert pieces_in(host.vault, states) == []


def test_a_packed_state_that_quotes_it_is_named(host: Host) -> None:
    note = host.ask("note.save", content=SECRET).id
    quoting = host.ask("note.save", content=PAST).id
    host.ask("note.update", id=quoting, version=1, content="Nothing of that")
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert receipt.verified
    assert ("memory_history", quoting, "quotes it") in {(item.table, item.id, item.why) for item in receipt.left}
    assert packed_of(host.vault, quoting)


def test_the_same_text_in_two_packed_states_leaves_nothing_of_one(host: Host) -> None:
    notes = [host.ask("note.save", content=PAST * 20).id for _ in range(2)]
    receipt = host.ask("memory.forget_forever", ids=notes[:1], confirm=True)
    assert receipt.verified
    assert packed_of(host.vault, notes[0]) == []
    assert host.ask("note.get", id=notes[1]).content == PAST * 20
