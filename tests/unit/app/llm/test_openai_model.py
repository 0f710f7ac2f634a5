"""The chat model against a real HTTP service that answers well, badly, late or not at all."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
import pytest

from app.errors import AccessDeniedError, InputError, KeepsakeError, ModelUnavailableError
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest, ToolCall, ToolSpec, Usage
from app.llm.openai_model import OpenAiModel
from app.llm.options import ModelOptions
from tests.helpers.models.chat_server import ChatReply, ChatServer

T = TypeVar("T")
KEY = "sk-very-secret-0123456789"
REQUEST = ChatRequest((ChatMessage("system", "Be short."), ChatMessage("user", "Well?")), "test", ("shared",))
PRIVATE = replace(REQUEST, stores=("shared", "private"))


class Key:
    """A key, or the error with which it cannot be had."""

    def __init__(self, value: str | KeepsakeError) -> None:
        self._value = value
        self.refusals = 0

    def value(self) -> str:
        if isinstance(self._value, KeepsakeError):
            raise self._value
        return self._value

    def refused(self) -> None:
        self.refusals += 1


class Accounts:
    """Accounts in memory."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, Usage, bool]] = []
        self.before = 0.0

    @property
    def spent_this_month(self) -> float:
        return self.before + sum(usage.cost for _, _, usage, _ in self.entries)

    async def load(self) -> None:
        return

    async def record(self, purpose: str, model: str, usage: Usage, *, is_failure: bool) -> None:
        self.entries.append((purpose, model, usage, is_failure))


class Bench:
    """A model, its service, and what was noted."""

    def __init__(self, server: ChatServer) -> None:
        self.server = server
        self.options = ModelOptions(server.address, "large", "small", timeout_s=20, attempts=3)
        self.key = Key(KEY)
        self.accounts = Accounts()
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.model = OpenAiModel(lambda: self.options, lambda: self.key, self.accounts, self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.meanwhile()

    def ask(self, request: ChatRequest = REQUEST) -> Any:
        return self.run(lambda: self.model.complete(request))

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async def whole() -> T:
            async with self.opened():
                return await work()

        return asyncio.run(whole())

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self.model.close()

    def fails(self, words: str, request: ChatRequest = REQUEST) -> KeepsakeError:
        with pytest.raises(ModelUnavailableError, match=words) as caught:
            self.ask(request)
        assert not self.leaks(caught.value)
        return caught.value

    def leaks(self, error: BaseException) -> bool:
        """Tell whether an error, or one that it came from, shows the key."""
        shown = f"{error!r} {error} {getattr(error, 'data', '')}"
        before = error.__cause__ or error.__context__
        return KEY in shown or (before is not None and self.leaks(before))

    def is_available(self) -> bool:
        """Tell whether the model says that it may be asked."""
        return self.model.is_available

    def reply(self, *replies: ChatReply) -> None:
        self.server.script += replies


@pytest.fixture
def bench() -> Iterator[Bench]:
    with ChatServer() as server:
        yield Bench(server)


# What is asked -----------------------------------------------------------------------------------------------------


def test_an_answer_comes_with_its_usage_and_cost(bench: Bench) -> None:
    bench.options = replace(bench.options, input_price=2.0, output_price=10.0)
    bench.reply(ChatReply("Fine.", usage=(1000, 500)))
    answer = bench.ask()
    assert (answer.text, answer.model, answer.is_complete) == ("Fine.", "large", True)
    assert answer.usage == Usage(1000, 500, (1000 * 2.0 + 500 * 10.0) / 1_000_000)
    assert bench.accounts.entries == [("test", "large", answer.usage, False)]
    assert bench.server.paths == ["/v1/chat/completions"]
    assert bench.server.keys == [f"Bearer {KEY}"]
    sent = bench.server.requests[0]
    assert [one["content"] for one in sent["messages"]] == ["Be short.", "Well?"]
    assert "response_format" not in sent
    assert "tools" not in sent


def test_small_work_goes_to_the_fast_model(bench: Bench) -> None:
    assert bench.ask(replace(REQUEST, tier="fast")).model == "small"
    bench.options = replace(bench.options, fast_model="")
    assert bench.ask(replace(REQUEST, tier="fast")).model == "large"


def test_the_settings_bound_the_length_of_an_answer(bench: Bench) -> None:
    bench.options = replace(bench.options, max_output_tokens=100)
    bench.ask(replace(REQUEST, max_output_tokens=5000))
    assert bench.server.requests[0]["max_tokens"] == 100


def test_tools_are_offered_and_their_calls_and_answers_travel(bench: Bench) -> None:
    call = ToolCall("c7", "search", '{"text": "tea"}')
    bench.reply(ChatReply("", tool_calls=((call.id, call.name, call.arguments),), finish_reason="tool_calls"))
    tool = ToolSpec("search", "Search.", {"type": "object", "properties": {"text": {"type": "string"}}})
    answer = bench.ask(replace(REQUEST, tools=(tool,)))
    assert answer.tool_calls == (call,)
    turns = (ChatMessage("assistant", "", (call,)), ChatMessage("tool", "Green.", tool_call_id="c7"))
    bench.ask(replace(REQUEST, messages=(*REQUEST.messages, *turns), tools=(tool,)))
    sent = bench.server.requests[1]
    assert sent["tools"][0]["function"]["name"] == "search"
    assert sent["messages"][2]["tool_calls"][0]["function"] == {"name": "search", "arguments": call.arguments}
    assert sent["messages"][3]["tool_call_id"] == "c7"


def test_half_a_character_does_not_hinder_a_request(bench: Bench) -> None:
    bench.ask(replace(REQUEST, messages=(ChatMessage("user", "a\ud800b\x00"),)))
    assert bench.server.requests[0]["messages"][0]["content"] == "a\ufffdb\u2400"


def test_a_tool_call_with_half_a_character_can_be_answered(bench: Bench) -> None:
    raw = rb'{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "\ud800"}}'
    bench.reply(ChatReply(raw=rb'{"choices": [{"message": {"content": null, "tool_calls": [' + raw + b"]}}]}"))
    [call] = bench.ask().tool_calls
    turns = (ChatMessage("assistant", "", (call,)), ChatMessage("tool", "None.", tool_call_id="c1"))
    assert bench.ask(replace(REQUEST, messages=(*REQUEST.messages, *turns))).text == "Yes."
    assert bench.server.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "?"


def test_settings_count_from_the_next_request_on(bench: Bench) -> None:
    with ChatServer() as other:

        async def both() -> None:
            await bench.model.complete(REQUEST)
            bench.options = replace(bench.options, base_url=other.address, main_model="new")
            await bench.model.complete(REQUEST)
            bench.key = Key("another-key")
            await bench.model.complete(REQUEST)

        bench.run(both)
        assert len(bench.server.requests) == 1
        assert [request["model"] for request in other.requests] == ["new", "new"]
        assert other.keys == [f"Bearer {KEY}", "Bearer another-key"]


def test_many_requests_at_once_share_a_client(bench: Bench) -> None:
    async def many() -> None:
        await asyncio.gather(*(bench.model.complete(REQUEST) for _ in range(8)))

    bench.run(many)
    assert len(bench.accounts.entries) == 8


# JSON --------------------------------------------------------------------------------------------------------------


class Verdict(msgspec.Struct, forbid_unknown_fields=True):
    """What is asked for in these tests."""

    index: int


def test_json_is_asked_for_as_such(bench: Bench) -> None:
    bench.reply(ChatReply('```json\n{"index": 3}\n```'))
    value, _ = bench.run(lambda: ask_for_json(bench.model, REQUEST, Verdict))
    assert value == Verdict(3)
    assert bench.server.requests[0]["response_format"] == {"type": "json_object"}


def test_a_service_without_a_json_mode_is_asked_without_it_from_then_on(bench: Bench) -> None:
    bench.reply(ChatReply("'response_format.type' must be 'text'", status=400))
    bench.server.usual = lambda _: ChatReply('{"index": 1}')
    for _ in range(2):
        assert bench.run(lambda: ask_for_json(bench.model, REQUEST, Verdict))[0] == Verdict(1)
    assert ["response_format" in request for request in bench.server.requests] == [True, False, False]


def test_a_refused_request_does_not_end_the_json_mode(bench: Bench) -> None:
    bench.reply(ChatReply("too long", status=400), ChatReply("too long", status=400), ChatReply('{"index": 1}'))
    bench.fails(r"refused the request \(HTTP 400\)", replace(REQUEST, wants_json=True))
    bench.ask(replace(REQUEST, wants_json=True))
    assert ["response_format" in request for request in bench.server.requests] == [True, False, True]


def test_a_model_that_names_its_limit_otherwise_is_asked_that_way(bench: Bench) -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    bench.reply(ChatReply(said, status=400))
    bench.ask()
    bench.ask()
    assert ["max_completion_tokens" in request for request in bench.server.requests] == [False, True, True]


@pytest.mark.parametrize(
    "said",
    [
        "Sure! The index is 3.",
        "{",
        '{"index": 3, "delete": ["note-1"]}',
        '{"index": "3"}',
        '{"index": null}',
        "[" * 100_000,
        '{"index": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"index": 1e999}',
    ],
)
def test_an_answer_of_another_form_is_asked_for_again_and_then_refused(bench: Bench, said: str) -> None:
    bench.reply(ChatReply(said), ChatReply('{"index": 4}'))
    assert bench.run(lambda: ask_for_json(bench.model, REQUEST, Verdict))[0] == Verdict(4)
    bench.reply(ChatReply(said), ChatReply(said))
    with pytest.raises(ModelUnavailableError, match="agreed form"):
        bench.run(lambda: ask_for_json(bench.model, REQUEST, Verdict))
    assert len(bench.server.requests) == 4


# What goes wrong ---------------------------------------------------------------------------------------------------


def test_a_cut_off_answer_says_so(bench: Bench) -> None:
    bench.reply(ChatReply("The first hal", finish_reason="length"))
    assert not bench.ask().is_complete


def test_an_answer_that_ends_before_it_begins_names_the_setting(bench: Bench) -> None:
    bench.reply(ChatReply("", finish_reason="length", usage=(10, 1024)))
    bench.fails("llm.max_output_tokens")
    assert bench.accounts.entries == [("test", "large", Usage(10, 1024), True)]


@pytest.mark.parametrize("reply", [ChatReply(refusal="I can't."), ChatReply("x", finish_reason="content_filter")])
def test_a_refusal_is_final_and_paid(bench: Bench, reply: ChatReply) -> None:
    bench.reply(reply)
    assert bench.fails("'large' refused to answer").data == {"reason": "refused"}
    assert bench.accounts.entries == [("test", "large", Usage(10, 5), True)]
    assert bench.is_available()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_service_is_asked_again_with_growing_pauses(bench: Bench, status: int) -> None:
    bench.reply(ChatReply("busy", status=status), ChatReply("busy", status=status), ChatReply("At last."))
    assert bench.ask().text == "At last."
    assert bench.pauses == [0.5, 1.0]
    assert [is_failure for *_, is_failure in bench.accounts.entries] == [True, True, False]


def test_attempts_are_bounded(bench: Bench) -> None:
    bench.server.usual = lambda _: ChatReply("busy", status=500)
    bench.fails(r"is busy \(HTTP 500\)")
    assert len(bench.server.requests) == 3


def test_the_pause_that_a_service_asks_for_is_kept(bench: Bench) -> None:
    bench.reply(ChatReply("slow down", status=429, headers={"Retry-After": "7"}))
    bench.ask()
    assert bench.pauses == [7.0]


@pytest.mark.parametrize("value", ["soon", "nan", "-3", "Wed, 21 Oct 2015 07:28:00 GMT", "inf"])
def test_an_odd_pause_is_not_kept(bench: Bench, value: str) -> None:
    bench.reply(ChatReply("slow down", status=429, headers={"Retry-After": value}))
    bench.ask()
    assert bench.pauses == [0.5]


def test_a_long_pause_ends_the_request_and_is_respected(bench: Bench) -> None:
    bench.reply(ChatReply("come back later", status=429, headers={"Retry-After": "3600"}))
    bench.fails("is busy")
    assert not bench.is_available()
    bench.fails("tried again soon")
    assert len(bench.server.requests) == 1
    bench.model.try_again()
    assert bench.ask().text == "Yes."


@pytest.mark.parametrize(
    "reply",
    [
        ChatReply(raw=b"<html>Welcome</html>", headers={"Content-Type": "text/html"}),
        ChatReply(raw=b"{}"),
        ChatReply(raw=b"[]"),
        ChatReply(raw=b"null"),
        ChatReply(raw=b'"yes"'),
        ChatReply(raw=b'{"choices": []}'),
        ChatReply(raw=b'{"choices": [null]}'),
        ChatReply(raw=b'{"choices": {"0": 1}}'),
        ChatReply(raw=b'{"choices": [{"message": {"role": "assistant", "content": ["x"]}}]}'),
        ChatReply(raw=b'{"choices": [{"message": "hello"}]}'),
        ChatReply(raw=b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
        ChatReply(raw=b"[" * 200_000),
        ChatReply(raw=b'{"choices": ' + b"[" * 200_000),
        ChatReply(raw=b'{"choices": [{"message": {"content": "cut'),
        ChatReply(""),
    ],
    ids=lambda reply: repr(reply.raw[:24] if reply.raw else reply.text),
)
def test_what_is_no_answer_is_told_as_such(bench: Bench, reply: ChatReply) -> None:
    bench.server.usual = lambda _: reply
    bench.fails("no chat answer|answered with nothing")
    assert len(bench.server.requests) == 3


def test_odd_counts_of_tokens_are_estimated(bench: Bench) -> None:
    bench.options = replace(bench.options, output_price=1.0)
    for counted in ('{"prompt_tokens": -5, "completion_tokens": 1e9}', '{"prompt_tokens": "x"}', "null", "[]"):
        raw = '{"choices": [{"message": {"content": "12345678"}}], "usage": ' + counted + "}"
        bench.reply(ChatReply(raw=raw.encode()))
        usage = bench.ask().usage
        assert 0 < usage.input_tokens < 20
        assert usage.output_tokens == 2


def test_a_service_that_does_not_count_is_estimated(bench: Bench) -> None:
    bench.reply(ChatReply("four words are here", usage=None))
    assert bench.ask().usage == Usage(5, 5)


def test_a_huge_answer_is_cut(bench: Bench) -> None:
    bench.reply(ChatReply("x" * 1_000_000))
    answer = bench.ask()
    assert len(answer.text) == 400_000
    assert not answer.is_complete


def test_an_endless_answer_is_given_up(bench: Bench) -> None:
    bench.server.usual = lambda _: ChatReply(chunk=b" " * 65_536)
    bench.options = replace(bench.options, attempts=1)
    bench.fails("no chat answer")


def test_an_answer_that_unpacks_to_more_is_given_up(bench: Bench) -> None:
    bench.server.usual = lambda _: ChatReply(raw=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    bench.fails("no chat answer")
    assert bench.server.headers[0]["accept-encoding"] == "identity"


@pytest.mark.parametrize("reply", [ChatReply(hangs=True), ChatReply(drips=True)], ids=["hangs", "drips"])
def test_a_service_that_does_not_finish_is_given_up(bench: Bench, reply: ChatReply) -> None:
    bench.server.usual = lambda _: reply
    bench.options = replace(bench.options, timeout_s=0.3, attempts=2)
    bench.fails("did not answer within 0.3 seconds")
    assert len(bench.server.requests) == 2


@pytest.mark.parametrize("reply", [ChatReply(drops=True), ChatReply("long" * 100, is_half=True)], ids=["drops", "half"])
def test_a_connection_that_ends_is_tried_again(bench: Bench, reply: ChatReply) -> None:
    bench.reply(reply)
    assert bench.ask().text == "Yes."
    assert bench.pauses == [0.5]


def test_a_service_out_of_reach_is_left_alone_for_a_while(bench: Bench) -> None:
    server = ChatServer()
    server.close()
    bench.options = replace(bench.options, base_url=server.address)
    bench.fails("cannot be reached")
    assert bench.pauses == [0.5, 1.0]
    assert not bench.is_available()
    assert "cannot be reached" in bench.model.note
    bench.fails("cannot be reached. It is tried again soon")
    assert bench.pauses == [0.5, 1.0]
    # Another address is another matter.
    bench.options = replace(bench.options, base_url=bench.server.address)
    assert bench.is_available()
    assert bench.ask().text == "Yes."
    assert bench.model.has_answered
    assert bench.model.note == ""


@pytest.mark.parametrize(
    ("status", "words"),
    [(400, "refused the request"), (401, "refused the key"), (403, "refused the key"), (404, "no model 'large'")],
)
def test_other_failures_are_told_once(bench: Bench, status: int, words: str) -> None:
    bench.reply(ChatReply(f"You sent {KEY} and Well?", status=status))
    error = bench.fails(words)
    assert "Well?" not in error.message
    assert len(bench.server.requests) == 1
    assert bench.key.refusals == (status in {401, 403})


def test_redirects_are_not_followed(bench: Bench) -> None:
    with ChatServer() as thief:
        bench.reply(ChatReply("moved", status=307, headers={"Location": f"{thief.address}/chat/completions"}))
        bench.fails(r"HTTP 307")
        assert thief.requests == []


def test_the_environment_changes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as thief:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_BASE_URL"):
            monkeypatch.setenv(name, thief.origin)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-service")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-another-service")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: of-another-service\nAuthorization: of-another-service")
        bench.ask()
        bench.key = Key("")
        bench.ask()
        assert thief.requests == []
    assert "of-another-service" not in json.dumps(bench.server.headers)
    assert bench.server.keys == [f"Bearer {KEY}", ""]
    known = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
    assert set(bench.server.headers[1]) <= known


def test_a_missing_key_is_told_and_nothing_is_sent(bench: Bench) -> None:
    bench.key = Key(ModelUnavailableError("There is no key for llm."))
    bench.fails("no key for llm")
    bench.key = Key(InputError("The keyring holds no usable key; copy it again."))
    with pytest.raises(InputError):
        bench.ask()
    assert bench.server.requests == []


def test_cancelling_ends_the_request(bench: Bench) -> None:
    bench.server.usual = lambda _: ChatReply(hangs=True)

    async def cancel() -> None:
        task = asyncio.create_task(bench.model.complete(REQUEST))
        await asyncio.to_thread(bench.server.reached.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        bench.server.released.set()

    bench.run(cancel)
    assert len(bench.server.requests) == 1
    assert bench.is_available()


def test_the_key_is_in_no_log(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.reply(ChatReply("busy", status=500), ChatReply(KEY, status=401))
    with caplog.at_level(logging.DEBUG):
        bench.fails("refused the key")
    assert KEY not in caplog.text


# Limits ------------------------------------------------------------------------------------------------------------


def remote(bench: Bench) -> None:
    """Name the service by an address that counts as another machine's."""
    bench.options = replace(bench.options, base_url=bench.server.address.replace("127.0.0.1", "127.0.0.2"))


@pytest.mark.parametrize("address", ["http://256.1.1.1:8/v1", "http://☃.net/v1"])
def test_an_address_that_is_none_is_said_in_a_sentence(bench: Bench, address: str) -> None:
    bench.options = replace(bench.options, base_url=address)
    bench.fails("llm.base_url is no address")


def test_private_text_stays_on_this_machine(bench: Bench) -> None:
    assert bench.ask(PRIVATE).text == "Yes."
    remote(bench)
    assert not bench.model.may_send(("private",))
    with pytest.raises(AccessDeniedError, match=r"llm\.send_private"):
        bench.ask(PRIVATE)
    assert len(bench.server.requests) == 1
    assert bench.accounts.entries[1:] == []
    bench.options = replace(bench.options, send_private=True)
    assert bench.model.may_send(("private",))


@pytest.mark.parametrize(
    "address", ["http://localhost.evil.example/v1", "http://127.0.0.1.evil.example", "http://evil.example/localhost"]
)
def test_only_this_machine_counts_as_such(address: str) -> None:
    assert not ModelOptions(address, "m").is_local


def test_text_is_not_sent_after_the_settings_forbid_it(bench: Bench) -> None:
    bench.reply(ChatReply("busy", status=500))
    bench.options = replace(bench.options, send_private=True)

    def forbid() -> None:
        bench.options = replace(bench.options, send_private=False)

    bench.meanwhile = forbid
    bench.fails("settings of the language model were changed", PRIVATE)
    assert len(bench.server.requests) == 1


def test_the_cap_is_checked_before_each_request(bench: Bench) -> None:
    bench.options = replace(bench.options, output_price=1_000_000.0, monthly_cap=12.0)
    bench.ask()
    bench.ask()
    assert bench.is_available()
    bench.ask()
    assert not bench.is_available()
    bench.fails("llm.monthly_cap")
    assert "llm.monthly_cap" in bench.model.note
    assert len(bench.server.requests) == 3
    bench.options = replace(bench.options, monthly_cap=0.0)
    assert bench.is_available()


def test_answers_of_no_use_count_towards_the_cap(bench: Bench) -> None:
    bench.options = replace(bench.options, output_price=1_000_000.0, monthly_cap=8.0, attempts=10)
    bench.server.usual = lambda _: ChatReply("")
    bench.fails("llm.monthly_cap")
    assert len(bench.server.requests) == 2


def test_nothing_is_asked_without_settings(bench: Bench) -> None:
    for options in (ModelOptions(), ModelOptions("http://localhost:1/v1"), ModelOptions("", "m")):
        bench.options = options
        assert not bench.is_available()
        assert bench.model.name == ""
        bench.fails("No language model is configured")


def test_the_http_library_is_loaded_only_when_a_model_is_asked() -> None:
    code = "import sys, app.engine, app.api.catalogue; print([m for m in ('httpx', 'httpx2') if m in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.strip() == "[]"
