"""Model downloads in a real vault from a local hub."""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from app.changes import Event, Progress
from app.errors import CancelledByPersonError, ModelUnavailableError
from app.host import Host
from tests.unit.app.api.operations.embedding_builds import EmbeddingBuild
from tests.unit.app.embed.hub import Hub, files_in, running
from tests.unit.app.embed.rerank_model import write_rerank_model
from tests.unit.app.embed.sentence_model import NAME, write_sentence_model

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.api.registry import Reply

JOB = f"fetching:{NAME}"
WEIGHTS = "model.onnx"
HALF = 1_500
JUDGE = "Xenova/ms-marco-MiniLM-L-6-v2"
LIMIT_S = 15.0
"""Less than a line may be silent before it is taken for dead."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that models are fetched into, this test's own."""
    folder = tmp_path / "models"
    monkeypatch.setattr("app.index.embedder_opener.models_cache", lambda: folder)
    return folder


@pytest.fixture
def hub(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with running(monkeypatch, files_in(write_sentence_model(tmp_path / "gazer", ("garden", "boat")))) as made:
        yield made


class Jobs:
    """Hears of what is fetched."""

    def __init__(self, host: Host) -> None:
        self.received: SimpleQueue[Progress] = SimpleQueue()
        host.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Progress) and event.job.startswith("fetching:"):
            self.received.put(event)

    def at(self, done: int) -> Progress:
        """Return the first report of so many bytes."""
        while True:
            progress = self.received.get(timeout=LIMIT_S)
            if progress.done >= done:
                return progress

    def ended(self) -> str:
        while True:
            progress = self.received.get(timeout=LIMIT_S)
            if progress.state != "running":
                return progress.state


def closed(vault: Path, **settings: Any) -> Host:
    """Return a host that is not started, of a vault in which fetching is allowed."""
    allowed = {"embedding.allow_download": True} | {name.replace("__", "."): value for name, value in settings.items()}
    return Host(vault, serve=False, overrides=allowed)


def opened(vault: Path, **settings: Any) -> Host:
    host = closed(vault, **settings)
    host.start()
    return host


@pytest.fixture
def host(vault: Path, cache: Path) -> Iterator[Host]:
    made = opened(vault)
    messages = [{"role": "user", "content": f"turn {number} of the garden"} for number in range(20)]
    made.ask("session.append", session="s", messages=messages)
    made.ask("vault.settle")
    yield made
    made.stop()


def half(hub: Hub) -> int:
    """Stop the hub in the middle of the model; return the bytes received."""
    hub.stop_at(WEIGHTS, HALF)
    return sum(map(len, hub.files.values())) - len(hub.files[WEIGHTS]) + HALF


def change(host: Host) -> "Future[Reply]":
    return host.call("embedding.change", {"model": NAME})


def settings(host: Host) -> dict[str, Any]:
    return {item.name: item.value for item in host.ask("settings.list")}


def cancelled_change(host: Host, hub: Hub) -> None:
    """Choose the model and cancel its download half-way."""
    jobs = Jobs(host)
    enough = half(hub)
    changing = change(host)
    jobs.at(enough)
    assert host.ask("job.cancel", job=JOB)
    with pytest.raises(CancelledByPersonError, match="was cancelled"):
        changing.result(LIMIT_S)
    assert jobs.ended() == "cancelled"
    hub.go_on()


def test_a_fetched_model_is_a_job_that_anybody_can_watch(host: Host, hub: Hub) -> None:
    jobs, built = Jobs(host), EmbeddingBuild(host)
    enough = half(hub)
    changing = change(host)
    reported = jobs.at(enough)
    assert reported.total == sum(len(content) for content in hub.files.values())
    [listed] = host.ask("job.list")
    assert (listed.job, listed.title, listed.unit) == (JOB, f"Fetching {NAME}", "bytes")
    # The old model answers meanwhile.
    assert host.ask("memory.search", query="garden", legs=["vector"]).notes == ()
    hub.go_on()
    changing.result(LIMIT_S)
    assert jobs.ended() == "finished"
    built.wait()
    assert host.ask("embedding.status").serving.model == NAME
    assert host.ask("job.list") == []


def test_a_cancelled_one_changes_nothing_and_goes_on_when_it_is_chosen_again(host: Host, hub: Hub) -> None:
    before = (settings(host), host.ask("embedding.status"))
    cancelled_change(host, hub)
    assert (settings(host), host.ask("embedding.status")) == before
    assert host.ask("job.list") == []
    assert host.ask("memory.search", query="garden", legs=["vector"]).notes == ()
    built = EmbeddingBuild(host)
    hub.requested.clear()
    change(host).result(LIMIT_S)
    assert [(one.path, one.begin) for one in hub.requested] == [(WEIGHTS, HALF)]
    built.wait()
    assert settings(host)["embedding.model"] == NAME


def test_failed_download_is_reported(host: Host, hub: Hub) -> None:
    jobs = Jobs(host)
    hub.statuses[WEIGHTS] = [404]
    with pytest.raises(ModelUnavailableError, match="See whether this machine is online") as caught:
        change(host).result(LIMIT_S)
    assert caught.value.data["reason"] == "unfetched"
    assert jobs.ended() == "failed"
    assert settings(host)["embedding.model"] == "static"


def test_without_consent_no_request_is_sent(vault: Path, hub: Hub) -> None:
    host = opened(vault, embedding__allow_download=False)
    try:
        with pytest.raises(ModelUnavailableError) as caught:
            change(host).result(LIMIT_S)
        assert caught.value.data["reason"] == "missing"
        assert hub.requests == []
    finally:
        host.stop()


def test_what_is_fetched_in_the_background_rests_once_it_is_cancelled(host: Host, vault: Path, hub: Hub) -> None:
    host.ask("settings.set", name="embedding.model", value=NAME)
    host.stop()
    enough = half(hub)
    again = closed(vault)
    jobs = Jobs(again)
    again.start()
    try:
        jobs.at(enough)
        assert again.ask("job.cancel", job=JOB)
        assert jobs.ended() == "cancelled"
        hub.go_on()
        hub.requests.clear()
        # Whatever else happens, it is not begun again, and the old model answers.
        again.ask("session.append", session="s", messages=[{"role": "user", "content": "one more"}])
        again.ask("vault.settle")
        assert again.ask("memory.search", query="garden", legs=["vector"]).notes == ()
        status = again.ask("embedding.status")
        assert status.serving.model == "static"
        assert any("was cancelled" in note for note in status.notes)
        assert hub.requests == []
        built = EmbeddingBuild(again)
        again.ask("embedding.resume")
        assert jobs.ended() == "finished"
        built.wait()
        assert again.ask("embedding.status").serving.model == NAME
    finally:
        again.stop()


def test_where_nothing_answers_yet_a_search_does_not_begin_it_again(vault: Path, hub: Hub) -> None:
    enough = half(hub)
    host = closed(vault, embedding__model=NAME)
    jobs = Jobs(host)
    host.start()
    try:
        host.ask("session.append", session="s", messages=[{"role": "user", "content": "a garden"}])
        jobs.at(enough)
        assert host.ask("job.cancel", job=JOB)
        assert jobs.ended() == "cancelled"
        hub.go_on()
        host.ask("vault.settle")
        hub.requests.clear()
        result = host.ask("memory.search", query="garden")
        assert [hit.snippet for hit in result.hits] == ["a garden"]
        assert "was cancelled" in result.notes[0]
        assert hub.requests == []
        host.ask("embedding.resume")
        assert jobs.ended() == "finished"
        host.ask("vault.settle")
        assert host.ask("memory.search", query="garden", legs=["vector"]).notes == ()
    finally:
        host.stop()


def test_closing_the_vault_ends_it_and_the_next_start_goes_on(host: Host, vault: Path, hub: Hub) -> None:
    host.ask("settings.set", name="embedding.model", value=NAME)
    host.stop()
    enough = half(hub)
    again = closed(vault)
    jobs = Jobs(again)
    again.start()
    jobs.at(enough)
    stopping = threading.Thread(target=again.stop, name="stopping")
    stopping.start()
    stopping.join(LIMIT_S)
    assert not stopping.is_alive()
    hub.go_on()
    hub.requested.clear()
    last = closed(vault)
    built = EmbeddingBuild(last)
    last.start()
    try:
        built.wait()
        assert [(one.path, one.begin) for one in hub.requested] == [(WEIGHTS, HALF)]
    finally:
        last.stop()


def test_a_judge_is_fetched_as_a_job_too(
    vault: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(monkeypatch, files_in(write_rerank_model(tmp_path / "judge")), JUDGE) as hub:
        hub.stop_at("onnx/model.onnx", 10)
        host = opened(vault, search__reranker=JUDGE)
        try:
            jobs = Jobs(host)
            host.ask("session.append", session="s", messages=[{"role": "user", "content": "a boat"}])
            searching = host.call("memory.search", {"query": "boat"})
            assert hub.reached.wait(LIMIT_S)
            assert jobs.at(0).job == f"fetching:{JUDGE}"
            assert host.ask("job.cancel", job=f"fetching:{JUDGE}")
            found = searching.result(LIMIT_S).value
            assert [hit.snippet for hit in found.hits] == ["a boat"]
            assert "was cancelled" in found.notes[0]
            assert jobs.ended() == "cancelled"
        finally:
            host.stop()
