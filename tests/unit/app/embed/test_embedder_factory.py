"""Embedders by name; start-up does not pay for them."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.embed.embedder_factory import NAMES, open_embedder
from app.errors import InputError, ModelUnavailableError


def test_the_default_is_the_static_model() -> None:
    assert open_embedder().identity.provider == "static"


def test_hashed_by_name() -> None:
    assert str(open_embedder("hashed").identity) == "hashed:blake2b-64/512@1"


@pytest.mark.parametrize("name", ["", "Static", "openai", "fastembed", "fastembed:", "static:x", "hashed:x"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="static, hashed, fastembed:<model>") as caught:
        open_embedder(name)
    assert caught.value.data == {"allowed": list(NAMES)}


def test_an_option_the_family_does_not_take() -> None:
    with pytest.raises(InputError, match="'folder'"):
        open_embedder("hashed", folder="x")
    with pytest.raises(InputError, match="'threads'"):
        open_embedder("static", threads=2)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="gone"):
        open_embedder("static", folder=tmp_path / "gone")


def test_importing_the_registry_imports_no_heavy_package() -> None:
    script = (
        "import sys, app.embed.embedder_factory, app.embed.model\n"
        "print(sorted({'numpy', 'tokenizers', 'fastembed', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
