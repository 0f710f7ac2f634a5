"""Fetching a model from a hub on this machine: watched, stopped in the middle, gone on with, and refused when wrong."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from app.embed.download.hub_client import NotFetchedError
from app.embed.download.repository_download import DownloadStoppedError, RepositoryDownload
from app.embed.embedder_factory import open_embedder
from app.embed.model import DownloadWatcher
from app.errors import CancelledByPersonError, ModelUnavailableError
from tests.unit.app.embed.conftest import MINILM
from tests.unit.app.embed.hub import COMMIT, MINILM_REPO, Hub, files_in, running
from tests.unit.app.embed.sentence_model import write_sentence_model

WEIGHTS = "model.onnx"
OTHER_FILES = ("config.json", "tokenizer.json")
LIMIT_S = 15.0
"""Less than a line may be silent before it is taken for dead."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Return a hub with a small model that fastembed opens, and files nobody asked for."""
    files = files_in(write_sentence_model(tmp_path / "gazer", ("garden", "boat")))
    with running(monkeypatch, {**files, "README.md": b"read me", "onnx/model_fp16.onnx": b"another"}) as made:
        yield made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class Watcher:
    """Somebody who watches, and says stop once ``enough`` bytes are here."""

    def __init__(self, enough: int = 1 << 62) -> None:
        self.received: list[tuple[int, int]] = []
        self.is_stopped = False
        self._enough = enough
        self.watch = DownloadWatcher(self._hear, lambda: self.is_stopped)

    def _hear(self, done: int, total: int) -> None:
        self.received.append((done, total))
        self.is_stopped = self.is_stopped or done >= self._enough


def fetch(cache: Path, watch: DownloadWatcher | None = None, needed: tuple[str, ...] = (WEIGHTS,)) -> None:
    """Fetch without waiting between attempts."""
    RepositoryDownload(MINILM_REPO, [*OTHER_FILES, *needed], needed, cache, watch or DownloadWatcher(), 100, 0.0).run()


def place(cache: Path) -> Path:
    return cache / f"models--{MINILM_REPO.replace('/', '--')}"


def snapshot(cache: Path) -> dict[str, bytes]:
    return files_in(place(cache) / "snapshots" / COMMIT)


def part(cache: Path, name: str = WEIGHTS) -> Path:
    return place(cache) / "fetching" / COMMIT / f"{name}.part"


def stopped_in_the_middle(cache: Path, hub: Hub, at: int) -> Watcher:
    """Stop a fetching while the hub is silent in the middle of the weights."""
    watcher = Watcher(enough=sum(len(hub.files[name]) for name in OTHER_FILES) + at)
    hub.stop_at(WEIGHTS, at)
    said: list[BaseException] = []
    fetching = threading.Thread(target=_keeping(said, lambda: fetch(cache, watcher.watch)), name="fetching")
    fetching.start()
    # The hub says no more by then: nothing but the stop ends it.
    fetching.join(LIMIT_S)
    assert not fetching.is_alive()
    assert [type(error) for error in said] == [DownloadStoppedError]
    hub.go_on()
    return watcher


def _keeping(said: list[BaseException], work: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  (told to the test)
            said.append(error)

    return run


def test_a_model_is_fetched_once_and_opened(hub: Hub, cache: Path) -> None:
    watcher = Watcher()
    embedder = open_embedder(MINILM, cache=cache, fetch=True, watch=watcher.watch)
    assert embedder.embed_query("boat").argmax() == 3
    embedder.close()
    other_files = {"config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"}
    assert snapshot(cache).keys() == {*other_files, WEIGHTS}
    total = sum(map(len, snapshot(cache).values()))
    assert (watcher.received[0], watcher.received[-1]) == ((0, 90_000_000), (total, total))
    # The next time nothing is asked of anybody.
    hub.requests.clear()
    open_embedder(MINILM, cache=cache, fetch=True, watch=watcher.watch).close()
    open_embedder(MINILM, cache=cache).close()
    assert hub.requests == []


def test_stopped_in_the_middle_and_gone_on_with(hub: Hub, cache: Path) -> None:
    watcher = stopped_in_the_middle(cache, hub, 500)
    assert part(cache).read_bytes() == hub.files[WEIGHTS][:500]
    assert watcher.received[-1][0] < watcher.received[-1][1]
    # What is half here is no model.
    assert not (place(cache) / "snapshots").exists()
    with pytest.raises(ModelUnavailableError) as caught:
        open_embedder(MINILM, cache=cache)
    assert caught.value.data["reason"] == "missing"
    hub.requested.clear()
    fetch(cache)
    assert [(one.path, one.begin) for one in hub.requested] == [(WEIGHTS, 500)]
    assert snapshot(cache) == {name: hub.files[name] for name in (*OTHER_FILES, WEIGHTS)}
    assert not (place(cache) / "fetching").exists()


def test_a_stop_is_told_as_what_the_person_did(hub: Hub, cache: Path) -> None:
    watcher = Watcher()
    watcher.is_stopped = True
    hub.stop_at(WEIGHTS, 0)
    with pytest.raises(CancelledByPersonError, match=r"all-MiniLM-L6-v2 was cancelled\. What came of it is kept"):
        open_embedder(MINILM, cache=cache, fetch=True, watch=watcher.watch)


def test_how_far_it_is_counts_what_was_there(hub: Hub, cache: Path) -> None:
    stopped_in_the_middle(cache, hub, 700)
    watcher = stopped_in_the_middle(cache, hub, 900)
    other_files = sum(len(hub.files[name]) for name in OTHER_FILES)
    assert watcher.received[-1] == (other_files + 900, other_files + len(hub.files[WEIGHTS]))


def test_a_hub_that_sends_all_again(hub: Hub, cache: Path) -> None:
    stopped_in_the_middle(cache, hub, 500)
    hub.takes_ranges = False
    fetch(cache)
    assert snapshot(cache)[WEIGHTS] == hub.files[WEIGHTS]


def test_a_line_that_breaks_again_and_again_is_gone_on_with(hub: Hub, cache: Path) -> None:
    hub.breaks_at[WEIGHTS] = 300
    fetch(cache)
    begins = [one.begin for one in hub.requested if one.path == WEIGHTS]
    assert begins == [*range(0, len(hub.files[WEIGHTS]), 300)]
    assert len(begins) > 5
    assert snapshot(cache)[WEIGHTS] == hub.files[WEIGHTS]


@pytest.mark.parametrize("name", ["main", COMMIT, WEIGHTS])
def test_a_hub_that_is_busy_for_a_moment(hub: Hub, cache: Path, name: str) -> None:
    hub.statuses[name] = [503, 429]
    fetch(cache)
    assert WEIGHTS in snapshot(cache)


@pytest.mark.parametrize("name", ["main", COMMIT, WEIGHTS])
@pytest.mark.parametrize("status", [401, 404, 503])
def test_a_hub_that_refuses(hub: Hub, cache: Path, name: str, status: int) -> None:
    hub.statuses[name] = [status] * 5
    with pytest.raises(NotFetchedError):
        fetch(cache)
    assert len(hub.statuses[name]) == (1 if status == 503 else 4)
    assert not (place(cache) / "snapshots").exists()


def test_what_cannot_be_fetched_is_told_as_ever(hub: Hub, cache: Path) -> None:
    hub.statuses["main"] = [404]
    with pytest.raises(
        ModelUnavailableError, match=r"could not be fetched\. See whether this machine is online"
    ) as caught:
        open_embedder(MINILM, cache=cache, fetch=True)
    assert caught.value.data == {"model": MINILM.removeprefix("fastembed:"), "reason": "unfetched"}


def test_nobody_answers(hub: Hub, cache: Path) -> None:
    hub.close()
    with pytest.raises(NotFetchedError):
        fetch(cache)


def test_what_is_not_what_the_hub_said_is_thrown_away(hub: Hub, cache: Path) -> None:
    hub.digests[WEIGHTS] = "0" * 64
    with pytest.raises(NotFetchedError, match="damaged"):
        fetch(cache)
    assert not part(cache).exists()
    assert not (place(cache) / "snapshots").exists()
    hub.digests.clear()
    fetch(cache)
    assert snapshot(cache)[WEIGHTS] == hub.files[WEIGHTS]


def test_a_part_that_is_longer_than_the_file(hub: Hub, cache: Path) -> None:
    part(cache).parent.mkdir(parents=True)
    part(cache).write_bytes(b"x" * (len(hub.files[WEIGHTS]) + 1))
    with pytest.raises(NotFetchedError, match="damaged"):
        fetch(cache)
    fetch(cache)
    assert snapshot(cache)[WEIGHTS] == hub.files[WEIGHTS]


def test_a_repository_without_the_model(hub: Hub, cache: Path) -> None:
    with pytest.raises(NotFetchedError, match="no such files"):
        fetch(cache, needed=(WEIGHTS, "model.onnx_data"))


def test_what_is_left_of_an_older_version_goes(hub: Hub, cache: Path) -> None:
    stopped_in_the_middle(cache, hub, 500)
    hub.commit = "b" * 40
    fetch(cache)
    assert files_in(place(cache) / "snapshots" / hub.commit)[WEIGHTS] == hub.files[WEIGHTS]
    assert not (place(cache) / "fetching").exists()
    assert (place(cache) / "refs" / "main").read_text() == hub.commit


@pytest.mark.parametrize("commit", ["", "../../..", "a/b"])
def test_a_commit_that_is_no_name_of_a_folder(hub: Hub, cache: Path, commit: str) -> None:
    hub.commit = commit
    with pytest.raises(NotFetchedError, match="no commit"):
        fetch(cache)


def test_a_damaged_model_is_put_right(hub: Hub, cache: Path) -> None:
    fetch(cache, needed=(WEIGHTS, "tokenizer_config.json", "special_tokens_map.json"))
    (place(cache) / "snapshots" / COMMIT / WEIGHTS).write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError):
        open_embedder(MINILM, cache=cache)
    open_embedder(MINILM, cache=cache, fetch=True).close()


def test_two_at_once_fetch_it_once(hub: Hub, cache: Path) -> None:
    hub.stop_at(WEIGHTS, 500)
    said: list[BaseException] = []
    first = threading.Thread(target=_keeping(said, lambda: fetch(cache)), name="first")
    first.start()
    assert hub.reached.wait(LIMIT_S)
    watcher = Watcher()
    waiting = threading.Event()
    watch = DownloadWatcher(lambda _done, _total: waiting.set(), lambda: watcher.is_stopped)
    second = threading.Thread(target=_keeping(said, lambda: fetch(cache, watch)), name="second")
    second.start()
    assert waiting.wait(LIMIT_S)
    hub.go_on()
    first.join(LIMIT_S)
    second.join(LIMIT_S)
    assert said == []
    assert [one.path for one in hub.requested].count(WEIGHTS) == 1


def test_who_waits_for_another_can_stop(hub: Hub, cache: Path) -> None:
    place(cache).mkdir(parents=True)
    watcher = Watcher()
    watcher.is_stopped = True
    with FileLock(place(cache) / "fetching.lock"), pytest.raises(DownloadStoppedError):
        fetch(cache, watcher.watch)
    assert hub.requests == []


def test_the_key_is_for_the_hub_and_not_for_where_it_keeps_large_files(
    hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    part(cache).parent.mkdir(parents=True)
    part(cache).write_bytes(hub.files[WEIGHTS][:100])
    store = Hub(hub.files)
    try:
        hub.other_host = store.address
        fetch(cache)
    finally:
        store.close()
    assert {one.key for one in hub.requested} == {"Bearer hf_secret"}
    assert [(one.path, one.begin, one.key) for one in store.requested] == [(WEIGHTS, 100, "")]
    assert snapshot(cache)[WEIGHTS] == hub.files[WEIGHTS]


def test_a_hub_whose_list_has_no_end(hub: Hub, cache: Path) -> None:
    hub.lists_for_ever = True
    with pytest.raises(NotFetchedError, match="no end"):
        fetch(cache)
    assert len(hub.requests) < 200
