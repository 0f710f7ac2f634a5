"""Chat model behind any service that speaks OpenAI's chat protocol.

No message of an error holds the key.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from app.core.network.http_requests import RequestError, RequestFault, RequestLimits, repeat, untrusted
from app.core.stores import StoreName
from app.core.text import storable
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import AccessDeniedError, KeepsakeError, ModelUnavailableError
from app.llm.model import ChatAnswer, ChatMessage, ChatRequest, ToolCall, Usage
from app.llm.options import ModelOptions
from app.part import Part
from app.sentence import Sentence, as_sentence

if TYPE_CHECKING:
    from app.core.network.http_caller import HttpCaller

REFUSED: Final = "refused"
"""Reason of a failure that stays until the person changes something: the service refused the request, key or model."""

_LONGEST_PAUSE_S: Final = 20.0
_OFFLINE_S: Final = 60.0  # after the service could not be reached, nothing is sent for so long
_LONGEST_OFFLINE_S: Final = 600.0  # that a service may ask for
_MAX_ANSWER: Final = 400_000  # characters of an answer
_MAX_BODY: Final = 8 << 20  # bytes of a response
_MAX_CALLS: Final = 32
_KEY_REFUSED: Final = frozenset({401, 403})
_MISUNDERSTOOD: Final = frozenset({400, 422})
_UNKNOWN: Final = 404
_MOST_TOKENS: Final = 100_000_000
_NO_ANSWER: Final = Sentence("something that is no chat answer")


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
        self._caller: tuple[tuple[str, str], HttpCaller] | None = None
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
            return error.sentence
        return self.failure

    @property
    def refusal(self) -> str:
        """Return why the service refused the last request; empty after other settings."""
        return self._refused[1] if self._refused is not None and self._refused[0] == self._options() else ""

    @property
    def failures(self) -> Sequence[str]:
        """Why the model is not used, where its service refused."""
        return (
            (Sentence("The language model is not used: {why}", why=as_sentence(self.refusal)),) if self.refusal else ()
        )

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
            self.failure, self.has_answered = error.sentence, False
            self._refused = (options, error.sentence if "status" in error.data else "")
            raise
        self.failure, self.has_answered, self._refused = "", True, None
        return answer

    async def close(self) -> None:
        """Close the connections."""
        if self._caller is not None:
            _, caller = self._caller
            self._caller = None
            await caller.close()

    async def prepare(self) -> None:
        """Load what a request needs; see ``ChatModel``."""
        if self._caller is None:
            await asyncio.to_thread(_load_library)

    def try_again(self) -> None:
        """Forget that the service could not be reached."""
        self._rest = _Rest()
        self._refused = None

    def _check(self, request: ChatRequest, options: ModelOptions) -> None:
        self._require_available(options)
        if not _may_send(options, request.stores):
            raise AccessDeniedError(
                Sentence(
                    "Private texts are not sent to {host}; the setting llm.send_private would allow it.",
                    host=options.host,
                )
            )

    def _require_available(self, options: ModelOptions) -> None:
        if not options.is_configured:
            raise ModelUnavailableError("No language model is configured; see the settings llm.*.")
        if self._is_over_cap(options):
            raise ModelUnavailableError(
                Sentence(
                    "The language model cost {spent} this month; the setting llm.monthly_cap allows {cap}.",
                    spent=f"{self._accounts.spent_this_month:.2f}",
                    cap=f"{options.monthly_cap:.2f}",
                )
            )
        if self._is_resting(options):
            raise ModelUnavailableError(Sentence("{reason} It is tried again soon.", reason=self._rest.reason))

    def _is_over_cap(self, options: ModelOptions) -> bool:
        return options.monthly_cap > 0 and self._accounts.spent_this_month >= options.monthly_cap

    def _is_resting(self, options: ModelOptions) -> bool:
        return self._rest.base_url == options.base_url and time.monotonic() < self._rest.until

    async def _with_retries(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        async def attempt() -> ChatAnswer:
            if self._options() != options:
                # The texts may no longer go where they were to go.
                raise ModelUnavailableError("The settings of the language model were changed meanwhile.")
            # Other requests cost something meanwhile, and so did this one.
            self._check(request, options)
            return await self._accounted(request, options, model)

        try:
            return await repeat(attempt, _limits(options), sleep=self._sleep)
        except RequestError as error:
            sentence = _sentence(error, options)
            seconds = (
                _OFFLINE_S if error.fault is RequestFault.UNREACHABLE else min(error.pause_s or 0.0, _LONGEST_OFFLINE_S)
            )
            self._rest = _Rest(options.base_url, time.monotonic() + seconds, sentence)
            raise ModelUnavailableError(sentence, reason="no_answer") from error

    async def _accounted(self, request: ChatRequest, options: ModelOptions, model: str) -> ChatAnswer:
        """Send a request once, and enter it in the accounts."""
        try:
            answered = await self._sent(request, options, model)
        except (RequestError, KeepsakeError):
            await self._accounts.record(request.purpose, model, Usage(), is_failure=True)
            raise
        # An answer of no use has its price too.
        usage = _usage(answered, request, options)
        try:
            answer = _answer(answered, model, usage)
        except (RequestError, KeepsakeError):
            await self._accounts.record(request.purpose, model, usage, is_failure=True)
            raise
        await self._accounts.record(request.purpose, model, usage, is_failure=False)
        return answer

    async def _sent(self, request: ChatRequest, options: ModelOptions, model: str) -> Any:
        """Return the service's answer to a request.

        It is sent again in another form where the service does not know the usual one.

        Raises:
            ModelUnavailableError: The service refused the request, or its key is missing.
            RequestError: Another attempt may succeed.
        """
        key = self._key()
        caller = await self._connected(options, await asyncio.to_thread(key.value))
        address = (options.base_url, model)
        dialect = self._dialects.get(address, _Dialect())
        while True:
            try:
                answered = await _created(caller, _body(request, options, model, dialect), options)
            except _StatusError as error:
                other = _other_dialect(error, dialect, request)
                if other is None:
                    raise _failure(error.status, options, model, key) from error
                dialect = other
            else:
                self._dialects[address] = dialect
                return answered

    async def _connected(self, options: ModelOptions, key: str) -> "HttpCaller":
        """Return the caller for the current address and key."""
        wanted = (options.base_url, key)
        async with self._connecting:
            if self._caller is not None and self._caller[0] == wanted:
                return self._caller[1]
            await self.close()
            caller = await asyncio.to_thread(_new_caller, key)
            self._caller = (wanted, caller)
            return caller


def _load_library() -> None:
    """Import what a request needs, which may take seconds on a busy machine."""
    from app.core.network import http_caller  # noqa: F401, PLC0415


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


class _StatusError(Exception):
    """A request answered with a status of failure."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.text = text


def _limits(options: ModelOptions) -> RequestLimits:
    seconds = options.timeout_s
    return RequestLimits(options.attempts, _LONGEST_PAUSE_S, silence_s=seconds, whole_s=seconds, connect_s=seconds)


async def _created(caller: "HttpCaller", body: dict[str, Any], options: ModelOptions) -> Any:
    """Send a request once, and return the decoded response.

    Raises:
        _StatusError: The status of the response is one of failure.
        RequestError: There is no response, or one that is no chat answer.
    """
    from app.core.network.http_caller import read_body  # noqa: PLC0415  (slow to load; only where a model is in use)

    address = f"{options.base_url.rstrip('/')}/chat/completions"
    # A model may call a tool with half a character, which cannot be encoded.
    sent = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    async with caller.send("POST", address, _limits(options), content=sent) as response:
        content = await read_body(response, _MAX_BODY)
    if content is not None and not response.is_success:
        raise _StatusError(response.status_code, content.decode(errors="replace")[:2000])
    try:
        return json.loads(content or b"")
    except (ValueError, RecursionError):
        raise RequestError(RequestFault.USELESS, _NO_ANSWER) from None


def _sentence(error: RequestError, options: ModelOptions) -> Sentence:
    """Return what a person reads of a failed request."""
    host, detail = options.host, error.detail or Sentence("nothing of use")
    seconds = f"{options.timeout_s:g}"
    return {
        RequestFault.SLOW: Sentence("{host} did not answer within {seconds} seconds.", host=host, seconds=seconds),
        RequestFault.UNREACHABLE: Sentence("{host} cannot be reached.", host=host),
        RequestFault.BUSY: Sentence("{host} is busy (HTTP {status}).", host=host, status=error.status),
        RequestFault.USELESS: Sentence("{host} answered with {detail}.", host=host, detail=detail),
        RequestFault.CLOSED: Sentence("The connection to {host} was closed.", host=host),
        RequestFault.UNTRUSTED: untrusted(host),
        RequestFault.NO_ADDRESS: Sentence("llm.base_url is no address that can be used."),
    }[error.fault]


def _other_dialect(error: _StatusError, dialect: _Dialect, request: ChatRequest) -> _Dialect | None:
    """Return the form to try next, ``None`` where the form is not at fault."""
    if error.status not in _MISUNDERSTOOD:
        return None
    if dialect.limit == "max_tokens" and "max_completion_tokens" in error.text:
        return replace(dialect, limit="max_completion_tokens")
    if dialect.has_json_mode and request.wants_json:
        return replace(dialect, has_json_mode=False)
    return None


def _failure(status: int, options: ModelOptions, model: str, key: ServiceKey) -> ModelUnavailableError:
    """Return the error for a status that no further attempt changes."""
    host = options.host
    if status in _KEY_REFUSED:
        key.refused()
        return ModelUnavailableError(
            Sentence("{host} refused the key (HTTP {status}).", host=host, status=status), reason=REFUSED, status=status
        )
    if status == _UNKNOWN:
        what = Sentence(
            "{host} knows no model '{model}', or llm.base_url is not right (HTTP 404).", host=host, model=model
        )
        return ModelUnavailableError(what, reason=REFUSED, status=status)
    return ModelUnavailableError(
        Sentence("{host} refused the request (HTTP {status}).", host=host, status=status), reason=REFUSED, status=status
    )


def _new_caller(key: str) -> "HttpCaller":
    from app.core.network.http_caller import HttpCaller  # noqa: PLC0415

    headers = {"Accept-Encoding": "identity", "Content-Type": "application/json", "User-Agent": "Keepsake"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    # A redirect would carry the texts to another machine, and so would a proxy of the environment.
    return HttpCaller("language model", headers, follows_redirects=False, uses_proxy=False)


def _body(request: ChatRequest, options: ModelOptions, model: str, dialect: _Dialect) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
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
    fields: dict[str, Any] = {"role": message.role, "content": storable(message.content)[0]}
    if message.tool_call_id:
        fields["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        fields["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return fields


def _answer(answered: object, model: str, usage: Usage) -> ChatAnswer:
    """Return the first choice of an answer.

    Raises:
        ModelUnavailableError: The model refused.
        RequestError: There is no answer in it.
    """
    choice = _choice(answered)
    message = _field(choice, "message")
    if not isinstance(message, dict):
        raise RequestError(RequestFault.USELESS, _NO_ANSWER)
    reason = _field(choice, "finish_reason")
    if _field(message, "refusal") or reason == "content_filter":
        raise ModelUnavailableError(Sentence("The model '{model}' refused to answer.", model=model), reason=REFUSED)
    content = _field(message, "content")
    text = content if isinstance(content, str) else ""
    called = _field(message, "tool_calls")
    called = called if isinstance(called, list) else []
    calls = tuple(filter(None, map(_tool_call, called[:_MAX_CALLS])))
    if not text and not calls:
        if reason == "length":
            raise ModelUnavailableError(
                Sentence(
                    "The model '{model}' wrote nothing within its tokens; the setting"
                    " llm.max_output_tokens allows more.",
                    model=model,
                )
            )
        raise RequestError(RequestFault.USELESS, Sentence("nothing"))
    return ChatAnswer(text[:_MAX_ANSWER], calls, usage, model, reason != "length" and len(text) <= _MAX_ANSWER)


def _choice(answered: object) -> object:
    """Return the first choice of an answer, ``None`` where there is none."""
    choices = _field(answered, "choices")
    return choices[0] if isinstance(choices, list) and choices else None


def _field(value: object, name: str) -> Any:
    """Return a field of a JSON object, ``None`` where there is none."""
    return value.get(name) if isinstance(value, dict) else None


def _tool_call(call: object) -> ToolCall | None:
    function = _field(call, "function")
    name, arguments = _field(function, "name"), _field(function, "arguments")
    if not isinstance(name, str) or not isinstance(arguments, str):
        return None
    return ToolCall(str(_field(call, "id") or ""), name, arguments)


def _usage(answered: object, request: ChatRequest, options: ModelOptions) -> Usage:
    """Return the tokens that the service counted, or an estimate where it does not."""
    counted = _field(answered, "usage")
    read = _count(_field(counted, "prompt_tokens"))
    written = _count(_field(counted, "completion_tokens"))
    if read is None:
        read = sum(estimate_tokens(message.content) for message in request.messages)
    if written is None:
        content = _field(_field(_choice(answered), "message"), "content")
        written = estimate_tokens(content) if isinstance(content, str) else 0
    return Usage(read, written, options.cost(read, written))


def _count(value: object) -> int | None:
    """Return a count of tokens, ``None`` where it cannot be one."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count and isinstance(value, int) else None
