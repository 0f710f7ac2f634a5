"""Whatever is done and undone, in any order: the vault checks clean and search knows what is there, no more."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from app.core.paths import migrations
from app.errors import InputError
from app.index import repo
from app.store.store import DATABASE, Store
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

SESSIONS = st.sampled_from(["s", "t", "u"])
TEXTS = st.sampled_from(["heron", "heron and kingfisher", "#tag kingfisher", "long " * 300, "[[Other]] "])


class Vault(RuleBasedStateMachine):
    """A vault under any sequence of changes."""

    entries = Bundle("entries")
    notes = Bundle("notes")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.folder.chmod(0o700)
        if TEMPLATE is not None:
            shutil.copy(TEMPLATE, self.folder / DATABASE)
            (self.folder / DATABASE).chmod(0o600)
        self.vault_harness = VaultHarness(self.folder)

    def teardown(self) -> None:
        self.vault_harness.close()
        shutil.rmtree(self.folder)

    @rule(session=SESSIONS, text=TEXTS)
    def say(self, session: str, text: str) -> None:
        try:
            self.vault_harness.say(text, session=session)
        except InputError as error:
            assert "forgotten" in error.message  # noqa: PT017

    @rule(target=entries, session=SESSIONS, title=TEXTS)
    def rename(self, session: str, title: str) -> object:
        return self.tried(lambda: self.vault_harness.do(self.vault_harness.sessions.rename(session, title, "person")))

    @rule(target=entries, session=SESSIONS)
    def forget(self, session: str) -> object:
        return self.tried(lambda: self.vault_harness.do(self.vault_harness.sessions.forget(session, "person")))

    @rule(target=notes, text=TEXTS, session=st.none() | SESSIONS)
    def save(self, text: str, session: str | None) -> str:
        return self.vault_harness.save(text, title=text[:5], session_id=session).id

    @rule(target=entries, note=notes, text=TEXTS, pause=st.sampled_from([0, 400_000]))
    def write(self, note: str, text: str, pause: int) -> object:
        self.vault_harness.clock.ms += pause
        versions = self.vault_harness.rows("SELECT version FROM memories WHERE id = ?", note)
        return self.tried(
            lambda: self.vault_harness.do(
                self.vault_harness.memories.update(EVERYTHING, note, versions[0][0], content=text)
            )
        )

    @rule(target=entries, note=notes)
    def delete(self, note: str) -> object:
        return self.tried(lambda: self.vault_harness.do(self.vault_harness.memories.delete(EVERYTHING, note)))

    @rule(target=entries, note=notes)
    def restore(self, note: str) -> object:
        return self.tried(lambda: self.vault_harness.do(self.vault_harness.memories.restore(EVERYTHING, note)))

    @rule(target=entries, entry=entries)
    def undo(self, entry: int) -> object:
        try:
            return multiple(*self.vault_harness.undo(entry))
        except InputError:
            return multiple()

    @rule()
    def catch_up(self) -> None:
        self.vault_harness.sync()
        assert self.vault_harness.wrong_vectors() == []

    @staticmethod
    def tried(work: object) -> object:
        try:
            return multiple(*work().changes.history_ids)  # type: ignore[operator]
        except InputError:
            return multiple()

    @invariant()
    def is_sound(self) -> None:
        assert self.vault_harness.check() == []

    @invariant()
    def search_knows_what_is_there(self) -> None:
        found = self.vault_harness.rows("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'heron AND NOT_THERE'")
        assert found == [(0,)]
        turns = self.vault_harness.rows(
            "SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id"
            " WHERE s.forgotten_at IS NULL AND m.content LIKE '%kingfisher%'"
        )
        notes = self.vault_harness.rows(
            "SELECT count(*) FROM memories WHERE valid_until IS NULL AND content LIKE '%kingfisher%'"
        )
        found = self.vault_harness.rows(
            "SELECT count(DISTINCT kind || coalesce(memory_id, session_id || '#' || seq_start)) FROM chunks c"
            " WHERE kind <> 'passage' AND id IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'kingfisher')"
            f" AND {repo.NOT_HIDDEN}"
        )
        assert found[0][0] == turns[0][0] + notes[0][0]


def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="keepsake-template-"))
    Store.open(folder, migrations()).close()
    return folder / DATABASE


TEMPLATE: Path | None = None


class TestVault(Vault.TestCase):  # type: ignore[misc]
    """Runs the sequences."""

    settings = settings(max_examples=25, stateful_step_count=30, suppress_health_check=list(HealthCheck))

    def runTest(self) -> None:
        global TEMPLATE  # noqa: PLW0603
        TEMPLATE = _template()
        try:
            super().runTest()
        finally:
            shutil.rmtree(TEMPLATE.parent)
            TEMPLATE = None
