"""Registration of agents: tokens, trust, requests for access, and the end of access."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import apsw

from app.agents import repo, vault_folders
from app.agents.model import AccessAnswer, AccessRequest, Agent, AgentToken, Trust
from app.agents.tokens import new_token, token_hash
from app.changes import Changed, ChangeSet
from app.core.clock import DAY_MS, Clock, to_datetime
from app.core.ids import new_id
from app.core.stores import STORES, StoreName
from app.core.text import excerpt, has_controls, storable
from app.errors import InputError, NotFoundError
from app.sentence import Sentence
from app.store.store import Store

MAX_NAME: Final = 100
MAX_WAITING: Final = 50  # requests that wait for the person at a time
REQUEST_KEPT_MS: Final = 30 * DAY_MS
AREA: Final = "agents"
# Actors of Keepsake's own work in the history.
RESERVED: Final = frozenset({"person", "owner", "import", "expiry", "upkeep", "keepsake", "unknown", "consolidation"})
GOAL_PREFIX: Final = "schedule:"  # callers that pursue a goal of the person are named so
_MAX_CLIENT: Final = 200
_MAX_REASON: Final = 500


class AgentService:
    """Registers agents and recognises them by their tokens.

    Args:
        store: The person's vault.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._decided: dict[str, Agent] = {}
        self._newest_tokens: dict[str, str] = {}

    async def add(
        self,
        name: str,
        trust: Trust,
        stores: Sequence[StoreName] = (),
        *,
        review: bool = False,
        isolated: bool = False,
        actor: str,
    ) -> Changed[AgentToken]:
        """Register an agent and return its token; one whose access had ended gets access again.

        Raises:
            InputError: The name cannot be used, or an agent of that name has access already.
        """
        clean, token = clean_name(name), new_token()
        hashed = token_hash(token)

        def work(connection: apsw.Connection) -> Agent:
            return self._register(connection, clean, trust, stores, hashed, review=review, isolated=isolated)

        agent_token = self._note(await self._store.write(work), hashed)
        return Changed(_with_token(agent_token, token), self._changes(agent_token.id, actor))

    def decided(self, agent_id: str) -> Agent | None:
        """Return an agent as it was last changed, ``None`` if not since the start."""
        return self._decided.get(agent_id)

    async def listed(self) -> list[Agent]:
        """Return every agent, by name, those without access among them."""
        return await self._store.read(repo.all_agents)

    async def named(self, name: str) -> Agent:
        """Return the agent of a name or id.

        Raises:
            NotFoundError: There is none.
        """
        return await self._store.read(partial(_required, name=name))

    async def by_token(self, token: str) -> Agent | None:
        """Return the agent with access whose token this is."""
        return await self.by_token_hash(token_hash(token))

    async def by_token_hash(self, hashed: str) -> Agent | None:
        """Return the agent with access whose token has a hash."""
        return await self._store.read(partial(repo.by_token, hashed=hashed))

    def newest_token(self, agent_id: str) -> str | None:
        """Return the hash of an agent's newest token, ``None`` if not given since the start."""
        return self._newest_tokens.get(agent_id)

    async def ended_name(self, token: str) -> str | None:
        """Return the name of the agent whose access ended and whose token this was."""
        return await self._store.read(partial(repo.ended_name, hashed=token_hash(token)))

    async def request_state(self, token: str) -> str | None:
        """Return the state of the request with a token, ``None`` for no request."""
        return await self._store.read(partial(repo.state_of_request, hashed=token_hash(token)))

    async def rotate(self, name: str, *, actor: str) -> Changed[AgentToken]:
        """Replace an agent's token; the one before is no longer valid, on open connections too.

        Raises:
            NotFoundError: There is no such agent with access.
        """
        token = new_token()
        hashed = token_hash(token)

        def work(connection: apsw.Connection) -> AgentToken:
            agent = _required(connection, name, with_access=True)
            repo.set_token(connection, agent.id, hashed)
            return _with_token(agent, token)

        agent_token = await self._store.write(work)
        self._newest_tokens[agent_token.id] = hashed
        return Changed(agent_token, self._changes(agent_token.id, actor))

    async def revoke(self, name: str, *, actor: str) -> Changed[Agent]:
        """End an agent's access at once; what it wrote stays.

        Raises:
            NotFoundError: There is no such agent with access.
        """

        def work(connection: apsw.Connection) -> Agent:
            agent = _required(connection, name, with_access=True)
            repo.revoke(connection, agent.id, self._clock.now_ms())
            return _required(connection, agent.id)

        revoked = self._note(await self._store.write(work))
        return Changed(revoked, self._changes(revoked.id, actor))

    async def change(
        self,
        name: str,
        *,
        trust: Trust | None = None,
        stores: Sequence[StoreName] | None = None,
        review: bool | None = None,
        isolated: bool | None = None,
        paused: bool | None = None,
        rate: float | None = None,
        actor: str,
    ) -> Changed[Agent]:
        """Change what an agent may do; ``None`` leaves as it is.

        The rate 0 means that of the settings.

        Raises:
            NotFoundError: There is no such agent with access.
        """

        def work(connection: apsw.Connection) -> Agent:
            agent = _required(connection, name, with_access=True)
            agent = replace(
                agent,
                trust=agent.trust if trust is None else trust,
                stores=agent.stores if stores is None else _ordered(stores),
                review=agent.review if review is None else review,
                isolated=agent.isolated if isolated is None else isolated,
                paused=agent.paused if paused is None else paused,
                rate=agent.rate if rate is None else rate or None,
            )
            repo.change(connection, agent)
            return agent

        changed = self._note(await self._store.write(work))
        return Changed(changed, self._changes(changed.id, actor))

    async def request_access(self, name: str, client: str, trust: Trust, reason: str) -> Changed[AccessAnswer]:
        """Ask the person to let a program in.

        The token in the answer is valid once the person allows it.

        Raises:
            InputError: The name cannot be used, or too many requests wait already.
        """
        clean, token, now_ms = clean_name(name), new_token(), self._clock.now_ms()
        words = excerpt(storable(reason)[0], _MAX_REASON)
        request = AccessRequest(
            new_id("agent"), clean, storable(client)[0][:_MAX_CLIENT], trust, words, to_datetime(now_ms)
        )

        def work(connection: apsw.Connection) -> None:
            repo.expire_requests(connection, now_ms - REQUEST_KEPT_MS, now_ms)
            if len(repo.open_requests(connection)) >= MAX_WAITING:
                raise InputError("Too many programs wait to be let in. Ask the person to allow or refuse some first.")
            repo.insert_request(connection, request, token_hash(token), now_ms)

        await self._store.write(work)
        answer = AccessAnswer(request.id, token, "waiting", how_to_allow(clean))
        return Changed(answer, self._changes(request.id, clean))

    async def requests(self) -> list[AccessRequest]:
        """Return the requests for access that wait, oldest first."""
        return await self._store.read(repo.open_requests)

    async def allow(
        self,
        request: str,
        *,
        trust: Trust | None = None,
        stores: Sequence[StoreName] = (),
        review: bool = False,
        isolated: bool = False,
        replace_token: bool = False,
        actor: str,
    ) -> Changed[Agent]:
        """Let a program in that asked; its token becomes valid.

        Args:
            request: The id of its request, or the name that it asked for.
            trust: Its trust, what it asked for when ``None``.
            stores: Narrows the stores that its trust reaches.
            review: Whether its writes wait in the inbox.
            isolated: Whether it gets a vault of its own.
            replace_token: Whether it takes over the agent of that name that has access, if there is one: that agent
                stays as it is but for its token.
            actor: Who decides.

        Raises:
            NotFoundError: No such request waits.
            InputError: An agent of that name has access already.
        """

        def work(connection: apsw.Connection) -> tuple[Agent, str]:
            open_request = _waiting(connection, request)
            hashed = repo.request_hash(connection, open_request.id)
            if open_request.has_access:
                agent = _taken_over(connection, open_request, hashed, is_wanted=replace_token)
            else:
                agent = self._register(
                    connection,
                    open_request.name,
                    trust or open_request.trust,
                    stores,
                    hashed,
                    review=review,
                    isolated=isolated,
                )
            repo.decide(connection, open_request.id, "allowed", self._clock.now_ms())
            return agent, hashed

        agent = self._note(*await self._store.write(work))
        return Changed(agent, self._changes(agent.id, actor))

    async def refuse(self, request: str, *, actor: str) -> Changed[AccessRequest]:
        """Refuse a program that asked to be let in.

        Raises:
            NotFoundError: No such request waits.
        """

        def work(connection: apsw.Connection) -> AccessRequest:
            open_request = _waiting(connection, request)
            repo.decide(connection, open_request.id, "refused", self._clock.now_ms())
            return open_request

        refused = await self._store.write(work)
        return Changed(refused, self._changes(refused.id, actor))

    async def note_seen(self, agent_id: str, client: str) -> None:
        """Store that an agent is connected now, and the client it named."""
        seen = (self._clock.now_ms(), storable(client)[0][:_MAX_CLIENT], agent_id)
        await self._store.write(partial(repo.note_seen, seen=[seen]), is_derived=True)

    def _register(
        self,
        connection: apsw.Connection,
        name: str,
        trust: Trust,
        stores: Sequence[StoreName],
        hashed: str,
        *,
        review: bool,
        isolated: bool,
    ) -> Agent:
        now_ms, before = self._clock.now_ms(), repo.by_name(connection, name)
        if before is not None and before.revoked_at is None:
            raise InputError(
                Sentence(
                    "There is an agent named '{name}' already. 'keepsake agent rotate' gives it a new token; to "
                    "let another program in by that name, end its access first with 'keepsake agent revoke'.",
                    name=name,
                ),
                field="name",
            )
        agent_id = new_id("agent") if before is None else before.id
        agent = Agent(
            agent_id, name, trust, _ordered(stores), review, isolated, paused=False, created_at=to_datetime(now_ms)
        )
        repo.save(connection, agent, hashed, now_ms)
        return _required(connection, agent_id)

    def _note(self, agent: Agent, hashed: str = "") -> Agent:
        """Have later calls see an agent as it was changed, and any new token."""
        self._decided[agent.id] = agent
        if hashed:
            self._newest_tokens[agent.id] = hashed
        return agent

    @staticmethod
    def _changes(target: str, actor: str) -> ChangeSet:
        return ChangeSet(frozenset({AREA}), (target,), actor)


def how_to_allow(name: str) -> str:
    """Return how the person lets a program in, in words for its user."""
    return (
        f"Keepsake does not know '{name}' yet. The person allows it in Keepsake's window or tray,"
        f" or with: keepsake agent allow '{name}'"
    )


def clean_name(name: str) -> str:
    """Return a name as it is stored.

    Raises:
        InputError: It is empty, too long, reserved, or holds control characters.
    """
    clean = vault_folders.cleaned(storable(name)[0])
    if not clean or len(clean) > MAX_NAME or has_controls(clean):
        raise InputError(
            Sentence("An agent's name has 1 to {max_name} characters on one line.", max_name=MAX_NAME), field="name"
        )
    if clean.casefold() in RESERVED or clean.casefold().startswith(GOAL_PREFIX):
        raise InputError(
            Sentence("'{clean}' is a name of Keepsake's own. Choose another for the agent.", clean=clean), field="name"
        )
    return clean


def _ordered(stores: Sequence[StoreName]) -> tuple[StoreName, ...]:
    return tuple(store for store in STORES if store in stores)


def _required(connection: apsw.Connection, name: str, *, with_access: bool = False) -> Agent:
    agent = repo.by_id(connection, name) or repo.by_name(connection, vault_folders.cleaned(name))
    if agent is None or (with_access and agent.revoked_at is not None):
        raise NotFoundError(
            Sentence("There is no agent named '{name}' with access.", name=excerpt(name, MAX_NAME)),
            agent=name[:MAX_NAME],
        )
    return agent


def _waiting(connection: apsw.Connection, request: str) -> AccessRequest:
    waiting_request = repo.request_by(connection, request)
    if waiting_request is None or waiting_request.decided_at is not None:
        raise NotFoundError("No such request for access waits. See 'keepsake agent requests'.")
    return waiting_request


def _taken_over(connection: apsw.Connection, request: AccessRequest, hashed: str, *, is_wanted: bool) -> Agent:
    """Give the agent that has a request's name the token of the request.

    Raises:
        InputError: The person has not said so.
    """
    if not is_wanted:
        raise InputError(
            Sentence(
                "'{name}' has access already. If this is the same program, which needs a new token, allow it with "
                "'replace_token' (on the command line --replace-token): it keeps its trust, and the token so far "
                "ends. Refuse it if it is another program.",
                name=request.name,
            ),
            field="replace_token",
            agent=request.name,
        )
    agent = _required(connection, request.name, with_access=True)
    repo.set_token(connection, agent.id, hashed)
    return agent


def _with_token(agent: Agent, token: str) -> AgentToken:
    return AgentToken(agent.id, agent.name, token, agent.trust, agent.stores, agent.review, agent.isolated)
