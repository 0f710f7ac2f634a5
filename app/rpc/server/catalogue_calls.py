"""Calls of the catalogue's operations, and whose jobs they run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.api.argument_schema import argument_schema
from app.api.caller import Caller
from app.api.operation import Operation
from app.api.registry import Catalogue, Reply, require_access
from app.core.ids import new_id
from app.errors import AccessDeniedError, StaleError
from app.rpc.confirmation import CONFIRMED, is_confirmation
from app.rpc.messages import RpcRequest
from app.rpc.server.call_queue import Cancellation
from app.sentence import Sentence

DESCRIBE = "describe"
_JOB = "job"


class CatalogueCalls:
    """Carries out the calls of all clients.

    Args:
        catalogue: What can be called.
        cancel_job: Asks a job to stop; returns whether there is one of that id.

    Attributes:
        token: The owner's token, by which calls are confirmed; ``""`` before there is one.
    """

    def __init__(self, catalogue: Catalogue, cancel_job: Callable[[str], bool] | None = None) -> None:
        self._catalogue = catalogue
        self._cancel_job = cancel_job
        self._began: dict[str, str] = {}
        self.token = ""

    async def perform(self, request: RpcRequest, caller: Caller, job: str) -> Reply:
        """Call the operation; ``job`` is the id that its long work has."""
        if request.method == DESCRIBE:
            return await self._describe(caller, with_schemas=request.params.get("schemas") is True)
        params, caller = self._with_confirmation(request, caller)
        if job:
            params = {**params, _JOB: job}
        return await self._catalogue.call(request.method, params, caller)

    def begin(self, request: RpcRequest, caller: Caller) -> str:
        """Return the id of the call's job, ``""`` for a call without one.

        A call that names none is given one, so that its caller hears of its progress and may cancel it.
        """
        operation = self._catalogue.operations.get(request.method)
        if operation is None or not any(item.name == _JOB and not item.required for item in operation.parameters):
            return ""
        job = request.params.get(_JOB) or new_id("run")
        if not isinstance(job, str) or job in self._began or not _is_allowed(operation, caller):
            return ""  # the call itself is refused
        self._began[job] = caller.agent_id
        return job

    def end(self, job: str) -> None:
        """Take note that a call with a job has ended."""
        self._began.pop(job, None)

    def cancel(self, request: RpcRequest, job: str) -> Cancellation:
        """Ask the call's job to stop, and say what becomes of the call.

        A call that only reads is abandoned; a short write is not, for it may be done already.
        """
        if job:
            is_known = self._cancel_job is not None and self._cancel_job(job)
            return "requested" if is_known else "refused"
        operation = self._catalogue.operations.get(request.method)
        return "abandon" if operation is not None and operation.access == "read" else "refused"

    def began(self, job: str, caller: Caller) -> bool:
        """Return whether an agent began a job that runs."""
        return caller.state == "active" and bool(caller.agent_id) and self._began.get(job) == caller.agent_id

    def _with_confirmation(self, request: RpcRequest, caller: Caller) -> tuple[Mapping[str, Any], Caller]:
        """Take the word that the person agreed to a call out of its arguments.

        Raises:
            StaleError: It is none of this host; nothing was done.
        """
        operation = self._catalogue.operations.get(request.method)
        if caller.is_owner or operation is None or operation.access != "write" or CONFIRMED not in request.params:
            return request.params, caller
        rest = {name: value for name, value in request.params.items() if name != CONFIRMED}
        if not is_confirmation(request.params[CONFIRMED], self.token, request.method, rest):
            raise StaleError(
                Sentence(
                    "What says that the person agreed is not of this host, and nothing was done. Make the call"
                    " again without '{name}': it then waits for the person.",
                    name=CONFIRMED,
                ),
                field=CONFIRMED,
            )
        return rest, replace(caller, has_confirmed=True)

    async def _describe(self, caller: Caller, *, with_schemas: bool) -> Reply:
        """Return the operations that a caller may call, with argument schemas where wanted."""
        operations = [item for item in self._catalogue.operations.values() if _is_allowed(item, caller)]
        if with_schemas:
            return Reply([{**_description(item), "schema": argument_schema(item)} for item in operations])
        return Reply([_description(item) for item in operations])


def _is_allowed(operation: Operation, caller: Caller) -> bool:
    try:
        require_access(operation, caller)
    except AccessDeniedError:
        return False
    return True


def _description(operation: Operation) -> dict[str, Any]:
    parameters = [
        {
            "name": item.name,
            "type": item.type,
            "required": item.required,
            "default": item.default,
            "help": item.help,
        }
        for item in operation.parameters
    ]
    return {
        "name": operation.name,
        "access": operation.access,
        "trust": operation.trust,
        "destructive": operation.destructive,
        "summary": operation.summary,
        "doc": operation.doc,
        "parameters": parameters,
    }
