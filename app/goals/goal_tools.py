"""Tools of a goal: a fixed set of operations that delete nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import apsw
import msgspec

from app.api.argument_schema import argument_schema
from app.api.caller import Caller
from app.api.operation import Operation
from app.api.registry import Catalogue, Reply, to_builtins
from app.core.text_rules.recall_fence import PREAMBLE, entry, fence_text
from app.errors import KeepsakeError
from app.history import history_repo
from app.llm.model import ToolCall, ToolSpec
from app.store.transaction_wrapper import Work, wrapped_transactions


@dataclass(frozen=True, slots=True)
class _Tool:
    """An operation that is offered, with the arguments that a model may give.

    Args:
        operation: Its name in the catalogue.
        arguments: The arguments.
        fenced: The member of its answer that is shown alone, for it comes in its fence.
        hits: The member of its answer whose items are shown alone, with few of their fields.
    """

    operation: str
    arguments: tuple[str, ...]
    fenced: str = ""
    hits: str = ""


_TOOLS: Final[Mapping[str, _Tool]] = {
    "memory_search": _Tool("memory.search", ("query", "limit", "as_of"), hits="hits"),
    "memory_get": _Tool("memory.get", ("ids", "max_tokens")),
    "memory_context": _Tool("memory.context", ("prompt", "max_tokens"), fenced="text"),
    "memory_timeline": _Tool("memory.timeline", ("around", "before", "after", "kinds")),
    "entity_list": _Tool("entity.list", ("text", "limit")),
    "entity_info": _Tool("entity.info", ("id", "limit")),
    "session_messages": _Tool("session.messages", ("session", "after", "limit")),
    "fact_conflicts": _Tool("fact.conflicts", ("content", "limit")),
    "memory_write": _Tool("memory.write", ("content", "title", "type", "facts", "tags", "related_people")),
    "note_save": _Tool("note.save", ("content", "title", "tags")),
    "fact_remember": _Tool("fact.remember", ("content", "category", "key", "tags")),
}
_HIT: Final = ("id", "kind", "title", "snippet", "created_at", "role", "author", "tags")
_CUT: Final = "… cut off: ask for less at a time."


class GoalTools:
    """The tools that one run of a goal may use.

    Args:
        catalogue: Performs the calls.
        caller: Who calls; tools that its trust does not reach are not offered.
        run_id: The run, by which everything that it writes is undone.
        longest: Characters of an answer.
    """

    def __init__(self, catalogue: Catalogue, caller: Caller, run_id: str, longest: int) -> None:
        self._catalogue = catalogue
        self._caller = caller
        self._run_id = run_id
        self._longest = longest
        self._tools = {name: tool for name, tool in _TOOLS.items() if self._is_offered(tool)}

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as the model is told of them."""
        return tuple(
            _spec(name, tool, self._catalogue.operations[tool.operation]) for name, tool in self._tools.items()
        )

    async def call(self, call: ToolCall) -> str:
        """Perform a call and return the fenced answer, or why it was refused."""
        tool = self._tools.get(call.name)
        if tool is None:
            return f"There is no tool of that name. The tools are {', '.join(self._tools)}."
        try:
            arguments = msgspec.json.decode(call.arguments.strip() or "{}", type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return "The arguments are not a JSON object."
        if set(arguments) - set(tool.arguments):
            return f"Of the arguments, {call.name} takes only {', '.join(tool.arguments)}."
        try:
            with wrapped_transactions(partial(_in_run, self._run_id)):
                reply = await self._catalogue.call(tool.operation, arguments, self._caller)
        except KeepsakeError as error:
            return f"{error.message} [{error.code}]"
        return self._answer(tool, reply)

    def _is_offered(self, tool: _Tool) -> bool:
        operation = self._catalogue.operations.get(tool.operation)
        if operation is None or operation.destructive or operation.owner_only:
            return False
        return self._caller.reaches(operation.trust)

    def _answer(self, tool: _Tool, reply: Reply) -> str:
        if reply.outcome != "done":
            return "Nothing was written yet: it waits in the inbox for the person's decision."
        value = to_builtins(reply.value)
        if tool.fenced:
            return str(value[tool.fenced])[: self._longest]
        if tool.hits:
            value = [{name: hit[name] for name in _HIT if hit.get(name)} for hit in value[tool.hits]]
        text = msgspec.json.encode(_without_empty(value)).decode()
        cut = _CUT if len(text) > self._longest else ""
        fenced, _ = fence_text("\n".join([PREAMBLE, "", entry("answer", "values as JSON", text[: self._longest])]))
        return f"{fenced}\n{cut}".strip()


def _spec(name: str, tool: _Tool, operation: Operation) -> ToolSpec:
    schema = argument_schema(operation)
    properties = {name: kind for name, kind in schema["properties"].items() if name in tool.arguments}
    parameters = {**schema, "properties": properties, "additionalProperties": False}
    return ToolSpec(name, operation.summary, parameters)


def _in_run(run_id: str, work: Work, connection: apsw.Connection) -> Any:
    """Do a transaction's work as part of a run in the history."""
    mark = history_repo.last_id(connection)
    value = work(connection)
    history_repo.put_in_run(connection, mark, run_id)
    return value


def _without_empty(value: Any) -> Any:
    """Return JSON values without empty members, which tell a model nothing."""
    if isinstance(value, dict):
        return {name: _without_empty(field) for name, field in value.items() if field not in (None, "", [], {}, False)}
    return [_without_empty(part) for part in value] if isinstance(value, list) else value
