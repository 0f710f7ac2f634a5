"""Service of the inbox: proposals, decisions, expiry and rules."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import apsw

from app.changes import Changed, ChangeSet
from app.core.clock import DAY_MS, Clock
from app.core.ids import new_id
from app.core.text import excerpt, storable
from app.errors import InputError, KeepsakeError, KeyConflictError, NotFoundError, StaleError
from app.inbox import repo
from app.inbox.model import (
    HOW_TO_ASK,
    InboxRule,
    NewProposal,
    OwnProposal,
    Proposal,
    ProposalDecision,
    ProposalPreview,
    ProposalState,
    Proposed,
    RuleAction,
)
from app.inbox.proposal_history import record_decision, record_wording
from app.inbox.rule_history import RULE_HISTORY
from app.part import BackgroundTask, Part
from app.sentence import Sentence, joined
from app.store.store import Store

_log = logging.getLogger(__name__)

AREA: Final = "inbox"
KEEPSAKE: Final = "keepsake"  # the agent of Keepsake's own proposals; no program can have the name
MAX_WAITING: Final = 500  # proposals of one agent
MAX_BYTES: Final = 1024 * 1024  # of one proposal's arguments
_MAX_NOTE: Final = 500
_MAX_KIND: Final = 50
_CHECK_S: Final = 3600.0
_WAITING = f"It waits in the person's inbox; nothing is stored yet. {HOW_TO_ASK}"
_PROTECTED = (
    "It changes what the person pinned, confirmed or set aside, so it waits in their inbox; nothing is stored yet."
    f" {HOW_TO_ASK}"
)
_DECIDED: Final = {
    "waiting": Sentence("It waits already."),
    "accepted": Sentence("It was accepted already."),
    "rejected": Sentence("It was rejected already."),
    "expired": Sentence("It has expired already."),
}
_DESTRUCTIVE = (
    "It takes away or changes what you did not make, so it waits in the person's inbox; nothing is done yet. A client"
    f" that can ask the person can have it done at once. {HOW_TO_ASK}"
)
_CONTRADICTION = (
    f"It contradicts what the person confirmed, so it waits in their inbox; nothing is stored yet. {HOW_TO_ASK}"
)
_UPKEEP = f"Keepsake's own jobs are the person's, so it waits in their inbox; nothing is done yet. {HOW_TO_ASK}"
_WHY: Final = {
    "protected": _PROTECTED,
    "destructive": _DESTRUCTIVE,
    "contradiction": _CONTRADICTION,
    "upkeep": _UPKEEP,
}


class InboxService(Part):
    """Keeps proposals and the rules for them.

    Args:
        store: The vault's database.
        clock: The source of the time.
        days: Says for how many days proposals wait.
        publish: Told of proposals that expired.
    """

    def __init__(
        self, store: Store, clock: Clock, days: Callable[[], int], publish: Callable[[ChangeSet], None]
    ) -> None:
        self.store = store
        self._clock = clock
        self._days = days
        self._publish = publish
        self.failure = ""

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the setting aside of old proposals."""
        return (BackgroundTask("inbox", self.run),)

    @property
    def failures(self) -> Sequence[str]:
        """Why old proposals are not set aside."""
        return (self.failure,)

    async def propose(self, proposal: NewProposal) -> Changed[Proposed]:
        """Store a proposal; one that waits already, word for word, is not stored again.

        Raises:
            InputError: It is too large, or too many of the agent's wait.
            KeyConflictError: One with the same key was rejected, or another one waits.
        """
        proposal_id = await self.store.write(partial(self.propose_in, proposal=proposal))
        message = _WHY.get(proposal.preview.why, _WAITING)
        return Changed(Proposed(proposal_id, "waiting", message), changes(proposal.agent, proposal_id))

    def propose_in(self, connection: apsw.Connection, proposal: NewProposal) -> int:
        """Store a proposal inside the caller's transaction, and return its id; raises what ``propose`` raises."""
        if len(str(proposal.arguments)) > MAX_BYTES:
            raise InputError(
                Sentence("What waits for the person may have at most {max_bytes} characters.", max_bytes=MAX_BYTES),
                allowed=MAX_BYTES,
            )
        same = repo.same_waiting(connection, proposal)
        if same is not None:
            return same.id
        holder = repo.key_holder(connection, proposal)
        if holder is not None:
            raise KeyConflictError(_key_words(holder), field=proposal.key)
        if repo.count_waiting(connection, proposal.agent) >= MAX_WAITING:
            raise InputError(
                Sentence(
                    "{max_waiting} of your proposals wait for the person already. Try again when some are decided.",
                    max_waiting=MAX_WAITING,
                ),
                allowed=MAX_WAITING,
            )
        now_ms = self._clock.now_ms()
        proposal_id = _new_id(connection, now_ms)
        repo.insert(connection, proposal, proposal_id, now_ms, now_ms + self._days() * DAY_MS)
        return proposal_id

    async def get(self, proposal_id: int) -> Proposal:
        """Return a proposal.

        Raises:
            NotFoundError: There is none of that id.
        """
        return await self.store.read(partial(_required, proposal_id=proposal_id))

    async def listed(
        self, state: ProposalState | None, agent: str, kind: str, limit: int, before: int | None
    ) -> list[Proposal]:
        """Return proposals, newest first."""
        return await self.store.read(
            partial(repo.listed, state=state, agent=agent, kind=kind, limit=limit, before=before)
        )

    async def count(self, state: ProposalState | None, agent: str, kind: str) -> int:
        """Return how many proposals there are."""
        return await self.store.read(partial(repo.count, state=state, agent=agent, kind=kind))

    async def of_agent(self, agent: str, state: ProposalState | None, limit: int) -> list[OwnProposal]:
        """Return an agent's proposals as it may see them, newest first."""
        items = await self.listed(state, agent, "", limit, None) if agent else []
        return [
            OwnProposal(
                item.id,
                item.operation,
                item.arguments,
                item.state,
                item.created_at,
                item.expires_at,
                item.decided_at,
                item.note,
                item.ids,
            )
            for item in items
        ]

    async def reject(self, ids: Sequence[int], note: str, actor: str) -> Changed[list[ProposalDecision]]:
        """Reject proposals; those decided already are named with their state.

        Raises:
            NotFoundError: There is none of one of the ids.
        """
        words = excerpt(storable(note)[0], _MAX_NOTE)

        def work(connection: apsw.Connection) -> list[ProposalDecision]:
            run_id = new_id("run") if len(set(ids)) > 1 else None
            proposals = [_required(connection, identity) for identity in dict.fromkeys(ids)]
            return [self._reject(connection, proposal, words, actor, run_id, entries) for proposal in proposals]

        entries: list[int] = []
        decisions = await self.store.write(work)
        return Changed(decisions, replace(changes(actor, *ids), history_ids=tuple(entries)))

    async def replace(
        self, proposal_id: int, arguments: dict[str, Any], preview: ProposalPreview, actor: str
    ) -> Proposal:
        """Store other arguments of a proposal that waits, with what they would change.

        Args:
            proposal_id: The proposal.
            arguments: Its arguments from now on.
            preview: What they would change.
            actor: Whose edit this is, for the history; ``""`` where only the present state was looked at again.

        Raises:
            StaleError: It is decided already.
        """

        def work(connection: apsw.Connection) -> Proposal:
            before = _required(connection, proposal_id)
            if not repo.replace(connection, proposal_id, arguments, preview):
                raise StaleError("This proposal is decided already.", id=proposal_id)
            if actor and arguments != before.arguments:
                record_wording(connection, before, actor, self._clock.now_ms())
            return _required(connection, proposal_id)

        return await self.store.write(work)

    async def keep_draft(self, proposal_id: int, texts: Mapping[str, str]) -> bool:
        """Keep what the person typed into a proposal that waits; return whether it does.

        Raises:
            NotFoundError: There is none of that id.
            InputError: It is too long.
        """
        draft = {name: storable(text)[0] for name, text in texts.items()}
        if len(str(draft)) > MAX_BYTES:
            raise InputError(
                Sentence("A draft may have at most {max_bytes} characters.", max_bytes=MAX_BYTES),
                allowed=MAX_BYTES,
            )

        def work(connection: apsw.Connection) -> bool:
            waits = _required(connection, proposal_id).state == "waiting"
            if waits:
                repo.set_result(connection, proposal_id, {"draft": draft} if draft else {})
            return waits

        return await self.store.write(work)

    def claim(self, connection: apsw.Connection, proposal: Proposal, run_id: str, actor: str) -> bool:
        """Mark a proposal as accepted inside the caller's transaction; return whether it waited."""
        now_ms = self._clock.now_ms()
        waited = repo.decide(connection, proposal.id, "accepted", now_ms, {"run": run_id})
        if waited:
            record_decision(connection, proposal, actor, now_ms, run_id)
        return waited

    @staticmethod
    def note_written(connection: apsw.Connection, proposal_id: int, run_id: str, ids: Iterable[str]) -> None:
        """Store what an accepted proposal wrote, in the transaction that wrote it."""
        repo.set_result(connection, proposal_id, {"run": run_id, "ids": list(ids)})

    async def actions(self, agent: str, kinds: Iterable[str]) -> list[RuleAction | None]:
        """Return what the rules say of an agent's writes, for each kind."""
        return await self.store.read(lambda connection: [repo.action_for(connection, agent, kind) for kind in kinds])

    async def rules(self) -> list[InboxRule]:
        """Return the rules."""
        return await self.store.read(repo.rules)

    async def set_rule(self, agent: str, kind: str, action: RuleAction, actor: str) -> Changed[list[InboxRule]]:
        """Store a rule, and return all."""
        named, about = excerpt(storable(agent.strip())[0], 100), excerpt(storable(kind.strip())[0], _MAX_KIND)

        def work(connection: apsw.Connection) -> Changed[list[InboxRule]]:
            now_ms = self._clock.now_ms()
            before = repo.rule(connection, named, about)
            repo.set_rule(connection, named, about, action, now_ms)
            after = repo.rule(connection, named, about)
            return _ruled(connection, actor, RULE_HISTORY.record(connection, before, after, actor, now_ms))

        return await self.store.write(work)

    async def remove_rule(self, agent: str, kind: str, actor: str) -> Changed[list[InboxRule]]:
        """Remove a rule, and return the others.

        Raises:
            NotFoundError: There is none for that agent and kind.
        """

        def work(connection: apsw.Connection) -> Changed[list[InboxRule]]:
            before = repo.rule(connection, agent.strip(), kind.strip())
            if before is None:
                raise NotFoundError("There is no rule for that agent and kind. See 'inbox.rules'.")
            repo.remove_rule(connection, before.agent, before.kind)
            entries = RULE_HISTORY.record(connection, before, None, actor, self._clock.now_ms())
            return _ruled(connection, actor, entries)

        return await self.store.write(work)

    async def tidy(self) -> list[int]:
        """Let proposals expire, forget those decided long ago, and return the expired ones."""
        now_ms = self._clock.now_ms()
        old_ms = now_ms - self._days() * DAY_MS
        due = await self.store.read(partial(_is_due, now_ms=now_ms, old_ms=old_ms))
        if not due:
            return []

        def work(connection: apsw.Connection) -> list[int]:
            repo.drop_decided(connection, old_ms)
            return repo.expire(connection, now_ms)

        expired = await self.store.write(work)
        if expired:
            self._publish(changes("expiry", *expired))
        return expired

    async def run(self) -> None:
        """Let proposals expire, now and every hour, until cancelled."""
        while True:
            try:
                await self.tidy()
                self.failure = ""
            except KeepsakeError as error:
                self.failure = Sentence("Old proposals could not be set aside: {why}", why=error.sentence)
                _log.info("proposals did not expire: %s", error.code)
            await asyncio.sleep(_CHECK_S)

    def _reject(
        self,
        connection: apsw.Connection,
        proposal: Proposal,
        note: str,
        actor: str,
        run_id: str | None,
        entries: list[int],
    ) -> ProposalDecision:
        now_ms = self._clock.now_ms()
        if not repo.decide(connection, proposal.id, "rejected", now_ms, {"note": note}):
            return decided(proposal)
        entries.append(record_decision(connection, proposal, actor, now_ms, run_id))
        return ProposalDecision(proposal.id, "rejected", note)


def decided(proposal: Proposal) -> ProposalDecision:
    """Return what became of a proposal that was decided before."""
    state = "failed" if proposal.state == "waiting" else proposal.state
    return ProposalDecision(proposal.id, state, _DECIDED[proposal.state], proposal.run_id, proposal.ids)


def _key_words(holder: Proposal) -> Sentence:
    """Return the sentence that a key stands for a proposal already."""
    if holder.state == "rejected":
        rejected = Sentence("The person rejected the write with this key (proposal {id}).", id=str(holder.id))
        why = Sentence("They said: {note}", note=holder.note) if holder.note else ""
        return joined((rejected, why, "Another write needs another key."))
    return Sentence(
        "The key was used before: for another write that waits for the person, or for this one, which they have edited"
        " since. Give every write a key of its own."
    )


def changes(actor: str, *ids: int) -> ChangeSet:
    """Return the record of changed proposals."""
    return ChangeSet(frozenset({AREA}), tuple(map(str, ids)), actor)


def _ruled(connection: apsw.Connection, actor: str, entries: tuple[int, ...]) -> Changed[list[InboxRule]]:
    return Changed(repo.rules(connection), ChangeSet(frozenset({AREA}), (), actor, history_ids=entries))


def _required(connection: apsw.Connection, proposal_id: int) -> Proposal:
    proposal = repo.get(connection, proposal_id)
    if proposal is None:
        raise NotFoundError(
            Sentence("There is no proposal {proposal_id}. See 'inbox.list'.", proposal_id=str(proposal_id)),
            id=proposal_id,
        )
    return proposal


def _new_id(connection: apsw.Connection, now_ms: int) -> int:
    """Return an id that sorts by time and does not tell how many others exist."""
    while True:
        proposal_id = now_ms * 1000 + secrets.randbelow(1000)
        if not repo.is_taken(connection, proposal_id):
            return proposal_id


def _is_due(connection: apsw.Connection, now_ms: int, old_ms: int) -> bool:
    sql = "SELECT 1 FROM inbox WHERE (decided_at IS NULL AND expires_at <= ?) OR decided_at < ? LIMIT 1"
    return connection.execute(sql, (now_ms, old_ms)).fetchone() is not None
