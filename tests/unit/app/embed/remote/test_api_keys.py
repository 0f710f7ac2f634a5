"""Which key counts, and when it is looked up again."""

import pytest

from app.config.keyring import Keyring
from app.embed.embedder_source import EmbedderSource
from app.embed.remote.api_keys import ApiKeys
from app.errors import KeyringUnavailableError, ModelUnavailableError
from tests.helpers.keyrings import MemoryKeyring

OPENAI = EmbedderSource("openai:m")
KEY = ("Keepsake", "openai")


def test_named_variable_then_keyring_then_the_usual_variable(memory_keyring: MemoryKeyring) -> None:
    keys = ApiKeys({"OPENAI_API_KEY": "usual", "MY_KEY": " named "}, Keyring())
    named = EmbedderSource("openai:m", api_key_env="MY_KEY")
    assert keys.find(OPENAI) == ("usual", "the environment variable OPENAI_API_KEY")
    keys.set(OPENAI, "kept")
    assert keys.find(OPENAI) == ("kept", "the keyring")
    assert keys.find(named) == ("named", "the environment variable MY_KEY")
    with pytest.raises(ModelUnavailableError, match="variable EMPTY_KEY holds no key"):
        keys.find(EmbedderSource("openai:m", api_key_env="EMPTY_KEY"))


def test_the_keyring_is_asked_once(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.kept[KEY] = "kept"
    keys = ApiKeys({}, Keyring())
    key = keys.key_of(OPENAI)
    assert [key.value() for _ in range(5)] == ["kept"] * 5
    assert memory_keyring.requested == 1
    memory_keyring.kept[KEY] = "changed by another program"
    key.refused()
    assert key.value() == "changed by another program"
    keys.remove(OPENAI)
    with pytest.raises(ModelUnavailableError):
        key.value()


def test_a_keyring_that_does_not_answer_leaves_the_usual_variable(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.fault = OSError()
    assert ApiKeys({"OPENAI_API_KEY": "usual"}, Keyring()).find(OPENAI)[0] == "usual"
    with pytest.raises(ModelUnavailableError, match="gave no answer"):
        ApiKeys({}, Keyring()).find(OPENAI)
    # A service of this machine may still want the key that cannot be read.
    with pytest.raises(ModelUnavailableError, match="gave no answer"):
        ApiKeys({}, Keyring()).find(EmbedderSource("openai-compatible:m", base_url="http://localhost:1/v1"))


def test_a_key_that_could_not_be_replaced_is_still_the_old_one(memory_keyring: MemoryKeyring) -> None:
    keys = ApiKeys({}, Keyring())
    keys.set(OPENAI, "kept")
    assert keys.find(OPENAI)[0] == "kept"
    memory_keyring.fault = OSError()
    with pytest.raises(KeyringUnavailableError):
        keys.set(OPENAI, "new")
    assert keys.find(OPENAI)[0] == "kept"


def test_each_address_has_a_key_of_its_own(memory_keyring: MemoryKeyring) -> None:
    keys = ApiKeys({}, Keyring())
    source = EmbedderSource("openai-compatible:m", base_url="https://One.example/v1")
    other = EmbedderSource("openai-compatible:m", base_url="https://one.example:8443/v1")
    keys.set(source, "of one")
    assert keys.find(EmbedderSource("openai-compatible:n", base_url="https://one.example/v2"))[0] == "of one"
    with pytest.raises(ModelUnavailableError, match="keepsake secret set openai-compatible"):
        keys.find(other)


@pytest.mark.parametrize(
    ("name", "said"), [("TEAM_OPENAI_KEY", "variable TEAM_OPENAI_KEY"), ("AKIA5EXAMPLE8C1F", "embedding.api_key_env")]
)
def test_a_variable_is_named_only_where_its_name_is_no_key(name: str, said: str) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        ApiKeys({}).find(EmbedderSource("openai:m", api_key_env=name))
    assert said in caught.value.message
    assert (name in str(caught.value.as_dict())) == (name in said)
