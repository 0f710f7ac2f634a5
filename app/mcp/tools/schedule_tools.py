"""Tools of the small profile about the vault: its statistics, and schedules of goals."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from app.core.text import counted
from app.core.text_rules.recall_fence import entry
from app.errors import InputError
from app.mcp.tools.lenient_arguments import Arguments
from app.mcp.tools.tool_answers import ToolAnswer, day, fenced, held_back
from app.mcp.tools.toolbox import CallContext
from app.sentence import Sentence

_SHOWN: Final = 50
_CRON: Final = re.compile(r"\S+(?: \S+){4}")
_INTERVAL: Final = re.compile(r"(?:every )?(\d+) ?(s|m|h|d|seconds?|minutes?|hours?|days?)", re.IGNORECASE)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


async def statistics(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return how much is known, and since when."""
    stats = await call.read("memory.stats", steps=1)
    kinds = ", ".join(counted(kind["count"], kind["name"]) for kind in stats["kinds"])
    latest = f", the latest of {day(stats['latest'])}" if stats["latest"] else ""
    lines = [f"{counted(stats['memories'], 'memory')}{f' ({kinds})' if kinds else ''}{latest}."]
    if stats["sessions"]:
        latest_words = f", the latest of {day(stats['latest_message'])}" if stats["latest_message"] else ""
        messages, sessions = counted(stats["messages"], "message"), counted(stats["sessions"], "conversation")
        lines.append(f"{messages} in {sessions}{latest_words}.")
    values = {name: stats[name] for name in ("memories", "sessions", "messages")}
    return ToolAnswer(" ".join(lines), values)


async def schedule(given: Arguments, call: CallContext) -> ToolAnswer:
    """List, make or delete schedules of goals."""
    action = given.choice("action", ("list", "create", "delete"), "create" if given.text("goal").strip() else "list")
    if action == "create":
        schedule = await call.write(
            "schedule.create", goal=given.required("goal"), name=given.text("name"), cadence=_cadence(given)
        )
        return held_back(schedule) or _listing([schedule], f"Made; its id is {schedule['id']}.", outcome="added")
    if action == "delete":
        number = given.identifier("id")
        gone = await call.write("schedule.delete", id=number)
        return held_back(gone) or ToolAnswer(f"Deleted {number}.", {"ids": [number], "outcome": "deleted"})
    matches = await call.read("schedule.search", text=given.text("name").strip(), limit=_SHOWN)
    schedules, more = matches["schedules"], matches["total"] - len(matches["schedules"])
    rest = f"{counted(more, 'more schedule')}; give words of one as name." if more > 0 else ""
    return _listing(schedules, rest or ("" if schedules else "There are none."))


def _listing(schedules: list[dict[str, Any]], words: str, **values: Any) -> ToolAnswer:
    lines = [entry(schedule["id"], _about(schedule), schedule["goal"] or schedule["name"]) for schedule in schedules]
    return ToolAnswer(words, {"ids": [schedule["id"] for schedule in schedules], **values}, fenced(lines))


def _about(schedule: Mapping[str, Any]) -> str:
    following = f"next {day(schedule['next_run_at'])}" if schedule["next_run_at"] else ""
    return ", ".join(filter(None, (schedule["name"], schedule["status"], following)))


def _cadence(given: Arguments) -> dict[str, Any]:
    """Return when a goal is pursued: five fields of cron, an interval or a time.

    Raises:
        InputError: ``when`` is none of them.
    """
    when = " ".join(given.required("when").split())
    if match := _INTERVAL.fullmatch(when):
        return {"kind": "interval", "seconds": int(match[1]) * _SECONDS[match[2][0].lower()]}
    if _CRON.fullmatch(when):
        return {"kind": "cron", "expression": when, "zone": given.text("zone").strip()}
    with suppress(ValueError):
        moment = datetime.fromisoformat(when)
        if moment.tzinfo is not None:
            return {"kind": "once", "at": moment.isoformat()}
    what = "five fields of cron such as '0 8 * * mon', 'every 2 hours', or a time such as 2026-03-01T10:00Z"
    raise InputError(Sentence("'when' must be {what}.", what=what), field="when")
