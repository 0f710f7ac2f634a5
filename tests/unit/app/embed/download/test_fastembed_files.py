"""Models in folders and caches, and fetching one only where that was agreed to."""

from pathlib import Path

import pytest

from app.embed.download.fastembed_files import open_model
from app.embed.embedder_factory import open_embedder, open_source
from app.embed.embedder_source import EmbedderSource
from app.embed.model import DownloadWatcher
from app.embed.remote.api_keys import ApiKeys
from app.errors import ModelUnavailableError
from tests.unit.app.embed.conftest import MINILM


def test_nothing_is_fetched_that_was_not_agreed_to(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    with pytest.raises(ModelUnavailableError, match=r"set embedding\.allow_download to true") as caught:
        open_embedder(MINILM, cache=tmp_path, watch=DownloadWatcher(lambda *amounts: reported.append(amounts)))
    assert reported == []
    assert caught.value.data == {"model": MINILM.removeprefix("fastembed:"), "reason": "missing"}


def test_a_machine_that_is_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    reported: list[tuple[int, int]] = []
    with pytest.raises(
        ModelUnavailableError, match=r"could not be fetched\. See whether this machine is online"
    ) as caught:
        open_embedder(
            MINILM, cache=tmp_path, fetch=True, watch=DownloadWatcher(lambda *amounts: reported.append(amounts))
        )
    assert reported == [(0, 90_000_000)]
    assert caught.value.data["reason"] == "unfetched"


def test_a_folder_is_never_fetched_into(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"holds no model\.onnx") as caught:
        open_embedder(MINILM, folder=tmp_path, fetch=True)
    assert [*tmp_path.iterdir()] == []
    assert caught.value.data["reason"] == "incomplete"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="which is not there") as caught:
        open_embedder(MINILM, folder=tmp_path / "none")
    assert caught.value.data["reason"] == "no_folder"


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"model": 3}', '{"model": "x", "folder": null}', "{" * 500])
def test_what_is_no_source(text: str) -> None:
    assert EmbedderSource.read(text) is None


def test_a_source_is_read_as_it_was_written() -> None:
    source = EmbedderSource("openai-compatible:m", "/a folder/ä", "https://h/v1", "THE_KEY", 256)
    assert EmbedderSource.read(source.text()) == source
    assert source.is_remote
    assert not EmbedderSource("fastembed:m").is_remote


def test_what_is_meant_for_another_family_is_left_aside() -> None:
    source = EmbedderSource("hashed", "/nowhere", "https://h/v1", "THE_KEY", 256)
    assert open_source(source, keys=ApiKeys({})).identity.provider == "hashed"


ONNX = {"model": "a/b", "model_file": "model.onnx", "size_in_GB": 0.1}
TABLE = {"model": "a/c", "model_file": "model.safetensors", "size_in_GB": 0.1}


class Family:
    """Stands for fastembed's class: keeps what a model is opened with."""

    def __init__(self, name: str, **options: object) -> None:
        self.name = name
        self.options = options


def test_memory_of_a_long_batch_is_given_back(tmp_path: Path) -> None:
    made = open_model(Family, ONNX, folder=None, cache=tmp_path, threads=2)
    assert made.options["enable_cpu_mem_arena"] is False
    assert (made.options["threads"], made.options["local_files_only"]) == (2, True)


def test_a_table_of_vectors_is_given_nothing_it_warns_of(tmp_path: Path) -> None:
    made = open_model(Family, TABLE, folder=None, cache=tmp_path, threads=2)
    assert made.options == {"local_files_only": True, "cache_dir": str(tmp_path)}
