"""Advice about a vault that did not open: every failure of the machine has some."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app import errors
from app.core.vault_opening import OpeningStep
from app.errors import (
    CallStoppedError,
    ExchangeError,
    InternalError,
    KeepsakeError,
    MachineError,
    VaultDamagedError,
    VaultLockedError,
)
from app.rpc.client.dial import ConnectionLostError
from ui.shell.start.opening_advice import OpeningAdviser, OpeningRemedy
from ui.shell.start.start_page import StartPage
from ui.theme import Theme
from ui.widgets.plain_text import PlainLabel

JARGON = ("database", "schema", "sqlite", "keepsake check", "--vault", "host", "socket", "memory.db")
FOR_COMMANDS = "The vault's database cannot be read (schema 3). Run 'keepsake check', or choose another with --vault."


def failures(kind: type[KeepsakeError]) -> Iterator[type[KeepsakeError]]:
    for one in kind.__subclasses__():
        yield one
        yield from failures(one)


def load_all_kinds() -> None:
    """Load what declares kinds, so that each process that collects these tests finds the same."""
    root = Path(errors.__file__).parent.parent
    for path in sorted(path for part in ("app", "ui") for path in (root / part).rglob("*.py")):
        if re.search(r"^class \w+Error\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            import_module(".".join(path.relative_to(root).with_suffix("").parts))


load_all_kinds()
# No vault is kept closed by what its machines exchange.
AFTERWARDS = {CallStoppedError, ExchangeError, *failures(ExchangeError)}
KINDS: list[type[KeepsakeError]] = [MachineError, *failures(MachineError)]
MACHINE: list[type[KeepsakeError]] = sorted(
    (kind for kind in {*KINDS} - AFTERWARDS if not kind.__module__.startswith("tests.")),
    key=lambda kind: f"{kind.__module__}.{kind.__qualname__}",
)


def failure(kind: type[KeepsakeError], **data: Any) -> KeepsakeError:
    """Make a failure as a command would meet it; some kinds have a sentence of their own."""
    made = kind.__new__(kind)
    KeepsakeError.__init__(made, FOR_COMMANDS, **data)
    return made


def test_the_failures_of_the_machine_are_found() -> None:
    declared = {var for var in vars(errors).values() if isinstance(var, type) and issubclass(var, MachineError)}
    assert {*declared, ConnectionLostError} - AFTERWARDS <= set(MACHINE)


@pytest.mark.parametrize("kind", MACHINE, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("data", [{}, {"path": "/v/memory.db"}], ids=["bare", "path"])
def test_each_failure_of_the_machine_has_advice(qapp: Any, kind: type[KeepsakeError], data: dict[str, Any]) -> None:
    found = OpeningAdviser().advice(failure(kind, **data))
    assert found.sentence.endswith(".")
    assert not [word for word in JARGON if word in found.sentence.lower()]
    assert FOR_COMMANDS not in found.sentence
    assert OpeningRemedy.OTHER in found.remedies
    assert OpeningRemedy.RETRY in found.remedies
    assert len(set(found.remedies)) == len(found.remedies)


@pytest.mark.parametrize("state", ["missing", "unfinished", ""])
def test_each_kind_of_damage_names_what_is_damaged(qapp: Any, state: str) -> None:
    found = OpeningAdviser().advice(VaultDamagedError("Damaged.", path="/home/ann/v/memory.db", state=state))
    assert not [word for word in JARGON if word in found.sentence.lower()]
    assert OpeningRemedy.OTHER in found.remedies


def test_our_bug_offers_safe_mode(qapp: Any) -> None:
    assert OpeningRemedy.SAFE_MODE in OpeningAdviser().advice(InternalError("Something went wrong.")).remedies


def test_the_page_offers_the_advice_and_copies_the_details(qtbot: QtBot, qapp: Any) -> None:
    page = StartPage()
    qtbot.addWidget(page)
    page.show()
    page.show_error(VaultLockedError("The lock is held.", owner="4711"))
    assert "process 4711" in page.text
    assert page.retry.isVisible()
    assert page.retry.property("primary")
    page.copy.click()
    assert qapp.clipboard().text().startswith("vault_locked: The lock is held.")


@pytest.mark.parametrize(("width", "scale"), [(700, 1.0), (1000, 1.0), (1440, 1.0), (760, 2.0), (1200, 2.0)])
def test_no_sentence_is_cut(qtbot: QtBot, qapp: Any, look: Theme, width: int, scale: float) -> None:
    look.set_scale(scale)
    page = StartPage()
    qtbot.addWidget(page)
    page.resize(width, 650)
    page.show()
    page.show_error(MachineError("Disk."))
    page.show_result("Rescued 1,204 conversations, 18,322 messages and 911 notes and facts into a new folder. " * 3)
    qapp.processEvents()
    shown = [label for label in page.findChildren(PlainLabel) if label.wordWrap() and label.isVisible()]
    assert len(shown) == 3
    assert all(label.height() >= label.heightForWidth(label.width()) for label in shown)
    buttons = [button for button in page.remedies.values() if button.isVisible()]
    assert buttons
    assert all(button.width() >= button.sizeHint().width() for button in buttons)


def test_one_who_waits_is_told_the_step(qtbot: QtBot, qapp: Any) -> None:
    page = StartPage()
    qtbot.addWidget(page)
    page.show()
    page.show_opening("/home/ann/v")
    page.show_step(OpeningStep("backup", 40, 100))
    assert page.result == ""  # what opens at once flashes nothing
    qtbot.waitUntil(lambda: bool(page.result))
    assert "backup" in page.result
    page.show_step(OpeningStep("migration", 2, 5))
    assert page.result.endswith("step 2 of 5.")
    page.show_opening("/home/ann/v")
    assert page.result == ""
