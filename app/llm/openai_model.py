"""Chat model behind any service that speaks OpenAI's chat protocol, through the ``openai`` package.

The only module that imports that package, and only when a request is made. No message of an error holds the key.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from app.core.token_estimate import estimate_tokens
from app.errors import AccessDeniedError, KeepsakeError, ModelUnavailableError
from app.llm.model import ChatAnswer, ChatMessage, ChatRequest, ToolCall, Usage
from app.llm.options import ModelOptions

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 20.0
_OFFLINE_S: Final = 60.0  # after the service could not be reached, nothing is sent for so long
_MAX_ANSWER: Final = 400_000  # characters of an answer
_MAX_CALLS: Final = 32
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_KEY_REFUSED: Final = frozenset({401, 403})


class ServiceKey(Protocol):
    """The key of the service."""

    def value(self) -> str:
        """Return the key, ``""`` where the service needs none.

        Raises:
            KeepsakeError: It is missing or cannot be read.
        """

    def refused(self) -> None:
        """Report that the service refused the key."""


class UsageRecorder(Protocol):
    """Accounts of what the model cost."""

    @property
    def spent_this_month(self) -> float:
        """Return the cost since the beginning of the calendar month."""

    async def record(self, purpose: str, model: str, usage: Usage, *, is_failure: bool) -> None:
        """Enter one request."""


class OpenAiModel:
    """Chat model of a service. Belongs to one event loop.

    Args:
        options: Returns the settings as they are now.
        key: Returns the key of the service of the settings.
        accounts: The accounts.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        options: Callable[[], ModelOptions],
        key: Callable[[], ServiceKey],
        accounts: UsageRecorder,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._options = options
        self._key = key
        self._accounts = accounts
        self._sleep = sleep
        self._client: tuple[tuple[str, str, float], AsyncOpenAI] | None = None
        self._without_json: set[tuple[str, str]] = set()
        self._offline: tuple[str, float] = ("", 0.0)
        self.failure = ""

    @property
    def name(self) -> str:
        """Return the name of the main model, ``""`` where none is configured."""
        options = self._options()
        return options.main_model if options.is_configured else ""

    @property
    def is_available(self) -> bool:
        """Return whether a model may be asked now; see ``ChatModel``."""
        options = self._options()
        return options.is_configured and not self._is_offline(options) and not self._is_over_cap(options)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request; see ``ChatModel``."""
        options = self._options()
        self._check(request, options)
        model = options.model_of(request.tier)
        try:
            answer = await self._with_retries(request, options, model)
        except KeepsakeError as error:
            self.failure = error.message
            await self._accounts.record(request.purpose, model, Usage(), is_failure=True)
            raise
        self.failure = ""
        await self._accounts.record(request.purpose, model, answer.usage, is_failure=False)
        return answer

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            _, client = self._client
            self._client = None
            await client.close()

    def try_again(self) -> None:
        """Forget that the service could not be reached."""
        self._offline = ("", 0.0)

    def _check(self, request: ChatRequest, options: ModelOptions) -> None:
        if not options.is_configured:
            raise ModelUnavailableError("No language model is configured; see the settings llm.*.")
        if "private" in request.stores and not options.is_local and not options.send_private:
            raise AccessDeniedError(
                f"Private texts are not sent to {options.host}; the setting llm.send_private would allow it."
            )
        if self._is_over_cap(options):
            raise ModelUnavailableError(
                f"The language model cost {self._accounts.spent_this_month:.2f} this month; the setting llm.monthly_cap"
                f" allows {options.monthly_cap:.2f}."
            )
        if self._is_offline(options):
            raise ModelUnavailableError(f"{options.host} could not be reached a moment ago; it is tried again soon.")

    def _is_over_cap(self, options: ModelOptions) -> bool:
        return options.monthly_cap > 0 and self._accounts.spent_this_month >= options.monthly_cap

    def _is_offline(self, options: ModelOptions) -> bool:
        address, until = self._offline
        return address == options.base_url and time.monotonic() < until

    async def _with_retries(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        pause = _FIRST_PAUSE_S
        for attempt in range(1, options.attempts + 1):
            is_last = attempt == options.attempts
            try:
                return await self._send(request, options, model)
            except _BusyError as error:
                wait = pause if error.pause_s is None else error.pause_s
                if is_last or wait > _LONGEST_PAUSE_S:
                    if error.is_unreachable:
                        self._offline = (options.base_url, time.monotonic() + _OFFLINE_S)
                    raise ModelUnavailableError(error.sentence) from error
                await self._sleep(wait)
                pause *= 2
        raise ModelUnavailableError("The language model was not asked.")  # pragma: no cover  (attempts is at least 1)

    async def _send(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        import openai  # noqa: PLC0415  (slow to load; only where a model is in use)

        key = self._key()
        client = await self._connected(options, await asyncio.to_thread(key.value))
        body = _body(request, options, model)
        if request.wants_json and (options.base_url, model) not in self._without_json:
            body["response_format"] = {"type": "json_object"}
        try:
            async with asyncio.timeout(options.timeout_s):
                answered = await client.chat.completions.create(**body)
        except (openai.APITimeoutError, TimeoutError) as error:
            raise _BusyError(f"{options.host} did not answer within {options.timeout_s:g} seconds.") from error
        except openai.APIConnectionError as error:
            raise _BusyError(f"{options.host} cannot be reached.", is_unreachable=True) from error
        except openai.APIStatusError as error:
            return await self._after_status(error, request, options, model, key, is_json="response_format" in body)
        except (openai.OpenAIError, ValueError, TypeError) as error:
            # What came back is no answer of this protocol.
            raise _BusyError(f"{options.host} answered with something that is no chat answer.") from error
        return _answer(answered, request, options, model)

    async def _after_status(
        self,
        error: "Any",
        request: ChatRequest,
        options: ModelOptions,
        model: str,
        key: ServiceKey,
        *,
        is_json: bool,
    ) -> ChatAnswer:
        status = int(error.status_code)
        if status in _BUSY:
            pause = _retry_after(error.response.headers.get("retry-after", ""))
            raise _BusyError(f"{options.host} is busy (HTTP {status}).", pause_s=pause) from error
        if status == 400 and is_json:  # noqa: PLR2004  (some services do not know how to be asked for JSON)
            self._without_json.add((options.base_url, model))
            return await self._send(request, options, model)
        if status in _KEY_REFUSED:
            key.refused()
            raise ModelUnavailableError(f"{options.host} refused the key (HTTP {status}).") from error
        if status == 404:  # noqa: PLR2004
            raise ModelUnavailableError(f"{options.host} knows no model '{model}' (HTTP 404).") from error
        raise ModelUnavailableError(f"{options.host} refused the request (HTTP {status}).") from error

    async def _connected(self, options: ModelOptions, key: str) -> "AsyncOpenAI":
        """Return the client for the current address, key and time-out."""
        wanted = (options.base_url, key, options.timeout_s)
        if self._client is not None and self._client[0] == wanted:
            return self._client[1]
        await self.close()
        client = await asyncio.to_thread(_new_client, *wanted)
        self._client = (wanted, client)
        return client


class _BusyError(Exception):
    """A request that may succeed at another attempt."""

    def __init__(self, sentence: str, *, pause_s: float | None = None, is_unreachable: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.pause_s = pause_s
        self.is_unreachable = is_unreachable


def _new_client(base_url: str, key: str, timeout_s: float) -> "AsyncOpenAI":
    import httpx2  # noqa: PLC0415
    from openai import AsyncOpenAI  # noqa: PLC0415

    # A redirect would carry the texts to another machine, and so would a proxy of the environment.
    carrier = httpx2.AsyncClient(follow_redirects=False, trust_env=False, timeout=timeout_s)
    return AsyncOpenAI(
        api_key=key or "none",
        base_url=base_url,
        timeout=timeout_s,
        max_retries=0,
        http_client=carrier,
        organization="",
        project="",
    )


def _body(request: ChatRequest, options: ModelOptions, model: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(one) for one in request.messages],
        "max_tokens": min(request.max_output_tokens, options.max_output_tokens),
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in request.tools
        ]
    return body


def _message(message: ChatMessage) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_call_id:
        made["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return made


def _answer(answered: Any, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
    """Return the first choice of an answer.

    Raises:
        ModelUnavailableError: The model refused.
        _BusyError: There is no answer in it.
    """
    choices = getattr(answered, "choices", None)
    said = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if said is None:
        raise _BusyError(f"{options.host} answered with something that is no chat answer.")
    reason = getattr(choices[0], "finish_reason", None) if choices else None
    if getattr(said, "refusal", None) or reason == "content_filter":
        raise ModelUnavailableError(f"The model '{model}' refused to answer.", reason="refused")
    content = getattr(said, "content", None)
    text = content if isinstance(content, str) else ""
    calls = tuple(filter(None, map(_tool_call, (getattr(said, "tool_calls", None) or [])[:_MAX_CALLS])))
    if not text and not calls:
        raise _BusyError(f"{options.host} answered with nothing.")
    usage = _usage(answered, request, text, options)
    return ChatAnswer(text[:_MAX_ANSWER], calls, usage, model, reason != "length" and len(text) <= _MAX_ANSWER)


def _tool_call(call: Any) -> ToolCall | None:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None), getattr(function, "arguments", None)
    if not isinstance(name, str) or not isinstance(arguments, str):
        return None
    return ToolCall(str(getattr(call, "id", "") or ""), name, arguments)


def _usage(answered: Any, request: ChatRequest, text: str, options: ModelOptions) -> Usage:
    """Return the tokens that the service counted, or an estimate where it does not."""
    counted = getattr(answered, "usage", None)
    read, written = getattr(counted, "prompt_tokens", None), getattr(counted, "completion_tokens", None)
    if not isinstance(read, int) or read < 0:
        read = sum(estimate_tokens(message.content) for message in request.messages)
    if not isinstance(written, int) or written < 0:
        written = estimate_tokens(text)
    return Usage(read, written, options.cost(read, written))


def _retry_after(value: str) -> float | None:
    """Return the seconds of a Retry-After header, ``None`` where it has none."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
