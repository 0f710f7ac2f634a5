"""``keepsake config``: closed vaults, damaged settings, and running hosts."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked

from app.__main__ import main
from app.config.config import FILE, Config
from app.config.keyring import Keyring
from app.embed.remote.api_keys import ApiKeys
from app.host import Host
from app.index.generations.service import configured_source
from tests.helpers.keyrings import MemoryKeyring

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def keepsake(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs ``keepsake config`` on the test's vault and gives status, output and errors."""
    for name in [name for name in os.environ if name.startswith("KEEPSAKE_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["--vault", str(tmp_path / "vault"), "config", *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_a_listing_has_sections_and_says_what_was_changed(keepsake: Run) -> None:
    assert keepsake("set", "search.limit", "60") == (0, "search.limit = 60\n", "")
    status, listing, _ = keepsake("list")
    assert status == 0
    assert "\n[store]\n" in listing
    assert "60  (config.toml; default 50)" in listing
    assert listing.count("default") == 1
    assert keepsake("list", "--changed")[1].split() == ["[search]", "limit", "60", "(config.toml;", "default", "50)"]
    assert "[store]" not in keepsake("list", "search")[1]
    assert "Results shown at once." in keepsake("list", "search", "--help-texts")[1]


def test_unknown_section(keepsake: Run) -> None:
    status, _, errors = keepsake("list", "serach")
    assert status == 65
    assert "Sections are" in errors


def test_nothing_changed_is_said(keepsake: Run, tmp_path: Path) -> None:
    assert keepsake("list", "--changed")[1] == "Every setting has its default value.\n"
    assert keepsake("get", "search.limit")[1] == "50\n"
    assert not (tmp_path / "vault").exists()


def test_the_environment_is_shown_and_cannot_be_set(keepsake: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPSAKE_SEARCH_LIMIT", "70")
    assert "70  (environment; default 50)" in keepsake("list")[1]
    status, _, errors = keepsake("set", "search.limit", "60")
    assert status == 65
    assert "KEEPSAKE_SEARCH_LIMIT" in errors


def test_change_with_a_problem_is_reported(keepsake: Run) -> None:
    status, said, errors = keepsake("set", "sessions.summary_target", "0.9")
    assert (status, said) == (0, "sessions.summary_target = 0.9\n")
    assert errors.startswith("error: 'sessions.summary_target' is not below")
    status, said, _ = keepsake("check")
    assert status == 1
    assert "Set sessions.summary_target below 0.8." in said
    assert keepsake("set", "sessions.summary_target", "0.5")[2] == ""
    assert keepsake("check")[:2] == (0, "The settings are in order.\n")


def test_settings_that_keep_the_vault_closed_can_be_mended(keepsake: Run, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / FILE).write_text("# mine\n[retention]\nenabled = 'perhaps'\n")
    status, said, _ = keepsake("check")
    assert status == 1
    assert "the vault stays closed" in said
    assert keepsake("set", "retention.enabled", "off")[:2] == (0, "retention.enabled = false\n")
    assert (tmp_path / "vault" / FILE).read_text() == "# mine\n[retention]\nenabled = false\n"
    assert keepsake("check")[0] == 0


def test_unreadable_file(keepsake: Run, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / FILE).write_text("[search\n")
    assert "line 1" in keepsake("check")[1]
    for verb in (("list",), ("get", "search.limit"), ("set", "search.limit", "60")):
        status, said, errors = keepsake(*verb)
        assert (status, said) == (65, "")
        assert "line 1" in errors
    assert (tmp_path / "vault" / FILE).read_text() == "[search\n"


@pytest.mark.parametrize(("name", "value"), [("no.such", "1"), ("search.limit", "many"), ("search.recipe", "best")])
def test_what_is_not_allowed(keepsake: Run, tmp_path: Path, name: str, value: str) -> None:
    assert keepsake("set", name, value)[0] == 65
    assert not (tmp_path / "vault").exists()


def test_running_host_is_called(keepsake: Run, tmp_path: Path) -> None:
    host = Host(tmp_path / "vault", overrides={"search.rrf_k": 7})
    host.start()
    try:
        assert keepsake("set", "search.limit", "60")[1] == "search.limit = 60\n"
        assert keepsake("get", "search.limit")[1] == "60\n"
        assert "7  (command line; default 60)" in keepsake("list", "search")[1]
        (tmp_path / "vault" / FILE).write_text("[serach]\n")
        status, said, _ = keepsake("check")
        assert status == 0
        assert "Did you mean 'search'?" in said
        assert [item.name for item in host.ask("settings.check")] == ["serach"]
    finally:
        host.stop()


def test_a_wrong_value_is_in_the_notes_of_the_open_vault(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / FILE).write_text("[search]\nlimit = 3\n")
    host = Host(tmp_path / "vault", serve=False)
    host.start()
    try:
        assert any("'search.limit' must be" in note for note in host.ask("vault.status").notes)
    finally:
        host.stop()


OPENAI = "[embedding]\nmodel = 'openai:text-embedding-3-small'\n"
CHAT = "[llm]\nprovider = 'openai-compatible'\nbase_url = 'https://chat.example/v1'\nmodel = 'm'\n"


@pytest.mark.parametrize("has_host", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("settings", [OPENAI, CHAT], ids=["embedding", "chat"])
def test_a_key_that_no_place_has_is_an_error_of_the_check(
    keepsake: Run,
    tmp_path: Path,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    has_host: bool,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    vault = tmp_path / "vault"
    vault.mkdir(mode=0o700)
    (vault / FILE).write_text(settings, "utf-8")
    host = Host(vault)
    with ExitStack() as stack:
        if has_host:
            host.start()
            stack.callback(host.stop)
        status, found, _ = keepsake("check")
        assert status == 1
        assert "error:" in found
        assert "key" in found
        assert "in order" not in found
    memory_keyring.fault = KeyringLocked("locked")
    status, found, _ = keepsake("check")
    assert (status, "locked" in found or "keyring" in found) == (1, True)


def test_a_key_in_the_keyring_puts_the_check_in_order(
    keepsake: Run, tmp_path: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    vault = tmp_path / "vault"
    vault.mkdir(mode=0o700)
    (vault / FILE).write_text(OPENAI, "utf-8")
    keys = ApiKeys({}, Keyring())
    keys.set(configured_source(Config(vault)), "sk-1234567890")
    keys.close()
    assert keepsake("check") == (0, "The settings are in order.\n", "")
