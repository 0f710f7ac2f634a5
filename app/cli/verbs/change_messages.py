"""Sentences about changes: what was done, and what undoes it."""

from collections.abc import Mapping
from typing import Any, Final

from app.cli.terminal import one_line
from app.cli.verbs.answers import cell, record_lines
from app.cli.verbs.model import Verb
from app.cli.verbs.tables import Screen
from app.core.text import counted

_DONE: Final[Mapping[str, str]] = {
    "batch": "Stored",
    "build": "Built",
    "consolidated": "Marked as consolidated:",
    "forget": "Forgot",
    "forget forever": "Removed for ever",
    "now": "Copied the database to",
    "pin": "Changed",
    "protect": "Changed",
    "put": "Put away",
    "reindex": "Indexed again:",
    "release": "Released",
    "remember": "Remembered",
    "revoke": "Ended the access of",
    "roll": "Summarised",
    "rotate": "Made a new token for",
    "run": "Ran",
    "set": "Set",
    "split": "Split",
    "tag": "Tagged",
    "trust": "Changed",
    "undo": "Undid",
    "update": "Changed",
    "write": "Stored",
}
_OUTCOMES: Final[Mapping[str, str]] = {
    "ADD": "Stored",
    "UPDATE": "Brought up to date:",
    "DELETE": "Stored, in place of an older one:",
    "NONE": "Already known:",
    "EXACT_DUP": "Already known, in the same words:",
}
_COUNTED: Final = {
    "memories": ("memory", "memories"),
    "sessions": ("conversation", "conversations"),
    "entities": ("name", "names"),
    "schedules": ("schedule", "schedules"),
    "searches": ("saved search", "saved searches"),
}
_AGENT_RUN: Final = frozenset({"agent", "run_id", "skipped", "left", *_COUNTED})
_PROPOSED: Final = frozenset({"proposed", "state", "message"})
_INNER: Final = ("memory", "fact", "session", "entity", "note")
_IDS: Final = ("id", "session_id", "run_id", "name")


def change_lines(verb: Verb, value: Any, screen: Screen) -> list[str]:
    """Return what a change did, for a person.

    Args:
        verb: The verb that was called.
        value: The operation's answer, as JSON values.
        screen: Where it is shown.
    """
    if value is None or value is False or value == []:
        return ["Nothing was changed."]
    if value is True:
        return ["Done."]
    if isinstance(value, dict):
        return token_lines(value) if "token" in value else _thing_lines(_done(verb), value, screen)
    shown = f"{len(value):,}" if isinstance(value, list) else one_line(cell(value, screen))
    return [f"{_done(verb)} {shown}."]


def _thing_lines(done: str, value: Mapping[str, Any], screen: Screen) -> list[str]:
    if value.get("state") == "preview":
        return ["Nothing was changed. It would be:", *record_lines(value, screen)]
    if value.keys() >= _PROPOSED:
        return [f"Proposed, as number {value['proposed']}. {one_line(str(value['message']))}"]
    if value.keys() >= _AGENT_RUN:
        return _agent_run_lines(done, value)
    thing = changed_thing(value)
    if thing is None:
        return [f"{done.rstrip(':')}.", *record_lines(value, screen)]
    return [f"{_OUTCOMES.get(str(value.get('outcome')), done)} {_called(thing)}."]


def _agent_run_lines(done: str, value: Mapping[str, Any]) -> list[str]:
    """Return what was undone, hidden or released of an agent, and the way back."""
    agent, run = one_line(str(value["agent"])), one_line(str(value["run_id"]))
    counts = [f"{value[name]:,} {words[value[name] != 1]}" for name, words in _COUNTED.items() if value[name]]
    if not counts:
        lines = [f"Nothing of {agent} was to be changed."]
    elif done == "Quarantined":
        lines = [f"Hidden of {agent}: {', '.join(counts)}. 'keepsake agent release {agent}' brings it back."]
    elif done == "Undid":
        lines = [f"Undid of {agent}: {', '.join(counts)}. 'keepsake memory undo --run-id {run}' brings it back."]
    else:
        lines = [f"{done} of {agent}: {', '.join(counts)}."]
    lines += [
        f"Left as it is: {one_line(skipped['target'])}. {one_line(skipped['reason'])}" for skipped in value["skipped"]
    ]
    return [
        *lines,
        *(
            [f"{counted(value['left'], 'change is', 'changes are')} left; call it again to go on."]
            if value["left"]
            else []
        ),
    ]


def token_lines(token: Mapping[str, Any]) -> list[str]:
    """Return an agent's token, which is shown once, with how to use it."""
    if "state" in token:
        first = "Its token, shown only now, is valid once the person has allowed it:"
    else:
        first = f"{one_line(token['name'])} may use the memory with {token['trust']} trust. Its token, shown only now:"
    return [
        first,
        str(token["token"]),
        "Give it to the agent in the variable KEEPSAKE_TOKEN:",
        f"  KEEPSAKE_TOKEN={token['token']} keepsake mcp",
    ]


def changed_thing(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the thing that an answer is about, ``None`` where it is about none."""
    for name in _INNER:
        inner = value.get(name)
        if isinstance(inner, dict) and "id" in inner:
            return inner
    return value if any(_is_id(value.get(name)) for name in _IDS) else None


def changed_ids(value: Any) -> list[str]:
    """Return the ids in the answer of a change, for other programs."""
    if isinstance(value, list):
        return [identity for item in value for identity in ([item] if isinstance(item, str) else changed_ids(item))]
    if isinstance(value, dict):
        thing = changed_thing(value)
        inner = value.get("ids")
        if isinstance(inner, list):
            return [str(item) for item in inner]
        return [] if thing is None else [str(next(thing[name] for name in _IDS if _is_id(thing.get(name))))]
    return []


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _done(verb: Verb) -> str:
    word = verb.words[-1].removesuffix("-many").replace("-", " ")
    if word in _DONE:
        return _DONE[word]
    first, _, rest = word.partition(" ")
    past = first if first.endswith("ed") else first + "d" if first.endswith("e") else first + "ed"
    return f"{past.capitalize()} {rest}".strip()


def _called(operation: Mapping[str, Any]) -> str:
    name = next(str(operation[key]) for key in _IDS if _is_id(operation.get(key)))
    title = str(operation.get("title") or (operation.get("name") if name != operation.get("name") else "") or "")
    return one_line(name) + (f" ({one_line(title)})" if title else "")
