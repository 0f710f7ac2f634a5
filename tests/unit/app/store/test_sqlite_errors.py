"""What a person reads of SQLite's errors: a sentence of ours, which says what can be done."""

import errno
from pathlib import Path

import apsw
import pytest

from app.core.files import from_os
from app.errors import DiskFullError, KeepsakeError, MachineError, VaultReadOnlyError, unexpected
from app.store.sqlite_errors import file_problem, from_sqlite, translate_sqlite_errors

MACHINES = (
    apsw.IOError,
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.NoMemError,
    apsw.InterruptError,
)
SPOKEN = "disk I/O error"


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_an_error_of_the_machine_is_told_in_a_sentence_of_ours(kind: type[apsw.Error]) -> None:
    failure = from_sqlite(kind(SPOKEN))
    assert failure is not None
    assert SPOKEN not in failure.message
    assert failure.message.endswith(".")
    with pytest.raises(type(failure)), translate_sqlite_errors():
        raise kind(SPOKEN)


@pytest.mark.parametrize(
    "kind", [*MACHINES, apsw.SQLError, apsw.TooBigError, apsw.SchemaChangeError], ids=lambda kind: kind.__name__
)
def test_what_is_wrong_with_another_file_says_nothing_of_the_vault(kind: type[apsw.Error], tmp_path: Path) -> None:
    problem = file_problem(kind(SPOKEN), tmp_path / "backup.db")
    assert SPOKEN not in problem
    assert "vault" not in problem
    assert problem.endswith(".")


@pytest.mark.parametrize(
    ("number", "failure"),
    [
        (errno.ENOSPC, DiskFullError),
        (errno.EDQUOT, DiskFullError),
        (errno.EROFS, VaultReadOnlyError),
        (errno.EACCES, VaultReadOnlyError),
        (errno.EMFILE, MachineError),
        (errno.ENOMEM, MachineError),
        (errno.EFBIG, MachineError),
        (errno.EIO, MachineError),
        (0, MachineError),
    ],
)
def test_the_number_of_the_system_says_what_the_disk_lacks(number: int, failure: type[KeepsakeError]) -> None:
    error = from_sqlite(apsw.IOError(SPOKEN), None, number)
    assert type(error) is failure
    assert ("cable" in error.message) == (number in {0, errno.EIO})


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EIO, "machine"),
        (errno.ESTALE, "machine"),
        (errno.EDQUOT, "disk_full"),
        (errno.ENOSPC, "disk_full"),
        (errno.EROFS, "vault_read_only"),
        (errno.EMFILE, "machine"),
    ],
)
def test_errors_of_files_are_told_alike_wherever_they_are_met(number: int, code: str, tmp_path: Path) -> None:
    error = OSError(number, "as the system says it")
    assert from_os(error, tmp_path).code == code
    assert unexpected(error).code == code
