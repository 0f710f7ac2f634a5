"""Consolidates conversations: reads their pages, finds facts and stores them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

import apsw

from app.core.clock import Clock
from app.core.text import excerpt
from app.errors import AccessDeniedError, ModelUnavailableError
from app.history import history_repo
from app.llm.model import Usage
from app.store.store import Store
from app.upkeep.consolidation.contradictions import ContradictionJudge
from app.upkeep.consolidation.fact_finders import ModelFactFinder
from app.upkeep.consolidation.fact_writer import FactWriter
from app.upkeep.consolidation.model import (
    ConsolidationReport,
    ConsolidationTally,
    ConversationPage,
    FactChange,
    FoundFact,
    PageLine,
)
from app.upkeep.consolidation.page_reader import PageReader
from app.upkeep.upkeep_job import UpkeepRun

_log = logging.getLogger(__name__)

MODEL_WAIT_MS: Final = 24 * 3_600_000  # so long a conversation waits for a model that cannot be asked
MAX_FAILURES: Final = 3  # in a row, after which the model is not asked any more in this run
_SHOWN: Final = 200

RuleFinder = Callable[[Sequence[PageLine]], Sequence[FoundFact]]


class ConsolidationService:
    """Consolidates one conversation at a time.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
        reader: Reads pages.
        rules: Finds facts without a model.
        finder: Finds facts with a model.
        judge: Finds what they contradict.
        writer: Stores them.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        reader: PageReader,
        rules: RuleFinder,
        finder: ModelFactFinder,
        judge: ContradictionJudge,
        writer: FactWriter,
    ) -> None:
        self.reader = reader
        self.finder = finder
        self._store = store
        self._clock = clock
        self._rules = rules
        self._judge = judge
        self._writer = writer

    async def consolidate(self, session: str, run: UpkeepRun, tally: ConsolidationTally, *, model: bool = True) -> None:
        """Read the rest of a conversation, unless the run is cancelled meanwhile.

        Args:
            session: The conversation.
            run: The run that the changes belong to.
            tally: Counts what is done.
            model: False where the model is not to be asked.

        Raises:
            ModelUnavailableError: The model could not be asked; the conversation waits for it.
        """
        while not run.job.is_cancelled():
            page = await self.reader.next(session)
            if page is None:
                return
            facts = await self._facts(page, tally, asks=model)
            done = await self._writer.write(page, facts, run.id, run.publish)
            for outcome in done.outcomes:
                tally.add(outcome)
            tally.messages += page.count
            if page.is_last or done.is_overtaken:
                tally.sessions += 1
                return
            await asyncio.sleep(0)

    async def by_rules(self, page: ConversationPage) -> Sequence[FoundFact]:
        """Return the facts of a page that the rules find."""
        return await asyncio.to_thread(self._rules, page.lines) if page.lines else ()

    async def report(self, run_id: str, summary: str) -> ConsolidationReport:
        """Return what a run changed, by its history."""

        def work(connection: apsw.Connection) -> ConsolidationReport:
            facts_by_event: dict[str, dict[str, FactChange]] = {"added": {}, "merged": {}, "superseded": {}}
            standing: list[int] = []
            rows: Any = connection.execute("SELECT id FROM memory_history WHERE run_id = ? ORDER BY id", (run_id,))
            for (history_id,) in rows.fetchall():
                entry = history_repo.entry(connection, history_id)
                if entry is None or entry.undone_by is not None:
                    continue
                standing.append(history_id)
                state = entry.after or entry.before or {}
                kind = {"ADD": "added", "MENTION": "merged"}.get(entry.event, "superseded")
                is_naming = kind == "superseded" and entry.event == "UPDATE" and not _is_doubted(entry)
                if not is_naming:
                    content = excerpt(str(state.get("content", "")), _SHOWN)
                    facts_by_event[kind][entry.target] = FactChange(entry.target, content)
            lists = {name: tuple(changes.values()) for name, changes in facts_by_event.items()}
            return ConsolidationReport(run_id, summary, **lists, history_ids=tuple(standing))

        return await self._store.read(work)

    async def _facts(self, page: ConversationPage, tally: ConsolidationTally, *, asks: bool) -> Sequence[FoundFact]:
        if not page.lines or page.store is None:
            return ()
        if not self.finder.is_configured:
            return await self.by_rules(page)
        if not (asks and self.finder.is_available):
            if self._clock.now_ms() - page.changed_ms < MODEL_WAIT_MS:
                raise ModelUnavailableError("The language model cannot be asked now.", purpose="consolidation")
            return await self.by_rules(page)
        try:
            facts, usage = await self.finder.find(page)
        except AccessDeniedError:
            return await self.by_rules(page)
        except ModelUnavailableError:
            if self._clock.now_ms() - page.changed_ms < MODEL_WAIT_MS:
                raise
            _log.info("a page was read by rules, for the language model could not be asked")
            return await self.by_rules(page)
        _count(tally, usage)
        judged, usage = await self._judge.judge(facts, page.store)
        _count(tally, usage)
        return judged


def _count(tally: ConsolidationTally, usage: Usage) -> None:
    tally.cost += usage.cost
    tally.turns += 1 if usage.input_tokens or usage.output_tokens else 0


def _is_doubted(entry: history_repo.HistoryRow) -> bool:
    before, after = entry.before or {}, entry.after or {}
    return float(after.get("confidence", 1.0)) < float(before.get("confidence", 1.0))
