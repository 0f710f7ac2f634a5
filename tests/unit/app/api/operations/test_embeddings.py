"""Choice of an embedding model, with a real vault and a local service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError, KeepsakeError, ModelUnavailableError
from app.host import Host
from tests.unit.app.api.operations.embedding_builds import EmbeddingBuild
from tests.unit.app.embed.embedding_server import KEY, Answer, EmbeddingServer

GERMAN = "Heute habe ich mit meiner Schwester den Garten umgegraben, und dann sind wir noch an den See gefahren. " * 3
ENGLISH = "Today I have dug the garden with my sister, and after that we went to the lake for a swim. " * 3


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(width=8)
    yield server
    server.close()


def say(host: Host, *texts: str) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in texts])
    host.ask("vault.settle")


def opened(vault: Path, **settings: object) -> Host:
    host = Host(vault, serve=False, overrides={name.replace("__", "."): value for name, value in settings.items()})
    host.start()
    return host


def remote(vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, **settings: object) -> Host:
    monkeypatch.setenv("THE_KEY", KEY)
    return opened(
        vault,
        embedding__base_url=service.address,
        embedding__api_key_env="THE_KEY",
        embedding__dimensions=8,
        **settings,
    )


# Bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "folder", "kind"),
    [
        ("", "", InputError),
        ("nobody", "", InputError),
        ("openai", "", InputError),
        ("fastembed:no/body", "", InputError),
        ("openai-compatible:m", "", InputError),
        ("openai:text-embedding-3-small", "", ModelUnavailableError),
        ("static", "/nowhere", ModelUnavailableError),
        ("fastembed:sentence-transformers/all-MiniLM-L6-v2", "/nowhere", ModelUnavailableError),
    ],
)
def test_a_model_that_is_not_there_changes_nothing(
    host: Host, monkeypatch: pytest.MonkeyPatch, model: str, folder: str, kind: type[KeepsakeError]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(kind):
        host.ask("embedding.change", model=model, folder=folder)
    assert host.ask("embedding.status").building is None
    assert {item.name: item.value for item in host.ask("settings.list")}["embedding.model"] == "static"


def test_nothing_to_go_back_to(host: Host) -> None:
    with pytest.raises(InputError, match="no earlier vectors"):
        host.ask("embedding.rollback")


def test_without_vectors_there_is_nothing_to_choose(vault: Path) -> None:
    host = opened(vault, index__vectors=False)
    try:
        for operation, arguments in (("embedding.change", {"model": "hashed"}), ("embedding.rollback", {})):
            with pytest.raises(InputError, match=r"index\.vectors"):
                host.ask(operation, **arguments)
    finally:
        host.stop()


def test_what_the_surroundings_decide_is_not_changed(vault: Path) -> None:
    host = opened(vault, embedding__model="static")
    try:
        with pytest.raises(InputError, match="cannot be changed here"):
            host.ask("embedding.change", model="hashed")
        assert host.ask("embedding.status").building is None
    finally:
        host.stop()


# There and back -----------------------------------------------------------------------------------------------------


def test_change_and_rollback_over_restarts(vault: Path) -> None:
    host = opened(vault)
    built = EmbeddingBuild(host)
    say(host, *[f"turn {number} of a garden" for number in range(60)])
    assert host.ask("embedding.status").serving.model == "static"
    host.ask("embedding.change", model="hashed")
    built.wait()
    now = host.ask("embedding.status")
    assert (now.serving.model, now.serving.vectors, now.former.model, now.building) == ("hashed", 60, "static", None)
    assert host.ask("vault.status").embedder == "hashed"
    host.stop()
    host = opened(vault)
    try:
        assert host.ask("embedding.status").serving.model == "hashed"
        say(host, "one more")
        back = host.ask("embedding.rollback")
        host.ask("vault.settle")
        assert back.serving.model == "static"
        assert back.former.model == "hashed"
        assert host.ask("embedding.status").serving.vectors == 61
        assert host.ask("memory.search", query="garden", legs=["vector"]).notes == ()
        assert host.ask("vault.check").findings == ()
        assert {item.name: item.value for item in host.ask("settings.list")}["embedding.model"] == "static"
    finally:
        host.stop()


def test_a_model_changed_in_the_settings_is_built_at_the_next_start(vault: Path) -> None:
    host = opened(vault)
    say(host, *[f"turn {number}" for number in range(60)])
    host.ask("embedding.pause")
    host.ask("settings.set", name="embedding.model", value="hashed")
    host.stop()
    host = opened(vault)
    try:
        built = EmbeddingBuild(host)
        assert host.ask("memory.search", query="turn", legs=["vector"]).notes == ()
        now = host.ask("embedding.status")
        assert (now.serving.model, now.is_paused) == ("static", True)
        host.ask("embedding.resume")
        built.wait()
        assert host.ask("embedding.status").serving.model == "hashed"
    finally:
        host.stop()


def test_giving_up_what_is_being_built(vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    host = remote(vault, service, monkeypatch, embedding__send_private=True)
    try:
        built = EmbeddingBuild(host)
        say(host, "one", "two")
        service.usual = lambda _: Answer(401, body=b"")
        host.ask("embedding.change", model="openai-compatible:m")
        built.wait("failed")
        assert any("refuses the key" in note for note in host.ask("vault.status").notes)
        assert host.ask("memory.search", query="one", legs=["vector"]).notes == ()
        now = host.ask("embedding.rollback")
        assert (now.serving.model, now.building) == ("static", None)
        assert {item.name: item.value for item in host.ask("settings.list")}["embedding.model"] == "static"
    finally:
        host.stop()


def test_a_model_that_waits_is_switched_to_when_the_person_says_so(vault: Path) -> None:
    host = opened(vault)
    built = EmbeddingBuild(host)
    say(host, *[f"turn {number} of a garden" for number in range(60)])
    host.ask("embedding.change", model="hashed", waits=True)
    built.wait()
    now = host.ask("embedding.status")
    assert (now.serving.model, now.building.model, now.waits) == ("static", "hashed", True)
    assert [(generation.model, generation.state) for generation in now.generations] == [
        ("hashed", "ready"),
        ("static", "serving"),
    ]
    host.stop()
    host = opened(vault)
    try:
        built = EmbeddingBuild(host)
        assert host.ask("memory.search", query="garden", legs=["vector"]).notes == ()
        assert host.ask("embedding.status").serving.model == "static"
        say(host, "said while it waits")
        host.ask("embedding.pause")
        host.ask("embedding.switch")
        while host.ask("embedding.status").building is not None:
            assert built.ended() in {
                "finished",
                "cancelled",
            }  # the build may have gone on, or been stopped by the pause
        now = host.ask("embedding.status")
        assert (now.serving.model, now.serving.vectors, now.waits, now.is_paused) == ("hashed", 61, False, False)
        assert [(generation.model, generation.state) for generation in now.generations] == [
            ("hashed", "serving"),
            ("static", "kept"),
        ]
        assert now.generations[1].until == now.former_until
        with pytest.raises(InputError, match="No other vectors"):
            host.ask("embedding.switch")
    finally:
        host.stop()


def test_back_to_one_of_several_gives_up_what_is_being_made(
    vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = remote(vault, service, monkeypatch, embedding__send_private=True)
    try:
        built = EmbeddingBuild(host)
        say(host, "one", "two")
        host.ask("embedding.change", model="hashed")
        built.wait()
        service.usual = lambda _: Answer(401, body=b"")
        host.ask("embedding.change", model="openai-compatible:m")
        built.wait("failed")
        with pytest.raises(InputError, match="kept for a week"):
            host.ask("embedding.rollback", generation=99)
        now = host.ask("embedding.rollback", generation=1)
        assert [(generation.model, generation.state) for generation in now.generations] == [
            ("openai-compatible:m", "unfinished"),
            ("hashed", "kept"),
            ("static", "serving"),
        ]
        assert (now.building, now.serving.model) == (None, "static")
        assert {item.name: item.value for item in host.ask("settings.list")}["embedding.model"] == "static"
    finally:
        host.stop()


# Remote services ----------------------------------------------------------------------------------------------------


def test_private_texts_stay_here(vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    host = remote(vault, service, monkeypatch, embedding__model="openai-compatible:m")
    try:
        say(host, "a private turn of a conversation")
        host.ask("note.save", content="a private note about boats", store="private")
        host.ask("note.save", content="a shared note about gardens", store="shared")
        host.ask("vault.settle")
        host.ask("memory.write", content="a private memory of the beach", store="private")
        host.ask("memory.context", session="s", prompt="private question about boats")
        host.ask("vault.settle")
        assert [body["input"] for body in service.requested] == [["a shared note about gardens"]]
        now = host.ask("embedding.status")
        assert (now.serving.vectors, now.private_without, now.serving.is_remote) == (1, 4, True)
        assert "4 private texts are not sent" in " ".join(host.ask("vault.status").notes)
        assert host.ask("vault.status").pending_vectors == 0
        result = host.ask("memory.search", query="boats")
        assert result.hits[0].snippet == "a private note about boats"
        assert result.notes == ()
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()
    host = remote(vault, service, monkeypatch, embedding__model="openai-compatible:m", embedding__send_private=True)
    try:
        host.ask("memory.search", query="boats")
        host.ask("vault.settle")
        now = host.ask("embedding.status")
        assert (now.serving.vectors, now.private_without) == (5, 0)
    finally:
        host.stop()
    traced = "".join(path.read_text() for path in (vault / "trace").glob("*"))
    assert KEY not in traced
    assert "boats" not in traced
    assert "embedding.texts" in traced
    assert KEY.encode() not in b"".join(path.read_bytes() for path in vault.glob("memory.db*"))


def test_building_leaves_private_texts_out_too(
    vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = remote(vault, service, monkeypatch)
    try:
        built = EmbeddingBuild(host)
        say(host, "a private turn")
        host.ask("note.save", content="a shared note", store="shared")
        host.ask("vault.settle")
        host.ask("embedding.change", model="openai-compatible:m")
        built.wait()
        host.ask("vault.settle")
        assert [body["input"] for body in service.requested] == [["a shared note"]]
        now = host.ask("embedding.status")
        assert (now.serving.vectors, now.private_without) == (1, 2)
        # Back on this machine everything has its vector again.
        host.ask("embedding.rollback")
        host.ask("vault.settle")
        now = host.ask("embedding.status")
        assert (now.serving.vectors, now.private_without) == (3, 0)
    finally:
        host.stop()


def test_a_question_that_cannot_be_embedded_is_answered_by_words(
    vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = remote(vault, service, monkeypatch, embedding__model="openai-compatible:m", embedding__send_private=True)
    try:
        say(host, "a walk in the garden")
        service.usual = lambda _: Answer(500, body=b"")
        found = host.ask("memory.search", query="garden")
        assert [hit.snippet for hit in found.hits] == ["a walk in the garden"]
        assert found.legs == ("words",)
        assert found.notes[0].startswith("Search by meaning was left out: The embedding service fails (status 500)")
    finally:
        host.stop()


def test_comparing_with_a_service_sends_it_what_the_person_judged_and_nothing_of_the_vault(
    vault: Path, service: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = remote(vault, service, monkeypatch)
    try:
        built = EmbeddingBuild(host)
        say(host, "a private walk by the harbour with Kenji in the first snow")
        boats = host.ask("note.save", content="a shared note about boats, sails and the winter harbour", store="shared")
        host.ask("vault.settle")
        host.ask("embedding.change", model="openai-compatible:m", waits=True)
        built.wait()
        service.requested.clear()
        with pytest.raises(InputError, match="private texts are not sent"):
            host.ask("embedding.compare", questions=50)
        host.ask("trial.judge", query="boats in winter", id=boats.id)
        comparison = host.ask("embedding.compare", questions=50)
        assert [body["input"] for body in service.requested] == [["boats in winter"]]
        assert comparison.questions == 1
        assert "private texts are not sent to openai-compatible:m" in comparison.notes[0]
    finally:
        host.stop()


# Advice -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_advised"),
    [
        (ENGLISH, False),
        (GERMAN, True),
        ("今日は妹と庭を掘り返して、それから湖へ行きました。" * 12, True),
        ("short", False),
    ],
)
def test_advice_by_the_language_of_the_vault(host: Host, text: str, is_advised: bool) -> None:
    say(host, *[text] * 12)
    assert ("multilingual" in host.ask("embedding.advice")) == is_advised
