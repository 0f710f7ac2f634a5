"""Agents of the sample vault: what they looked up, proposed and were asked to do."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from app.api.caller import Caller
from app.errors import MachineError
from app.host import Host

_ZONE = "Europe/Brussels"
_SURVEY = "ses-sample-orchard-survey"
_SOON_S, _LONGEST_WAIT_S = 0.2, 30
_JOBS = ("decay", "enrichment", "housekeeping")


@dataclass(frozen=True, slots=True)
class _Program:
    """Program with access: its agent, its name and version, and what it may do."""

    agent: str
    client: str
    version: str
    trust: str
    review: bool


_ATLAS = _Program("Atlas", "Claude Desktop", "1.4", "full", review=True)
_JUNIPER = _Program("Juniper", "Cursor", "2.1", "inner", review=True)
_SCOUT = _Program("Scout", "Codex", "0.9", "familiar", review=False)
_SUMMARY = """\
Maren and Bram Claes walked the Lindenkaai orchard on 31 August 2026. Of 46 trees, 31 are sound, 9 doubtful and 6 dead.

- The hollow pear T17 may hold a bat roost. It is not cut before that is known.
- The walnut T33 stays, as Lotte De Smet wishes.
- Dr. Aoife Brennan looks at the soil on the second walk, on 7 September at 9:00."""
_TOOLS = """\
- stakes and ties for 14 trees
- labels, written before the holes are dug
- wood chip, 7 cm deep, with a bare ring of 15 cm around each trunk

See [[Planting list for November]]."""
_SCRATCHPAD = ("Girth of the 19 sound trees without a number", "Ask Bram for the endoscope", "Fruit of T10 and T26")


def add_agents(host: Host) -> None:
    """Let three programs work in a vault that holds the sample."""
    atlas, juniper, _scout = (_connect(host, program) for program in (_ATLAS, _JUNIPER, _SCOUT))
    host.ask("agent.trust", name=_SCOUT.agent, paused=True)
    _add_goals(host, atlas)
    _decide(host, atlas, juniper)
    _look_up(host, atlas, juniper)
    _propose(host, atlas, juniper)


def add_upkeep(host: Host) -> None:
    """Back the vault up and let the nightly jobs run once."""
    host.ask("vault.settle", names=True)
    host.ask("backup.now")
    for job in _JOBS:
        host.ask("upkeep.run", job=job)
    for backup in host.ask("backup.list"):
        host.ask("backup.verify", name=backup.name)
    host.ask("vault.check")


def _connect(host: Host, program: _Program) -> Caller:
    token = host.ask("agent.add", name=program.agent, trust=program.trust, review=program.review)
    return host.authenticate(token.token, program.client, program.version)


def _call(host: Host, caller: Caller, operation: str, arguments: Mapping[str, Any]) -> Any:
    return host.call(operation, arguments, caller).result().value


def _look_up(host: Host, atlas: Caller, juniper: Caller) -> None:
    """Search as agents do, and keep summary and scratchpad of a conversation."""
    for query in ("What did Dr. Brennan find in the soil?", "weep holes in the quay wall", "planting days"):
        _call(host, atlas, "memory.search", {"query": query})
    for query in ("viola lesson", "tea before sleep"):
        _call(host, juniper, "memory.search", {"query": query})
    _call(host, atlas, "memory.context", {"prompt": "What happens to the walnut?", "session": _SURVEY})
    host.ask("session.summary.set", session=_SURVEY, summary=_SUMMARY, upper_seq=23)
    host.ask("session.scratchpad.write", session=_SURVEY, items=list(_SCRATCHPAD))


def _decide(host: Host, atlas: Caller, juniper: Caller) -> None:
    """Propose two things: one that the person accepts, one that the person rejects."""
    survey = {
        "content": "Of the 46 trees in the Lindenkaai orchard, 31 are sound, 9 doubtful and 6 dead.",
        "category": "orchard",
        "key": "survey",
        "session": _SURVEY,
        "sources": [{"kind": "message", "id": f"{_SURVEY}#4"}],
        "tags": ["garden/orchard"],
    }
    _call(host, atlas, "fact.remember", survey)
    _call(host, juniper, "note.save", {"title": "Sencha offers", "content": "Three shops sell sencha from Kakegawa."})
    host.ask("inbox.accept", ids=[proposal.id for proposal in host.ask("inbox.list", agent=_ATLAS.agent)])
    host.ask("inbox.reject", ids=[proposal.id for proposal in host.ask("inbox.list", agent=_JUNIPER.agent)])


def _propose(host: Host, atlas: Caller, juniper: Caller) -> None:
    """Propose a note, a fact, and a change of a note."""
    tools = {"title": "What to bring to the orchard", "content": _TOOLS, "tags": ["planting"]}
    _call(host, atlas, "note.save", tools)
    rent = "Maren rents her viola until February 2027 and decides then whether to buy it for €2,400."
    _call(host, juniper, "fact.remember", {"content": rent, "category": "music", "key": "viola rent"})
    mulch = host.ask("note.get", id=host.ask("note.resolve", title="Mulch around young trees"))
    added = mulch.content.rstrip() + "\n\nBram’s reason against it: voles like a warm blanket against the bark.\n"
    _call(host, atlas, "note.update", {"id": mulch.id, "version": mulch.version, "content": added})


def _add_goals(host: Host, atlas: Caller) -> None:
    """Add two goals that recur, and one that an agent has pursued."""
    for goal, expression in (
        ("Sum up the week in the orchard", "0 18 * * fri"),
        ("Remind me of what I promised to Tomasz", "30 8 * * mon-fri"),
    ):
        cadence = {"kind": "cron", "expression": expression, "zone": _ZONE}
        host.ask("schedule.create", goal=goal, cadence=cadence)
    # Nothing can be due in the past, and only what is due can be claimed.
    once = {"kind": "once", "at": (datetime.now(UTC) + timedelta(seconds=_SOON_S)).isoformat()}
    goal = host.ask("schedule.create", goal="Look for a second Jefkespeer", cadence=once, trust="full")
    claim = _claim(host, atlas, goal.id)
    output = (
        "Nobody sells one. Bram Claes has two young pears from Heusden in his back row; one is promised to T39, "
        "so the other is worth asking for."
    )
    _call(host, atlas, "schedule.report", {"run_id": claim.run_id, "output": output, "turn_count": 4})


def _claim(host: Host, caller: Caller, goal: str) -> Any:
    """Claim a goal as soon as it is due."""
    end = time.monotonic() + _LONGEST_WAIT_S
    while (claim := _call(host, caller, "schedule.claim", {"id": goal})) is None:
        if time.monotonic() > end:
            raise MachineError("The goal of the sample did not become due.")
        time.sleep(_SOON_S / 4)
    return claim
