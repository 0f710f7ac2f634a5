"""Quitting during long work: the work ends, what was acknowledged stays, and nothing half done is left."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.errors import KeepsakeError
from app.host import Host

if TYPE_CHECKING:
    from concurrent.futures import Future

SETTINGS = {"index.vectors": False, "backup.daily": False}
Begin = Callable[[Host, Path], "Future[Any]"]


def _file(place: Path, name: str, count: int) -> Path:
    """Write conversations as a file to import."""
    lines = (
        json.dumps(
            {"session": f"{name}-{number // 20}", "role": "user", "content": f"Line {number} of {name}, a note."}
        )
        for number in range(count)
    )
    path = place / f"{name}.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def _opened(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides=SETTINGS)
    host.start()
    return host


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    host = _opened(tmp_path / "v")
    host.ask("exchange.import", path=str(_file(tmp_path, "first", 2_000)))
    host.ask("note.save", title="Roses", content="Prune the climbing rose in March.")
    host.ask("backup.now")
    host.stop()
    return tmp_path / "v"


def _import(host: Host, place: Path) -> "Future[Any]":
    return host.call("exchange.import", {"path": str(_file(place, "second", 20_000))})


def _export(host: Host, place: Path) -> "Future[Any]":
    return host.call("exchange.export", {"path": str(place / "out.jsonl")})


def _verify(host: Host, _place: Path) -> "Future[Any]":
    return host.call("backup.verify", {"name": host.ask("backup.list")[0].name})


def _stage(host: Host, _place: Path) -> "Future[Any]":
    return host.call("backup.restore", {"name": host.ask("backup.list")[0].name})


def _call(operation: str, **arguments: object) -> Begin:
    return lambda host, _place: host.call(operation, arguments)


WORK: dict[str, Begin] = {
    "import": _import,
    "export": _export,
    "backup": _call("backup.now"),
    "verify": _verify,
    "restore": _stage,
    "reindex": _call("vault.reindex"),
    "check": _call("vault.check"),
    "repair": _call("vault.repair"),
    "health": _call("vault.health"),
    "names": _call("vault.settle", names=True),
    **{
        f"upkeep of {name}": _call("upkeep.run", job=name)
        for name in ("consolidation", "decay", "enrichment", "housekeeping", "reflection", "retention")
    },
}


def test_each_job_of_upkeep_is_tried(vault: Path) -> None:
    host = _opened(vault)
    assert {f"upkeep of {job.name}" for job in host.ask("upkeep.status")} <= WORK.keys()
    host.stop()


@pytest.mark.parametrize("name", WORK)
def test_quitting_ends_the_work_and_keeps_what_was_acknowledged(vault: Path, tmp_path: Path, name: str) -> None:
    host = _opened(vault)
    working = WORK[name](host, tmp_path)
    saving = host.call("note.save", {"title": "Last", "content": "Typed while it worked."})
    host.stop()
    # Each caller is answered: with what was done, or with a sentence.
    assert working.done()
    error = working.exception()
    assert error is None or isinstance(error, KeepsakeError)
    saved = saving.result().value
    assert not list(vault.rglob("*.partial*"))
    if error is not None:
        assert not (tmp_path / "out.jsonl").exists()
    host = _opened(vault)
    host.ask("vault.settle")
    if name != "restore" or error is not None:
        assert host.ask("note.get", id=saved.id).title == "Last"
    assert {host.ask("note.get", id=one).title for one in host.ask("note.ids")} >= {"Roses"}
    assert host.ask("vault.stats").messages >= 2_000
    assert host.ask("vault.check").ok
    host.stop()
