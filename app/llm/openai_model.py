"""Chat model behind any service that speaks OpenAI's chat protocol, through the ``openai`` package.

The only module that imports that package, and only when a request is made. No message of an error holds the key.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from app.core.network_log import NETWORK
from app.core.stores import StoreName
from app.core.text import storable
from app.core.token_estimate import estimate_tokens
from app.errors import AccessDeniedError, KeepsakeError, ModelUnavailableError
from app.llm.model import ChatAnswer, ChatMessage, ChatRequest, ToolCall, Usage
from app.llm.options import ModelOptions
from app.part import Part

if TYPE_CHECKING:
    from openai import AsyncOpenAI

REFUSED: Final = "refused"
"""Reason of a failure that stays until the person changes something: the service refused the request, key or model."""

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 20.0
_OFFLINE_S: Final = 60.0  # after the service could not be reached, nothing is sent for so long
_LONGEST_OFFLINE_S: Final = 600.0  # that a service may ask for
_MAX_ANSWER: Final = 400_000  # characters of an answer
_MAX_BODY: Final = 8 << 20  # bytes of a response
_MAX_CALLS: Final = 32
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_KEY_REFUSED: Final = frozenset({401, 403})
_MISUNDERSTOOD: Final = frozenset({400, 422})
_UNKNOWN: Final = 404
_HEADERS: Final = frozenset({"host", "accept", "connection", "content-type", "content-length"})
_MOST_TOKENS: Final = 100_000_000


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

    async def load(self) -> None:
        """Read the cost of this month, so that ``spent_this_month`` is right."""

    async def record(self, purpose: str, model: str, usage: Usage, *, is_failure: bool) -> None:
        """Enter one request."""


class OpenAiModel(Part):
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
        self._connecting = asyncio.Lock()
        self._dialects: dict[tuple[str, str], _Dialect] = {}
        self._rest = _Rest()
        self.failure = ""
        self._refused: tuple[ModelOptions, str] | None = None
        self.has_answered: bool | None = None

    @property
    def name(self) -> str:
        """Return the name of the main model, ``""`` where none is configured."""
        options = self._options()
        return options.main_model if options.is_configured else ""

    @property
    def is_available(self) -> bool:
        """Return whether a model may be asked now; see ``ChatModel``."""
        options = self._options()
        return options.is_configured and not self._is_resting(options) and not self._is_over_cap(options)

    @property
    def note(self) -> str:
        """Return the reason why the model did not answer, empty for none."""
        options = self._options()
        if not options.is_configured:
            return ""
        try:
            self._require_available(options)
        except KeepsakeError as error:
            return error.message
        return self.failure

    @property
    def refusal(self) -> str:
        """Return why the service refused the last request; empty after other settings."""
        return self._refused[1] if self._refused is not None and self._refused[0] == self._options() else ""

    @property
    def failures(self) -> Sequence[str]:
        """Why the model is not used, where its service refused."""
        return (f"The language model is not used: {self.refusal}",) if self.refusal else ()

    def may_send(self, stores: Sequence[StoreName]) -> bool:
        """Return whether the settings let texts of these stores go to the service."""
        return _may_send(self._options(), stores)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request; see ``ChatModel``."""
        if self._options().monthly_cap > 0:
            await self._accounts.load()
        options = self._options()
        self._check(request, options)
        try:
            answer = await self._with_retries(request, options, options.model_of(request.tier))
        except KeepsakeError as error:
            self.failure, self.has_answered = error.message, False
            self._refused = (options, error.message if "status" in error.data else "")
            raise
        self.failure, self.has_answered, self._refused = "", True, None
        return answer

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            _, client = self._client
            self._client = None
            await client.close()

    async def prepare(self) -> None:
        """Load the client's library; see ``ChatModel``."""
        if self._client is None:
            await asyncio.to_thread(_load_library)

    def try_again(self) -> None:
        """Forget that the service could not be reached."""
        self._rest = _Rest()
        self._refused = None

    def _check(self, request: ChatRequest, options: ModelOptions) -> None:
        self._require_available(options)
        if not _may_send(options, request.stores):
            raise AccessDeniedError(
                f"Private texts are not sent to {options.host}; the setting llm.send_private would allow it."
            )

    def _require_available(self, options: ModelOptions) -> None:
        if not options.is_configured:
            raise ModelUnavailableError("No language model is configured; see the settings llm.*.")
        if self._is_over_cap(options):
            raise ModelUnavailableError(
                f"The language model cost {self._accounts.spent_this_month:.2f} this month; the setting llm.monthly_cap"
                f" allows {options.monthly_cap:.2f}."
            )
        if self._is_resting(options):
            raise ModelUnavailableError(f"{self._rest.reason} It is tried again soon.")

    def _is_over_cap(self, options: ModelOptions) -> bool:
        return options.monthly_cap > 0 and self._accounts.spent_this_month >= options.monthly_cap

    def _is_resting(self, options: ModelOptions) -> bool:
        return self._rest.base_url == options.base_url and time.monotonic() < self._rest.until

    async def _with_retries(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        pause = _FIRST_PAUSE_S
        for attempt in range(1, options.attempts + 1):
            try:
                return await self._accounted(request, options, model)
            except _BusyError as error:
                wait = pause if error.pause_s is None else error.pause_s
                if attempt == options.attempts or wait > _LONGEST_PAUSE_S:
                    self._rest_after(error, options)
                    raise ModelUnavailableError(error.sentence, reason="no_answer") from error
                await self._sleep(wait)
                pause *= 2
                if self._options() != options:
                    # The texts may no longer go where they were to go.
                    raise ModelUnavailableError("The settings of the language model were changed meanwhile.") from error
                # Other requests cost something meanwhile, and so did this one.
                self._check(request, options)
        raise ModelUnavailableError("The language model was not asked.")  # pragma: no cover  (attempts is at least 1)

    def _rest_after(self, error: "_BusyError", options: ModelOptions) -> None:
        """Pause requests to a service that is unreachable or asked for it."""
        seconds = _OFFLINE_S if error.is_unreachable else min(error.pause_s or 0.0, _LONGEST_OFFLINE_S)
        self._rest = _Rest(options.base_url, time.monotonic() + seconds, error.sentence)

    async def _accounted(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        """Send a request once, and enter it in the accounts."""
        try:
            answered = await self._sent(request, options, model)
        except (_BusyError, KeepsakeError):
            await self._accounts.record(request.purpose, model, Usage(), is_failure=True)
            raise
        # An answer of no use has its price too.
        usage = _usage(answered, request, options)
        try:
            answer = _answer(answered, options, model, usage)
        except (_BusyError, KeepsakeError):
            await self._accounts.record(request.purpose, model, usage, is_failure=True)
            raise
        await self._accounts.record(request.purpose, model, usage, is_failure=False)
        return answer

    async def _sent(self, request: ChatRequest, options: ModelOptions, model: str) -> Any:
        """Return the service's answer to a request.

        It is sent again in another form where the service does not know the usual one.

        Raises:
            ModelUnavailableError: The service refused the request, or its key is missing.
            _BusyError: Another attempt may succeed.
        """
        key = self._key()
        client = await self._connected(options, await asyncio.to_thread(key.value))
        address = (options.base_url, model)
        dialect = self._dialects.get(address, _Dialect())
        while True:
            try:
                async with asyncio.timeout(options.timeout_s):
                    answered = await _created(client, _body(request, options, model, dialect), options)
            except TimeoutError as error:
                raise _BusyError(f"{options.host} did not answer within {options.timeout_s:g} seconds.") from error
            except _StatusError as error:
                other = _other_dialect(error, dialect, request)
                if other is None:
                    raise _failure(error, options, model, key) from error
                dialect = other
            else:
                self._dialects[address] = dialect
                return answered

    async def _connected(self, options: ModelOptions, key: str) -> "AsyncOpenAI":
        """Return the client for the current address, key and time-out."""
        wanted = (options.base_url, key, options.timeout_s)
        async with self._connecting:
            if self._client is not None and self._client[0] == wanted:
                return self._client[1]
            await self.close()
            client = await asyncio.to_thread(_new_client, *wanted)
            self._client = (wanted, client)
            return client


def _load_library() -> None:
    """Import what a request needs, which may take seconds on a busy machine."""
    with contextlib.suppress(ImportError):  # the request itself says what is missing
        import httpx2  # noqa: F401, PLC0415
        import openai.resources.chat  # noqa: F401, PLC0415


def _may_send(options: ModelOptions, stores: Sequence[StoreName]) -> bool:
    return "private" not in stores or options.is_local or options.send_private


@dataclass(frozen=True, slots=True)
class _Rest:
    """A service that nothing is sent to until a time of the monotonic clock."""

    base_url: str = ""
    until: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """Fields of a request that services disagree about."""

    has_json_mode: bool = True
    limit: str = "max_tokens"


class _BusyError(Exception):
    """A request that may succeed at another attempt."""

    def __init__(self, sentence: str, *, pause_s: float | None = None, is_unreachable: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.pause_s = pause_s
        self.is_unreachable = is_unreachable


class _StatusError(Exception):
    """A request answered with a status of failure."""

    def __init__(self, status: int, retry_after: str, text: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.retry_after = retry_after
        self.text = text


class _UnfitResponseError(ValueError):
    """A response that is too large, or compressed."""


async def _created(client: "AsyncOpenAI", body: dict[str, Any], options: ModelOptions) -> Any:
    """Send a request once.

    Raises:
        _StatusError: The status of the response is one of failure.
        _BusyError: There is no response, or one that is no chat answer.
    """
    import openai  # noqa: PLC0415  (slow to load; only where a model is in use)

    try:
        return await client.chat.completions.create(**body)
    except openai.APITimeoutError as error:
        raise _BusyError(f"{options.host} did not answer within {options.timeout_s:g} seconds.") from error
    except openai.APIConnectionError as error:
        if isinstance(error.__cause__, _UnfitResponseError | UnicodeError):
            raise _BusyError(_no_answer(options)) from error
        raise _BusyError(f"{options.host} cannot be reached.", is_unreachable=True) from error
    except openai.APIStatusError as error:
        retry_after = error.response.headers.get("retry-after", "")
        failed = _StatusError(error.status_code, retry_after, str(error.body)[:2000])
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _BusyError(_no_answer(options)) from error
    # Not as a consequence of the package's error, whose message repeats the response and so perhaps what was sent.
    raise failed


def _no_answer(options: ModelOptions) -> str:
    return f"{options.host} answered with something that is no chat answer."


def _other_dialect(error: _StatusError, dialect: _Dialect, request: ChatRequest) -> _Dialect | None:
    """Return the form to try next, ``None`` where the form is not at fault."""
    if error.status not in _MISUNDERSTOOD:
        return None
    if dialect.limit == "max_tokens" and "max_completion_tokens" in error.text:
        return replace(dialect, limit="max_completion_tokens")
    if dialect.has_json_mode and request.wants_json:
        return replace(dialect, has_json_mode=False)
    return None


def _failure(error: _StatusError, options: ModelOptions, model: str, key: ServiceKey) -> Exception:
    """Return the error for a status."""
    status, host = error.status, options.host
    if status in _BUSY:
        return _BusyError(f"{host} is busy (HTTP {status}).", pause_s=_retry_after(error.retry_after))
    if status in _KEY_REFUSED:
        key.refused()
        return ModelUnavailableError(f"{host} refused the key (HTTP {status}).", reason=REFUSED, status=status)
    if status == _UNKNOWN:
        what = f"{host} knows no model '{model}', or llm.base_url is not right (HTTP 404)."
        return ModelUnavailableError(what, reason=REFUSED, status=status)
    return ModelUnavailableError(f"{host} refused the request (HTTP {status}).", reason=REFUSED, status=status)


def _new_client(base_url: str, key: str, timeout_s: float) -> "AsyncOpenAI":
    import httpx2  # noqa: PLC0415
    from openai import AsyncOpenAI  # noqa: PLC0415

    class BoundedStream(httpx2.AsyncByteStream):
        """Response that ends with an error beyond a size."""

        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                if size > _MAX_BODY:
                    raise _UnfitResponseError("The response is too large.")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class BoundedTransport(httpx2.AsyncHTTPTransport):
        """Transport whose responses have a largest size."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            # The package adds headers of the environment, and some that describe this machine.
            named = {name: value for name, value in request.headers.items() if name in _HEADERS}
            request.headers = httpx2.Headers(named | own)
            NETWORK.record(base_url, "language model")
            response = await super().handle_async_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                await response.aclose()
                raise _UnfitResponseError("The response is compressed.")
            if isinstance(response.stream, httpx2.AsyncByteStream):
                response.stream = BoundedStream(response.stream)
            return response

    own = {"Accept-Encoding": "identity", "User-Agent": "Keepsake"} | (
        {"Authorization": f"Bearer {key}"} if key else {}
    )
    # A redirect would carry the texts to another machine, and so would a proxy of the environment.
    carrier = httpx2.AsyncClient(
        follow_redirects=False, trust_env=False, timeout=timeout_s, transport=BoundedTransport(trust_env=False)
    )
    return AsyncOpenAI(
        api_key=key or "none",
        base_url=base_url,
        timeout=timeout_s,
        max_retries=0,
        http_client=carrier,
        organization="",
        project="",
    )


def _body(request: ChatRequest, options: ModelOptions, model: str, dialect: _Dialect) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(one) for one in request.messages],
        dialect.limit: min(request.max_output_tokens, options.max_output_tokens),
    }
    if request.wants_json and dialect.has_json_mode:
        body["response_format"] = {"type": "json_object"}
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
    made: dict[str, Any] = {"role": message.role, "content": storable(message.content)[0]}
    if message.tool_call_id:
        made["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return made


def _answer(answered: Any, options: ModelOptions, model: str, usage: Usage) -> ChatAnswer:
    """Return the first choice of an answer.

    Raises:
        ModelUnavailableError: The model refused.
        _BusyError: There is no answer in it.
    """
    choices = getattr(answered, "choices", None)
    said = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if said is None:
        raise _BusyError(_no_answer(options))
    reason = getattr(choices[0], "finish_reason", None) if choices else None
    if getattr(said, "refusal", None) or reason == "content_filter":
        raise ModelUnavailableError(f"The model '{model}' refused to answer.", reason=REFUSED)
    content = getattr(said, "content", None)
    text = content if isinstance(content, str) else ""
    called = getattr(said, "tool_calls", None)
    called = called if isinstance(called, list) else []
    calls = tuple(filter(None, map(_tool_call, called[:_MAX_CALLS])))
    if not text and not calls:
        if reason == "length":
            raise ModelUnavailableError(
                f"The model '{model}' wrote nothing within its tokens; the setting llm.max_output_tokens allows more."
            )
        raise _BusyError(f"{options.host} answered with nothing.")
    return ChatAnswer(text[:_MAX_ANSWER], calls, usage, model, reason != "length" and len(text) <= _MAX_ANSWER)


def _tool_call(call: Any) -> ToolCall | None:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None), getattr(function, "arguments", None)
    if not isinstance(name, str) or not isinstance(arguments, str):
        return None
    return ToolCall(str(getattr(call, "id", "") or ""), name, arguments)


def _usage(answered: Any, request: ChatRequest, options: ModelOptions) -> Usage:
    """Return the tokens that the service counted, or an estimate where it does not."""
    counted = getattr(answered, "usage", None)
    read = _count(getattr(counted, "prompt_tokens", None))
    written = _count(getattr(counted, "completion_tokens", None))
    if read is None:
        read = sum(estimate_tokens(message.content) for message in request.messages)
    if written is None:
        choices = getattr(answered, "choices", None)
        said = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        content = getattr(said, "content", None)
        written = estimate_tokens(content) if isinstance(content, str) else 0
    return Usage(read, written, options.cost(read, written))


def _count(value: object) -> int | None:
    """Return a count of tokens, ``None`` where it cannot be one."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count and isinstance(value, int) else None


def _retry_after(value: str) -> float | None:
    """Return the seconds of a Retry-After header, ``None`` where it has none."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
