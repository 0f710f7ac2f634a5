"""Reader of acts: pages of the history, single acts, and the next to undo."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from typing import Final

import apsw

from app.core.clock import to_datetime
from app.errors import InputError, NotFoundError
from app.history import history_repo, undo_chain
from app.history.acts import repo
from app.history.acts.model import (
    ENTRY,
    Act,
    ActObstacle,
    ActPage,
    ActPart,
    ActState,
    NextSteps,
    Step,
    Who,
    refusal_of,
    sentence,
)
from app.history.acts.repo import ActPlace
from app.history.acts.undo_order import OwnAct, next_steps
from app.history.history_repo import HistoryRow
from app.history.model import UNDO
from app.history.undo import UndoService

PERSON: Final = "person"
ACCEPTANCE: Final = "inbox:"
_FOLDER: Final = "folder"  # the actor of the mirrored folder
_LOOKED_AT: Final = 600
"""Acts that one page looks at, for those by somebody among many by others."""
_FEW: Final = 20
"""Entries of a run of which is told at once what is in the way of its undo."""
_OWN: Final = 200
_EMPTY: Final = ActPlace(0, 0)


@dataclass(frozen=True, slots=True)
class SideEffects:
    """Standing changes of a run outside the history, such as confidences of facts."""

    run_id: str
    at_ms: int
    part: ActPart


class ActReader:
    """Reads acts.

    Args:
        undo: Says what is in the way of an undo.
        others: Return what runs changed that is not in the history.
    """

    def __init__(
        self, undo: UndoService, others: Iterable[Callable[[apsw.Connection], Iterable[SideEffects]]] = ()
    ) -> None:
        self._undo = undo
        self._others = tuple(others)

    def page(self, connection: apsw.Connection, who: Who | None, limit: int, cursor: str) -> ActPage:
        """Return a page of acts, newest first.

        Raises:
            InputError: The cursor is none that an earlier page gave.
        """
        before = _parsed(cursor)
        effects = self._effects(connection)
        runs = {place.run_id: place for place in repo.run_places(connection)}
        for run_id, some in effects.items():
            runs.setdefault(run_id, ActPlace(max(one.at_ms for one in some), 0, run_id))
        known = repo.newest_first(place for place in runs.values() if before is None or place < before)
        singles = repo.single_places(connection, before, who)
        acts: list[Act] = []
        for number, place in enumerate(merge(known, singles, reverse=True)):
            if len(acts) == limit or number == _LOOKED_AT:
                return ActPage(tuple(acts), _cursor(before or place))
            act = self._act(connection, place, effects.get(place.run_id, ()))
            if act is not None and who in (None, act.who):
                acts.append(act)
            before = place
        return ActPage(tuple(acts))

    def act(self, connection: apsw.Connection, identity: str) -> Act:
        """Return an act by its id.

        Raises:
            NotFoundError: There is none.
        """
        act = self._found(connection, identity, self._effects(connection))
        if act is None:
            raise NotFoundError("The history has no such entry. See 'history.list'.", id=identity)
        return act

    def base_of(self, connection: apsw.Connection, identity: str) -> str:
        """Return the id of the first act that an act undid or did again.

        It is the act's own where it is no undoing.
        """
        if identity.startswith(ENTRY):
            return f"{ENTRY}{undo_chain.base_entry(connection, int(identity.removeprefix(ENTRY)))}"
        return identity.rpartition(UNDO)[2]

    def acts(self, connection: apsw.Connection, ids: Sequence[str]) -> list[Act]:
        """Return acts by their ids; those there are none of are left out."""
        effects = self._effects(connection)
        acts = (self._found(connection, identity, effects) for identity in dict.fromkeys(ids))
        return [act for act in acts if act is not None]

    def _found(
        self, connection: apsw.Connection, identity: str, known: Mapping[str, tuple[SideEffects, ...]]
    ) -> Act | None:
        place, effects = self._place(connection, identity), known.get(identity, ())
        undoing = known.get(f"{UNDO}{identity}", ())
        if place is None and not effects and undoing:  # all that it did is kept with its undo
            act = _of_effects(ActPlace(undoing[0].at_ms, 0, identity), undoing)
            return None if act is None else replace(act, state="undone", undone_by=f"{UNDO}{identity}")
        if place is None and effects:
            place = ActPlace(max(effect.at_ms for effect in effects), 0, identity)
        return None if place is None else self._act(connection, place, effects)

    def next_steps(self, connection: apsw.Connection) -> NextSteps:
        """Return what the person would undo next, and do again."""
        undo, redo = next_steps(self._own(connection))
        first = next((one for one in reversed(undo) if self._stands(connection, one)), None)
        again = redo[-1] if redo and self._stands(connection, redo[-1]) else None
        acts = [None if one is None else self.act(connection, one) for one in (first, again)]
        return NextSteps(*acts)

    def _stands(self, connection: apsw.Connection, identity: str) -> bool:
        return self.act(connection, identity).state != "undone"

    def _own(self, connection: apsw.Connection) -> list[OwnAct]:
        """Return the latest acts of the person, oldest first."""
        own = [(place, place.id, _undone_run(place.run_id)) for place in self._own_runs(connection)]
        for place, ended in repo.own_singles(connection, PERSON, _OWN):
            undone = repo.undone_entry(connection, place.entry)
            target = "" if undone is None else repo.place_of_entry(undone).id
            own.append((replace(place, at_ms=ended), place.id, target))
        return [OwnAct(identity, target) for _, identity, target in sorted(own)[-_OWN:]]

    def _own_runs(self, connection: apsw.Connection) -> Iterable[ActPlace]:
        count = 0
        for place in repo.newest_first(repo.run_places(connection)):
            is_own = place.run_id.startswith(ACCEPTANCE) or repo.actor_of(connection, place.entry) == PERSON
            if is_own:
                yield place
                count += 1
            if count == _OWN:
                return

    def _effects(self, connection: apsw.Connection) -> dict[str, tuple[SideEffects, ...]]:
        effects: dict[str, tuple[SideEffects, ...]] = {}
        for other in self._others:
            for one in other(connection):
                effects[one.run_id] = (*effects.get(one.run_id, ()), one)
        return effects

    def _place(self, connection: apsw.Connection, identity: str) -> ActPlace | None:
        number = identity.removeprefix(ENTRY)
        if identity.startswith(ENTRY) and number.isascii() and number.isdecimal() and len(number) < 19:  # noqa: PLR2004
            row = history_repo.entry(connection, int(number))
            return None if row is None else repo.place_of_entry(row)
        row = repo.newest_entry(connection, identity)
        return None if row is None else repo.place_of_entry(row)

    def _act(self, connection: apsw.Connection, place: ActPlace, effects: Iterable[SideEffects]) -> Act | None:
        row = history_repo.entry(connection, place.entry) if place.entry else None
        if row is None:
            return _of_effects(place, tuple(effects))
        if row.event == "MENTION" and not place.run_id:
            return None
        act = self._act_of(connection, row)
        act = replace(act, parts=(*act.parts, *(effect.part for effect in effects)))
        obstacle = self._obstacle_of(connection, act, place)
        if obstacle is not None:
            act = replace(act, obstacle=obstacle, refusal=self.refusal(connection, obstacle))
        return replace(act, text=sentence(act))

    def _act_of(self, connection: apsw.Connection, row: HistoryRow) -> Act:
        """Return the act with this latest entry, without what prevents its undo."""
        place = repo.place_of_entry(row)
        return self._of_run(connection, place, row) if place.run_id else self._of_entry(connection, place, row)

    def _of_entry(self, connection: apsw.Connection, place: ActPlace, row: HistoryRow) -> Act:
        base, steps, undoes = row, 0, ""
        while (undone := repo.undone_entry(connection, base.id)) is not None:
            undoes = undoes or repo.place_of_entry(undone).id
            base, steps = undone, steps + 1
        act = self._described(connection, place, row, base, (repo.part_of_entry(base),))
        last, stands = undo_chain.latest_entry(connection, row.id)
        by = None if stands else history_repo.entry(connection, last)
        return _with_state(replace(act, step=_step(steps), undoes=undoes), "done" if stands else "undone", by)

    def _of_run(self, connection: apsw.Connection, place: ActPlace, row: HistoryRow) -> Act:
        base_run, steps = place.run_id, 0
        while base_run.startswith(UNDO):
            base_run, steps = base_run.removeprefix(UNDO), steps + 1
        base = repo.first_entry(connection, base_run) or row
        act = self._described(connection, place, row, base, repo.parts_of_run(connection, base_run))
        total, undone = repo.counts(connection, place.run_id)
        if steps:
            counts = repo.counts(connection, base_run)[0]
            act = replace(act, step=_step(steps), undoes=_undone_run(place.run_id), is_part=total < counts)
        elif (other := repo.undone_entry(connection, row.id)) is not None:
            while (earlier := repo.undone_entry(connection, other.id)) is not None:
                other = earlier  # what was undone and done again is still its agent's
            act = replace(act, agent=other.actor)
        by = repo.latest_undoing(connection, place.run_id) if undone else None
        return _with_state(act, "done" if not undone else "partly" if undone < total else "undone", by)

    def _described(
        self,
        connection: apsw.Connection,
        place: ActPlace,
        row: HistoryRow,
        base: HistoryRow,
        parts: tuple[ActPart, ...],
    ) -> Act:
        """Return an act by its latest entry and the first one of what it did."""
        is_import = repo.is_import(base)
        agent = repo.proposing_agent(connection, base.target) if base.target_kind == "proposal" else ""
        actor = PERSON if place.run_id.startswith(ACCEPTANCE) else row.actor
        who = _who(connection, actor, is_import=is_import and row.id >= base.id and not _undone_run(place.run_id))
        return Act(
            id=place.id,
            at=to_datetime(row.at_ms),
            who=who,
            actor=actor,
            kind="import" if is_import else "change",
            parts=parts,
            title=repo.title_of(connection, base) if sum(part.count for part in parts) == 1 else "",
            agent=agent,
            source=_source(connection, base) if is_import else "",
            entry=row.id,
            target_kind=base.target_kind,
            target=base.target,
        )

    def _obstacle_of(self, connection: apsw.Connection, act: Act, place: ActPlace) -> ActObstacle | None:
        """Return what prevents the undo of an act, where it is about few things."""
        if act.state == "undone":
            return None
        if not place.run_id:
            return self._obstacle(connection, place.entry)
        rows = history_repo.entries(connection, run_id=place.run_id, limit=_FEW + 1)
        if len(rows) > _FEW:
            return None
        latest = {row.target: row.id for row in reversed(rows) if undo_chain.stands(connection, row.id)}
        if all(row.target_kind == "proposal" and row.event == "ACCEPT" for row in rows):
            return ActObstacle("not_kept", "proposal")
        obstacles = [self._obstacle(connection, entry) for entry in latest.values()]
        is_whole = ACCEPTANCE in place.run_id  # undone as a whole or not at all
        is_refused = any(obstacles) if is_whole else all(obstacles)
        return next(filter(None, obstacles), None) if is_refused else None

    def _obstacle(self, connection: apsw.Connection, history_id: int) -> ActObstacle | None:
        obstacle = self._undo.obstacle(connection, history_id)
        if obstacle is None:
            return None
        first = "" if obstacle.later is None else repo.place_of_entry(obstacle.later).id
        return ActObstacle(obstacle.reason, obstacle.kind, obstacle.changed, first)

    def obstacle_of(self, connection: apsw.Connection, run_id: str, target: str) -> ActObstacle | None:
        """Return what prevents the undo of a run for ``target``."""
        latest = next(iter(history_repo.entries(connection, target=target, run_id=run_id, limit=1)), None)
        return None if latest is None else self._obstacle(connection, latest.id)

    def refusal(self, connection: apsw.Connection, obstacle: ActObstacle, *, with_id: bool = False) -> str:
        """Return why an act cannot be undone, naming the act to undo first.

        Args:
            connection: Any connection.
            obstacle: What is in the way.
            with_id: Name that act by its id too, for callers who see nothing but the sentence.
        """
        place = self._place(connection, obstacle.first) if obstacle.first else None
        row = None if place is None else history_repo.entry(connection, place.entry)
        first = "" if row is None else sentence(self._act_of(connection, row))
        return refusal_of(obstacle, f"{first} ({obstacle.first})" if first and with_id else first)


def _with_state(act: Act, state: ActState, by: HistoryRow | None) -> Act:
    return replace(act, state=state, undone_by="" if by is None else repo.place_of_entry(by).id)


def _source(connection: apsw.Connection, first: HistoryRow) -> str:
    """Return the format of an import, ``""`` where several kinds of files came together."""
    last = repo.newest_entry(connection, first.run_id or "") or first
    source = repo.source_of(connection, first)
    return source if repo.source_of(connection, last) == source else ""


def _of_effects(place: ActPlace, effects: tuple[SideEffects, ...]) -> Act | None:
    if not effects:
        return None
    steps = place.run_id.count(UNDO)
    who: tuple[Who, str] = ("me", PERSON) if steps else ("upkeep", "keepsake")
    act = Act(
        place.id, to_datetime(place.at_ms), *who, step=_step(steps), parts=tuple(effect.part for effect in effects)
    )
    return replace(act, text=sentence(act))


def _who(connection: apsw.Connection, actor: str, *, is_import: bool) -> Who:
    if is_import or actor == _FOLDER:
        return "imports"
    if actor == PERSON:
        return "me"
    return "agents" if repo.is_agent(connection, actor) else "upkeep"


def _step(steps: int) -> Step | None:
    return None if not steps else "undo" if steps % 2 else "redo"


def _undone_run(run_id: str) -> str:
    return run_id.removeprefix(UNDO) if run_id.startswith(UNDO) else ""


def _cursor(place: ActPlace) -> str:
    return f"{place.at_ms}.{place.entry}.{place.run_id}"


def _parsed(cursor: str) -> ActPlace | None:
    if not cursor:
        return None
    at, _, rest = cursor.partition(".")
    entry, _, run_id = rest.partition(".")
    numbers = (at, entry)
    if not all(number.isascii() and number.isdecimal() and len(number) < 19 for number in numbers):  # noqa: PLR2004
        raise InputError("The cursor is none that an earlier page gave. Leave it out.", field="cursor")
    return ActPlace(int(at), int(entry), run_id)
