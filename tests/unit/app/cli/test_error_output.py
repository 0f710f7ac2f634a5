import errno

import pytest
import typer

from app.cli.error_output import Boundary, outcome
from app.errors import AccessDeniedError, InputError, KeepsakeError, MachineError, VaultLockedError, unexpected


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (InputError("Give a path."), 65, "Give a path."),
        (VaultLockedError("In use."), 75, "In use."),
        (AccessDeniedError("No."), 77, "No."),
        (KeepsakeError("Hm."), 70, "Hm."),
        (KeyboardInterrupt(), 130, ""),
        (typer.Abort(), 130, ""),
        (FileNotFoundError(2, "No such file", "x.md"), 74, "No such file: x.md"),
        (OSError("odd"), 74, "odd"),
        (typer.BadParameter("It is wrong."), 2, "It is wrong. See 'keepsake --help'."),
    ],
)
def test_each_failure_has_a_status_and_a_sentence(error: BaseException, status: int, words: str) -> None:
    found, sentence = outcome(error)
    assert found == status
    assert sentence.endswith(words)


def test_a_bug_is_one_sentence_too(capsys: pytest.CaptureFixture[str]) -> None:
    with Boundary(debug=False) as boundary:
        raise ZeroDivisionError("division by zero")
    assert boundary.status == 70
    shown = capsys.readouterr().err
    assert shown.startswith("keepsake: Something went wrong inside Keepsake (ZeroDivisionError")
    assert "Traceback" not in shown


def test_debug_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    with Boundary(debug=True) as boundary:
        raise InputError("Give a path.")
    assert boundary.status == 65
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert shown.rstrip().endswith("keepsake: Give a path.")


def test_an_exit_passes() -> None:
    with pytest.raises(SystemExit), Boundary(debug=False):
        raise SystemExit(3)


def test_a_failure_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with Boundary(debug=False):
        raise InputError("bad \x1b[2J name")
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "too little free memory"),
        (RuntimeError("can't start new thread"), "too little free memory"),
        (OSError(errno.EMFILE, "Too many open files"), "too many files and connections"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "too little free memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
    ],
)
def test_what_the_machine_lacks_is_no_fault_of_ours(error: BaseException, sentence: str) -> None:
    failure = unexpected(error)
    assert isinstance(failure, MachineError)
    assert sentence in failure.message
    assert outcome(error)[0] == MachineError.exit_status
