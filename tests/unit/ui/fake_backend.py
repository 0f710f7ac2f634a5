"""A vault that answers from memory: what the frame's widgets need of the engine, and no more."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from app.agents.model import AccessRequest
from app.api.registry import Reply
from app.changes import ChangeSet, Listener
from app.config.model import SecretStatus, SettingValue
from app.config.schema import SETTINGS
from app.encryption.model import EncryptionState, EncryptionStatus
from app.entities.model import GraphView
from app.errors import KeepsakeError, NotFoundError
from app.exchange.model import ImportPreview, ImportReport
from app.history.acts.model import Act, ActPage, NextSteps, UndoneAct
from app.memories.foreign_record import Problem
from app.memories.model import Link
from app.sessions.model import Session

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


@dataclass
class FakeBackend:
    """Answers calls at once and remembers them; ``refuse`` makes an operation fail."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refuse: dict[str, KeepsakeError] = field(default_factory=dict)
    pending: int = 0
    read_only: str = ""
    settings: dict[str, SettingValue] = field(default_factory=dict)
    listeners: list[Listener] = field(default_factory=list)
    next_id: int = 100
    keyring: str = "the test's keyring"
    keys: dict[str, str] = field(default_factory=dict)
    access_requests: list[AccessRequest] = field(default_factory=list)
    encryption: EncryptionState = EncryptionState.NONE
    jobs: list[Any] = field(default_factory=list)
    steps: NextSteps = field(default_factory=NextSteps)
    before: NextSteps = field(default_factory=NextSteps)

    def __post_init__(self) -> None:
        for item in SETTINGS:
            self.settings[item.name] = SettingValue(
                item.name, item.default, item.default, "default", item.type, item.help, item.choices,
                item.minimum, item.maximum, item.restart,
            )  # fmt: skip

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        self.calls.append((operation, dict(arguments)))
        answer: Future[Reply] = Future()
        if operation in self.refuse:
            answer.set_exception(self.refuse[operation])
            return answer
        value = getattr(self, operation.replace(".", "_"), self._unknown)(**arguments)
        changes = None
        if operation in {"note.save", "memory.undo"}:
            changes = ChangeSet(frozenset({"memories"}), history_ids=(self.next_id,))
        answer.set_result(Reply(value, changes))
        return answer

    def requested(self, operation: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == operation]

    def history_next(self) -> NextSteps:
        return self.steps

    def history_step(self, step: str) -> UndoneAct:
        done = (self.before.undo if step == "undo" else self.before.redo) or self.steps.undo
        assert isinstance(done, Act)
        return UndoneAct(done, (self.next_id,))

    def set_steps(self, steps: NextSteps) -> None:
        """Let other steps be next, and tell the window that something changed."""
        self.before, self.steps = self.steps, steps
        for listener in self.listeners:
            listener(ChangeSet(frozenset({"memories"})))

    def history_list(self, who: str = "all", limit: int = 50, cursor: str = "") -> ActPage:
        return ActPage(())

    def memory_stats(self) -> Any:
        return SimpleNamespace(sessions=312, messages=9000, memories=41208, disk_bytes=10**8)

    def vault_status(self) -> Any:
        return SimpleNamespace(
            pending_vectors=self.pending,
            total_chunks=60000,
            notes=(),
            jobs=(),
            pending_names=0,
            running=(),
            next_name="",
            next_at=None,
            agents=(),
            read_only=self.read_only,
            embedder="static-256",
            memories=41208,
            sessions=312,
        )

    def encryption_status(self) -> EncryptionStatus:
        return EncryptionStatus(self.encryption, is_available=True, is_unlocked=True, is_in_keyring=False, cipher="")

    def job_list(self) -> list[Any]:
        return self.jobs

    def settings_list(self) -> list[SettingValue]:
        return list(self.settings.values())

    def settings_set(self, name: str, value: Any) -> SettingValue:
        old = self.settings[name]
        self.settings[name] = SettingValue(
            name, value, old.default, "file", old.type, old.help, old.choices, old.minimum, old.maximum, old.restart
        )
        return self.settings[name]

    def settings_check(self) -> list[Any]:
        return []

    def llm_status(self) -> Any:
        return SimpleNamespace(
            is_configured=False, is_local=False, sent="Nothing is sent.", spent_this_month=0.0, monthly_cap=0.0
        )

    def llm_usage(self, months: int = 12) -> list[Any]:
        return []

    def backup_list(self) -> list[Any]:
        return []

    def backup_status(self) -> Any:
        return SimpleNamespace(folder="", restore_waits=False, failure="")

    def vault_trace(self, limit: int = 200, contains: str = "") -> list[Any]:
        return []

    def secret_status(self, name: str) -> SecretStatus:
        if not self.keyring:
            return SecretStatus(name, "none", note="This machine has no keyring.")
        if name in self.keys:
            return SecretStatus(name, "keyring", self.keyring, self.keyring, is_kept=True)
        return SecretStatus(name, "none", "", self.keyring)

    def secret_set(self, name: str, value: str) -> SecretStatus:
        self.keys[name] = value
        return self.secret_status(name)

    def secret_remove(self, name: str) -> SecretStatus:
        self.keys.pop(name, None)
        return self.secret_status(name)

    def memory_undo(self, history_ids: list[int]) -> list[int]:
        self.next_id += 1
        return [self.next_id]

    def note_save(self, content: str, title: str = "") -> Any:
        self.next_id += 1
        return SimpleNamespace(id=f"note-{self.next_id}", title=title, content=content)

    def note_titles(self, prefix: str = "", contains: str = "", limit: int = 50) -> list[Link]:
        titles = ["Rose list", "Garden plan", "Kite project", "Reading list 2026", "Roses for the east wall"]
        return [
            Link(f"note-{n}", title)
            for n, title in enumerate(titles)
            if title.lower().startswith(prefix.lower()) and contains.lower() in title.lower()
        ]

    def note_list(self, **_: Any) -> list[Any]:
        return []

    def note_rows(self, ids: list[str]) -> list[Any]:
        return []

    def memory_operators(self) -> list[Any]:
        return []

    def saved_search_list(self) -> list[Any]:
        return []

    def tag_list(self, prefix: str = "", limit: int = 50) -> list[Any]:
        return []

    def entity_ids(self, **_: Any) -> list[str]:
        return []

    def entity_list(self, **_: Any) -> list[Any]:
        return []

    def entity_graph(self, **_: Any) -> GraphView:
        return GraphView()

    def session_list(self, **_: Any) -> list[Session]:
        return [Session("ses-1", "Which roses for a north wall?", "claude", "", MORNING, MORNING, 12)]

    def exchange_preview(self, path: str, passphrase: str) -> Any:
        return ImportPreview("chatgpt", 48_200_000, "2023-02-11 to 2026-11-02", 0, 312, 9041, secrets=2)

    def exchange_unfinished(self) -> list[Any]:
        return []

    def exchange_import(self, path: str, job: str = "", skip_secrets: bool = False, **_: object) -> ImportReport:
        problems = (
            Problem('conversations.json, conversation 3 ("Trip"), message 7', "The message has no text."),
            Problem("conversations.json, conversation 41", "Its date is in the year 1970.", lost=False),
        )
        return ImportReport(path, "chatgpt", 312, 9041, 0, 12, 0, problems, 2, seconds=14.2)

    def agent_requests(self) -> list[AccessRequest]:
        return self.access_requests

    def inbox_count(self) -> int:
        return 0

    def job_cancel(self, job: str) -> bool:
        return True

    @staticmethod
    def _unknown(**_: Any) -> Any:
        raise NotFoundError("The fake backend does not answer that.")
