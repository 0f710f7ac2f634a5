"""Review of agents' writes: which of them wait in the inbox."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import apsw

from app.api.call_hooks import HeldWrite
from app.api.caller import Caller
from app.api.operation import Kind, Operation
from app.api.registry import to_builtins
from app.api.session_access import owner_of
from app.core.text import excerpt, storable
from app.engine import Engine
from app.errors import AccessDeniedError, NotFoundError
from app.history import history_repo
from app.history.history_repo import HistoryRow
from app.history.rehearsal import RolledBackError
from app.inbox import repo
from app.inbox.model import NewProposal, ProposalPreview, RuleAction
from app.inbox.preview import MADE_BY_ONE, is_protected, kinds_of, preview_of, removes_of_others
from app.memories.deduplication.confirmed import contradicted
from app.memories.deduplication.similar import SimilarFinder
from app.receipts import repo as receipts
from app.schedule.model import BUILT_IN
from app.sentence import Sentence
from app.sessions import repo as session_repo
from app.store.transaction_wrapper import Work, wrapped_transactions

_MAX_REASON = 500
_STATING = ("fact", "observation")  # kinds of memories whose sentences are compared with confirmed facts
_PARTLY = (
    "The rest of it touches what the person pinned or confirmed, or Keepsake's own work; what was done before stays."
    " Do those one by one."
)


class AgentWriteReview:
    """Review of agents' writes: they are done at once, or kept as proposals.

    A write runs as it always does, but its transaction is rolled back when it has to wait. So whatever is wrong with
    it is answered at once, and the person sees exactly what it would change.

    Args:
        engine: The person's vault.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._finder = SimilarFinder()

    async def perform(
        self, operation: Operation, caller: Caller, arguments: Mapping[str, Any], call: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the answer of ``call``, or a ``HeldWrite`` when nothing was written.

        Raises:
            AccessDeniedError: A rule of the person refuses such writes.
            KeepsakeError: The call fails.
        """
        guard = await self._guard(operation, caller, arguments)
        if guard is not None:
            return await self._guarded(operation, guard, caller, arguments, call)
        mode = operation.review
        if mode == "free" or (mode == "conversation" and await self._is_own(caller, operation, arguments)):
            return await call()
        if mode != "content":
            return await self._unrehearsed(operation, caller, arguments, call)
        try:
            with wrapped_transactions(partial(_Judge(caller, operation, self._finder).around)):
                return await call()
        except RolledBackError as held:
            return await self._hold(operation, caller, arguments, preview_of(held.entries, held.why))

    async def _unrehearsed(
        self,
        operation: Operation,
        caller: Caller,
        arguments: Mapping[str, Any],
        call: Callable[[], Awaitable[Any]],
    ) -> Any:
        """Decide about a call that cannot be rehearsed, by its arguments alone."""
        action = _strongest(await self._engine.inbox.actions(caller.name, (operation.kind,)), caller)
        if action == "reject" or (operation.review == "refused" and action != "accept"):
            raise _refused(caller, operation.kind)
        if action == "review":
            return await self._hold(operation, caller, arguments, ProposalPreview())
        return await call()

    async def _guard(
        self, operation: Operation, caller: Caller, arguments: Mapping[str, Any]
    ) -> tuple[Kind, str] | None:
        """Return why a write waits that no history brings back, ``None`` where it need not.

        That is what concerns Keepsake's own jobs, and schedules and saved searches that the agent did not make. Below
        full trust an agent reaches its own alone.
        """
        if not caller.reaches("full") or not operation.guard:
            return None
        if operation.guard == "unconfirmed":
            return None if caller.has_confirmed else (operation.kind, "destructive")
        try:
            schedule = await self._engine.schedules.service.get(str(arguments.get("id")))
        except NotFoundError:
            return None  # the call itself says so
        if schedule.is_built_in:
            return "upkeep", "upkeep"
        is_others = schedule.user_id != caller.name and operation.guard == "others"
        return (operation.kind, "destructive") if is_others and not caller.has_confirmed else None

    async def _guarded(
        self,
        operation: Operation,
        guard: tuple[Kind, str],
        caller: Caller,
        arguments: Mapping[str, Any],
        call: Callable[[], Awaitable[Any]],
    ) -> Any:
        """Hold a guarded write, unless a rule of the person allows it."""
        kind, why = guard
        (action,) = await self._engine.inbox.actions(caller.name, (kind,))
        if action == "accept":
            return await call()
        if action == "reject":
            raise _refused(caller, kind)
        return await self._hold(operation, caller, arguments, ProposalPreview(why=why), kind)

    async def _hold(
        self,
        operation: Operation,
        caller: Caller,
        arguments: Mapping[str, Any],
        preview: ProposalPreview,
        kind: Kind | None = None,
    ) -> HeldWrite:
        changes = preview.changes
        held = await self._engine.inbox.propose(
            NewProposal(
                agent=caller.name,
                operation=operation.name,
                arguments=json_arguments(operation, arguments),
                kind="upkeep" if preview.why == "upkeep" else changes[0].kind if changes else kind or operation.kind,
                target=next((change.target for change in changes if change.before is not None), ""),
                reason=excerpt(storable(str(arguments.get("reason") or ""))[0], _MAX_REASON),
                preview=preview,
                key=operation.key,
                is_turn=operation.review == "conversation",
            )
        )
        return HeldWrite(held.value, held.changes)

    async def _is_own(self, caller: Caller, operation: Operation, arguments: Mapping[str, Any]) -> bool:
        """Return whether turns need no review.

        They go to a conversation with the caller or without an agent, or are stored already. Who reaches its own
        conversations alone must not learn of another by its name.
        """
        if owner_of(caller) is not None:
            return True
        key = str(arguments.get(operation.key) or "") if operation.key else ""
        session, channel = arguments.get("session"), str(arguments.get("channel") or "")

        def work(connection: apsw.Connection) -> bool:
            if key and receipts.find(connection, caller.name, operation.name, key) is not None:
                return True  # asked for again after the person allowed it: it gets its answer
            conversation = session_repo.located(connection, session, channel)
            agent = None if conversation is None else session_repo.agent_of(connection, conversation)
            return (arguments.get("agent", "") if agent is None else agent) in ("", caller.name)

        return await self._engine.store.read(work)


class _Judge:
    """Judge of a call's transactions; rolls the first back when it has to wait."""

    def __init__(self, caller: Caller, operation: Operation, finder: SimilarFinder) -> None:
        self._caller = caller
        self._operation = operation
        self._finder = finder
        self._is_begun = False

    def around(self, work: Work, connection: apsw.Connection) -> Any:
        """Run the work of a transaction and decide about it."""
        mark, counted = history_repo.last_id(connection), connection.total_changes()
        value = work(connection)
        entries = history_repo.entries_after(connection, mark)
        if connection.total_changes() == counted or (entries and not kinds_of(entries)):
            return value  # nothing changed, or only a count of how often it was said
        agent = self._caller.name
        is_kept = any(is_protected(connection, entry, agent) for entry in entries)
        is_own_work = any(_is_own_work(connection, entry) for entry in entries)
        upkeep = (repo.action_for(connection, agent, "upkeep") or "review") if is_own_work else "accept"
        if upkeep == "reject":
            raise _refused(self._caller, "upkeep")
        default = "protected" if is_kept else "upkeep" if upkeep == "review" else ""
        if self._is_begun:
            if default:
                raise AccessDeniedError(_PARTLY)
            return value
        kinds = sorted(kinds_of(entries) or {self._operation.kind})
        actions = [repo.action_for(connection, agent, kind) for kind in kinds]
        action = _strongest(actions, self._caller)
        if action == "reject":
            raise _refused(self._caller, ", ".join(kinds))
        why = default or ("review" if action == "review" else "")
        why = why or ("" if "accept" in actions else self._doubt(connection, entries))
        if why:
            raise RolledBackError(entries, why)
        self._is_begun = True
        return value

    def _doubt(self, connection: apsw.Connection, entries: Sequence[HistoryRow]) -> str:
        """Return why a write waits that no rule stops, ``""`` where it does not.

        It removes what the agent did not write, and its client did not ask the person; or it contradicts what the
        person confirmed.
        """
        agent = self._caller.name
        for entry in () if self._caller.has_confirmed else entries:
            is_to_ask = self._operation.destructive or entry.target_kind in MADE_BY_ONE
            if is_to_ask and removes_of_others(connection, entry, agent):
                return "destructive"
        texts, without = _new_statements(entries), {entry.target for entry in entries}
        is_contradiction = texts and contradicted(connection, self._finder, texts, self._caller.stores, without)
        return "contradiction" if is_contradiction else ""


def _is_own_work(connection: apsw.Connection, entry: HistoryRow) -> bool:
    """Return whether an entry changes one of Keepsake's own jobs."""
    if entry.target_kind != "schedule":
        return False
    return bool(connection.execute(MADE_BY_ONE["schedule"], (entry.target,)).get == BUILT_IN)


def _new_statements(entries: Sequence[HistoryRow]) -> list[str]:
    """Return what facts and observations say now that they did not say before."""
    texts = list[str]()
    for entry in entries:
        before, after = entry.before or {}, entry.after or {}
        if entry.target_kind == "memory" and after.get("kind") in _STATING and not after.get("deleted_at"):
            statements = {before.get("content"), *before.get("facts", ())}
            texts += [text for text in (after["content"], *after.get("facts", ())) if text not in statements]
    return texts


def json_arguments(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return checked arguments as JSON values, without those that have their default."""
    defaults = {parameter.name: parameter.default for parameter in operation.parameters if not parameter.required}
    changed = {name: value for name, value in arguments.items() if name not in defaults or value != defaults[name]}
    return dict(to_builtins(changed))


def _strongest(actions: Iterable[RuleAction | None], caller: Caller) -> RuleAction:
    """Return the strictest of several actions; without a rule the agent's registration counts."""
    default: RuleAction = "review" if caller.review else "accept"
    choices: Sequence[RuleAction] = [action or default for action in actions]
    return "reject" if "reject" in choices else "review" if "review" in choices else "accept"


def _refused(caller: Caller, kind: str) -> AccessDeniedError:
    return AccessDeniedError(
        Sentence("The person takes no such changes from {agent} ({kind}).", agent=caller.name, kind=kind), kind=kind
    )
