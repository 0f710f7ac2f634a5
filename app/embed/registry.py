"""Opens an embedder by name: ``static``, ``hashed`` or ``fastembed:<model>``."""

from pathlib import Path

from app.embed.model import Embedder
from app.errors import InputError

DEFAULT = "static"
NAMES = ("static", "hashed", "fastembed:<model>")
_OPTIONS = {"static": {"folder"}, "hashed": set[str](), "fastembed": {"folder", "cache", "threads"}}


def open_embedder(
    name: str = DEFAULT,
    *,
    folder: Path | str | None = None,
    cache: Path | str | None = None,
    threads: int | None = None,
) -> Embedder:
    """Return the embedder called ``name``, ready to use. Nothing is ever downloaded.

    Args:
        name: One of ``NAMES``.
        folder: Where the model's files lie; for ``static`` the program's own when not given.
        cache: fastembed's cache, searched where no folder is given.
        threads: How many threads fastembed may use; its own choice when not given.

    Raises:
        InputError: No embedder has that name, or it does not take an option that was given.
        ModelUnavailableError: The model is not on this machine, or damaged.
    """
    family, _, model = name.partition(":")
    if family not in _OPTIONS or (family == "fastembed") != bool(model):
        raise InputError(f"No embedder is called {name!r}; choose one of {', '.join(NAMES)}.", allowed=list(NAMES))
    given = {"folder": folder, "cache": cache, "threads": threads}
    for option in sorted(k for k, v in given.items() if v is not None and k not in _OPTIONS[family]):
        raise InputError(f"The embedder {family} takes no option {option!r}.", option=option)
    return _open(family, model, Path(folder) if folder else None, Path(cache) if cache else None, threads)


def _open(family: str, model: str, folder: Path | None, cache: Path | None, threads: int | None) -> Embedder:
    """Import the family's file only now: a program that starts does not wait for numpy or onnxruntime."""
    if family == "static":
        from app.embed.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(folder)
    if family == "hashed":
        from app.embed.hashed import HashedEmbedder  # noqa: PLC0415

        return HashedEmbedder()
    from app.embed.fastembed_model import FastembedEmbedder  # noqa: PLC0415

    return FastembedEmbedder(model, folder=folder, cache=cache, threads=threads)
