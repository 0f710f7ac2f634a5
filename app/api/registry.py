"""Registry and catalogue: operations are declared once and called with checked arguments."""

import asyncio
import functools
import inspect
import operator
import re
import time
import types
import typing
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

import msgspec

from app.api.agent_writes.recalled_arguments import without_recalled_arguments
from app.api.agent_writes.secret_arguments import with_note, without_secret_arguments
from app.api.argument_types import is_idempotency_key, sentence, unknown_field
from app.api.call_hooks import AgentGate, CallRecorder, FinishedCall, HeldWrite, WholeIds, WriteReview
from app.api.caller import Caller
from app.api.event_access import visible
from app.api.operation import Declaration, Handler, Operation, Parameter
from app.changes import Changed, ChangeSet
from app.core.clock import parse_instant, to_datetime
from app.errors import (
    AccessDeniedError,
    AccessRequiredError,
    AgentPausedError,
    InputError,
    KeepsakeError,
    UnknownOperationError,
)
from app.sentence import Sentence, plain_text
from app.trace.trace import Trace

MAX_COUNT: Final = 10_000_000
# A number of things to return or to skip; none of them means no limit.
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]

_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)
_MOMENT = "datetime"  # in the type of a parameter that is a time
_P = ParamSpec("_P")
_R = TypeVar("_R")
_LEADING = 2  # every handler takes the engine and the caller before its own parameters


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a call and its changes; ``outcome`` is ``done`` or ``proposed``."""

    value: Any
    changes: ChangeSet | None = None
    outcome: str = "done"


class Publisher(Protocol):
    """A receiver of the changes of finished calls."""

    def publish(self, event: ChangeSet) -> None:
        """Tell everyone who listens."""


def _with_fields_of(
    _declaration: Callable[_P, Declaration],
) -> Callable[[Callable[..., _R]], Callable[Concatenate[Any, str, _P], _R]]:
    """Give a method, after the name, the typed arguments of ``Declaration``."""
    return lambda method: method


class Registry:
    """A collection of operation declarations, filled by ``operation`` at import of the subject files."""

    def __init__(self) -> None:
        self._declared: dict[str, Operation] = {}

    @_with_fields_of(Declaration)
    def operation(self, name: str, **fields: Any) -> Callable[[Handler], Handler]:
        """Declare the decorated function as an operation; see ``Declaration`` for the arguments."""
        if fields.get("owner_only"):
            fields.setdefault("trust", "full")

        def declare(handler: Handler) -> Handler:
            if name in self._declared:
                raise ValueError(f"operation {name} is declared twice")
            self._declared[name] = _operation_of(handler, name, fields)
            return handler

        return declare

    def all(self) -> Iterable[Operation]:
        """Return every declaration, by name."""
        return sorted(self._declared.values(), key=lambda item: item.name)

    def named(self, name: str) -> Operation:
        """Return the declaration of an operation that is known to exist."""
        return self._declared[name]


def _operation_of(handler: Handler, name: str, declared: Mapping[str, Any]) -> Operation:
    hints = typing.get_type_hints(handler, include_extras=True)
    own = list(inspect.signature(handler).parameters.values())[_LEADING:]
    summary, doc, helps = _documentation(handler)
    fields: list[Any] = []
    parameters = []
    for parameter in own:
        required = parameter.default is inspect.Parameter.empty
        kind = hints[parameter.name]
        fields.append((parameter.name, kind) if required else (parameter.name, kind, parameter.default))
        default = None if required else parameter.default
        parameters.append(Parameter(parameter.name, type_name(kind), required, default, helps.get(parameter.name, "")))
    arguments = msgspec.defstruct(name.replace(".", "_"), fields, kw_only=True, forbid_unknown_fields=True)
    return Operation(
        name=name,
        summary=summary,
        doc=doc,
        parameters=tuple(parameters),
        arguments=arguments,
        returns=_answer_type(hints["return"]),
        handler=handler,
        key=next((item.name for item in own if is_idempotency_key(hints[item.name])), ""),
        **declared,
    )


def _answer_type(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Changed else hint


def _documentation(handler: Handler) -> tuple[str, str, dict[str, str]]:
    text = inspect.getdoc(handler) or ""
    head, _, arguments = text.partition("\nArgs:\n")
    summary, _, doc = head.partition("\n")
    arguments = re.split(r"\n\n|\nRaises:\n|\nReturns:\n", arguments)[0]
    helps = {match[1]: " ".join(match[2].split()) for match in _ARGUMENT.finditer(arguments)}
    return summary.strip(), doc.strip(), helps


def type_name(kind: Any) -> str:
    """Return a type as a reader of the reference sees it."""
    kind = _without_bounds(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(map(type_name, inner))  # what Python says of it itself depends on its version
    if isinstance(origin, type):
        return (
            f"{origin.__name__}[{', '.join('...' if argument is ... else type_name(argument) for argument in inner)}]"
        )
    text = kind.__name__ if isinstance(kind, type) else str(kind)
    return re.sub(r"\b(?:typing|collections\.abc|datetime|app\.[\w.]+)\.", "", text).replace("NoneType", "None")


def _without_bounds(kind: Any) -> Any:
    """Return a type without the bounds in ``Annotated``, also where it is one of several."""
    if typing.get_origin(kind) is typing.Annotated:
        return typing.get_args(kind)[0]
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return functools.reduce(operator.or_, map(_without_bounds, typing.get_args(kind)))
    return kind


def to_builtins(value: Any) -> Any:
    """Return ``value`` as JSON values: times as ISO 8601, tuples and sets as lists."""
    return msgspec.to_builtins(value, enc_hook=plain_text)


def from_builtins(value: Any, kind: Any) -> Any:
    """Return a value of type ``kind`` from the JSON values that ``to_builtins`` returned."""
    return msgspec.convert(value, kind)


REGISTRY: Final = Registry()
operation = REGISTRY.operation


class Catalogue:
    """Calls operations by name.

    Args:
        engine: What the handlers work with.
        operations: The declarations.
        publisher: Hears of changes, after the commit.
        trace: Records each operation's duration and outcome, never arguments or answers.
        route: Returns the engine, its own publisher, that a caller with this name works on; ``None`` for this one.
        recorder: Takes note of every finished call.
        review: May hold an agent's write back for the person.
        gate: Holds up the calls of all agents while the person wants it.
        keeps_secrets: Whether the person wants keys and passwords in agents' writes to be stored as they are.
        whole_ids: Returns the arguments of a call on an engine with whole ids in place of short ones.
    """

    def __init__(
        self,
        engine: object,
        operations: Iterable[Operation],
        publisher: Publisher,
        trace: Trace | None = None,
        route: Callable[[str], Awaitable[Publisher | None]] | None = None,
        recorder: CallRecorder | None = None,
        review: WriteReview | None = None,
        gate: AgentGate | None = None,
        keeps_secrets: Callable[[], bool] = lambda: False,
        whole_ids: WholeIds | None = None,
    ) -> None:
        self._whole_ids = whole_ids
        self._gate = gate
        self._keeps_secrets = keeps_secrets
        self._route = route
        self._recorder = recorder
        self._review = review
        self._engine = engine
        self.trace = trace or Trace()
        self.operations: Mapping[str, Operation] = {item.name: item for item in operations}
        self._publisher = publisher

    @property
    def holds_agents(self) -> bool:
        """True while no agent may call, nor learn of changes."""
        return self._gate is not None and self._gate.is_on

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Reply:
        """Call an operation.

        Args:
            name: Its name.
            arguments: By name, as JSON values or as model objects.
            caller: Who asks.

        Raises:
            UnknownOperationError: There is none of that name.
            InputError: An argument is missing, unknown, or of the wrong type; the sentence says where.
            AccessDeniedError: The caller's trust does not reach that far, or the person holds agents up.
        """
        operation = self.find(name)
        with self.trace.span("call", operation=name, trust=caller.trust) as facts:
            reply = await self._recorded(operation, arguments, caller)
            facts["changed"] = len(reply.changes.ids) if reply.changes else 0
        return reply if caller.is_owner or reply.changes is None else _narrowed(reply, caller)

    async def _recorded(self, operation: Operation, arguments: Mapping[str, Any], caller: Caller) -> Reply:
        """Perform a call and tell the recorder of it, however it ends."""
        begun, reply, outcome = time.perf_counter(), Reply(None), "internal"
        try:
            isolated = await self._admitted(operation, caller)
            if self._whole_ids is not None:
                arguments = await self._whole_ids(isolated or self._engine, arguments, caller)
            reply = await self._perform(operation, arguments, caller, isolated)
            outcome = reply.outcome
        except KeepsakeError as error:
            outcome = error.code
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            if self._recorder is not None:
                ms = (time.perf_counter() - begun) * 1000
                ended = FinishedCall(operation, caller, arguments, reply.value, reply.changes, outcome, ms)
                self._recorder.record(ended)
        return reply

    async def _admitted(self, operation: Operation, caller: Caller) -> Publisher | None:
        """Let a call in, and return the caller's isolated engine, ``None`` where it has none.

        Raises:
            AccessDeniedError: The caller's trust does not reach that far, or the person holds agents up.
        """
        require_access(operation, caller)
        if self._gate is not None and not caller.is_owner and not operation.open_to_unknown:
            await self._gate.refuse_agents(operation.name)
        return await self._route(caller.name) if self._route is not None and not operation.open_to_unknown else None

    async def _perform(
        self, operation: Operation, arguments: Mapping[str, Any], caller: Caller, isolated: Publisher | None
    ) -> Reply:
        name = operation.name
        checked = check_arguments(operation, arguments)
        secrets: Counter[str] = Counter()
        if operation.access == "write" and not caller.is_owner:
            checked = without_recalled_arguments(checked, operation.transcript)
            if not self._keeps_secrets():
                checked, secrets = without_secret_arguments(checked)
        call = operation.bound(self._engine if isolated is None else isolated, caller, checked)
        if self._review is not None and not caller.is_owner and isolated is None and operation.access == "write":
            answer = await self._review.perform(operation, caller, checked, call)
        else:
            answer = await call()
        if isinstance(answer, HeldWrite):
            self._publisher.publish(replace(answer.changes, operation=name))
            return Reply(with_note(answer.value, secrets), outcome="proposed")
        if not isinstance(answer, Changed):
            return Reply(answer)
        changes = replace(answer.changes, operation=name)
        (isolated or self._publisher).publish(changes)
        return Reply(with_note(answer.value, secrets), changes)

    def find(self, name: str) -> Operation:
        """Return the declaration of ``name``.

        Raises:
            UnknownOperationError: There is none.
        """
        operation = self.operations.get(name)
        if operation is None:
            raise UnknownOperationError(
                Sentence("There is no operation '{name}'. See 'keepsake call --list'.", name=name), operation=name
            )
        return operation


def _with_agent(operation: Operation, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return arguments that name an agent by the operation's own word, ``name`` or ``agent``."""
    if not operation.name.startswith("agent."):
        return arguments
    names = {item.name for item in operation.parameters}
    for own, other in (("name", "agent"), ("agent", "name")):
        if own in names and other not in names and other in arguments and own not in arguments:
            return {own if key == other else key: value for key, value in arguments.items()}
    return arguments


def _narrowed(reply: Reply, caller: Caller) -> Reply:
    """Return a reply with the part of its changes that the caller may see."""
    changes = visible(reply.changes, caller) if reply.changes is not None else None
    return replace(reply, changes=changes if isinstance(changes, ChangeSet) else None)


def require_access(operation: Operation, caller: Caller) -> None:
    """Refuse a caller who may not call an operation.

    Raises:
        AccessRequiredError: The person has not let the program in.
        AgentPausedError: The person has paused the agent.
        AccessDeniedError: Its trust does not reach that far, or only the person's own programs may call it.
    """
    name = operation.name
    if caller.state == "unknown" and not operation.open_to_unknown:
        if caller.has_ended:
            raise AccessRequiredError(
                Sentence("The access of {agent} has ended. Only the person can give it again.", agent=caller.name),
                operation=name,
                ended=True,
            )
        if caller.has_old_token:
            raise AccessRequiredError(old_token_message(caller.name), operation=name, ended=True, replaced=True)
        raise AccessRequiredError(
            Sentence(
                "Keepsake does not know this program, or its token was replaced by a newer one. Use the"
                " newest token, or call 'agent.request_access' and have the person allow '{agent}' in"
                " Keepsake's window or with 'keepsake agent allow'.",
                agent=caller.name,
            ),
            operation=name,
            request_state=caller.request,
        )
    if caller.state == "paused":
        raise AgentPausedError(
            Sentence("The person has paused {agent}. Try again later.", agent=caller.name), operation=name
        )
    if operation.owner_only and not caller.is_owner:
        raise AccessDeniedError(
            Sentence("'{name}' is for the person's own programs, not for agents.", name=name), operation=name
        )
    if not caller.reaches(operation.trust):
        held = caller.trust if caller.trust != "full" else f"it for {' and '.join(caller.stores) or 'no store'} only"
        raise AccessDeniedError(
            Sentence(
                "'{name}' needs {needed} trust; {agent} has {held}.",
                name=name,
                needed=operation.trust,
                agent=caller.name,
                held=held,
            ),
            operation=name,
        )


def old_token_message(agent: str) -> Sentence:
    """Return what an agent is told whose token was replaced."""
    return Sentence(
        "The token of {agent} was replaced by a newer one. Ask the person for it, and connect again with it.",
        agent=agent,
    )


def check_arguments(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` in the types of the operation's parameters.

    Raises:
        InputError: One is missing, unknown or of the wrong type.
    """
    arguments = _with_agent(operation, arguments)
    try:
        checked = msgspec.convert(_with_moments(operation, arguments), operation.arguments)
        field = unknown_field(operation.arguments, arguments)
    except (msgspec.ValidationError, RecursionError, OverflowError, ValueError) as error:
        # The error's own text repeats what was given.
        raise _refused(operation, _reason(operation, error)) from None
    if field is not None:
        raise _refused(operation, field)
    return {name: getattr(checked, name) for name in operation.arguments.__struct_fields__}


def _with_moments(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` with times without hour or zone, such as ``2026-03-01``, completed."""
    converted = dict(arguments)
    for parameter in operation.parameters:
        text = converted.get(parameter.name)
        if _MOMENT in parameter.type and isinstance(text, str) and not text.strip().isdecimal():
            exact = parse_instant(text)
            converted[parameter.name] = text if exact is None else to_datetime(exact)
    return converted


def _refused(operation: Operation, reason: str) -> InputError:
    allowed = ", ".join(parameter.name for parameter in operation.parameters)
    return InputError(
        Sentence("{operation}: {reason}.", operation=operation.name, reason=reason),
        operation=operation.name,
        parameters=allowed,
    )


def _reason(operation: Operation, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "its arguments are nested too deeply"
    if isinstance(error, msgspec.ValidationError):
        return sentence(error, operation.arguments)
    return "a number is too large"
