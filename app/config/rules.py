"""Rules between settings, and between settings and the machine; each yields its findings."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from app.config.config import Config
from app.config.model import ConfigFinding
from app.core.paths import is_whole_path
from app.sentence import Sentence

Rule = Callable[[Config], Iterator[ConfigFinding]]

LOCAL_PROVIDERS: Final = ("static", "hashed", "fastembed")
KEY_VARIABLES: Final = {"openai": "OPENAI_API_KEY", "voyage": "VOYAGE_API_KEY", "cohere": "COHERE_API_KEY"}
COMPATIBLE: Final = "openai-compatible"
PROVIDERS: Final = (*LOCAL_PROVIDERS, *KEY_VARIABLES, COMPATIBLE)
_NEARBY: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_ROUNDING: Final = 1e-6


def vault_rule(config: Config) -> Iterator[ConfigFinding]:
    """The database's folder can be made and written."""
    place = config.vault
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        yield _error(
            "vault",
            Sentence("The vault's path leads through {place}, which is no folder.", place=place),
            Sentence("Name another --vault."),
        )
    elif not os.access(place, os.W_OK | os.X_OK):
        # A vault that is there opens for reading; a new one cannot be made.
        severity = _warning if (config.vault / "memory.db").exists() else _error
        yield severity(
            "vault",
            Sentence("{place} cannot be written.", place=place),
            Sentence("Allow yourself to write there, or name another --vault."),
        )


def provider_rule(config: Config) -> Iterator[ConfigFinding]:
    """Check that the embedding model is known and complete."""
    name = "embedding.model"
    provider, _, model = config.text(name).partition(":")
    if provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        yield _error(
            name,
            Sentence("'{name}' names a provider that Keepsake does not know.", name=name),
            Sentence("Choose one of {known}.", known=known),
        )
    elif provider in {"static", "hashed"} and model:
        yield _error(
            name,
            Sentence("'{provider}' takes no model name.", provider=provider),
            Sentence('Write {name} = "{provider}".', name=name, provider=provider),
        )
    elif provider not in {"static", "hashed"} and not model.strip():
        remedy = Sentence('Write {name} = "{provider}:<model name>".', name=name, provider=provider)
        yield _error(
            name,
            Sentence("'{name}' names the provider '{provider}' but no model.", name=name, provider=provider),
            remedy,
        )


def compatible_rule(config: Config) -> Iterator[ConfigFinding]:
    """An OpenAI-compatible service needs an address."""
    name = "embedding.base_url"
    if _provider(config) != COMPATIBLE:
        return
    if not config.text(name):
        yield _error(
            name,
            Sentence("'{name}' is empty, but '{compatible}' needs it.", name=name, compatible=COMPATIBLE),
            Sentence("Set {name}.", name=name),
        )
    elif _address(config) is None:
        yield _error(
            name,
            Sentence("'{name}' is no address.", name=name),
            Sentence("Correct it; it looks like https://example.org/v1."),
        )


def key_rule(config: Config) -> Iterator[ConfigFinding]:
    """Check that the variable named for a key is set.

    Its value is never shown, and the keyring is not asked here.
    """
    provider, name = _provider(config), "embedding.api_key_env"
    variable = config.text(name)
    if provider in LOCAL_PROVIDERS or not variable or config.environment.get(variable, "").strip():
        return
    what = Sentence(
        "The environment variable named in '{name}' holds no key for '{provider}'.", name=name, provider=provider
    )
    if variable == KEY_VARIABLES.get(provider, ""):
        what = Sentence(
            "The environment variable {variable} holds no key for '{provider}'.", variable=variable, provider=provider
        )
    yield _error(
        name, what, Sentence("Set it before the start, or leave {name} empty for the key in the keyring.", name=name)
    )


def address_rule(config: Config) -> Iterator[ConfigFinding]:
    """Texts do not travel in the clear."""
    name = "embedding.base_url"
    address = _address(config) if _provider(config) == COMPATIBLE else None
    if address is not None and address.scheme == "http" and address.hostname not in _NEARBY:
        what = Sentence("Texts and the key would travel to the embedding service unencrypted.")
        yield _warning(name, what, Sentence("Begin {name} with https://.", name=name))


def folder_rule(config: Config) -> Iterator[ConfigFinding]:
    """Folders are named by their whole path, and that of an offline model is there."""
    for name in ("capture.notes_folder", "embedding.model_folder", "search.reranker_folder"):
        if (folder := config.text(name)) and not is_whole_path(folder):
            yield _error(
                name,
                Sentence("'{name}' is no whole path, so it means another folder wherever Keepsake starts.", name=name),
                Sentence("Write it from the top or from '~'."),
            )
    for name in ("embedding.model_folder", "search.reranker_folder"):
        folder = config.text(name)
        if folder and is_whole_path(folder) and not Path(folder).expanduser().is_dir():
            yield _error(
                name,
                Sentence("'{name}' names no folder of this machine.", name=name),
                Sentence("Correct it, or leave it empty."),
            )


def dimensions_rule(config: Config) -> Iterator[ConfigFinding]:
    """Only a remote model can be asked for a length."""
    name = "embedding.dimensions"
    if config.whole(name) and _provider(config) in LOCAL_PROVIDERS:
        yield _warning(
            name,
            Sentence("'{name}' has no effect on a model of this machine.", name=name),
            Sentence("Take {name} out.", name=name),
        )


def chat_service_rule(config: Config) -> Iterator[ConfigFinding]:
    """A language model needs an address and a name."""
    if config.text("llm.provider") == "none":
        return
    for name, example in (("llm.base_url", "http://localhost:11434/v1"), ("llm.model", "llama3.2")):
        if not config.text(name).strip():
            what = Sentence("'{name}' is empty, so no language model is asked.", name=name)
            yield _error(
                name,
                what,
                Sentence(
                    'Set {name}, for example to "{example}", or llm.provider to "none".', name=name, example=example
                ),
            )
    address = _address(config, "llm.base_url")
    if config.text("llm.base_url") and address is None:
        yield _error(
            "llm.base_url",
            Sentence("'llm.base_url' is no address."),
            Sentence("Correct it; it looks like https://example.org/v1."),
        )
    elif address is not None and address.scheme == "http" and address.hostname not in _NEARBY:
        what = Sentence("Texts and the key would travel to the language model unencrypted.")
        yield _warning("llm.base_url", what, Sentence("Begin llm.base_url with https://."))


def chat_key_rule(config: Config) -> Iterator[ConfigFinding]:
    """Check that the variable named for the language model's key is set."""
    name = "llm.api_key_env"
    variable = config.text(name)
    if config.text("llm.provider") == "none" or not variable or config.environment.get(variable, "").strip():
        return
    what = Sentence("The environment variable named in '{name}' holds no key for the language model.", name=name)
    yield _error(
        name, what, Sentence("Set it before the start, or leave {name} empty for the key in the keyring.", name=name)
    )


def spending_rule(config: Config) -> Iterator[ConfigFinding]:
    """A spend cap needs prices."""
    name = "llm.monthly_cap"
    prices = ("llm.input_price", "llm.output_price")
    if config.text("llm.provider") != "none" and config.number(name) and not any(map(config.number, prices)):
        what = Sentence("'{name}' has no effect, as both prices are 0 and so nothing is counted as cost.", name=name)
        yield _warning(name, what, Sentence("Set {name}.", name=" and ".join(prices)))


def weights_rule(config: Config) -> Iterator[ConfigFinding]:
    """The weights of words and meaning are shares of one whole."""
    name, other = "search.vector_weight", "search.lexical_weight"
    total = config.number(name) + config.number(other)
    if total == 0:
        what = Sentence(
            "'{name}' and '{other}' are both 0, so the recipe 'weighted' puts nothing before anything.",
            name=name,
            other=other,
        )
        yield _error(name, what, Sentence("Set one of them above 0."))
    elif abs(total - 1) > _ROUNDING:
        what = Sentence(
            "'{name}' and '{other}' come to {total}, not to 1; only their ratio counts.",
            name=name,
            other=other,
            total=f"{total:g}",
        )
        yield _warning(
            name, what, Sentence("Set {other} to {name}.", other=other, name=f"{max(0.0, 1 - config.number(name)):g}")
        )


def summary_rule(config: Config) -> Iterator[ConfigFinding]:
    """Condensing starts above where it ends."""
    name, other = "sessions.summary_target", "sessions.summary_trigger"
    if config.number(name) >= config.number(other):
        what = Sentence(
            "'{name}' is not below '{other}', so condensing would begin again as soon as it ends.",
            name=name,
            other=other,
        )
        yield _error(name, what, Sentence("Set {name} below {other}.", name=name, other=f"{config.number(other):g}"))


def retain_rule(config: Config) -> Iterator[ConfigFinding]:
    """An emergency leaves no more than a compaction."""
    name, other = "sessions.emergency_retain", "sessions.retain_recent"
    if config.whole(name) > config.whole(other):
        what = Sentence(
            "'{name}' is above '{other}': an emergency would leave more messages than a usual compaction.",
            name=name,
            other=other,
        )
        yield _error(name, what, Sentence("Set {name} to {other} or less.", name=name, other=str(config.whole(other))))


def history_rule(config: Config) -> Iterator[ConfigFinding]:
    """Check that the messages left by a compaction can be restored."""
    name, other = "sessions.max_history", "sessions.retain_recent"
    if config.whole(name) < config.whole(other):
        what = Sentence(
            "'{name}' is below '{other}': some messages that a compaction leaves are never given to agents.",
            name=name,
            other=other,
        )
        yield _warning(
            name, what, Sentence("Set {name} to {other} or more.", name=name, other=str(config.whole(other)))
        )


def compression_rule(config: Config) -> Iterator[ConfigFinding]:
    """Compression comes before the archive."""
    name, other = "retention.archive_after_days", "retention.compress_after_days"
    if config.whole(name) <= config.whole(other):
        what = Sentence(
            "'{name}' is not above '{other}': observations are archived before they are compressed.",
            name=name,
            other=other,
        )
        yield _warning(name, what, Sentence("Set {name} above {other}.", name=name, other=str(config.whole(other))))


def deletion_rule(config: Config) -> Iterator[ConfigFinding]:
    """The archive keeps things longer than the vault did."""
    name, other = "retention.delete_archive_after_days", "retention.archive_after_days"
    if config.whole(name) <= config.whole(other):
        what = Sentence(
            "'{name}' is not above '{other}': the archive would be emptied as fast as it fills.", name=name, other=other
        )
        yield _error(name, what, Sentence("Set {name} above {other}.", name=name, other=str(config.whole(other))))


def cluster_rule(config: Config) -> Iterator[ConfigFinding]:
    """One run can hold one cluster."""
    name, other = "retention.max_rows_per_run", "retention.compression_min_cluster_size"
    if config.whole(name) < config.whole(other):
        what = Sentence("'{name}' is below '{other}', so nothing is ever compressed.", name=name, other=other)
        yield _error(name, what, Sentence("Set {name} to {other} or more.", name=name, other=str(config.whole(other))))


def decay_rule(config: Config) -> Iterator[ConfigFinding]:
    """A contradicted fact fades; it does not go at once."""
    name, other = "decay.threshold", "memories.conflict_confidence"
    if config.number(name) >= config.number(other):
        what = Sentence(
            "'{name}' is not below '{other}': a fact that a newer one contradicts is set aside at once.",
            name=name,
            other=other,
        )
        yield _warning(name, what, Sentence("Set {name} below {other}.", name=name, other=f"{config.number(other):g}"))


def loss_rule(config: Config) -> Iterator[ConfigFinding]:
    """A month may lose no less than a night."""
    name, other = "decay.max_share_month", "decay.max_share"
    if config.number(name) < config.number(other):
        what = Sentence(
            "'{name}' is below '{other}', so one run may take the budget of the whole month.", name=name, other=other
        )
        yield _warning(
            name, what, Sentence("Set {name} to {other} or more.", name=name, other=f"{config.number(other):g}")
        )


def reflection_rule(config: Config) -> Iterator[ConfigFinding]:
    """A reflection can look at as many facts as it needs."""
    name, other = "reflection.limit", "reflection.min_facts"
    if config.whole(name) < config.whole(other):
        what = Sentence("'{name}' is below '{other}', so no reflection is ever written.", name=name, other=other)
        yield _error(name, what, Sentence("Set {name} to {other} or more.", name=name, other=str(config.whole(other))))


def context_rule(config: Config) -> Iterator[ConfigFinding]:
    """Check that an agent's context leaves room for the conversation."""
    parts = ["context.max_tokens"] + ["context.index_max_tokens"] * config.flag("context.index")
    context, budget = sum(map(config.whole, parts)), config.whole("sessions.budget")
    if context >= budget:
        what = Sentence(
            "Facts and index may take {context} tokens, all of the {budget} in 'sessions.budget'.",
            context=str(context),
            budget=str(budget),
        )
        yield _warning(parts[0], what, Sentence("Lower {parts}, or raise sessions.budget.", parts=" and ".join(parts)))


def backup_rule(config: Config) -> Iterator[ConfigFinding]:
    """Backups that are kept are made."""
    name = "backup.daily"
    if not config.flag(name) and config.flag("retention.enabled"):
        what = Sentence("No daily backups are made, while old observations are archived and in time deleted.")
        yield _warning(name, what, Sentence("Set {name} to true, or retention.enabled to false.", name=name))


RULES: Final[tuple[Rule, ...]] = (
    vault_rule,
    provider_rule,
    compatible_rule,
    key_rule,
    address_rule,
    folder_rule,
    dimensions_rule,
    chat_service_rule,
    chat_key_rule,
    spending_rule,
    weights_rule,
    summary_rule,
    retain_rule,
    history_rule,
    compression_rule,
    deletion_rule,
    cluster_rule,
    decay_rule,
    loss_rule,
    reflection_rule,
    context_rule,
    backup_rule,
)


def _address(config: Config, name: str = "embedding.base_url") -> SplitResult | None:
    """Return the parts of the service's address, ``None`` where it is none."""
    try:
        address = urlsplit(config.text(name))
        is_one = bool(address.hostname) and address.port != 0
    except ValueError:
        return None
    return address if is_one else None


def _provider(config: Config) -> str:
    provider = config.text("embedding.model").partition(":")[0]
    return provider if provider in PROVIDERS else LOCAL_PROVIDERS[0]


def _error(name: str, what: str, remedy: str) -> ConfigFinding:
    return ConfigFinding(name, "error", what, remedy)


def _warning(name: str, what: str, remedy: str) -> ConfigFinding:
    return ConfigFinding(name, "warning", what, remedy)
