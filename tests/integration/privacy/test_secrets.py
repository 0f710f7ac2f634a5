"""Keys of remote services: stored in the keyring and found nowhere else."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from keyring.errors import KeyringLocked

from app.api.caller import Caller
from app.api.registry import to_builtins
from app.errors import (
    AccessDeniedError,
    InputError,
    KeepsakeError,
    KeyringUnavailableError,
    MissingKeyringError,
    ModelUnavailableError,
)
from app.host import Host
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.logged_output import KEY, texts_of, trace_of
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import ROOT
from tests.integration.processes.embedding import remote
from tests.unit.app.embed.embedding_server import Answer, EmbeddingServer

MODEL = "openai-compatible:m"


@pytest.fixture
def opened(vault: Path) -> Iterator[Callable[..., Host]]:
    """Open a host with settings, on the test's vault; closed with the test."""
    hosts: list[Host] = []

    def begin(settings: dict[str, object] | None = None) -> Host:
        host = Host(vault, overrides=settings or {})
        host.start()
        hosts.append(host)
        return host

    yield begin
    for host in hosts:
        host.stop()


def served_by(address: str) -> dict[str, object]:
    """Return the settings of vectors made by the service at ``address``."""
    return {"embedding.model": MODEL, **remote(address)}


def calls_of(host: Host, service: EmbeddingServer, text: str) -> str:
    """Have ``text`` turned into a vector; return the header that the key came in."""
    before = len(service.keys)
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text}])
    host.ask("vault.settle")
    assert len(service.keys) > before
    return service.keys[-1]


def test_a_key_is_used_from_the_next_request_on(
    opened: Callable[..., Host], service: EmbeddingServer, memory_keyring: MemoryKeyring
) -> None:
    host = opened(served_by(f"{service.address}/v1"))
    assert calls_of(host, service, "before there is a key") == ""
    found = host.ask("secret.set", name="openai-compatible", value=f" {KEY}\n")
    assert (found.source, found.place, found.is_kept) == ("keyring", "keyrings MemoryKeyring", True)
    assert memory_keyring.kept == {("Keepsake", f"openai-compatible {service.address}"): KEY}
    assert calls_of(host, service, "with the key") == f"Bearer {KEY}"
    host.ask("secret.set", name="openai-compatible", value="sk-another")
    assert calls_of(host, service, "with another") == "Bearer sk-another"
    assert host.ask("secret.remove", name="openai-compatible").source == "none"
    assert memory_keyring.kept == {}
    assert calls_of(host, service, "without again") == ""
    # Neither the loop nor the writer ever waited for the keyring.
    assert memory_keyring.threads == {"keepsake-keyring"}


def test_a_new_key_is_tried_on_what_failed_at_once(
    opened: Callable[..., Host], service: EmbeddingServer, memory_keyring: MemoryKeyring
) -> None:
    def guard(_: Any) -> Answer:
        return Answer() if service.keys[-1] == f"Bearer {KEY}" else Answer(401, body=b"")

    service.usual = guard
    host = opened(served_by(service.address))
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "waits for a key"}])
    host.ask("vault.settle")
    assert host.ask("vault.status").pending_vectors
    host.ask("secret.set", name="openai-compatible", value=KEY)
    host.ask("vault.settle")
    assert not host.ask("vault.status").pending_vectors


def test_a_key_goes_to_no_other_address(
    opened: Callable[..., Host], service: EmbeddingServer, memory_keyring: MemoryKeyring
) -> None:
    other = "openai-compatible https://elsewhere.example"
    memory_keyring.kept["Keepsake", other] = KEY
    host = opened(served_by(service.address))
    assert calls_of(host, service, "some text") == ""


def test_a_named_variable_counts_before_the_keyring(
    opened: Callable[..., Host],
    service: EmbeddingServer,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-of-variable")
    memory_keyring.kept["Keepsake", f"openai-compatible {service.address}"] = KEY
    host = opened({**served_by(service.address), "embedding.api_key_env": "MY_KEY"})
    assert calls_of(host, service, "some text") == "Bearer sk-of-variable"
    assert memory_keyring.requested == 0
    found = host.ask("secret.status", name="openai-compatible")
    assert (found.source, found.place, found.is_kept) == ("variable", "the environment variable MY_KEY", True)
    assert found.note == "It counts before the one in keyrings MemoryKeyring."


def test_the_keyring_counts_before_the_usual_variable(
    opened: Callable[..., Host], memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-variable")
    host = opened()
    states = {item.name: item for item in host.ask("secret.list")}
    assert [*states] == ["openai", "voyage", "cohere"]
    assert states["openai"].place == "the environment variable OPENAI_API_KEY"
    assert (states["voyage"].source, states["voyage"].keyring) == ("none", "keyrings MemoryKeyring")
    host.ask("secret.set", name="openai", value=KEY)
    assert host.ask("secret.status", name="openai").source == "keyring"


def test_keyring_is_used_only_when_a_remote_service_needs_a_key(
    opened: Callable[..., Host], memory_keyring: MemoryKeyring
) -> None:
    host = opened()
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "hello there"}])
    host.ask("vault.settle")
    host.ask("memory.search", query="hello")
    for operation in ("settings.list", "settings.check", "vault.status", "vault.check", "embedding.status"):
        host.ask(operation)
    assert memory_keyring.requested == 0


def test_a_key_that_moves_into_the_keyring_leaves_the_vectors_as_they_are(
    opened: Callable[..., Host],
    service: EmbeddingServer,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = served_by(service.address)
    monkeypatch.setenv("MY_KEY", KEY)
    host = opened({**settings, "embedding.api_key_env": "MY_KEY"})
    assert calls_of(host, service, "some text") == f"Bearer {KEY}"
    host.stop()
    monkeypatch.delenv("MY_KEY")
    memory_keyring.kept["Keepsake", f"openai-compatible {service.address}"] = KEY
    before = len(service.requested)
    host = opened(settings)
    assert host.ask("memory.search", query="some text", legs=["vector"]).hits
    host.ask("vault.settle")
    assert [request["input"] for request in service.requested[before:]] == [["some text"]]  # the question alone
    assert host.ask("vault.status").notes == ()
    assert host.ask("embedding.status").building is None


# Without a keyring, or with one that does not answer ----------------------------------------------------------------


def test_a_machine_without_a_keyring_says_what_to_do(opened: Callable[..., Host]) -> None:
    host = opened()
    with pytest.raises(MissingKeyringError, match="no keyring that Keepsake can use"):
        host.ask("secret.set", name="openai", value=KEY)
    with pytest.raises(MissingKeyringError):
        host.ask("secret.remove", name="openai")
    for item in host.ask("secret.list"):
        assert (item.source, item.keyring, item.is_kept) == ("none", "", False)
        assert "its name into embedding.api_key_env" in item.note
    with pytest.raises(ModelUnavailableError, match="variable OPENAI_API_KEY holds no key for openai"):
        host.ask("embedding.change", model="openai:text-embedding-3-small")


def test_a_keyring_without_the_key_says_how_to_give_one(
    opened: Callable[..., Host], memory_keyring: MemoryKeyring
) -> None:
    with pytest.raises(ModelUnavailableError, match="or with 'keepsake secret set openai', or name the environment"):
        opened().ask("embedding.change", model="openai:text-embedding-3-small")


def test_a_locked_keyring_keeps_nothing_from_working(
    opened: Callable[..., Host], service: EmbeddingServer, memory_keyring: MemoryKeyring
) -> None:
    memory_keyring.fault = KeyringLocked("dismissed")
    host = opened(served_by(service.address))
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "found by words"}])
    host.ask("vault.settle")
    assert [hit.title for hit in host.ask("memory.search", query="words").hits]
    assert any("stayed locked; unlock it" in note for note in host.ask("vault.status").notes)
    with pytest.raises(KeyringUnavailableError, match="stayed locked"):
        host.ask("secret.set", name="openai", value=KEY)
    assert host.ask("secret.status", name="openai").note == (
        "The keyring of this machine stayed locked; unlock it and try again."
    )
    assert service.requested == []


def test_a_vault_closes_while_the_keyring_waits_for_its_password(
    opened: Callable[..., Host], service: EmbeddingServer, memory_keyring: MemoryKeyring
) -> None:
    memory_keyring.unlocked.clear()
    host = opened(served_by(service.address))
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "a text"}])
    assert memory_keyring.reached.wait(30)
    host.stop()
    assert not memory_keyring.unlocked.is_set()


def test_a_vault_closes_while_a_service_does_not_answer(opened: Callable[..., Host], service: EmbeddingServer) -> None:
    service.usual = lambda _: Answer(hangs=True)
    host = opened(served_by(service.address))
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "a text"}])
    assert service.reached.wait(30)
    host.stop()
    assert service.hanging  # nobody waited for its answer


# Who may, and what is no key ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["secret.list", "secret.status", "secret.set", "secret.remove"])
def test_only_full_trust_reaches_them(host: Host, memory_keyring: MemoryKeyring, operation: str) -> None:
    arguments = {"secret.list": {}, "secret.set": {"name": "openai", "value": KEY}}.get(operation, {"name": "openai"})
    with pytest.raises(AccessDeniedError):
        host.call(operation, arguments, Caller("scout", "inner")).result()
    assert memory_keyring.requested == 0


def test_an_isolated_agent_sets_no_key(host: Host, memory_keyring: MemoryKeyring) -> None:
    host.ask("settings.set", name="agents.isolated", value="scout")
    for operation, arguments in (
        ("secret.set", {"name": "openai", "value": KEY}),
        ("secret.remove", {"name": "openai"}),
    ):
        with pytest.raises(AccessDeniedError, match="own programs"):
            host.call(operation, arguments, Caller("scout", "full")).result()
    assert memory_keyring.requested == 0


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "sk-ä", "sk-\x00", "x" * 1_201, "\ud800"])
def test_what_is_no_key_is_not_kept_nor_repeated(host: Host, memory_keyring: MemoryKeyring, value: str) -> None:
    with pytest.raises(InputError, match="That is no key") as caught:
        host.ask("secret.set", name="openai", value=value)
    assert not value.strip() or value.strip()[:20] not in ascii(caught.value.as_dict())
    assert memory_keyring.kept == {}


def test_a_key_in_the_place_of_the_name_is_not_repeated(host: Host, memory_keyring: MemoryKeyring) -> None:
    with pytest.raises(InputError, match="choose one of openai, voyage, cohere, openai-compatible") as caught:
        host.ask("secret.set", name=KEY, value="openai")
    assert KEY not in str(caught.value.as_dict())
    with pytest.raises(InputError, match=r"set embedding\.base_url first"):
        host.ask("secret.set", name="openai-compatible", value=KEY)


# Nowhere else -------------------------------------------------------------------------------------------------------


def reported(host: Host, log: io.StringIO) -> str:
    """Return all that a host answers about itself, and what fails, with what was logged."""
    answers: list[str] = []
    for operation, arguments in (
        ("secret.list", {}),
        ("settings.list", {}),
        ("settings.check", {}),
        ("vault.status", {}),
        ("vault.check", {}),
        ("embedding.status", {}),
        ("job.list", {}),
        ("memory.search", {"query": "text"}),
        ("secret.set", {"name": "nobody", "value": KEY}),
        ("secret.set", {"name": "openai", "value": [KEY]}),
        ("secret.set", {"name": "openai", "value": f"{KEY}\n{KEY}"}),
        ("embedding.change", {"model": "openai:no-such-model"}),
    ):
        try:
            answers.append(repr(to_builtins(host.call(operation, arguments).result().value)))
        except KeepsakeError as error:
            answers.append(texts_of(error))
    return "\n".join([*answers, log.getvalue()])


def test_a_key_is_found_nowhere_but_in_the_keyring(
    opened: Callable[..., Host],
    vault: Path,
    service: EmbeddingServer,
    memory_keyring: MemoryKeyring,
    log: io.StringIO,
    tmp_path: Path,
    test_home: Path,
) -> None:
    host = opened(served_by(service.address))
    host.ask("secret.set", name="openai-compatible", value=KEY)
    assert calls_of(host, service, "a text with a key") == f"Bearer {KEY}"
    for answer in (Answer(401, body=KEY.encode()), Answer(400, body=KEY.encode()), Answer(body=KEY.encode())):
        service.usual = lambda _, answer=answer: answer  # type: ignore[misc]
        host.ask("session.append", session="s", messages=[{"role": "user", "content": f"{answer.status} text"}])
        host.ask("vault.settle")
    said = reported(host, log)
    host.ask("backup.now")
    host.ask("exchange.export", path=str(tmp_path / "out.jsonl"))
    host.ask("exchange.export", path=str(tmp_path / "out"), format="markdown")
    host.stop()
    plain, wide = KEY.encode(), KEY.encode("utf-16-le")
    files = [path for folder in (tmp_path, test_home) for path in folder.rglob("*") if path.is_file()]
    assert {"memory.db", "trace.jsonl", "out.jsonl"} <= {path.name for path in files}
    assert [path for path in files if plain in (found := path.read_bytes()) or wide in found] == []
    assert [line for line in (said + log.getvalue()).splitlines() if KEY in line or "QuuxPassphrase" in line] == []
    assert '"operation":"secret.set"' in trace_of(vault)
    assert list(memory_keyring.kept.values()) == [KEY]


# Command line -------------------------------------------------------------------------------------------------------


def keepsake(vault: Path, *arguments: str, stdin: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*keepsake_command(), "--vault", str(vault), *arguments],
        cwd=vault.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_by_command(host: Host, memory_keyring: MemoryKeyring) -> None:
    done = keepsake(host.vault, "secret", "set", "openai", stdin=f"{KEY}\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "The key is kept in keyrings MemoryKeyring.\n", "")
    assert memory_keyring.kept == {("Keepsake", "openai"): KEY}
    done = keepsake(host.vault, "secret", "list")
    assert done.stdout.splitlines()[0].split(maxsplit=1) == ["openai", "keyrings MemoryKeyring"]
    assert KEY not in done.stdout
    done = keepsake(host.vault, "secret", "remove", "openai")
    assert done.stdout == "The keyring holds no key for openai.\n"
    assert memory_keyring.kept == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("secret", "set", "openai", KEY),
        ("secret", "set", "openai", f"--key={KEY}"),
        ("secret", "set", "openai", "--value", KEY),
        ("call", "secret.set", f'{{"name": "openai", "value": "{KEY}"}}'),
    ],
)
def test_a_key_on_the_command_line_is_refused_and_not_repeated(
    host: Host, memory_keyring: MemoryKeyring, arguments: tuple[str, ...]
) -> None:
    done = keepsake(host.vault, *arguments, stdin=KEY)
    assert done.returncode == 65
    assert "not given as an argument" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert memory_keyring.kept == {}


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_typed_unseen(host: Host, memory_keyring: MemoryKeyring) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "app", "--vault", str(host.vault), "secret", "set", "openai"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # else it would ask the terminal that the tests run in
    ) as process:
        assert process.stderr is not None
        requested = b""
        for one in iter(partial(process.stderr.read, 1), b""):
            requested += one
            if requested.endswith(b"(not shown): "):
                break
        os.write(ours, f"{KEY}\n".encode())
        said, _ = process.communicate(timeout=60)
    os.set_blocking(ours, False)
    try:
        echoed = os.read(ours, 1_000)
    except BlockingIOError:
        echoed = b""
    os.close(theirs)
    os.close(ours)
    assert (process.returncode, said) == (0, b"The key is kept in keyrings MemoryKeyring.\n")
    assert KEY.encode() not in echoed
    assert memory_keyring.kept == {("Keepsake", "openai"): KEY}


def test_by_command_on_a_machine_without_a_keyring(vault: Path) -> None:
    done = keepsake(vault, "secret", "set", "openai", stdin=KEY)
    assert done.returncode == 74
    assert done.stderr == (
        "keepsake: This machine has no keyring that Keepsake can use. Put the key into an environment variable, and its"
        " name into embedding.api_key_env.\n"
    )
    done = keepsake(vault, "secret", "list")
    assert done.returncode == 0
    assert done.stdout.startswith("openai             no key. This machine has no keyring")


def test_nothing_piped_in(vault: Path) -> None:
    done = keepsake(vault, "secret", "set", "openai", stdin="")
    assert done.returncode == 65
    assert "That is no key" in done.stderr
