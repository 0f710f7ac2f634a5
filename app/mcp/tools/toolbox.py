"""Toolbox: a profile's set of tools, and the context in which one is called."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from app.core.declared_operations import declared_operations
from app.core.ids import new_id
from app.errors import InputError
from app.mcp.host_link import HostLink
from app.mcp.tools.tool_answers import Answer
from app.sentence import Sentence

Decision = Literal["accepted", "declined", "dismissed", "unavailable"]


class Confirmer(Protocol):
    """A way to ask the person through the client."""

    @property
    def has_confirmed(self) -> bool:
        """Return whether the person was asked about this call and said yes."""

    async def confirm(self, question: str) -> Decision:
        """Ask the person; ``dismissed`` where they gave no answer, ``unavailable`` where the client cannot ask."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Context of a tool call.

    Args:
        link: The link to the host.
        confirmer: Asks the person where the client can.
        project: Name of the project that the client works on, ``""`` where that is not known.
    """

    link: HostLink
    confirmer: Confirmer
    project: str

    async def read(self, operation: str, **arguments: Any) -> Any:
        """Call an operation that changes nothing."""
        return await self.link.call(operation, arguments, repeatable=True)

    async def write(self, operation: str, **arguments: Any) -> Any:
        """Call an operation that writes; it is sent again only under a key."""
        key = declared_operations().keys.get(operation)
        if key is not None:
            arguments.setdefault(key, new_id("run"))
        is_confirmed = self.confirmer.has_confirmed
        return await self.link.call(operation, arguments, repeatable=key is not None, is_confirmed=is_confirmed)


class Toolbox(Protocol):
    """The tools of a profile."""

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """Return the tools as ``tools/list`` answers them.

        Raises:
            KeepsakeError: The host must be asked for them, and does not say.
        """

    def known_tools(self) -> list[dict[str, Any]]:
        """Return the tools that are known without the host."""

    def is_reading(self, name: str) -> bool:
        """Return whether a tool changes nothing, as far as is known."""

    async def call(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Answer:
        """Call a tool.

        Raises:
            KeepsakeError: What the host reports, or what is wrong with the arguments.
        """


def reading_tools(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of the tools that change nothing."""
    return frozenset(tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"])


def refused(decision: Decision) -> str:
    """Return the sentence that nothing was done, ``""`` where it may be."""
    if decision == "declined":
        return "Nothing was changed: the person said no."
    if decision == "dismissed":
        return "Nothing was changed: the question to the person was not answered. Ask them, or call again."
    return ""


def unknown_tool(name: str, names: list[str]) -> InputError:
    """Return the failure that there is no such tool."""
    return InputError(
        Sentence("There is no tool '{name}'. There are: {names}.", name=name, names=", ".join(names)), field="name"
    )
