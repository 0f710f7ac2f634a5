"""Repair of derived data; content of people and agents is never changed."""

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from app.errors import VaultDamagedError
from app.recovery import referential_repair
from app.sentence import Sentence, counted_sentence
from app.upkeep.checks.integrity_check import STRAY_MENTIONS, STRAY_PENDING, broken_index, private_files

Step = Callable[[apsw.Connection], list[str]]

_MAX_LINES = 1_000


def indexes(connection: apsw.Connection) -> list[str]:
    """Make anew the indexes that do not match their tables."""
    lines = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})")]
    names = sorted({name for line in lines if (name := broken_index(line))})
    for name in names:
        connection.execute(f'REINDEX "{name}"')
    return [Sentence("Made the index {name} anew.", name=name) for name in names]


def references(connection: apsw.Connection) -> list[str]:
    """Give messages without a conversation one, take away what hangs on nothing, and count anew."""
    mended = [what for what in referential_repair.wrong_counts(connection) if what]
    joined, dropped = referential_repair.join_pieces(connection)
    done: list[str] = [Sentence("Counted anew what was counted wrongly.")] if mended else []
    if joined:
        done.append(
            counted_sentence(
                joined,
                "Made 1 conversation for messages that had none.",
                "Made {count} conversations for messages that had none.",
            )
        )
    return done + [
        counted_sentence(
            number,
            "Took away 1 row of {table} that belonged to nothing.",
            "Took away {count} rows of {table} that belonged to nothing.",
            table=table,
        )
        for table, number in dropped.items()
    ]


def names(connection: apsw.Connection) -> list[str]:
    """Take away mentions in texts that are gone."""
    connection.execute(STRAY_MENTIONS.format("DELETE"))
    number = connection.changes()
    connection.execute(STRAY_PENDING.format("DELETE"))
    number += connection.changes()
    what = counted_sentence(
        number, "Took away 1 mention in texts that are gone.", "Took away {count} mentions in texts that are gone."
    )
    return [what] if number else []


def vectors(connection: apsw.Connection) -> list[str]:
    """Forget generations of vectors whose table is gone; they are made again."""
    rows = connection.execute(
        "SELECT id FROM generations WHERE 'vectors_' || id NOT IN (SELECT name FROM pragma_table_list)"
    ).fetchall()
    for (number,) in rows:
        connection.execute("DELETE FROM generations WHERE id = ?", (number,))
        connection.execute("DELETE FROM meta WHERE key = 'generation' AND value = ?", (str(number),))
    return ["Forgot vectors whose table is gone."] if rows else []


# In this order: an index that lies makes every other step work on the wrong rows.
STEPS: tuple[Step, ...] = (indexes, references, names, vectors)


def guarded(step: Step) -> Step:
    """Return ``step`` with a sentence of its own for damage that only salvaging gets around."""

    def run(connection: apsw.Connection) -> list[str]:
        try:
            return step(connection)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise refusal(str(error)) from error

    return run


def refusal(verdict: str) -> VaultDamagedError:
    """Return the failure of a repair that would have to do with what was written."""
    return VaultDamagedError(
        "The damage goes deeper than a repair of derived data reaches. Restore a backup ('keepsake backup list'),"
        " or save what is readable with 'keepsake salvage'. Nothing was changed.",
        verdict=verdict,
    )


def permissions(vault: Path) -> list[str]:
    """Make the vault readable for its owner only."""
    if os.name != "posix":
        return []
    open_ones = [path for path in private_files(vault) if path.stat().st_mode & 0o077]
    for path in open_ones:
        path.chmod(path.stat().st_mode & 0o700)
    return [Sentence("Made {name} readable for you only.", name=path.name) for path in open_ones]
