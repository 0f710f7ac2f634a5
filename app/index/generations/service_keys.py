"""Keys of the services that the settings name, and those that are in no place."""

from app.config.config import Config
from app.config.model import ConfigFinding
from app.embed.embedder_source import ChatServiceSource, EmbedderSource
from app.embed.remote.api_keys import COMPATIBLE, ApiKeys
from app.errors import InputError, ModelUnavailableError
from app.index.generations.service import configured_source
from app.sentence import Sentence


def chat_source(config: Config) -> ChatServiceSource:
    """Return the language model's service, to which its key belongs."""
    address, variable = config.text("llm.base_url"), config.text("llm.api_key_env")
    return ChatServiceSource(COMPATIBLE, base_url=address, api_key_env=variable)


def missing_keys(config: Config, keys: ApiKeys) -> list[ConfigFinding]:
    """Return the services in use whose key is in no place; may ask the keyring.

    A variable that the settings name has a rule of its own.
    """
    embedding, chat = configured_source(config), chat_source(config)
    used: list[tuple[str, EmbedderSource]] = []
    if embedding.is_remote and (embedding.base_url or embedding.provider != COMPATIBLE):
        used.append(("embedding.model", embedding))
    if config.text("llm.provider") != "none" and chat.base_url:
        used.append(("llm.base_url", chat))
    missing = list[ConfigFinding]()
    for name, source in used:
        try:
            if not source.api_key_env:
                keys.find(source)
        except ModelUnavailableError as error:
            remedy = Sentence("Put the key into its place, or choose a service that needs none.")
            missing.append(ConfigFinding(name, "error", error.sentence, remedy))
        except InputError:
            continue  # the address is wrong, which a rule of its own says
    return missing
