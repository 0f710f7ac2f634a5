"""Values of chat models: messages, tools, requests, answers and their cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from app.core.stores import StoreName

Role = Literal["system", "user", "assistant", "tool"]
Tier = Literal["fast", "main"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a model asks for.

    Args:
        id: The model's id of the call, which the tool's message answers.
        name: The tool.
        arguments: A JSON object, as the model wrote it; it may be no JSON at all.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a conversation with a model.

    Args:
        role: Who speaks.
        content: The text.
        tool_calls: Calls that an ``assistant`` message asks for.
        tool_call_id: The call that a ``tool`` message answers.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call.

    Args:
        name: Letters, digits and underscores.
        description: What it does.
        parameters: A JSON schema of its arguments.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a model.

    Args:
        messages: The conversation so far.
        purpose: What the answer is for, such as ``consolidation``; the accounts name it.
        stores: The stores that the texts come from; private text goes to a remote model only if a setting allows it.
        tier: The quick and cheap model, or the better one.
        tools: Tools that the model may call.
        max_output_tokens: Longest answer.
        wants_json: Whether the answer must be a JSON object.
    """

    messages: tuple[ChatMessage, ...]
    purpose: str
    stores: tuple[StoreName, ...]
    tier: Tier = "main"
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 1024
    wants_json: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one or several answers.

    Args:
        input_tokens: Tokens read.
        output_tokens: Tokens written.
        cost: In the currency of the prices in the settings.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens, self.cost + other.cost
        )


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer of a model.

    Args:
        text: What it wrote; empty where it only calls tools.
        tool_calls: Tools it wants called.
        usage: What it took.
        model: The name of the model that answered.
        is_complete: False where the answer was cut off at its longest length.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """State of the language model.

    Args:
        is_configured: Whether the settings name a service and a model.
        is_available: Whether it may be asked now.
        host: The service's machine, ``""`` for none.
        is_local: Whether that is this machine.
        main_model: The name of the main model.
        fast_model: The name of the one for small work.
        has_answered: Whether it answered when it was last asked; ``None`` where it was not asked since the start.
        note: Why it is not available, or did not answer; empty where nothing is wrong.
        sent: What is sent to it, in a sentence.
        spent_this_month: Its cost since the month began (UTC), in the currency of the prices.
        monthly_cap: The cost from which on nothing is asked; 0 for no limit.
    """

    is_configured: bool
    is_available: bool
    host: str
    is_local: bool
    main_model: str
    fast_model: str
    has_answered: bool | None
    note: str
    sent: str
    spent_this_month: float
    monthly_cap: float


@dataclass(frozen=True, slots=True)
class ModelTest:
    """Answer of the language model to a small question.

    Args:
        ok: Whether it answered.
        model: The model that was asked.
        seconds: How long that took.
        answer: The beginning of what it said.
        note: Why it did not answer; empty where it did.
    """

    ok: bool
    model: str
    seconds: float
    answer: str
    note: str
