"""Fixtures: a vault with a search model prepared beside the one that serves, and the dialog over it."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.core.paths import resources
from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog

LIMIT_S = 30.0


@pytest.fixture(scope="session")
def prepared_template(template_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault with the memories of the sample, where hashed vectors are ready; never write to it."""
    folder = tmp_path_factory.mktemp("prepared")
    shutil.copy(template_db, folder)
    host = Host(folder, serve=False)
    host.start()
    try:
        host.ask("exchange.import", path=str(resources() / "sample" / "memories.jsonl"))
        host.ask("vault.settle", names=True)
        host.ask("embedding.change", model="hashed", waits=True)
        end = time.monotonic() + LIMIT_S
        while "ready" not in {generation.state for generation in host.ask("embedding.status").generations}:
            assert time.monotonic() < end, "the vectors were not ready in time"
            time.sleep(0.01)
    finally:
        host.stop()
    return folder


@pytest.fixture
def vault(prepared_template: Path, tmp_path: Path) -> Path:
    """Return the test's own copy of that vault."""
    return Path(shutil.copytree(prepared_template, tmp_path / "vault"))


@pytest.fixture
def models(qtbot: QtBot, bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    """Return the dialog once it shows what it knows."""
    dialog = ModelsDialog(bridge)
    qtbot.addWidget(dialog)
    dialog.bring_to_front()
    rest(lambda: len(dialog.rows.rows) == 2 and not bridge.is_busy)
    yield dialog
    if isValid(dialog):
        dialog.hide()
