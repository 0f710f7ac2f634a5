"""Repeated passages are indexed once, and each message that repeats them is still found."""

from app.host import Host
from app.index import session_reindex
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.vault_harness import VaultHarness

LONG = " ".join(f"line {number} of the report about tides and harbours" for number in range(150))
SHORT = "What does the report say?"


def report(
    vault_harness: VaultHarness, *texts: str, role: str = "assistant", session: str = "s", author: str = ""
) -> None:
    turns = [NewMessage(role, text, author=author) for text in texts]  # type: ignore[arg-type]
    vault_harness.do(vault_harness.sessions.append(turns, session, NewSession(), "person", owner=None))


def pieces(vault_harness: VaultHarness, session: str = "s") -> list[tuple[int, int | None]]:
    return vault_harness.rows(
        "SELECT seq_start, seq_last FROM chunk_texts WHERE kind = 'passage' AND seq_start = seq_end AND session_id = ?"
        " AND length(text) > 300 ORDER BY seq_start, id",
        session,
    )


def test_what_is_said_again_moves_the_end_of_the_first_on(vault_harness: VaultHarness) -> None:
    report(vault_harness, LONG)
    vault_harness.sync()
    once = pieces(vault_harness)
    assert len(once) > 10
    assert set(once) == {(1, None)}
    for number in range(2, 6):
        report(vault_harness, LONG)
        vault_harness.sync()
        assert pieces(vault_harness)[: len(once) - 1] == [(1, number)] * (len(once) - 1)
    assert vault_harness.rows("SELECT DISTINCT seq_start FROM chunks WHERE kind = 'passage' AND seq_last IS NULL") == [
        (seq,) for seq in range(1, 6)
    ]
    assert len(pieces(vault_harness)) < len(once) + 5
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_repeats_cost_neither_words_nor_vectors_but_their_own(vault_harness: VaultHarness) -> None:
    for _ in range(30):
        report(vault_harness, SHORT, role="user")
        report(vault_harness, LONG)
        vault_harness.sync()
    # Of each message its own, of each question that of its passage, of each report its last piece, and all pieces once.
    assert len(vault_harness.vectors()) < 60 + 30 + 30 + 20
    assert vault_harness.wrong_vectors() == []


def test_each_turn_is_still_found_by_words_deep_inside(vault_harness: VaultHarness) -> None:
    report(vault_harness, *[LONG + " and the lamprey swims at its end"] * 3)
    vault_harness.sync()
    found = vault_harness.rows(
        "SELECT c.seq_start FROM chunks_fts f JOIN chunks c ON c.id = f.rowid"
        " WHERE chunks_fts MATCH '\"line 77\" AND lamprey' AND c.kind = 'message' AND c.role = 'assistant'"
        " ORDER BY c.seq_start"
    )
    assert found == [(1,), (2,), (3,)]
    assert vault_harness.check() == []


def test_another_conversation_or_speaker_repeats_nothing(vault_harness: VaultHarness) -> None:
    report(vault_harness, LONG)
    report(vault_harness, LONG, session="other")
    report(vault_harness, LONG, author="Ana")
    vault_harness.sync()
    assert {seq for seq, _ in pieces(vault_harness)} == {1, 2}
    assert {last for _, last in pieces(vault_harness) + pieces(vault_harness, "other")} == {None}
    assert len(pieces(vault_harness)) == 2 * len(pieces(vault_harness, "other"))


def test_only_what_is_the_same_is_left_out(vault_harness: VaultHarness) -> None:
    report(vault_harness, LONG, LONG + " But this is new: " + "nothing was said of otters. " * 30)
    vault_harness.sync()
    assert vault_harness.rows(
        "SELECT count(*) > 0 FROM chunk_texts WHERE kind = 'passage' AND seq_start = 2 AND text LIKE '%otters%'"
    )
    assert {(1, 2), (2, None)} <= set(pieces(vault_harness))
    assert vault_harness.check() == []


def test_one_turn_that_repeats_itself_is_its_own_last(vault_harness: VaultHarness) -> None:
    report(vault_harness, "the same words over and over again, " * 150)
    vault_harness.sync()
    assert {last for _, last in pieces(vault_harness)} == {None}
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_forgetting_undoing_and_rebuilding_give_the_same(vault_harness: VaultHarness) -> None:
    report(vault_harness, LONG, SHORT, LONG, "ok", LONG)
    vault_harness.sync()
    before = vault_harness.rows(
        "SELECT seq_start, seq_end, seq_last, text FROM chunk_texts ORDER BY kind, seq_start, text"
    )
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    vault_harness.sync()
    assert vault_harness.rows("SELECT count(*) FROM chunks") == [(0,)]
    vault_harness.undo(entry)
    vault_harness.sync()
    assert (
        vault_harness.rows("SELECT seq_start, seq_end, seq_last, text FROM chunk_texts ORDER BY kind, seq_start, text")
        == before
    )
    assert vault_harness.check() == []


def test_each_is_found_at_its_own_time(host: Host) -> None:
    for month in (1, 2, 3):
        turn = {"role": "tool", "content": f"{LONG} and the lamprey", "created_at": f"2024-0{month}-10T12:00:00Z"}
        host.ask("session.append", session="s", messages=[turn, {**turn, "role": "user", "content": "Thanks."}])
    host.ask("vault.settle")
    for query, turns in [
        ("lamprey before:2024-02-01", {1}),
        ("lamprey after:2024-02-01 before:2024-03-01", {3}),
        ("lamprey after:2024-03-01 role:tool", {5}),
        ("lamprey role:tool", {1, 3, 5}),
        ('"line 77 of the report" after:2024-03-01', {5}),
    ]:
        for recipe in ("learned", "words", "rrf"):
            found = {hit.seq for hit in host.ask("memory.search", query=query, recipe=recipe).hits}
            assert turns <= found, (query, recipe)
            assert found <= turns | {seq + 1 for seq in turns}, (query, recipe)
