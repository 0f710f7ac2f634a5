"""Health service: a report of findings, with a plan and a fix for each."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import apsw

from app.agents.service import AgentService
from app.changes import Changed, ChangeSet
from app.core.access import Access
from app.core.clock import DAY_MS
from app.core.ids import new_id
from app.core.text import counted
from app.entities.entity_edits import EntityEdits
from app.errors import InputError
from app.jobs import Job
from app.memories.unit_of_work import MemoryUnitOfWork, join_changes
from app.memories.writer import MemoryWriter
from app.sentence import Sentence
from app.upkeep.health import finding_texts, growth, repo, steps
from app.upkeep.health.fixes import FIXES, retire
from app.upkeep.health.model import FIXABLE, FindingId, FixStep, HealthExample, HealthFinding, HealthFix, HealthReport
from app.upkeep.health.secret_scan import SecretScan
from app.upkeep.health.survey import SourceCount, Survey
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan

ACTOR: Final = "health"
_PAGE: Final = 1_000  # memories read in one transaction
_SHOWN: Final = 100  # changes of a plan
_EXAMPLES: Final = 10
_ROUNDS: Final = 3  # merging can bring out a further duplicate
_MOST_ENTITIES: Final = 10_000
_TRANSACTION_S: Final = 0.003
_LEAST_WRITES: Final = 10
_MOSTLY: Final = 0.6
_ECHOING: Final = 0.2


class HealthService:
    """Findings about a vault's content, and fixes that can be undone.

    Args:
        transactions: Opens transactions that write memories.
        agents: The registered agents.
        similarity: Returns the share of common words from which memories are compared as duplicates.
    """

    def __init__(self, transactions: MemoryUnitOfWork, agents: AgentService, similarity: Callable[[], float]) -> None:
        self._transactions = transactions
        self._store = transactions.store
        self._agents = agents
        self._similarity = similarity
        self._secrets = SecretScan(self._store)

    async def report(self) -> HealthReport:
        """Return the findings, the most severe first; changes nothing.

        Messages are searched for secrets for some seconds at most; the next report goes on.
        """
        survey = await self._survey()
        findings = [await self._fixable(survey, name) for name in FIXABLE]
        findings += [await self._sources(survey), await self._echoes()]
        grown = await self._store.read(partial(growth.measure, survey=survey), is_background=True)
        findings.append(finding_texts.growth_finding(grown))
        searched, last = await self._secrets.go_on()
        findings = [
            await self._with_messages(finding, last - searched) if finding.id == "secrets" else finding
            for finding in findings
        ]
        shown_findings = sorted(
            (finding for finding in findings if finding.count),
            key=lambda finding: finding_texts.SEVERITIES.index(finding.severity),
        )
        return HealthReport(tuple(shown_findings), survey.active, searched, grown, max(0, last - searched))

    async def plan(self, finding: FindingId) -> UpkeepPlan:
        """Return what the fix of a finding would change; changes nothing.

        Raises:
            InputError: It has no fix.
        """
        _require_fix(finding)
        steps = await self._steps(await self._survey(), finding)
        titles = await self._titles(steps[:_SHOWN])
        changes = tuple(
            PlannedChange(step.action, step.id, titles.get(step.id, ""), step.detail) for step in steps[:_SHOWN]
        )
        return UpkeepPlan(
            f"{ACTOR}.{finding}",
            finding_texts.plan(finding, len(steps)),
            len(steps),
            changes,
            finding_texts.notes(finding),
        )

    async def fix(self, finding: FindingId, job: Job) -> Changed[HealthFix]:
        """Do what the plan says, in short transactions, as one run.

        What was changed in the meantime is left. Cancelled, it keeps what it has done, and does the rest when it is
        called again.

        Raises:
            InputError: The finding has no fix.
        """
        _require_fix(finding)
        run_id, changed, change_sets = new_id("run"), 0, list[ChangeSet]()
        for _ in range(_ROUNDS if finding == "duplicates" else 1):
            todo = await self._steps(await self._survey(), finding)
            some = await self._apply(finding, todo, run_id, job, change_sets)
            changed += some
            if not some or job.is_cancelled():
                break
        changes = join_changes(change_sets, ACTOR, "health.fix")
        return Changed(
            HealthFix(finding, run_id if changed else "", changed, finding_texts.done(finding, changed)), changes
        )

    async def _apply(
        self, finding: FindingId, todo: Sequence[FixStep], run_id: str, job: Job, changes: list[ChangeSet]
    ) -> int:
        place, changed = 0, 0
        while place < len(todo) and not job.is_cancelled():
            if finding == "orphans":
                work = partial(self._retire_some, todo, place, run_id)
                done: Changed[tuple[int, int]] = await self._store.write(work)
            else:
                some = partial(_fix_some, finding, todo, place)
                done = await self._transactions.run(Access.everything(ACTOR, "health.fix", run_id), some)
            place, count = done.value
            changed += count
            changes.append(done.changes)
            job.advance(place, len(todo))
            await asyncio.sleep(0)
        return changed

    def _retire_some(
        self, todo: Sequence[FixStep], place: int, run_id: str, connection: apsw.Connection
    ) -> Changed[tuple[int, int]]:
        now_ms = self._transactions.clock.now_ms()
        edits = EntityEdits(connection, actor=ACTOR, now_ms=now_ms, run_id=run_id)
        ends, count = time.perf_counter() + _TRANSACTION_S, 0
        while place < len(todo) and time.perf_counter() < ends:
            count += retire(edits, todo[place], now_ms - DAY_MS)
            place += 1
        return Changed((place, count), edits.changes("health.fix"))

    async def _survey(self) -> Survey:
        survey, after = Survey(self._transactions.clock.now_ms()), -(2**63)
        while (following := await self._store.read(partial(_read, survey, after), is_background=True)) is not None:
            after = following
            self._store.stop_signal.check()
            await asyncio.sleep(0)
        return survey

    async def _steps(self, survey: Survey, finding: FindingId) -> list[FixStep]:
        match finding:
            case "duplicates":
                return await steps.duplicates(self._store, survey, max(self._similarity(), 0.5))
            case "contradictions":
                return (await steps.contradictions(self._store, survey))[0]
            case "stale":
                return await steps.stale(self._store, survey)
            case "secrets":
                return steps.secrets(survey)
            case _:
                orphans = partial(repo.orphans, before_ms=survey.now_ms - DAY_MS, limit=_MOST_ENTITIES)
                return [FixStep("remove", key, "", name) for key, name in await self._store.read(orphans)]

    async def _fixable(self, survey: Survey, finding: FindingId) -> HealthFinding:
        todo = await self._steps(survey, finding)
        count = len(todo)
        shown = todo[:_EXAMPLES]
        if finding == "contradictions":
            involved = (await steps.contradictions(self._store, survey))[1]
            count = len(involved)
            shown = [FixStep("", identity, "", key) for identity, key in list(involved.items())[:_EXAMPLES]]
        titles = await self._titles(shown)
        examples = [HealthExample(step.id, titles.get(step.id, ""), finding_texts.shown(step.detail)) for step in shown]
        return finding_texts.finding(finding, count, len(todo), examples)

    async def _titles(self, some: Sequence[FixStep]) -> dict[str, str]:
        titles = await self._store.read(partial(repo.named, ids=[step.id for step in some]))
        names = {step.id: step.detail for step in some if step.action == "remove"}
        return {key: finding_texts.shown(title) for key, title in (titles | names).items()}

    async def _with_messages(self, finding: HealthFinding, left: int) -> HealthFinding:
        messages = await self._secrets.found()
        examples = [
            HealthExample(message.id, finding_texts.shown(message.text), ", ".join(sorted(message.kinds)))
            for message in messages
        ]
        notes = (finding_texts.unread(left),) if left else ()
        return finding_texts.finding(
            "secrets", finding.count + len(messages), finding.fixable, (*finding.examples, *examples)[:_EXAMPLES], notes
        )

    async def _sources(self, survey: Survey) -> HealthFinding:
        examples = [
            HealthExample(
                name, finding_texts.shown(name), f"{count.removed:,} of {counted(count.total, 'memory')} were deleted"
            )
            for counts in (survey.agents, survey.sessions)
            for name, count in counts.items()
            if _is_junk(count)
        ]
        for agent, decided, rejected in await self._store.read(repo.decisions):
            if _is_junk(SourceCount(decided, rejected)):
                detail = f"{rejected:,} of {counted(decided, 'proposal')} were rejected"
                examples.append(HealthExample(agent, finding_texts.shown(agent), detail))
        return finding_texts.finding("sources", len(examples), 0, examples[:_EXAMPLES])

    async def _echoes(self) -> HealthFinding:
        examples = [
            HealthExample(
                agent.name,
                finding_texts.shown(agent.name),
                f"{agent.echo_rate:.0%} of {counted(agent.writes, 'write')}",
            )
            for agent in await self._agents.listed()
            if agent.writes >= _LEAST_WRITES and agent.echo_rate >= _ECHOING
        ]
        return finding_texts.finding("echoes", len(examples), 0, examples[:_EXAMPLES])


def _read(survey: Survey, after: int, connection: apsw.Connection) -> int | None:
    rows = repo.page(connection, after, _PAGE)
    for row in rows:
        survey.add(row)
    return int(rows[-1]["place"]) if rows else None


def _fix_some(finding: FindingId, todo: Sequence[FixStep], place: int, writer: MemoryWriter) -> tuple[int, int]:
    ends, count = time.perf_counter() + _TRANSACTION_S, 0
    while place < len(todo) and time.perf_counter() < ends:
        count += FIXES[finding](writer, todo[place])
        place += 1
    return place, count


def _is_junk(count: SourceCount) -> bool:
    return count.total >= _LEAST_WRITES and count.removed >= _MOSTLY * count.total


def _require_fix(finding: FindingId) -> None:
    if finding not in FIXABLE:
        raise InputError(
            Sentence("This finding has no fix. Those that have one are {names}.", names=", ".join(FIXABLE)),
            field="finding",
        )
