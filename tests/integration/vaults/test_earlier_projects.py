"""Transcripts that an earlier Keepsake took in get their projects once the vault was opened."""

from pathlib import Path

from app.host import Host
from tests.helpers.earlier_vaults import vault_before

ATTEMPTS = 1_000


def test_conversations_of_earlier_transcripts_get_projects(tmp_path: Path) -> None:
    older, garden = tmp_path / "older", tmp_path / "garden"
    (garden / ".git").mkdir(parents=True)
    (garden / ".git" / "config").write_text('[remote "origin"]\nurl = git@example.org:alice/garden.git\n')
    sessions = {
        "here": f'{{"cwd": "{garden}"}}',
        "away": '{"cwd": "/home/alice/mill"}',
        "home": '{"cwd": "/home/alice"}',
        "said": f'{{"cwd": "{garden}", "project": "bob/kiln"}}',
        "chat": "{}",
        "gemini:1": '{"project": "3f2a"}',
    }
    with vault_before("projects", older) as connection:
        for name, attributes in sessions.items():
            connection.execute(
                "INSERT INTO sessions (id, created_at, updated_at, first_seen, attributes, message_count)"
                " VALUES (?, 1, 1, 1, ?, 1)",
                (name, attributes),
            )
            connection.execute(
                "INSERT INTO messages (session_id, seq, role, content, created_at) VALUES (?, 1, 'user', 'lime', 1)",
                (name,),
            )
    for _ in range(2):
        host = Host(older, overrides={"embedding.model": "hashed"})
        host.start()
        try:
            expected = dict.fromkeys(sessions) | {"here": "alice/garden", "away": "~/mill", "said": "bob/kiln"}
            # They are found in the background, which ends by itself.
            for _ in range(ATTEMPTS):
                host.ask("vault.settle", names=True)
                projects = {session.id: session.attributes.get("project") for session in host.ask("session.list")}
                if projects["here"]:
                    break
            assert projects == expected
            host.ask("vault.settle", names=True)
            assert {row.name for row in host.ask("entity.list")} == {"alice/garden", "~/mill", "bob/kiln"}
        finally:
            host.stop()
