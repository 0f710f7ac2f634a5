"""How entries of the history undo and redo each other; reads ids only, for a run may have very many."""

import apsw


def latest(connection: apsw.Connection, history_id: int) -> tuple[int, bool]:
    """Follow an entry over its undoing, its redoing and so on to the last.

    Returns:
        The last entry's id, and whether the effect of ``history_id`` stands.
    """
    stands = True
    while (
        row := connection.execute("SELECT undone_by FROM memory_history WHERE id = ?", (history_id,)).fetchone()
    ) and (row[0] is not None):
        history_id, stands = row[0], not stands
    return history_id, stands


def of_run(connection: apsw.Connection, run_id: str) -> list[int]:
    """Return the ids of a run's entries, in the order they were written."""
    return [
        row[0] for row in connection.execute("SELECT id FROM memory_history WHERE run_id = ? ORDER BY id", (run_id,))
    ]
