"""Writing: a run of many changes undone, a long conversation forgotten and brought back."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.core.clock import DAY_MS, SystemClock
from app.host import Host
from app.index.session_reindex import GRACE_MS
from tests.bench.scale import floor
from tests.bench.scale.corpus import Corpus

_LONG = 50_000  # turns of the long conversation, or as many as the whole vault has
_SHORT = 100  # turns of each short conversation
_LOOK_S = 0.002


class LateClock(SystemClock):
    """The system's clock, moved on by ``late_ms``, so that grace periods end."""

    late_ms = 0

    def now_ms(self) -> int:
        """Return the moved time."""
        return super().now_ms() + self.late_ms


def measure(host: Host, folder: Path, messages: int, clock: LateClock) -> dict[str, Any]:
    """Return milliseconds of each; ``writer_ms`` is the longest that the writer was held."""
    report: dict[str, Any] = {"undo_run": _undo(host)}
    report |= _forget(host, folder, min(messages, _LONG), clock)
    report["undo_forget_many"] = _forget_many(host, folder, min(messages, _LONG), clock)
    return report


def _undo(host: Host) -> dict[str, float]:
    corpus = Corpus(19)
    ids = [host.ask("note.save", content=corpus.turn(), title=f"Undone {number}").id for number in range(floor.CHANGES)]
    begun = time.perf_counter()
    changes = host.call("note.tag_many", {"ids": ids, "add": ["bench"]}).result().changes
    done = time.perf_counter()
    assert changes is not None
    undone = host.ask("memory.undo", history_ids=list(changes.history_ids))
    if len(undone) != floor.CHANGES:
        raise RuntimeError(f"undid {len(undone)} of {floor.CHANGES} changes")
    return {"change_ms": round((done - begun) * 1000, 1), "undo_ms": round((time.perf_counter() - done) * 1000, 1)}


def _forget(host: Host, folder: Path, turns: int, clock: LateClock) -> dict[str, Any]:
    _import(host, folder / "long.jsonl", turns, ["long"])
    forgotten = _held(host, "session.forget", session="long")
    undone = _held(host, "memory.undo", history_ids=list(forgotten.pop("history_ids")))
    entries = _held(host, "session.forget", session="long")["history_ids"]
    _pass(host, clock, GRACE_MS - DAY_MS)
    weeks_later = _held(host, "memory.undo", history_ids=list(entries))
    late_entries = _held(host, "session.forget", session="long")["history_ids"]
    _end_grace(host, clock)
    late = _held(host, "memory.undo", history_ids=list(late_entries))
    host.ask("session.forget", session="long")
    _end_grace(host, clock)
    for figure in (undone, weeks_later, late):
        del figure["history_ids"]
    figures = {
        "forget": forgotten,
        "undo_forget": undone,
        "undo_forget_weeks_later": weeks_later,
        "undo_forget_late": late,
    }
    return {name: {"turns": turns, **figure} for name, figure in figures.items()}


def _forget_many(host: Host, folder: Path, turns: int, clock: LateClock) -> dict[str, Any]:
    """Forget many short conversations, and bring them back together weeks later."""
    names = [f"short-{number}" for number in range(max(turns // _SHORT, 1))]
    _import(host, folder / "short.jsonl", turns, names)
    changed = [host.call("session.forget", {"session": name}).result().changes for name in names]
    entries = [entry for changes in changed if changes is not None for entry in changes.history_ids]
    _pass(host, clock, GRACE_MS - DAY_MS)
    undone = _held(host, "memory.undo", history_ids=entries)
    del undone["history_ids"]
    for name in names:
        host.ask("session.forget", session=name)
    _end_grace(host, clock)
    return {"turns": turns, "conversations": len(names), **undone}


def _import(host: Host, source: Path, turns: int, sessions: Sequence[str]) -> None:
    """Import as many turns, spread evenly over conversations."""
    corpus, each = Corpus(23), -(-turns // len(sessions))
    with source.open("w", encoding="utf-8") as file:
        for number in range(turns):
            session, seq = divmod(number, each)
            turn = {"session": sessions[session], "seq": seq + 1, "role": "user", "content": corpus.turn()[:200]}
            file.write(json.dumps({"type": "message", **turn}) + "\n")
    host.ask("exchange.import", path=str(source))
    host.ask("vault.settle")


def _end_grace(host: Host, clock: LateClock) -> None:
    """Let the removal of what was forgotten begin, and wait until it is done."""
    _pass(host, clock, GRACE_MS)


def _pass(host: Host, clock: LateClock, milliseconds: int) -> None:
    """Let time pass, and wait for what it brings."""
    clock.late_ms += milliseconds
    host.ask("session.append", session="bench-append", messages=[{"role": "user", "content": "wake"}])
    host.ask("vault.settle")


def _held(host: Host, operation: str, **arguments: Any) -> dict[str, Any]:
    """Call an operation, and write all the while it and what follows it last."""
    begun = time.perf_counter()
    changes = host.call(operation, arguments).result().changes
    answered = time.perf_counter()
    assert changes is not None
    settling, waits = host.call("vault.settle", {}), [answered - begun]
    while not settling.done():
        requested = time.perf_counter()
        host.ask("session.rename", session="bench-append", title=f"{requested}")
        waits.append(time.perf_counter() - requested)
        time.sleep(_LOOK_S)
    return {
        "answered_ms": round((answered - begun) * 1000, 1),
        "settled_ms": round((time.perf_counter() - begun) * 1000, 1),
        "others_waited_ms": round(max(waits[1:], default=0.0) * 1000, 1),
        "history_ids": changes.history_ids,
    }
