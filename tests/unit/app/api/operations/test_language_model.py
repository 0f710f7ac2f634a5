"""Operations on the language model, asked of a real service through the host."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.api.caller import OWNER, Caller
from app.errors import InputError, KeepsakeError
from app.host import Host
from app.llm.model import ModelStatus, ModelTest
from app.spending.model import Spending
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.models.chat_server import ChatReply, ChatServer

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def configure(host: Host, address: str, **settings: Any) -> None:
    """Name a service and its model; further settings of ``llm`` by keyword."""
    named = {"provider": "openai-compatible", "base_url": address, "model": "large", "attempts": 1, **settings}
    for name, value in named.items():
        host.ask("settings.set", name=f"llm.{name}", value=value)


def status(host: Host) -> ModelStatus:
    found: ModelStatus = host.ask("llm.status")
    return found


def ask_model(host: Host, **arguments: Any) -> ModelTest:
    found: ModelTest = host.ask("llm.test", **arguments)
    return found


def test_without_a_model_nothing_is_sent_and_the_test_says_so(host: Host) -> None:
    found = status(host)
    assert (found.is_configured, found.is_available, found.has_answered) == (False, False, None)
    assert found.sent.startswith("Nothing is sent")
    made = ask_model(host)
    assert not made.ok
    assert "No language model is configured" in made.note
    assert host.ask("llm.usage") == []


def test_settings_count_at_once(host: Host, server: ChatServer) -> None:
    configure(host, server.address, fast_model="small")
    assert status(host).is_available
    made = ask_model(host, tier="fast")
    assert (made.ok, made.model, made.answer, made.note) == (True, "small", "Yes.", "")
    found = status(host)
    assert (found.has_answered, found.note, found.is_local) == (True, "", True)
    host.ask("settings.set", name="llm.provider", value="none")
    assert not status(host).is_available


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ChatReply("x", status=500), "busy"),
        (ChatReply("x", status=401), "refused the key"),
        (ChatReply(drops=True), "cannot be reached"),
        (ChatReply(raw=b"\xff"), "no chat answer"),
        (ChatReply(refusal="no"), "refused to answer"),
        (ChatReply(hangs=True), "within 1 seconds"),
    ],
)
def test_a_test_that_fails_is_an_answer(host: Host, server: ChatServer, reply: ChatReply, words: str) -> None:
    configure(host, server.address, timeout=1.0)
    server.usual = lambda _: reply
    made = ask_model(host)
    assert not made.ok
    assert words in made.note


def test_a_test_is_made_although_the_service_was_out_of_reach(host: Host, server: ChatServer) -> None:
    configure(host, server.address)
    server.script.append(ChatReply(drops=True))
    assert not ask_model(host).ok
    assert not status(host).is_available
    assert "tried again soon" in status(host).note
    assert ask_model(host).ok
    assert status(host).is_available


def test_the_accounts_and_the_cap(host: Host, server: ChatServer) -> None:
    configure(host, server.address, output_price=1_000_000 / 100_000, monthly_cap=0.0001)
    server.usual = lambda _: ChatReply(usage=(100, 6))
    assert ask_model(host).ok
    assert ask_model(host).ok
    made = ask_model(host)
    assert not made.ok
    assert "llm.monthly_cap" in made.note
    assert len(server.requests) == 2
    (month,) = host.ask("llm.usage")
    assert isinstance(month, Spending)
    assert (month.purpose, month.model, month.requests, month.failures) == ("test", "large", 2, 0)
    assert (month.input_tokens, month.output_tokens) == (200, 12)
    found = status(host)
    assert found.spent_this_month == pytest.approx(month.cost)
    assert "llm.monthly_cap" in found.note


def test_what_may_be_sent_is_told(host: Host) -> None:
    configure(host, "https://models.example.org/v1")
    assert "private ones are not" in status(host).sent
    host.ask("settings.set", name="llm.send_private", value=True)
    assert "private ones too" in status(host).sent


def test_the_key_is_kept_for_its_address_only(host: Host, server: ChatServer, memory_keyring: MemoryKeyring) -> None:
    with pytest.raises(InputError, match=r"set llm\.base_url first"):
        host.ask("secret.set", name="llm", value=KEY)
    configure(host, server.address)
    kept = host.ask("secret.set", name="llm", value=KEY)
    assert (kept.name, kept.source) == ("llm", "keyring")
    assert "llm" in {one.name for one in host.ask("secret.list")}
    ask_model(host)
    with ChatServer() as other:
        configure(host, other.address)
        ask_model(host)
        assert other.keys == [""]
    configure(host, server.address)
    host.ask("secret.remove", name="llm")
    ask_model(host)
    assert server.keys == [f"Bearer {KEY}", ""]
    assert KEY not in str(memory_keyring.kept)


def test_a_missing_key_names_the_settings_of_the_model(host: Host) -> None:
    configure(host, "https://models.example.org/v1")
    note = ask_model(host).note
    assert "llm" in note
    assert "embedding" not in note
    host.ask("settings.set", name="llm.api_key_env", value="NO_SUCH_KEY")
    assert "NO_SUCH_KEY holds no key for llm" in ask_model(host).note


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm.api_key_env", KEY),
        ("llm.base_url", f"https://user:{KEY}@example.org/v1"),
        ("llm.base_url", f"https://example.org/v1?key={KEY}"),
        ("llm.base_url", "ftp://example.org"),
        ("llm.attempts", 0),
        ("llm.monthly_cap", -1),
    ],
)
def test_wrong_settings_are_refused_without_repeating_them(host: Host, name: str, value: object) -> None:
    with pytest.raises(KeepsakeError) as caught:
        host.ask("settings.set", name=name, value=value)
    assert KEY not in caught.value.message


def test_a_service_without_a_key_is_found_for_the_person(host: Host, memory_keyring: MemoryKeyring) -> None:
    def missing(caller: Caller = OWNER) -> list[str]:
        found = host.call("settings.check", {}, caller).result(30).value
        return [finding.name for finding in found if "no key" in finding.what]

    assert missing() == []
    host.ask("settings.set", name="embedding.model", value="voyage:voyage-3")
    assert missing() == ["embedding.model"]
    configure(host, "https://models.example.org/v1")
    assert missing() == ["embedding.model", "llm.base_url"]
    assert missing(Caller("scout", "full")) == []
    report = host.ask("vault.check")
    assert [finding.severity for finding in report.findings if "no key" in finding.what] == ["warning", "warning"]
    host.ask("secret.set", name="voyage", value=KEY)
    host.ask("secret.set", name="llm", value=KEY)
    assert missing() == []
    configure(host, "http://127.0.0.1:9/v1")
    assert missing() == []


def test_incomplete_settings_are_found(host: Host) -> None:
    host.ask("settings.set", name="llm.provider", value="openai-compatible")
    host.ask("settings.set", name="llm.monthly_cap", value=5.0)
    names = [finding.name for finding in host.ask("settings.check")]
    assert {"llm.base_url", "llm.model", "llm.monthly_cap"} <= set(names)
