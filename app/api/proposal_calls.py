"""Calls of the operations that agents propose in a database.

The agent is the role that the database says, and no agent of the person's machine. An answer stands there as plain
text: so an agent reaches the store ``shared`` alone, whatever its trust, and only operations that write memories; it
reads in the tables.
"""

import logging
from dataclasses import replace
from typing import Any, Final

import msgspec

from app.agents.model import Agent
from app.api.authentication import unknown_caller
from app.api.caller import Caller, caller_of, ended_caller
from app.api.operation import Operation
from app.api.registry import Catalogue, to_builtins
from app.core.error_location import error_location
from app.engine import Engine
from app.errors import (
    AccessDeniedError,
    CancelledByPersonError,
    InputError,
    InternalError,
    KeepsakeError,
    NotFoundError,
)
from app.projection.model import DatabaseProposal
from app.sentence import Sentence

_log = logging.getLogger(__name__)
_CLIENT: Final = "PostgreSQL"
_REQUEST: Final = "agent.request_access"
_KINDS: Final = frozenset({"note", "fact", "observation", "reflection"})


class DatabaseCalls:
    """Calls what agents propose; see ``ProposalCalls``.

    Args:
        engine: The person's vault.
        catalogue: Performs the calls.
    """

    def __init__(self, engine: Engine, catalogue: Catalogue) -> None:
        self._engine = engine
        self._catalogue = catalogue

    def may_begin_again(self, proposal: DatabaseProposal) -> bool:
        """Return whether a proposal that may be done already can be called once more."""
        operation = self._catalogue.operations.get(proposal.operation)
        return operation is None or bool(operation.key) or not _is_offered(operation)

    async def call(self, proposal: DatabaseProposal) -> dict[str, Any]:
        """Carry a proposal out and return its answer, also where it is refused."""
        try:
            return await self._done(proposal)
        except CancelledByPersonError:
            raise  # the vault is being closed; it is carried out the next time
        except KeepsakeError as error:
            return {"outcome": "refused", "code": error.code, "message": error.message}
        except Exception as error:  # noqa: BLE001  (one proposal stops no other)
            _log.warning("a proposal of the database failed: %s", error_location(error))
            return {"outcome": "refused", "code": InternalError.code, "message": "Keepsake failed to do this."}

    async def decision(self, agent: str, number: int) -> dict[str, Any] | None:
        """Return what became of an agent's proposal in the inbox, ``None`` while it waits."""
        try:
            proposal = await self._engine.inbox.get(number)
        except NotFoundError:
            return {"outcome": "expired"}
        if proposal.agent != agent:
            return {"outcome": "expired"}
        if proposal.state == "waiting":
            return None
        return {"outcome": proposal.state, "ids": list(proposal.ids), "note": proposal.note}

    async def _done(self, proposal: DatabaseProposal) -> dict[str, Any]:
        arguments = _arguments(proposal)
        agent = await self._agent(proposal.agent)
        if proposal.operation == _REQUEST:
            return await self._request(proposal.agent, agent, arguments)
        operation = self._catalogue.find(proposal.operation)
        if not _is_offered(operation):
            raise AccessDeniedError(
                Sentence("'{name}' cannot be proposed in a database. Read its tables there.", name=operation.name)
            )
        names = {parameter.name for parameter in operation.parameters}
        if "store" in names:  # also once the person has accepted it
            arguments.setdefault("store", "shared")
        if operation.key:
            arguments.setdefault(operation.key, proposal.id)
        reply = await self._catalogue.call(operation.name, arguments, await self._caller(proposal.agent, agent))
        value = to_builtins(reply.value)
        if reply.outcome == "proposed":
            return {"outcome": "waiting", "proposed": value["proposed"], "message": value["message"]}
        return {"outcome": "done", "result": value}

    async def _request(self, name: str, agent: Agent | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """Ask the person to let a role in.

        The token stays here: the database says who the agent is.
        """
        if agent is not None and agent.revoked_at is None:
            raise InputError("This agent has access already.")
        if not any(request.name == name for request in await self._engine.agents.requests()):
            caller = unknown_caller(name, _CLIENT)
            await self._catalogue.call(_REQUEST, {**arguments, "name": name}, caller)
        return {"outcome": "asked", "message": "Propose something once the person has allowed it."}

    async def _agent(self, name: str) -> Agent | None:
        return next((agent for agent in await self._engine.agents.listed() if agent.name == name), None)

    async def _caller(self, name: str, agent: Agent | None) -> Caller:
        if agent is None:
            return unknown_caller(name, _CLIENT)
        if agent.revoked_at is not None:
            return ended_caller(name, _CLIENT)
        if await self._engine.engine_for_caller(name) is not None:
            raise AccessDeniedError("An agent with a vault of its own proposes nothing in a database.")
        await self._engine.agents.note_seen(agent.id, _CLIENT)
        return replace(caller_of(agent, _CLIENT), granted=("shared",))


def _is_offered(operation: Operation) -> bool:
    is_write = operation.access == "write" and operation.kind in _KINDS and operation.review == "content"
    return is_write and not (operation.owner_only or operation.relays)


def _arguments(proposal: DatabaseProposal) -> dict[str, Any]:
    if proposal.arguments is None:
        raise InputError("The arguments are too long.")
    try:
        return msgspec.json.decode(proposal.arguments, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise InputError("The arguments are not a JSON object.") from None
