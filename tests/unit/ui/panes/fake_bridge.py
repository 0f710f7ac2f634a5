# ruff: noqa: A002  (parameters are called what the operations call them)
"""A vault in lists: what panes ask of the bridge, answered at once, at any size, without a host."""

import asyncio
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.api.registry import Reply
from app.changes import ChangeSet
from app.config.model import SettingValue
from app.core.facets import Facet, Facets
from app.core.text import excerpt
from app.errors import KeepsakeError, NotFoundError, StaleError
from app.explain.model import Explanation, Remedy
from app.history.model import HistoryEntry
from app.memories.model import ConfidencePoint, FactConfidence, Link, Links, Memory, MemoryRow
from app.retrieval.model import FacetCount, Found, Hit, LegScore, MonthCount, Query, Span, Term, Why
from app.retrieval.saved.model import SavedSearch
from app.sessions.model import Appended, Message, Session
from ui.typed_call import TypedCall

NOW = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Operator:
    """A search operator as the engine describes it."""

    name: str
    help: str
    values: tuple[str, ...] = ()


@dataclass
class FakeVault:
    """What is kept."""

    sessions: dict[str, Session] = field(default_factory=dict)
    messages: dict[str, list[Message]] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    history: list[HistoryEntry] = field(default_factory=list)
    saved: list[SavedSearch] = field(default_factory=list)

    def add_session(self, title: str, turns: list[tuple[str, str]], **known: Any) -> str:
        number = len(self.sessions)
        identity = known.pop("id", f"ses-{number:06}")
        began = known.pop("at", NOW - timedelta(hours=7 * number))
        step = known.pop("step", timedelta(minutes=3))
        rows = [
            Message(identity, seq, role, "", text, began + step * seq, known.get("importance", 0.5), 10)  # type: ignore[arg-type]
            for seq, (role, text) in enumerate(turns)
        ]
        self.messages[identity] = rows
        self.sessions[identity] = Session(
            identity, title, known.get("agent", ""), known.get("channel", ""), began,
            rows[-1].created_at if rows else began, len(rows), excerpt(turns[0][1], 120) if turns else "",
            known.get("consolidated_at"),
        )  # fmt: skip
        return identity

    def add_note(self, title: str, content: str = "", **known: Any) -> str:
        number = len(self.memories)
        identity = known.pop("id", f"note-{number:06}")
        made = known.pop("at", NOW - timedelta(hours=5 * number))
        base: dict[str, Any] = {"kind": "note", "store": "private", "source": "person"}
        self.memories[identity] = Memory(
            identity, title=title, content=content, created_at=made, updated_at=made, **{**base, **known}
        )
        return identity


class FakeBridge(QObject):
    """The bridge's interface over a ``ArchiveFilter``."""

    changed = Signal(object)
    progressed = Signal(object)
    failed = Signal(object)
    refresh_failed = Signal(object)

    def __init__(self, backend: FakeVault, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.backend = backend
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.faults: dict[str, KeepsakeError] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.settings: list[SettingValue] = []
        self._tasks: dict[asyncio.Task[Any], Any] = {}

    def start(self, work: Any, report: Any = None) -> "asyncio.Task[Any]":
        task = asyncio.get_event_loop().create_task(work)
        self._tasks[task] = report or self.failed.emit
        task.add_done_callback(self._on_done)
        return task

    def refresh(self, work: Any) -> "asyncio.Task[Any]":
        return self.start(work)

    def _on_done(self, task: "asyncio.Task[Any]") -> None:
        report = self._tasks.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if not isinstance(error, KeepsakeError):
                raise error
            report(error)

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def call(self, call: TypedCall[Any]) -> Any:
        return (await self.reply(call)).value

    async def reply(self, call: TypedCall[Any]) -> Reply:
        operation, arguments = call.operation, dict(call.arguments)
        self.calls.append((operation, arguments))
        await asyncio.sleep(0)
        if gate := self.gates.get(operation):
            await gate.wait()
        if fault := self.faults.get(operation):
            raise fault
        answer = getattr(self, "_" + operation.replace(".", "_"))(**arguments)
        if isinstance(answer, Reply):
            if answer.changes is not None:
                self.changed.emit(answer.changes)
            return answer
        return Reply(answer, None)

    def called(self, operation: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == operation]

    # --- sessions ---

    def _sessions(self, chosen: Any, order: str) -> list[Session]:
        words = chosen.text.casefold()
        rows = [
            one for one in self.backend.sessions.values()
            if words in f"{one.title} {one.agent}".casefold()
            and (not chosen.agent or one.agent == chosen.agent)
            and (chosen.pending is None or chosen.pending == (one.consolidated_at is None))
        ]  # fmt: skip
        keys: dict[str, Any] = {"title": lambda s: s.title, "messages": lambda s: -s.message_count}
        return sorted(rows, key=keys.get(order, lambda s: s.updated_at), reverse=order == "recent")

    def _session_ids(self, filter: Any, order: str) -> list[str]:
        return [one.id for one in self._sessions(filter, order)]

    def _session_rows(self, ids: list[str]) -> list[Session]:
        return [self.backend.sessions[one] for one in ids if one in self.backend.sessions]

    def _session_agents(self) -> list[Facet]:
        counts: dict[str, int] = {}
        for one in self.backend.sessions.values():
            counts[one.agent] = counts.get(one.agent, 0) + 1
        return [Facet(name, count) for name, count in sorted(counts.items())]

    def _session_groups(self, filter: Any, order: str) -> list[Facet]:
        return []

    def _session_memory_counts(self, sessions: list[str]) -> dict[str, int]:
        return {}

    def _entity_named(self, owners: list[str]) -> list[Any]:
        return []

    def _session_get(self, session: str) -> Session:
        if session not in self.backend.sessions:
            raise NotFoundError(f"There is no conversation {session}.")
        return self.backend.sessions[session]

    def _session_length(self, session: str) -> int:
        return len(self.backend.messages[session])

    def _session_messages(self, session: str, after: int = -1, limit: int = 200) -> list[Message]:
        return [one for one in self.backend.messages[session] if one.seq > after][:limit]

    def _session_before(self, session: str, seq: int, limit: int = 200) -> list[Message]:
        return [one for one in self.backend.messages[session] if one.seq < seq][-limit:]

    def _session_find(self, session: str, text: str, limit: int = 1000) -> list[int]:
        return [one.seq for one in self.backend.messages[session] if text.casefold() in one.content.casefold()][:limit]

    def _session_at(self, session: str, when: datetime) -> int | None:
        return next((one.seq for one in self.backend.messages[session] if one.created_at >= when), None)

    def _session_rename(self, session: str, title: str) -> Reply:
        self.backend.sessions[session] = replace(self._session_get(session), title=title)
        return Reply(self.backend.sessions[session], ChangeSet(frozenset({"sessions"}), (session,), history_ids=(1,)))

    def _session_forget(self, session: str) -> Reply:
        gone = self.backend.sessions.pop(session)
        return Reply(gone, ChangeSet(frozenset({"sessions", "messages"}), (session,), history_ids=(2,)))

    def _session_forget_many(self, sessions: list[str]) -> Reply:
        for session in sessions:
            del self.backend.sessions[session]
        areas = frozenset({"sessions", "messages"})
        return Reply(tuple(sessions), ChangeSet(areas, tuple(sessions), history_ids=(2, 3)))

    def _session_append(self, messages: list[Any], session: str | None = None, title: str = "", **known: Any) -> Reply:
        if session is None:
            session = self.backend.add_session(title, [], at=NOW, channel=known.get("channel", ""))
        rows = self.backend.messages[session]
        first = len(rows)
        rows += [
            Message(session, first + n, m.role, m.author, m.content, NOW, 0.5, 3) for n, m in enumerate(messages)
        ]  # fmt: skip
        self.backend.sessions[session] = replace(
            self.backend.sessions[session], message_count=len(rows), updated_at=NOW
        )
        done = Appended(session, tuple(range(first, len(rows))), first == 0)
        return Reply(done, ChangeSet(frozenset({"sessions", "messages"}), (session,)))

    # --- memories ---

    def _fits(self, one: Memory, chosen: Any) -> bool:
        words = chosen.text.casefold()
        return (
            (one.deleted_at is not None) == chosen.deleted
            and words in f"{one.title} {one.content}".casefold()
            and (not chosen.kinds or one.kind in chosen.kinds)
            and (not chosen.stores or one.store in chosen.stores)
            and all(any(t == w or t.startswith(w + "/") for t in one.tags) for w in chosen.tags)
            and (not chosen.source or one.source == chosen.source)
            and (chosen.pinned is None or one.pinned == chosen.pinned)
        )

    def _note_ids(self, filter: Any, order: str = "recent") -> list[str]:
        rows = [one for one in self.backend.memories.values() if self._fits(one, filter)]
        key = (lambda m: m.title) if order == "title" else (lambda m: m.updated_at)
        return [one.id for one in sorted(rows, key=key, reverse=order == "recent")]

    def _note_rows(self, ids: list[str]) -> list[MemoryRow]:
        found = (self.backend.memories.get(one) for one in ids)
        return [
            MemoryRow(
                m.id, m.kind, m.title, excerpt(m.content, 120), m.store, m.source, m.tags, m.updated_at, m.created_at,
                m.pinned, m.confidence,
            )
            for m in found if m is not None
        ]  # fmt: skip

    def _note_facets(self, filter: Any) -> Facets:
        rows = [one for one in self.backend.memories.values() if self._fits(one, filter)]

        def count(values: list[str]) -> tuple[Facet, ...]:
            return tuple(Facet(v, values.count(v)) for v in sorted(set(values)))

        return Facets(
            count([m.kind for m in rows]), count([t for m in rows for t in m.tags]),
            count([m.store for m in rows]), count([m.source for m in rows]),
        )  # fmt: skip

    def _note_entities(self, filter: Any, limit: int = 30) -> list[Any]:
        return []

    def _memory_on_this_day(self, day: Any, limit: int = 3) -> list[Any]:
        return []

    def _memory_related(self, text: str, without: Any = ()) -> list[Any]:
        return []

    def _note_days(self, first: Any, last: Any) -> list[Any]:
        return []

    def _note_mentions(self, id: str) -> list[Any]:
        return []

    def _note_templates(self) -> list[Any]:
        return []

    def _fact_beliefs(self, id: str) -> list[Any]:
        return []

    def _fact_confidence(self, id: str) -> FactConfidence:
        sure = self._note_get(id).confidence
        curve = tuple(ConfidencePoint(NOW + timedelta(days=day), sure) for day in (0, 30))
        return FactConfidence(sure, sure, 0.0, NOW, 0.05, kept="confirmed", curve=curve)

    def _note_change_many(self, ids: list[str], **given: Any) -> Reply:
        for one in ids:
            self.backend.memories[one] = replace(self._note_get(one), **given)
        return Reply(tuple(ids), ChangeSet(frozenset({"memories"}), tuple(ids), history_ids=(13,)))

    def _note_get(self, id: str) -> Memory:
        if id not in self.backend.memories:
            raise NotFoundError(f"There is no memory {id}.")
        return self.backend.memories[id]

    def _note_save(self, content: str, title: str = "", tags: Any = (), **known: Any) -> Reply:
        identity = self.backend.add_note(title, content, tags=tuple(tags), at=NOW, **known)
        return Reply(self.backend.memories[identity], ChangeSet(frozenset({"memories"}), (identity,), history_ids=(5,)))

    def _note_update(self, id: str, version: int, **given: Any) -> Reply:
        old = self._note_get(id)
        if old.version != version:
            raise StaleError("This memory was changed in the meantime.", id=id, version=old.version)
        given = {key: value for key, value in given.items() if value is not None}
        if "tags" in given:
            given["tags"] = tuple(given["tags"])
        new = replace(old, version=old.version + 1, updated_at=NOW, **given)
        self.backend.memories[id] = new
        self.backend.history.append(
            HistoryEntry(
                len(self.backend.history) + 1, "memory", id, "UPDATE", NOW, "person",
                {"content": old.content, "title": old.title}, {"content": new.content, "title": new.title},
            )
        )  # fmt: skip
        changes = ChangeSet(frozenset({"memories"}), (id,), history_ids=(len(self.backend.history),))
        return Reply(new, changes)

    def _note_delete(self, id: str) -> Reply:
        self.backend.memories[id] = replace(self._note_get(id), deleted_at=NOW)
        return Reply(self.backend.memories[id], ChangeSet(frozenset({"memories"}), (id,), history_ids=(7,)))

    def _note_delete_many(self, ids: list[str]) -> Reply:
        for one in ids:
            self._note_delete(one)
        return Reply(tuple(ids), ChangeSet(frozenset({"memories"}), tuple(ids), history_ids=(7, 8)))

    def _note_pin(self, id: str, pinned: bool = True) -> Reply:
        self.backend.memories[id] = replace(self._note_get(id), pinned=pinned)
        return Reply(self.backend.memories[id], ChangeSet(frozenset({"memories"}), (id,), history_ids=(12,)))

    def _note_restore(self, id: str) -> Reply:
        self.backend.memories[id] = replace(self._note_get(id), deleted_at=None)
        return Reply(self.backend.memories[id], ChangeSet(frozenset({"memories"}), (id,), history_ids=(9,)))

    def _note_tag_many(self, ids: list[str], add: Any = (), remove: Any = ()) -> Reply:
        for one in ids:
            old = self._note_get(one)
            self.backend.memories[one] = replace(old, tags=(*old.tags, *add), version=old.version + 1)
        return Reply(tuple(ids), ChangeSet(frozenset({"memories", "tags"}), tuple(ids), history_ids=(11,)))

    def _note_links(self, id: str) -> Links:
        by_title = {m.title: m.id for m in self.backend.memories.values()}
        me = self._note_get(id)
        out = [t.partition("|")[0] for t in re.findall(r"\[\[([^\]]+)\]\]", me.content)]
        back = [m for m in self.backend.memories.values() if f"[[{me.title}" in m.content and m.id != id]
        return Links(
            tuple(Link(by_title.get(t, ""), t) for t in out),
            tuple(Link(m.id, m.title, excerpt(m.content, 90)) for m in back),
        )

    def _note_titles(self, prefix: str = "", limit: int = 50) -> list[Link]:
        rows = self.backend.memories.values()
        return [Link(m.id, m.title) for m in rows if m.title.casefold().startswith(prefix.casefold())][:limit]

    def _note_resolve(self, title: str) -> str | None:
        return next((m.id for m in self.backend.memories.values() if m.title.casefold() == title.casefold()), None)

    def _tag_list(self, prefix: str = "", limit: int = 200) -> list[Facet]:
        tags = sorted({t for m in self.backend.memories.values() for t in m.tags if t.startswith(prefix)})
        return [Facet(tag, 1) for tag in tags][:limit]

    def _memory_history(self, target: str | None = None, limit: int = 50) -> list[HistoryEntry]:
        return [one for one in reversed(self.backend.history) if target in (None, one.target)][:limit]

    def _memory_undo(self, history_ids: list[int]) -> Reply:
        return Reply([90], ChangeSet(frozenset({"memories"}), (), history_ids=(90,)))

    # --- search ---

    def _session_list(self, filter: Any, limit: int = 50) -> list[Session]:
        return self._sessions(filter, "recent")[:limit]

    def _note_list(self, filter: Any, limit: int = 50) -> list[MemoryRow]:
        return self._note_rows(self._note_ids(filter)[:limit])

    def _search_explain(self, query: str, id: str, **_: Any) -> Explanation:
        remedies = (Remedy(f"{query} windscreen", 1),)
        return Explanation(f"{id}#0", "unpooled", "", terms=("car",), lacking=("frost",), remedies=remedies)

    def _memory_months(self, query: str) -> list[MonthCount]:
        hits = self._memory_search(query, limit=1000).hits
        months = [f"{one.created_at.astimezone():%Y-%m}" for one in hits]
        return [MonthCount(one, months.count(one)) for one in sorted(set(months))]

    def _saved_search_list(self) -> list[SavedSearch]:
        return list(self.backend.saved)

    def _saved_search_save(self, query: str, name: str = "") -> Reply:
        made = SavedSearch(f"srch-{len(self.backend.saved)}", name or query, query, NOW)
        if query not in [one.query for one in self.backend.saved]:
            self.backend.saved.append(made)
        return Reply(made, ChangeSet(frozenset({"saved_searches"}), (made.id,)))

    def _saved_search_rename(self, id: str, name: str) -> Reply:
        self.backend.saved = [replace(one, name=name) if one.id == id else one for one in self.backend.saved]
        return Reply(None, ChangeSet(frozenset({"saved_searches"}), (id,)))

    def _saved_search_delete(self, id: str) -> Reply:
        self.backend.saved = [one for one in self.backend.saved if one.id != id]
        return Reply(None, ChangeSet(frozenset({"saved_searches"}), (id,)))

    def _saved_search_order(self, ids: list[str]) -> Reply:
        self.backend.saved.sort(key=lambda one: ids.index(one.id))
        return Reply(None, ChangeSet(frozenset({"saved_searches"}), ()))

    def _settings_list(self) -> list[SettingValue]:
        return self.settings

    def _memory_operators(self) -> list[Operator]:
        return [
            Operator("kind", "Only this kind", ("message", "note", "fact")),
            Operator("tag", "Only with this tag"),
            Operator("agent", "Only with this agent", ("claude", "chatgpt")),
            Operator("role", "Who spoke", ("user", "assistant")),
            Operator("store", "Who may see it", ("private", "shared", "social")),
            Operator("before", "Before a day"),
            Operator("after", "From a day on", ("yesterday", "last week")),
            Operator("is", "State", ("pinned", "archived")),
        ]

    def _memory_parse(self, query: str) -> Query:
        terms, fields, hints = [], {}, []
        for part in re.findall(r'-?\w+:"[^"]*"|"[^"]*"|\S+', query):
            name, colon, value = part.partition(":")
            if colon and name in ("kind", "tag", "agent", "role", "store"):
                fields.setdefault(name + "s", []).append(value.strip('"'))
            elif colon:
                hints.append(f"There is no operator {name}:")
            else:
                phrase = part.startswith('"')
                terms.append(Term(part.strip('"-*'), phrase, part.endswith("*"), part.startswith("-")))
        return Query(query, tuple(terms), hints=tuple(hints), **{k: tuple(v) for k, v in fields.items()})

    def _memory_search(
        self, query: str, limit: int = 20, recipe: str | None = None, legs: Any = None, offset: int = 0, **_: Any
    ) -> Found:
        parsed = self._memory_parse(query)
        words = [t.text for t in parsed.terms if not t.excluded]
        hits = []
        for session, rows in self.backend.messages.items():
            head = self.backend.sessions.get(session)
            for m in rows if head else []:
                if words and all(w.casefold() in m.content.casefold() for w in words):
                    hits.append(self._hit(m.content, words, id=f"{session}#{m.seq}", target="message", kind="message",
                                          title=head.title, created_at=m.created_at, session_id=session, seq=m.seq,
                                          role=m.role, agent=head.agent))  # fmt: skip
                if len(hits) > 200:
                    break
        for m in self.backend.memories.values():
            if words and all(w.casefold() in f"{m.title} {m.content}".casefold() for w in words):
                known = {"kind": m.kind, "title": m.title, "tags": m.tags, "store": m.store}
                known["session_id"] = m.session_id
                hit = self._hit(m.content, words, id=m.id, target="memory", created_at=m.updated_at, **known)
                hits.append(hit)
        hits = [replace(h, score=1 / (n + 1)) for n, h in enumerate(hits)]
        kinds = [h.kind for h in hits]
        facets = tuple(FacetCount("kind", k, kinds.count(k)) for k in sorted(set(kinds)))
        facets += tuple(FacetCount("agent", a, 3) for a in sorted({h.agent for h in hits if h.agent}))
        ran = tuple(legs) if legs else ("words", "vector")
        return Found(
            parsed,
            recipe or "learned",
            tuple(hits[offset : offset + limit]),
            facets,
            len(hits),
            ran,
            parsed.hints,
            {"all": 4.2},
        )

    @staticmethod
    def _hit(text: str, words: list[str], **known: Any) -> Hit:
        snippet = excerpt(text, 180)
        spans = [
            Span(found.start(), found.end())
            for w in words
            for found in re.finditer(re.escape(w), snippet, re.IGNORECASE)
        ]
        why = Why(
            (LegScore("words", 1, 11.3, 0.5), LegScore("vector", 3, 0.62, 0.5)), tuple(words),
            {"recency": 0.7, "speaker named": 0.0, "window words": 0.9},
        )  # fmt: skip
        return Hit(snippet=snippet, highlights=tuple(spans), score=1.0, why=why, **known)


async def until(happened: Any, what: str = "") -> None:
    """Wait until ``happened()``; the test's own limit ends it otherwise."""
    for _ in range(2000):
        if happened():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"it never happened: {what}")
