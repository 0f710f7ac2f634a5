"""Turns at the work that one of a person's machines does for all.

The machine that did a piece of work last does it again; another one takes its place when the work is due and nothing
comes of it. That is judged by how long this machine saw a lease unchanged, never by anybody's clock. Owns the vault's
``sync.turns`` value: of each lease the number, the machine and the run that were last seen.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Final, Literal

import apsw

from app.core.process.daemon_thread import in_daemon_thread, stoppable
from app.errors import KeepsakeError, MachineError
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store
from app.sync.joined_place import JoinedPlace
from app.sync.leases import job_lease
from app.sync.leases.job_lease import JobLease
from app.sync.membership import Membership, Standing
from app.sync.service import SyncService

_log = logging.getLogger(__name__)

_SEEN: Final = "sync.turns"
_NOTHING: Final = Sentence("")
_PAUSED: Final = Sentence("The exchange is paused.")

Verdict = Literal["go", "wait", "done"]


@dataclass(frozen=True, slots=True)
class TurnTiming:
    """Times of the turns, in seconds of this machine's own steady clock.

    Args:
        look: A lease that is waited for is looked at so often.
        beat: A machine that works renews its lease so often.
        silence: After so long without a change of its lease another machine is taken for gone.
        long_silence: The same where the place may lag, and the work must not be done twice.
    """

    look: float = 60.0
    beat: float = 60.0
    silence: float = 600.0
    long_silence: float = 12 * 3600.0


TIMING: Final = TurnTiming()


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Run that one machine does for all.

    Args:
        job: The name of the work, the same on all machines.
        occurrence: The name of the run, the same on all machines that come to it.
        is_elastic: Whether any run of the work since this machine's last look counts as this one.
        is_repeatable: Whether a run that was begun elsewhere and is not heard of is begun again.
        is_harmless: Whether two machines that both do it unknown to each other come to the same.
        begins_here: Whether it is this machine's where none had it yet; ``None`` where no machine is nearer to it.
    """

    job: str
    occurrence: str
    is_elastic: bool = False
    is_repeatable: bool = True
    is_harmless: bool = True
    begins_here: bool | None = None


@dataclass(frozen=True, slots=True)
class JobTurn:
    """Answer to a machine that wants to do some work.

    Args:
        verdict: ``go``: it is this one's turn; ``wait``: it may be later; ``done``: another one did it.
        reason: Why it is not, in words.
        decides: Whether this machine decides what concerns all.
    """

    verdict: Verdict
    reason: Sentence = _NOTHING
    decides: bool = True


_GO: Final = JobTurn("go")


@dataclass(slots=True)
class _Held:
    """Lease that this machine works under."""

    lease: JobLease
    beats: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Lease as it was last seen here."""

    number: int
    device: str
    run: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """Answer that counts until the next look."""

    occurrence: str
    turn: JobTurn
    until: float


class JobTurns:
    """Turns of machines that share a vault, as this one asks for them.

    Belongs to one event loop.

    Args:
        store: The vault's database.
        sync: Knows where the vault is shared.
        membership: The standing of this device among the machines.
        timing: When leases are looked at and renewed.
        monotonic: A clock that is never set.
    """

    def __init__(
        self,
        store: Store,
        sync: SyncService,
        membership: Membership,
        timing: TurnTiming = TIMING,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.timing = timing
        self._store = store
        self._sync = sync
        self.calls = sync.calls
        self._membership = membership
        self.monotonic = monotonic
        self._held: dict[str, _Held] = {}
        self._ending: dict[str, asyncio.Task[None]] = {}
        self._silences: dict[str, tuple[object, float]] = {}
        self._answers: dict[str, _Answer] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._failed: tuple[KeepsakeError, float] | None = None

    async def are_needed(self) -> bool:
        """Return whether the vault is shared."""
        return await self._sync.joined() is not None

    async def ask(self, run: SharedRun) -> JobTurn:
        """Ask for the turn at a run that is due.

        With ``go`` the lease is taken, where the vault is shared.
        """
        joined = await self._sync.joined()
        if joined is None:
            return _GO
        async with self._asking.setdefault(run.job, asyncio.Lock()):
            return await self._answered(joined, run)

    async def _answered(self, joined: JoinedPlace, run: SharedRun) -> JobTurn:
        if run.job in self._held:
            return JobTurn("wait", Sentence("Waits: it runs already."))
        answer = self._answers.get(run.job)
        if answer is not None and answer.occurrence == run.occurrence and self.monotonic() < answer.until:
            return answer.turn
        try:
            turn = await self._ask(joined, run)
        except MachineError as error:
            turn = self._alone(run, error.sentence)
        until = self.monotonic() + self.timing.look
        self._answers[run.job] = _Answer(run.occurrence, turn, until if turn.verdict == "wait" else 0.0)
        if turn.verdict != "wait":
            self._silences.pop(run.job, None)
        return turn

    async def ask_to_decide(self, run: SharedRun) -> JobTurn:
        """Ask whether this machine decides for all in work that each does for itself.

        It was the one that decided last, or that one did not for a whole period. The lease is taken then, where the
        vault is shared.
        """
        return JobTurn("go", decides=await self._may_decide(run))

    async def _may_decide(self, run: SharedRun) -> bool:
        joined = await self._sync.joined()
        if joined is None:
            return True
        try:
            standing = await self._standing(joined)
            if standing is None:
                return True
            chain, lease = await self._look(joined, standing, run.job)
            before = (await self._seen()).get(chain)
            is_ours = self._is_ours(standing, lease, run)
            was_missed = before is not None and before.number == lease.number and not lease.is_begun
            if is_ours or was_missed:
                return await self._take(joined, standing, chain, lease, run) is not None
            await self._note(chain, lease)
        except MachineError as error:
            _log.info("it is not known which machine decides: %s", error.code)
        return False

    async def ended(self, job: str, *, is_done: bool) -> None:
        """Give the turn back after a run; without one nothing happens.

        Where the place cannot be reached, that is done as soon as it can, for the others would take this machine for
        gone and do the work again.

        Args:
            job: The name of the work.
            is_done: Whether it was done, well or not; else it is anybody's again.
        """
        held = self._let_go(job)
        if held is None:
            return
        ended = replace(held.lease, runs=held.lease.runs if is_done else held.lease.runs[:-1], is_begun=False)
        if not await self._give_back(job, held.lease.running, ended):
            ending = asyncio.create_task(self._give_back_later(job, held.lease.running, ended), name=f"lease {job}")
            self._ending[job] = ending

    async def _give_back_later(self, job: str, running: str, ended: JobLease) -> None:
        while True:
            await asyncio.sleep(self.timing.beat)
            if await self._give_back(job, running, ended):
                return

    async def _give_back(self, job: str, running: str, ended: JobLease) -> bool:
        """Say that a run has ended; return False where the place cannot be reached."""
        joined = await self._sync.joined()
        if joined is None:
            return True
        try:
            standing = await self._standing(joined)
            if standing is None:
                return True
            while True:
                chain, lease = await self._look(joined, standing, job)
                if lease.device != standing.keys.id or lease.running != running:
                    return True
                # A renewal that was on its way may come first.
                if await self._put(joined, standing, chain, replace(ended, number=lease.number)) is not None:
                    return True
        except MachineError as error:
            _log.info("a turn could not be given back: %s", error.code)
            return False

    def interrupted(self, job: str) -> None:
        """Note that a run ended halfway; to the others this machine is gone."""
        self._let_go(job)

    async def take_over(self, job: str) -> bool:
        """Take the turn at some work from now on.

        Returns:
            Whether it was to be had: no other machine is at it.

        Raises:
            MachineError: The place cannot be reached.
        """
        joined = await self._sync.joined()
        standing = None if joined is None else await self._standing(joined)
        if joined is None or standing is None:
            return True
        chain, lease = await self._look(joined, standing, job)
        self._answers.pop(job, None)
        if lease.device == standing.keys.id:
            return True
        if lease.is_begun and lease.device:
            return False
        return await self._put(joined, standing, chain, replace(lease, is_begun=False)) is not None

    async def other_machine(self, job: str) -> str:
        """Return the name of the other machine that did some work last.

        It is ``""`` where it was this one, or that is not known here. The place is not asked.
        """
        standing = await self._standing_here()
        device = (await self.machines([job])).get(job, "")
        return "" if standing is None or device == standing.keys.id else standing.names.get(device, "")

    async def machines(self, jobs: Iterable[str]) -> Mapping[str, str]:
        """Return the id of the machine that did each work last, where it is known."""
        standing = await self._standing_here()
        if standing is None:
            return {}
        seen = await self._seen()
        chains = {job: job_lease.digest(standing.keys, "job", job) for job in jobs}
        return {job: seen[chain].device for job, chain in chains.items() if chain in seen}

    async def _standing_here(self) -> Standing | None:
        """Return the standing of this device without asking the place, ``None`` where it has none."""
        joined = await self._sync.joined()
        try:
            return None if joined is None else await self._membership.standing(joined.vault)
        except KeepsakeError:
            return None

    def close(self) -> None:
        """Renew no lease any more."""
        for job in {*self._held, *self._ending}:
            self._let_go(job)

    async def _ask(self, joined: JoinedPlace, run: SharedRun) -> JobTurn:
        standing = await self._standing(joined)
        if standing is None:
            return _GO
        if await self._sync.is_paused():
            return self._alone(run, _PAUSED)
        chain, lease = await self._look(joined, standing, run.job)
        turn = await self._done_by_another(standing, chain, lease, run)
        if turn is None and not self._is_ours(standing, lease, run):
            turn = self._after_silence(joined, standing, lease, run)
        if turn is not None:
            await self._note(chain, lease)
            return turn
        return _GO if await self._take(joined, standing, chain, lease, run) is not None else _waits("")

    async def _done_by_another(self, standing: Standing, chain: str, lease: JobLease, run: SharedRun) -> JobTurn | None:
        """Return the answer where another machine did the run."""
        occurrence, name = _occurrence(standing, run), standing.names.get(lease.device, "")
        before = (await self._seen()).get(chain)
        is_news = before is not None and before.number < lease.number and lease.device != standing.keys.id
        # A lease that was only taken over, or given back undone, is another one without a further run.
        is_done = before is not None and lease.last_ended not in ("", before.run)
        if run.is_elastic and is_news and is_done and not lease.is_begun:
            return _done(name)
        if occurrence in lease.runs and occurrence != lease.running:
            return _done(name if occurrence == lease.runs[-1] else "")
        return None

    def _after_silence(
        self, joined: JoinedPlace, standing: Standing, lease: JobLease, run: SharedRun
    ) -> JobTurn | None:
        """Return the answer at the turn of another machine, ``None`` once that one is silent."""
        is_begun, name = _occurrence(standing, run) == lease.running, standing.names.get(lease.device, "")
        is_near = joined.point.is_near and not run.is_harmless and not is_begun
        if not self._is_silent(run, lease.number, is_near=is_near):
            return _waits(name)
        if is_begun and not run.is_repeatable:
            return JobTurn("done", Sentence("It began on {machine}, which was not heard of since.", machine=name))
        return None

    async def _standing(self, joined: JoinedPlace) -> Standing | None:
        """Return the standing of this device, ``None`` where it shares with no other."""
        standing = await self._membership.standing(joined.vault)
        members = standing.members.members
        return standing if standing.keys.id in members and len(members) > 1 else None

    @stoppable
    async def _look(self, joined: JoinedPlace, standing: Standing, job: str) -> tuple[str, JobLease]:
        if self._failed is not None and self.monotonic() < self._failed[1]:
            raise self._failed[0]
        chain = job_lease.digest(standing.keys, "job", job)
        try:
            await in_daemon_thread(joined.point.require_there)
            lease = await in_daemon_thread(job_lease.latest, joined.point, standing.members, chain)
        except MachineError as error:  # others that are due at this moment need not wait for the same
            self._failed = error, self.monotonic() + self.timing.look / 4
            raise
        return chain, lease

    async def _take(
        self, joined: JoinedPlace, standing: Standing, chain: str, lease: JobLease, run: SharedRun
    ) -> JobLease | None:
        occurrence = _occurrence(standing, run)
        runs = (*(one for one in lease.runs if one != occurrence), occurrence)
        taken = await self._put(joined, standing, chain, replace(lease, runs=runs, is_begun=True))
        if taken is not None:
            self._let_go(run.job)
            beats = asyncio.create_task(self._beat(run.job), name=f"lease {run.job}")
            self._held[run.job] = _Held(taken, beats)
        return taken

    @stoppable
    async def _put(self, joined: JoinedPlace, standing: Standing, chain: str, lease: JobLease) -> JobLease | None:
        put = partial(job_lease.put_next, joined.point, standing.keys, standing.members, chain, lease)
        placed = await in_daemon_thread(put)
        if placed is not None:
            await self._note(chain, placed)
        return placed

    async def _beat(self, job: str) -> None:
        """Renew a lease until the work ends, or another machine has it."""
        while True:
            await asyncio.sleep(self.timing.beat)
            joined, held = await self._sync.joined(), self._held[job]
            if joined is None:
                return
            with suppress(MachineError):  # the next beat may come through
                standing = await self._membership.standing(joined.vault)
                chain, lease = await self._look(joined, standing, job)
                if lease.device != standing.keys.id or lease.running != held.lease.running:
                    return
                renewed = await self._put(joined, standing, chain, lease)
                held.lease = renewed or held.lease

    def _let_go(self, job: str) -> _Held | None:
        held, ending = self._held.pop(job, None), self._ending.pop(job, None)
        if held is not None:
            held.beats.cancel()
        if ending is not None:
            ending.cancel()
        return held

    def _alone(self, run: SharedRun, reason: str) -> JobTurn:
        """Return what to do where the others cannot be asked."""
        if run.is_harmless and self._is_silent(run, "unreachable", is_near=False):
            return _GO
        return JobTurn("wait", Sentence("Waits until your other machines can be asked. {reason}", reason=reason))

    def _is_silent(self, run: SharedRun, state: object, *, is_near: bool) -> bool:
        """Return whether a state has been seen for long enough since a run is due."""
        now, state = self.monotonic(), (run.occurrence, state)
        since = self._silences.setdefault(run.job, (state, now))
        if since[0] != state:
            since = self._silences[run.job] = (state, now)
        return now - since[1] >= (self.timing.long_silence if is_near else self.timing.silence)

    @staticmethod
    def _is_ours(standing: Standing, lease: JobLease, run: SharedRun) -> bool:
        """Return whether this machine had the turn last, or begins where none had it."""
        if lease.device:
            return lease.device == standing.keys.id
        if run.begins_here is not None:
            return run.begins_here
        return standing.keys.id == min(standing.members.members)

    async def _seen(self) -> Mapping[str, _Seen]:
        text = await self._store.read(partial(meta.read, key=_SEEN))
        return {chain: _Seen(*seen) for chain, seen in json.loads(text or "{}").items()}

    async def _note(self, chain: str, lease: JobLease) -> None:
        """Keep how a lease was last seen."""
        seen = _Seen(lease.number, lease.device, lease.last_ended)

        def work(connection: apsw.Connection) -> None:
            known = json.loads(meta.read(connection, _SEEN) or "{}")
            meta.write(connection, _SEEN, json.dumps({**known, chain: astuple(seen)}))

        if (await self._seen()).get(chain) != seen:
            await self._store.write(work)


def _occurrence(standing: Standing, run: SharedRun) -> str:
    return job_lease.digest(standing.keys, "run", run.job, run.occurrence)


def _done(name: str) -> JobTurn:
    if not name:
        return JobTurn("done", Sentence("Another of your machines ran it."))
    return JobTurn("done", Sentence("It ran on {machine}.", machine=name))


def _waits(name: str) -> JobTurn:
    if not name:
        return JobTurn("wait", Sentence("Waits: it is the turn of another of your machines."))
    return JobTurn("wait", Sentence("Waits: it is the turn of {machine}.", machine=name))
