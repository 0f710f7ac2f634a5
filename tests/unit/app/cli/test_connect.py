"""Connections of commands to a vault that no host has open."""

import json
from pathlib import Path

import msgspec

from app.cli.connect import open_connection


def test_a_vault_opened_for_one_command_answers_with_json_values(tmp_path: Path) -> None:
    with open_connection(tmp_path / "vault") as connection:
        saved = connection.call("note.save", content="Pruned #roses today.", tags=["garden"])
        note = connection.call("note.get", id=saved["id"])
        stats = connection.call("vault.stats")
    assert note["tags"] == ["garden", "roses"]
    for value in (saved, note, stats):
        assert json.loads(msgspec.json.encode(value)) == value
