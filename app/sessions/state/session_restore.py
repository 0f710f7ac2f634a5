"""Session restore: the summary and the latest messages that fit, for an agent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import apsw

from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import InputError, NotFoundError
from app.sentence import Sentence
from app.sessions import repo
from app.sessions.compaction import compaction_plan
from app.sessions.compaction.compaction_plan import SessionOptions
from app.sessions.compaction.extractive_summary import extend_summary
from app.sessions.model import Message
from app.sessions.service import clean_name
from app.sessions.state.state_repo import count_after, read_state, weights_after
from app.store.store import Store

PREFACE = "Rolling session summary: "
_PREFACE_SHARE = 2


@dataclass(frozen=True, slots=True)
class Restored:
    """A conversation as an agent takes it up again.

    Args:
        session_id: Its id, ``""`` when the channel has none yet.
        preface: The summary as a system message to put ahead of the messages, ``""`` when there is none.
        messages: The most recent messages that fit, ascending, without a gap.
        tokens: What preface and messages take.
        left_out: Messages after the summary that did not fit; they can be read by ``session.messages``.
        epoch: The summary's epoch.
        upper_seq: The last message that the summary stands for.
    """

    session_id: str = ""
    preface: str = ""
    messages: tuple[Message, ...] = ()
    tokens: int = 0
    left_out: int = 0
    epoch: int = 0
    upper_seq: int = 0


class RestoreService:
    """Gives conversations back within a budget.

    Args:
        store: The vault's database.
        options: Returns the current session options.
    """

    def __init__(self, store: Store, options: Callable[[], SessionOptions]) -> None:
        self._store = store
        self._options = options

    async def restore(
        self,
        session: str | None,
        channel: str = "",
        *,
        budget: int | None = None,
        max_history: int | None = None,
        owner: str | None,
    ) -> Restored:
        """Return a conversation's summary and the most recent messages that fit.

        Messages beyond ``max_history`` or the budget are only not given here; none is removed.

        Args:
            session: Any of its ids; without one, or where none is stored under it, the channel's latest conversation.
            channel: ``channel:chat:thread`` that finds it whatever its id is now.
            budget: Tokens for all that is given.
            max_history: Messages at most.
            owner: The agent the conversation must be with; ``None`` for any.

        Raises:
            NotFoundError: There is no session of that id, and no channel is named.
            InputError: Neither a session nor a channel is named.
        """
        named = clean_name(channel)
        if session is None and not named:
            raise InputError("Name a session or a channel to restore.", field="session")
        options = self._options()
        options = replace(
            options,
            budget=options.budget if budget is None else budget,
            max_history=options.max_history if max_history is None else max_history,
        )

        def work(connection: apsw.Connection) -> Restored:
            agent = None if owner is None else clean_name(owner)
            key = repo.located(connection, session, named, agent)
            if key is None and session is not None and not named:
                raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
            return Restored() if key is None else _restored(connection, key, options)

        return await self._store.read(work)


def _restored(connection: apsw.Connection, session: str, options: SessionOptions) -> Restored:
    state = read_state(connection, session)
    preface = preface_of(state.summary, options.budget)
    spent = estimate_tokens(preface)
    # One more than may be given, so that the first message given is known to follow another.
    weights = weights_after(connection, session, state.upper_seq, options.max_history + 1)
    recent = weights[compaction_plan.fitting_messages(weights, options.budget - spent, options.max_history) :]
    messages = (
        repo.messages_between(connection, session, after=recent[0].seq - 1, before=1 << 62, limit=-1) if recent else []
    )
    return Restored(
        session_id=session,
        preface=preface,
        messages=tuple(messages),
        tokens=spent + sum(weight.tokens for weight in recent),
        left_out=count_after(connection, session, state.upper_seq) - len(messages),
        epoch=state.epoch,
        upper_seq=state.upper_seq,
    )


def preface_of(summary: str, budget: int) -> str:
    """Return a summary as a system message, in at most half of ``budget``."""
    if not summary:
        return ""
    room = budget // _PREFACE_SHARE
    whole = PREFACE + summary
    if estimate_tokens(whole) <= room:
        return whole
    shorter = extend_summary(summary, (), room - estimate_tokens(PREFACE))
    return PREFACE + shorter if shorter else ""
