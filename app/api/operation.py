"""Declaration of an operation: all that is known of it, in one place."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from app.agents.model import Trust
from app.api.caller import Caller
from app.api.subjects import SUBJECTS

Access = Literal["read", "write"]
ReviewMode = Literal["content", "conversation", "unrehearsed", "free", "refused"]
Kind = Literal[
    "agent",
    "entity",
    "fact",
    "note",
    "observation",
    "other",
    "reflection",
    "schedule",
    "session",
    "settings",
    "upkeep",
    "vault",
]
Guard = Literal["", "built_in", "others", "unconfirmed"]
Undo = Literal["", "history", "operation", "needless", "none"]
Handler = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation; ``type`` as written, ``help`` from the function's docstring."""

    name: str
    type: str
    required: bool
    default: Any
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Properties of an operation; the function's signature and docstring say the rest.

    Args:
        access: ``write`` when it changes the vault.
        trust: The least trust a caller needs.
        destructive: True when it removes something, even if that can be undone.
        owner_only: True when only the person's own programs may call it, whatever an agent's trust; that needs full
            trust.
        open_to_unknown: True when a program that was not let in yet may call it.
        review: What an agent's call comes to under review. ``content`` is rehearsed, so that mistakes are reported at
            once and the person sees what would change; ``conversation`` is free in conversations with the caller
            itself; ``unrehearsed`` waits as it was called; ``free`` never waits; ``refused`` is not for agents under
            review.
        kind: What a write is about where its changes do not say.
        guard: What waits for the person without review, because no history brings it back: ``built_in``, a call
            about Keepsake's own jobs; ``others``, also one about a schedule that the agent did not make;
            ``unconfirmed``, one about which the client did not ask the person.
        undo: What brings back what a write changed: ``history``, the undo of its entries there; ``operation``, another
            operation, the same one with the earlier value, or that of all that the agent did; ``needless``, nothing, as
            no content changes or it passes with its conversation, proposal or job; ``none``, nothing, as it is meant to
            take something away or cannot be taken back, so that the command asks first where it is destructive.
        transcript: The argument that holds messages; recalled text in them is replaced by a reference.
        words: The words of its command; those of its name where ``""``.
        positional: Parameters that the command takes without an option, in the order of a sentence, before the other
            required ones.
        filled: The parameter that the command fills in when it is left out.
        joined: The parameter whose words the command joins by blanks.
        for_models: False when it is of no use to a language model, or not meant for one.
        checks_facts: True when the window compares with stored facts what the person wrote with it.
        searches: True when the ledger counts its calls as searches.
        removes: True when what it names is gone from the results of a search.
        replaces: True when what it states takes the place of a fact, beside which the person may keep it instead.
        erases: True when nothing may remember what it names, not even the ledger.
        imports: True when it takes in so much that the window gives advice on the search afterwards.
        brings_back: True when the window selects what it brought back.
        relays: True when it calls what its argument ``operation`` names, with its argument ``arguments``.
        proposed: True when Keepsake itself proposes it.
        sentence: What an agent did that called it, for the person's ledger.
    """

    access: Access = "read"
    trust: Trust = "familiar"
    destructive: bool = False
    owner_only: bool = False
    open_to_unknown: bool = False
    review: ReviewMode = "content"
    kind: Kind = "other"
    guard: Guard = ""
    undo: Undo = ""
    transcript: str = ""
    words: str = ""
    positional: tuple[str, ...] = ()
    filled: str = ""
    joined: str = ""
    for_models: bool = True
    checks_facts: bool = False
    searches: bool = False
    removes: bool = False
    replaces: bool = False
    erases: bool = False
    imports: bool = False
    brings_back: bool = False
    relays: bool = False
    proposed: bool = False
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Declaration):
    """One thing the engine can do.

    Args:
        name: ``subject.verb``.
        summary: The first line of its documentation.
        doc: The rest, without arguments.
        parameters: Its arguments, in order.
        arguments: The msgspec type its arguments are checked against.
        returns: The type of its answer.
        handler: The decorated function.
        key: The argument by which it can be repeated safely, ``""`` where it has none.
    """

    name: str
    summary: str
    doc: str
    parameters: tuple[Parameter, ...]
    arguments: type[msgspec.Struct]
    returns: Any
    handler: Handler
    key: str = ""

    @property
    def holds_items(self) -> bool:
        """Return whether its answer holds memories, conversations or entities."""
        return SUBJECTS[self.name.partition(".")[0]].holds_items

    @property
    def asks(self) -> bool:
        """Return whether it takes away something that nothing brings back."""
        return self.destructive and self.undo == "none"

    def bound(self, engine: object, caller: Caller, arguments: Mapping[str, Any]) -> Callable[[], Awaitable[Any]]:
        """Return the call by a caller, with arguments of the right types."""
        return functools.partial(self.handler, engine, replace(caller, operation=self.name), **arguments)
