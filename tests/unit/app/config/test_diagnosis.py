"""Diagnosis of settings: each rule, and no secret in any finding."""

import os
import re
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from app.config.config import FILE, Config
from app.config.diagnosis import diagnose, findings
from app.config.rules import PROVIDERS
from app.config.schema import SETTINGS
from app.embed import embedder_factory

KEY = "sk-live-8c1f0d"


def found(vault: Path, text: str = "", **environment: str) -> dict[str, str]:
    if text:
        (vault / FILE).write_text(text, encoding="utf-8")
    return {item.name: f"{item.severity}: {item.what} {item.remedy}" for item in diagnose(vault, {}, environment)}


def test_nothing_is_wrong_with_the_defaults(tmp_path: Path) -> None:
    assert found(tmp_path) == {}
    assert findings(Config(tmp_path / "none yet", environment={})) == []


CROSS = [
    ("search.vector_weight", "[search]\nvector_weight = 0\nlexical_weight = 0.0\n", "error: .* both 0"),
    ("search.vector_weight", "[search]\nvector_weight = 0.9\n", "warning: .* come to 1.2, .*lexical_weight to 0.1"),
    ("sessions.summary_target", "[sessions]\nsummary_target = 0.8\n", "error: .* not below 'sessions.summary_trigger'"),
    ("sessions.emergency_retain", "[sessions]\nretain_recent = 3\n", "error: .* above 'sessions.retain_recent'"),
    ("sessions.max_history", "[sessions]\nmax_history = 10\n", "warning: .* below 'sessions.retain_recent'"),
    (
        "retention.archive_after_days",
        "[retention]\narchive_after_days = 14\n",
        "warning: .* before they are compressed",
    ),
    (
        "retention.delete_archive_after_days",
        "[retention]\ndelete_archive_after_days = 30\n",
        "error: .* not above 'retention.archive_after_days'",
    ),
    ("retention.max_rows_per_run", "[retention]\nmax_rows_per_run = 2\n", "error: .* nothing is ever compressed"),
    ("decay.threshold", "[decay]\nthreshold = 0.3\n", "warning: .* set aside at once"),
    ("reflection.limit", "[reflection]\nlimit = 2\n", "error: .* no reflection"),
    ("context.max_tokens", "[context]\nmax_tokens = 7000\n", "warning: .* 8000 tokens, all of the 8000"),
    ("backup.daily", "[backup]\ndaily = false\n", "warning: No daily backups"),
    ("embedding.model", "[embedding]\nmodel = 'statik'\n", "error: .* does not know. Choose one of static"),
    ("embedding.model", "[embedding]\nmodel = 'fastembed'\n", "error: .* but no model"),
    ("embedding.model", "[embedding]\nmodel = 'openai: '\n", "error: .* but no model"),
    ("embedding.model", "[embedding]\nmodel = 'static:big'\n", "error: .* takes no model"),
    ("embedding.model_folder", "[embedding]\nmodel_folder = '/no/such/folder'\n", "error: .* no folder"),
    ("capture.notes_folder", "[capture]\nnotes_folder = 'notes'\n", "error: .* no whole path"),
    ("embedding.dimensions", "[embedding]\ndimensions = 256\n", "warning: .* no effect on a model of this machine"),
    ("embedding.base_url", "[embedding]\nmodel = 'openai-compatible:m'\n", "error: .* is empty"),
    (
        "embedding.base_url",
        "[embedding]\nmodel = 'openai-compatible:m'\nbase_url = 'https://[h'\n",
        "error: .* no addr",
    ),
    ("embedding.base_url", "[embedding]\nbase_url = 'https://h/v1?key=k'\n", "error: .* question mark"),
    (
        "embedding.base_url",
        "[embedding]\nmodel = 'openai-compatible:m'\nbase_url = 'http://example.org/v1'\napi_key_env = 'K'\n",
        "warning: .* unencrypted",
    ),
    (
        "embedding.api_key_env",
        "[embedding]\nmodel = 'voyage:voyage-3'\napi_key_env = 'VOYAGE_API_KEY'\n",
        "error: .* VOYAGE_API_KEY holds no key.*empty for the key in the keyring",
    ),
    ("embedding.api_key_env", "[embedding]\napi_key_env = 'aVoyageKey0123456789'\n", "error: .* in capital letters"),
]


@pytest.mark.parametrize(("name", "text", "sentence"), CROSS, ids=lambda value: value[:40])
def test_what_settings_demand_of_each_other(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    assert name in found(tmp_path, text)
    assert re.match(sentence, found(tmp_path, text)[name], re.DOTALL)


BOUNDS = [
    ("context.index_limit", 0, "1 to 1000"),
    ("context.index_max_tokens", 0, "1 to 200000"),
    ("context.index_recent_days", 0, "1 to 30"),
    ("context.index_recent_days", 31, "1 to 30"),
    ("capture.min_turn_messages", 0, "1 to 1000"),
    ("retention.archive_after_days", 0, "1 to"),
    ("retention.compress_after_days", 0, "1 to"),
    ("retention.compression_min_cluster_size", 1, "2 to"),
    ("retention.max_rows_per_run", 0, "1 to"),
    ("embedding.dimensions", 8193, "0 to 8192"),
    ("backup.keep_daily", 0, "1 to"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BOUNDS)
def test_bounds(tmp_path: Path, name: str, value: int, allowed: str) -> None:
    section, key = name.split(".")
    line = found(tmp_path, f"[{section}]\n{key} = {value}\n")[name]
    assert line.startswith("error: ")
    assert allowed in line
    assert "until then the default counts" in line


def test_deletion_of_the_archive_is_never_guessed(tmp_path: Path) -> None:
    line = found(tmp_path, "[retention]\ndelete_archive_after_days = 0\n")["retention.delete_archive_after_days"]
    assert "the vault stays closed" in line


def test_a_key_in_the_environment_or_the_keyring_is_enough_and_never_shown(tmp_path: Path) -> None:
    text = "[embedding]\nmodel = 'openai:text-embedding-3-small'\n"
    assert found(tmp_path, text, OPENAI_API_KEY=KEY) == found(tmp_path, text) == {}
    named = text + "api_key_env = 'MINE'\n"
    assert "'embedding.api_key_env'" in found(tmp_path, named, OPENAI_API_KEY=KEY)["embedding.api_key_env"]
    assert found(tmp_path, named, MINE=KEY) == {}


@pytest.mark.parametrize(
    "place", ["api_key = '{}'", "model = '{}'", "api_key_env = '{}'", "base_url = 'https://u:{}@h'"]
)
def test_a_key_put_anywhere_is_not_repeated(tmp_path: Path, place: str) -> None:
    lines = found(tmp_path, f"[embedding]\n{place.format(KEY)}\n")
    assert lines
    assert KEY not in str(lines)


def test_a_key_that_is_a_name_is_not_repeated(tmp_path: Path) -> None:
    key = "AKIA5EXAMPLE8C1F"
    lines = found(tmp_path, f"[embedding]\nmodel = 'cohere:m'\napi_key_env = '{key}'\n{key} = 1\n")
    assert "embedding.api_key_env" in lines
    assert key not in lines["embedding.api_key_env"]


def test_unknown_names_are_reported_with_the_nearest_name(tmp_path: Path) -> None:
    lines = found(
        tmp_path,
        "alone = 1\nsearch_limit = 2\n[serach]\nlimit = 3\n[search]\nlimt = 4\n'odd name' = 5\n[other]\nmine = 6\n",
        KEEPSAKE_SEARCH_LIMT="5",
        KEEPSAKE_VAULT="/x",
        KEEPSAKE_ODD="1",
    )
    assert "Did you mean 'search.limit'?" in lines["search.limt"]
    assert "Did you mean 'search'?" in lines["serach"]
    assert "Did you mean 'KEEPSAKE_SEARCH_LIMIT'?" in lines["KEEPSAKE_SEARCH_LIMT"]
    assert {"alone", "search_limit", "other", FILE, "KEEPSAKE_ODD"} <= lines.keys()
    assert "odd name" not in str(lines)
    assert {line.partition(":")[0] for line in lines.values()} == {"warning"}


def test_variables_that_are_no_settings_are_known(tmp_path: Path) -> None:
    assert found(tmp_path, KEEPSAKE_PASSPHRASE="x", KEEPSAKE_TOKEN="x", KEEPSAKE_VAULT="/x") == {}


def test_a_section_that_is_a_value(tmp_path: Path) -> None:
    assert "Write [search]" in found(tmp_path, "search = 3\n")["search"]


def test_wrong_values_name_their_place_and_what_counts_instead(tmp_path: Path) -> None:
    lines = found(tmp_path, "[search]\nlimit = 'x'\nrrf_k = 70\n", KEEPSAKE_SEARCH_RRF_K="many")
    assert "In config.toml" in lines["search.limit"]
    assert "the default counts" in lines["search.limit"]
    assert "KEEPSAKE_SEARCH_RRF_K" in lines["search.rrf_k"]
    assert "the value in config.toml counts" in lines["search.rrf_k"]


@pytest.mark.parametrize("data", [b"[search\n", b"\xff", b"a=1\na=2", b"# x\n" * 300_000])
def test_an_unreadable_file_is_one_finding(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    (only,) = diagnose(tmp_path, {}, {})
    assert (only.name, only.severity) == (FILE, "error")


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    (only,) = diagnose(tmp_path, {}, {})
    assert only.name == FILE


def test_a_vault_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "no folder" in found(tmp_path / "file" / "vault")["vault"]


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="the owner may write everywhere")
def test_a_vault_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert "cannot be written" in found(tmp_path / "vault")["vault"]
    finally:
        tmp_path.chmod(0o700)


def test_errors_come_first(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[x]\n[search]\nlimit = 'x'\n[decay]\nthreshold = 0.9\n")
    kinds = [item.severity for item in diagnose(tmp_path, {}, {})]
    assert kinds == sorted(kinds)
    assert {"error", "warning"} == set(kinds)


def test_every_embedder_there_is_counts_as_known() -> None:
    assert set(embedder_factory._OPTIONS) <= set(PROVIDERS)


def test_what_overrides_say_is_checked_too(tmp_path: Path) -> None:
    wrong = Config(tmp_path, {"sessions.summary_target": 0.9}, {})
    assert [item.name for item in findings(wrong)] == ["sessions.summary_target"]


TOML = st.recursive(
    st.one_of(st.integers(-5, 10_000), st.floats(allow_nan=True), st.booleans(), st.text(max_size=12)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(values=st.dictionaries(st.sampled_from([item.name for item in SETTINGS]), TOML, max_size=12))
def test_any_values_are_diagnosed(tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]) -> None:
    tables: dict[str, dict[str, object]] = {}
    for name, value in values.items():
        section, key = name.split(".")
        tables.setdefault(section, {})[key] = value
    folder = tmp_path_factory.mktemp("settings")
    (folder / FILE).write_text(tomlkit.dumps(tables), encoding="utf-8")
    lenient = Config(folder, environment={}, strict=False)
    wrong = {fault.item.name for fault in lenient.faults}
    assert wrong <= {item.name for item in diagnose(folder, {}, {})}
    assert {item.name for item in lenient.values() if item.source == "file"} == set(values) - wrong
