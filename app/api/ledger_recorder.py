"""The recorder of calls: what a finished call becomes in the ledger."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.agents.ledger import item_ids
from app.agents.ledger.model import DONE, UNKNOWN, NewCall
from app.agents.ledger.service import LedgerService
from app.agents.presence import AgentPresence
from app.api.agent_writes.recalled_arguments import texts_with_recalled
from app.api.call_hooks import FinishedCall
from app.api.registry import REGISTRY
from app.config.config import Config
from app.core.clock import Clock
from app.core.text import excerpt
from app.inbox.model import Proposed

_MAX_QUERY: Final = 500
_MAX_CLIENT: Final = 200
_QUERIES: Final = ("query", "prompt", "text", "contains", "prefix")


class LedgerRecorder:
    """Records the calls of agents, and the person's own where they want that.

    Args:
        ledger: The person's ledger.
        config: The settings.
        clock: The source of the time.
        presence: Hears of agents' calls; nobody does where ``None``.
    """

    def __init__(
        self, ledger: LedgerService, config: Config, clock: Clock, presence: AgentPresence | None = None
    ) -> None:
        self._presence = presence
        self._ledger = ledger
        self._config = config
        self._clock = clock

    def record(self, call: FinishedCall) -> None:
        """Take note of a call; returns at once."""
        erased = _erased(call)
        if erased:
            self._ledger.forget(erased)
        if call.caller.is_owner and not self._config.flag("ledger.owner"):
            return
        if self._presence is not None and call.caller.agent_id and call.outcome in DONE:
            self._presence.called(call.caller.agent_id, call.caller.name, call.operation.name)
        is_write, is_done = call.operation.access == "write", call.outcome == "done"
        read, written, more = _items(call, is_write=is_write) if is_done and not erased else ((), (), 0)
        if isinstance(call.value, Proposed):
            written = (str(call.value.proposed),)
        query = _query(call.arguments) if is_done and not is_write else ""
        self._ledger.add(
            NewCall(
                at_ms=self._clock.now_ms(),
                agent=UNKNOWN if call.caller.state == "unknown" else call.caller.name,
                client=excerpt(call.caller.client, _MAX_CLIENT),
                operation=call.operation.name,
                access=call.operation.access,
                outcome=call.outcome,
                milliseconds=round(call.milliseconds, 3),
                read=read,
                written=written,
                more_read=more,
                more_written=0 if call.changes is None else max(0, len(call.changes.ids) - item_ids.MAX_ITEMS),
                query=query,
                keeps_query=bool(query) and self._config.flag("ledger.queries"),
                texts=tuple(texts_with_recalled(call.arguments)) if is_write and not call.caller.is_owner else (),
            )
        )


def _items(call: FinishedCall, *, is_write: bool) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the ids that a call read and wrote, and how many more it read."""
    has_items = call.operation.holds_items
    items, more = item_ids.items_of(call.value) if has_items else ((), 0)
    if call.changes is None and not has_items:
        return (), (), 0
    if call.changes is None:
        named = () if items else tuple(_named(call.arguments))
        return ((), items or named, more) if is_write else (items or named, (), more)
    written = tuple(dict.fromkeys(map(item_ids.item_of, call.changes.ids[: item_ids.MAX_ITEMS])))
    return tuple(name for name in items if name not in written), written, more


def _named(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the item that a call named, for answers without ids."""
    for name in ("session", "id", "owner"):
        value = arguments.get(name)
        if isinstance(value, str) and value and (name == "session" or item_ids.is_item(value)):
            yield item_ids.item_of(value)


def _query(arguments: Mapping[str, Any]) -> str:
    """Return what a call searched for, ``""`` for nothing."""
    wanted = arguments.get("filter")
    inner = wanted.get("text") if isinstance(wanted, Mapping) else getattr(wanted, "text", "")
    for value in (*map(arguments.get, _QUERIES), inner):
        if isinstance(value, str) and value.strip():
            return excerpt(value, _MAX_QUERY)
    return ""


def _erased(call: FinishedCall) -> tuple[str, ...]:
    """Return the ids that a call erased, here or in an isolated vault."""
    operation, arguments = call.operation, call.arguments
    if call.outcome == "done" and operation.relays:
        operation, arguments = REGISTRY.named(arguments["operation"]), arguments.get("arguments", {})
    if call.outcome != "done" or not operation.erases:
        return ()
    names = [*_texts(arguments.get("ids")), *_texts(arguments.get("sessions"))]
    return (*names, *(call.changes.ids if call.changes is not None else ()))


def _texts(given: Any) -> list[str]:
    return [item for item in given if isinstance(item, str)] if isinstance(given, list | tuple) else []
