"""Filled vaults of data sets, kept between runs: filling takes far longer than asking."""

import json
from pathlib import Path

from app.host import Host
from tests.bench.retrieval.runner import fill
from tests.bench.retrieval.values import Haystack


def filled(haystack: Haystack, folder: Path, embedder: str = "static", model: Path | None = None) -> dict[str, str]:
    """Make sure ``folder/vault`` holds ``haystack``; return the data set's ids by the vault's.

    Args:
        haystack: What it holds.
        folder: Where it lies.
        embedder: What makes its vectors.
        model: The folder of the embedder's files, for one that needs it.
    """
    done = folder / "names.json"
    if not done.is_file():
        overrides = {"embedding.model": embedder, "embedding.model_folder": str(model or "")}
        host = Host(folder / "vault", overrides=overrides, serve=False)
        host.start()
        try:
            names = {key: item.id for key, item in fill(host, haystack).items()}
            host.ask("vault.settle")
        finally:
            host.stop()
        done.write_text(json.dumps(names), encoding="utf-8")
    found: dict[str, str] = json.loads(done.read_text(encoding="utf-8"))
    return found


def sessions(haystack: Haystack) -> dict[str, str]:
    """Return the session of each message by the data set's id."""
    return {turn.id: turn.session for turn in haystack.turns}
