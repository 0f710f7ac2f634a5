"""Runner of goals: a language model with memory tools, within limits."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from app.api.caller import OWNER, Caller
from app.api.catalogue import build_catalogue
from app.api.goal_caller import goal_caller
from app.api.registry import Catalogue
from app.config.config import Config
from app.core.clock import to_datetime
from app.core.text_rules.recall_fence import PREAMBLE, entry, fence_text, neutralise
from app.engine import Engine
from app.errors import CancelledByPersonError, KeepsakeError, ModelUnavailableError
from app.goals.goal_tools import GoalTools
from app.jobs import Job
from app.llm.chat_model import ChatModel
from app.llm.model import ChatAnswer, ChatMessage, ChatRequest, ToolCall, ToolSpec, Usage
from app.llm.openai_model import REFUSED
from app.llm.prompts import load_prompt
from app.schedule.model import JobResult, Schedule
from app.schedule.runner import NO_MODEL
from app.schedule.service import ScheduleService
from app.sentence import Sentence, as_sentence, counted_sentence

_LONGEST_ANSWER: Final = 2048  # tokens
_CALLS_AT_ONCE: Final = 8
_LONGEST_TALK: Final = 400_000  # characters; models that read more are rare, and cost
_LAST_TURN: Final = "This is your last turn: call no more tools, and say what came of the goal."


@dataclass(frozen=True, slots=True)
class GoalLimits:
    """Limits of one run.

    Args:
        turns: Answers of the model.
        cost: In the currency of the prices in the settings.
        seconds: From beginning to end.
        answer_characters: Characters of a tool's answer.
    """

    turns: int
    cost: float
    seconds: float
    answer_characters: int


@dataclass(slots=True)
class _Talk:
    """The conversation of a run so far."""

    messages: list[ChatMessage]
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    text: str = ""

    def length(self) -> int:
        return sum(len(message.content) for message in self.messages)


class ModelGoalRunner:
    """Runner of goals by the chat model of an engine; see ``GoalRunner``.

    Args:
        engine: The person's vault, with its agents, accounts and settings; calls of tools go to their caller's vault.
        schedules: The schedules whose goals it pursues: those of the person's vault or of an isolated agent's.
    """

    def __init__(self, engine: Engine, schedules: ScheduleService) -> None:
        self._engine = engine
        self._schedules = schedules

    @cached_property
    def _catalogue(self) -> Catalogue:
        return build_catalogue(self._engine)  # once the engine is whole

    async def obstacle(self, schedule: Schedule) -> str:
        """Return why a goal cannot be pursued now; see the protocol."""
        try:
            caller = await goal_caller(self._engine, schedule)
        except KeepsakeError as error:
            return Sentence("Waits: {why}", why=error.sentence)
        if caller.state == "paused":
            return Sentence("Waits because {agent}, who made it, is paused.", agent=caller.name)
        if (await self._engine.incognito.state()).is_on:
            return Sentence("Waits because incognito is on.")
        return "" if self._engine.chat.is_available else NO_MODEL

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        """Pursue a goal; see the protocol."""
        caller = await goal_caller(self._engine, schedule)
        limits = goal_limits(self._engine.config, schedule)
        with self._engine.jobs.running(f"Goal: {schedule.name}", "turns", run_id) as job:
            last = await self._last_output(schedule)
            now = to_datetime(self._engine.clock.now_ms())
            tools = GoalTools(self._catalogue, caller, run_id, limits.answer_characters)
            run = _Run(self._engine.chat, caller, tools, limits, job)
            result = await run.pursue(first_messages(schedule, now, last))
            job.outcome = "finished" if result.status == "succeeded" else "failed"
        return result

    async def _last_output(self, schedule: Schedule) -> str:
        runs = await self._schedules.runs(schedule.id, 20)
        return next((run.output_summary for run in runs if run.status == "succeeded"), "")


class _Run:
    """One run of a goal.

    Args:
        model: The model.
        caller: Who calls its tools.
        tools: The tools.
        limits: Its limits.
        job: Shows how far it is, and whether the person has stopped it.
    """

    def __init__(self, model: ChatModel, caller: Caller, tools: GoalTools, limits: GoalLimits, job: Job) -> None:
        self._model = model
        self._caller = caller
        self._tools = tools
        self._limits = limits
        self._job = job

    async def pursue(self, messages: list[ChatMessage]) -> JobResult:
        """Talk with the model until it is done or a limit is reached.

        Raises:
            ModelUnavailableError: The model could not be asked the first time.
        """
        talk = _Talk(messages)
        try:
            async with asyncio.timeout(self._limits.seconds) as limit:
                ended = await self._talk(talk)
        except TimeoutError:
            if not limit.expired():
                raise
            ended = Sentence("It was stopped after {seconds} seconds.", seconds=f"{self._limits.seconds:g}")
        except ModelUnavailableError as error:
            if not talk.turns and error.data.get("reason") != REFUSED:  # asking again would not help
                raise
            ended = error.sentence
        except CancelledByPersonError as error:
            ended = error.sentence
        output = talk.text or ended
        if talk.text and ended:
            output = Sentence("{text}\n\n{ended}", text=talk.text, ended=as_sentence(ended))
        return JobResult(output, talk.turns, talk.usage.cost, status="failed" if ended else "succeeded")

    async def _talk(self, talk: _Talk) -> str:
        """Return ``""`` when the model is done, else which limit was reached."""
        specs = self._tools.specs()
        while talk.turns < self._limits.turns:
            answer = await self._ask(talk, specs)
            talk.text = answer.text.strip() or talk.text
            if not answer.tool_calls:
                return "" if talk.text else Sentence("The language model answered nothing.")
            if talk.usage.cost >= self._limits.cost:
                return Sentence(
                    "It was stopped because it cost {cost}; {most} is allowed.",
                    cost=f"{talk.usage.cost:.2f}",
                    most=f"{self._limits.cost:g}",
                )
            if talk.length() > _LONGEST_TALK:
                return Sentence("It was stopped because the conversation with the model became too long.")
            calls = _with_ids(answer.tool_calls, talk.turns)
            talk.messages.append(ChatMessage("assistant", answer.text, calls))
            talk.messages += [await self._called(place, call) for place, call in enumerate(calls)]
        return counted_sentence(talk.turns, "It was stopped after 1 turn.", "It was stopped after {count} turns.")

    async def _ask(self, talk: _Talk, specs: tuple[ToolSpec, ...]) -> ChatAnswer:
        if self._job.is_cancelled():
            raise CancelledByPersonError("It was stopped on request.")
        is_last = talk.turns == self._limits.turns - 1
        if is_last and talk.turns:
            talk.messages.append(ChatMessage("user", _LAST_TURN))
        answer = await self._model.complete(
            ChatRequest(
                tuple(talk.messages),
                "goal",
                self._caller.stores,
                tools=() if is_last and talk.turns else specs,
                max_output_tokens=_LONGEST_ANSWER,
            )
        )
        talk.turns += 1
        talk.usage += answer.usage
        self._job.advance(talk.turns, self._limits.turns)
        return answer

    async def _called(self, place: int, call: ToolCall) -> ChatMessage:
        if place >= _CALLS_AT_ONCE:
            answer = f"Call at most {_CALLS_AT_ONCE} tools at once."
        else:
            answer = await self._tools.call(call)
        return ChatMessage("tool", answer, tool_call_id=call.id)


def _with_ids(calls: tuple[ToolCall, ...], turn: int) -> tuple[ToolCall, ...]:
    """Return calls with an id each; some services leave them out and want them back."""
    return tuple(call if call.id else replace(call, id=f"call-{turn}-{place}") for place, call in enumerate(calls))


def goal_limits(config: Config, schedule: Schedule) -> GoalLimits:
    """Return the limits of a schedule's runs: its own, else those of the settings."""
    return GoalLimits(
        schedule.max_turns or config.whole("goals.max_turns"),
        schedule.max_cost or config.number("goals.max_cost"),
        config.number("goals.time_limit"),
        config.whole("goals.answer_characters"),
    )


def first_messages(schedule: Schedule, now: datetime, last_output: str) -> list[ChatMessage]:
    """Return what a model is told at the beginning of a run.

    Args:
        schedule: The schedule.
        now: The time.
        last_output: What the last run came to, ``""`` where there is none.
    """
    by = "the person" if schedule.user_id == OWNER.name else f"the agent {schedule.user_id}"
    goal = neutralise(schedule.goal).replace("</", "< /")
    parts = [f"It is {now:%A, %Y-%m-%d %H:%M} UTC. The goal was set by {neutralise(by)}.", f"<goal>\n{goal}\n</goal>"]
    if last_output:
        fenced, _ = fence_text("\n".join([PREAMBLE, "", entry("last-run", "what the last run said", last_output)]))
        parts.append(fenced)
    return [ChatMessage("system", load_prompt("goal").text), ChatMessage("user", "\n\n".join(parts))]
