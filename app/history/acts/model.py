"""Values of acts, and the sentences that tell of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.history.obstacle import Reason, refusal
from app.history.obstacle import texts as obstacle_texts

Who = Literal["me", "agents", "upkeep", "imports"]
ActState = Literal["done", "partly", "undone"]
ActKind = Literal["change", "import"]
Step = Literal["undo", "redo"]

_VERBS: Final = {
    "ADD": "Wrote {items}",
    "UPDATE": "Changed {items}",
    "DELETE": "Deleted {items}",
    "RESTORE": "Brought back {items}",
    "FORGET": "Deleted {items}",
    "RENAME": "Renamed {items}",
    "COMPRESS": "Condensed {items}",
    "CONFIRM": "Confirmed {items}",
    "MERGE": "Merged {items}",
    "MENTION": "Mentioned {items} again",
    "ARCHIVE": "Archived {items}",
    "CLEAN": "Cleared {items} out of the archive",
    "ACCEPT": "Accepted {items}",
    "REJECT": "Rejected {items}",
    "tags": "Changed the tags of {items}",
    "store": "Changed who may see {items}",
    "pinned": "Pinned {items}",
    "unpinned": "Unpinned {items}",
    "title": "Renamed {items}",
    "project": "Changed the project of {items}",
    "lower": "Lowered the confidence of {items}",
    "names": "Found names in {items}",
    "made": "Created {items}",
    "on": "Switched on {items}",
    "off": "Switched off {items}",
}
"""Verbs of the events, of single fields that changed, and of what runs do beside the history."""
_IMPORTED: Final = "Imported {items}"
_UPDATED: Final = "updated {items}"
_ACCEPTED: Final = "Accepted {items}, proposed by {agent}"
_REJECTED: Final = "Rejected {items}, proposed by {agent}"
ENTRY: Final = "entry:"
"""The prefix of the ids of acts that are one change."""
NOTHING_TO_UNDO: Final = "There is nothing to undo."
NOTHING_TO_REDO: Final = "There is nothing to do again."
UNDONE_ALREADY: Final = "That is undone already."
_ONE_BEFORE: Final = "A later change was undone before that ({last}) and can be done again."
_SOME_BEFORE: Final = "{count} later changes were undone before that, the last of them {last}, and can be done again."
_NOTHING: Final = "Did nothing that is still known"
_UNDID: Final = "Undid: {what}"
_UNDID_PART: Final = "Undid part of: {what}"
_REDID: Final = "Did again: {what}"
_TOOK_BACK: Final = "Undid {count} changes of {agent}"
_TOOK_BACK_ONE: Final = "Undid 1 change of {agent}"
_FROM: Final = "{what}, from {source}"
_THINGS: Final = {
    "note": ("1 note", "{n} notes", "the note ‘{title}’"),
    "fact": ("1 fact", "{n} facts", "the fact ‘{title}’"),
    "observation": ("1 observation", "{n} observations", "the observation ‘{title}’"),
    "reflection": ("1 reflection", "{n} reflections", "the reflection ‘{title}’"),
    "digest": ("1 digest", "{n} digests", "the digest ‘{title}’"),
    "memory": ("1 memory", "{n} memories", "the memory ‘{title}’"),
    "session": ("1 conversation", "{n} conversations", "the conversation ‘{title}’"),
    "entity": ("1 name", "{n} names", "the name ‘{title}’"),
    "proposal": ("1 proposal", "{n} proposals", "the proposal ‘{title}’"),
    "schedule": ("1 schedule", "{n} schedules", "the schedule ‘{title}’"),
    "saved_search": ("1 saved search", "{n} saved searches", "the saved search ‘{title}’"),
    "inbox_rule": ("1 inbox rule", "{n} inbox rules", "the inbox rule ‘{title}’"),
    "text": ("1 text", "{n} texts", "the text ‘{title}’"),
}
_MADE: Final = frozenset({"schedule", "saved_search", "inbox_rule"})
"""Things that are created rather than written."""
_MOST_PARTS: Final = 3


@dataclass(frozen=True, slots=True)
class ActPart:
    """One kind of change of an act.

    Args:
        event: What was done, such as ``ADD``; the name of the field where a single one changed, such as ``tags``.
        thing: What it was done to: ``note``, ``fact``, ``session``, ``entity``, ``schedule`` and the like.
        count: To how many.
    """

    event: str
    thing: str
    count: int


@dataclass(frozen=True, slots=True)
class ActObstacle:
    """Later change that prevents the undo of an act now.

    Args:
        reason: What happened since.
        kind: The kind of what it happened to, such as ``note`` or ``session``.
        fields: The fields that were changed since.
        first: The id of the act to undo first, ``""`` where none is known.
    """

    reason: Reason
    kind: str
    fields: tuple[str, ...] = ()
    first: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the history: all that was done as one.

    An act that undid another, or did it again, has the kind, parts, title, agent and source of that one.

    Args:
        id: Its id: that of its run, or ``entry:`` and the number of its only change.
        at: When it was done; of a run that took a while, when it ended.
        who: Whose doing it counts as: ``me``, ``agents``, ``upkeep`` or ``imports``.
        actor: Who did it: ``person``, an agent's name, or a job's name.
        kind: ``import`` or ``change``.
        step: ``undo`` or ``redo`` where it undid another act or did it again, else ``None``.
        is_part: Whether only a part of that act was undone.
        parts: What was done, the largest part first.
        title: The title of what it was done to, where that is one thing.
        agent: Who proposed what was accepted or rejected, or whose changes were taken back; ``""`` for none.
        source: The format of what was imported, such as ``chatgpt``; ``""`` where it is not known.
        undoes: The id of the act that it undid or did again, ``""`` for none.
        undone_by: The id of the act that undid it, or the last part of it; ``""`` while all of it stands.
        state: ``undone``, ``partly`` undone, or ``done``.
        refusal: Why it cannot be undone now, in a sentence; ``""`` where nothing is known to be in the way.
        obstacle: The same by its parts; ``None`` with an empty ``refusal``.
        entry: The number of its latest change, 0 where it made none in the history.
        target_kind: The kind of ``target``: ``memory``, ``session``, ``entity``, ``proposal``, ``schedule`` or
            ``saved_search``.
        target: The id of what it was done to, the first where that is more than one.
        text: The act in one sentence.
    """

    id: str
    at: datetime
    who: Who
    actor: str
    kind: ActKind = "change"
    step: Step | None = None
    is_part: bool = False
    parts: tuple[ActPart, ...] = ()
    title: str = ""
    agent: str = ""
    source: str = ""
    undoes: str = ""
    undone_by: str = ""
    state: ActState = "done"
    refusal: str = ""
    obstacle: ActObstacle | None = None
    entry: int = 0
    target_kind: str = ""
    target: str = ""
    text: str = ""

    @property
    def is_to_redo(self) -> bool:
        """True where all that can be undone now is undone."""
        is_undone = self.state == "undone" or (self.state == "partly" and bool(self.refusal))
        return is_undone and bool(self.undone_by)


@dataclass(frozen=True, slots=True)
class ActPage:
    """A page of the history, newest first.

    Args:
        acts: The acts.
        cursor: Where the next page begins, ``""`` after the last.
    """

    acts: tuple[Act, ...]
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class NextSteps:
    """Acts of the person to undo and to do again next, if any."""

    undo: Act | None = None
    redo: Act | None = None


@dataclass(frozen=True, slots=True)
class UndoneAct:
    """An act that was undone, or done again.

    Args:
        act: What it was.
        history_ids: The entries of the history that take this back.
        kept: How many things stay as they are because they were changed since.
        reason: Why the first of them does.
    """

    act: Act
    history_ids: tuple[int, ...] = ()
    kept: int = 0
    reason: str = ""


def sentence(act: Act, say: Callable[[str], str] = str) -> str:
    """Return an act in one sentence, without who did it.

    Args:
        act: The act.
        say: Translates a text of this module.
    """
    what = deed(act, say)
    if act.step == "undo":
        return say(_UNDID_PART if act.is_part else _UNDID).format(what=what)
    return say(_REDID).format(what=what) if act.step == "redo" else what


def refusal_of(obstacle: ActObstacle, first: str, say: Callable[[str], str] = str) -> str:
    """Return why an act cannot be undone now, in one sentence or two.

    Args:
        obstacle: What is in the way.
        first: The act to undo first, in one sentence; ``""`` where none is known.
        say: Translates a text of the history.
    """
    return refusal(obstacle.reason, obstacle.kind, obstacle.fields, first, say)


def undone_before(undone: Sequence[str], say: Callable[[str], str] = str) -> str:
    """Return the sentence about acts that were undone before another was refused.

    Args:
        undone: Their ids, or sentences of them, in the order in which they were undone.
        say: Translates a text of this module.
    """
    text = say(_ONE_BEFORE if len(undone) == 1 else _SOME_BEFORE)
    return text.format(count=f"{len(undone):,}", last=undone[-1])


def texts() -> Iterator[str]:
    """Return the texts from which sentences are made, for translation."""
    yield from dict.fromkeys(_VERBS.values())
    yield from (
        _IMPORTED,
        _UPDATED,
        _ACCEPTED,
        _REJECTED,
        _NOTHING,
        _UNDID,
        _UNDID_PART,
        _REDID,
        _TOOK_BACK,
        _TOOK_BACK_ONE,
    )
    yield _FROM
    for things in _THINGS.values():
        yield from things
    yield from obstacle_texts()
    yield from (NOTHING_TO_UNDO, NOTHING_TO_REDO, UNDONE_ALREADY, _ONE_BEFORE, _SOME_BEFORE)


def deed(act: Act, say: Callable[[str], str] = str) -> str:
    """Return what an act did; for one that undid another, what that one did."""
    if act.kind == "import":
        return _import(act, say)
    if not act.parts:
        return say(_NOTHING)
    if act.agent and not any(part.thing == "proposal" for part in act.parts):
        count = sum(part.count for part in act.parts)
        text = say(_TOOK_BACK_ONE if count == 1 else _TOOK_BACK)
        return text.format(count=f"{count:,}", agent=act.agent)
    clauses = [_clause(act, part, say) for part in _joined(act.parts)[:_MOST_PARTS]]
    return " · ".join(clauses)


def _import(act: Act, say: Callable[[str], str]) -> str:
    new = [part for part in act.parts if part.event == "ADD"]
    changed = [part for part in act.parts if part.event != "ADD"]
    clauses = [say(_IMPORTED).format(items=_items(new, act.title, say))] if new else []
    if changed:
        items = _items(changed, "" if new else act.title, say)
        clauses.append(say(_UPDATED if new else _VERBS["UPDATE"]).format(items=items))
    what = " · ".join(clauses) or say(_NOTHING)
    return say(_FROM).format(what=what, source=act.source) if act.source else what


def _clause(act: Act, parts: list[ActPart], say: Callable[[str], str]) -> str:
    event = parts[0].event
    if event == "ADD" and _MADE.issuperset(part.thing for part in parts):
        event = "made"
    items = _items(parts, act.title, say)
    if act.agent and event in ("ACCEPT", "REJECT"):
        return say(_ACCEPTED if event == "ACCEPT" else _REJECTED).format(items=items, agent=act.agent)
    return say(_VERBS.get(event, _VERBS["UPDATE"])).format(items=items)


def _joined(parts: tuple[ActPart, ...]) -> list[list[ActPart]]:
    """Return the parts by what was done, in their order."""
    by_event: dict[str, list[ActPart]] = {}
    for part in parts:
        by_event.setdefault(part.event, []).append(part)
    return list(by_event.values())


def _items(parts: list[ActPart], title: str, say: Callable[[str], str]) -> str:
    return ", ".join(_thing(part, title if len(parts) == 1 else "", say) for part in parts)


def _thing(part: ActPart, title: str, say: Callable[[str], str]) -> str:
    one, many, titled = _THINGS.get(part.thing, _THINGS["memory"])
    if part.count == 1:
        return say(titled).format(title=title) if title else say(one)
    return say(many).format(n=f"{part.count:,}")
