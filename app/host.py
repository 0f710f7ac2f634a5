"""The process that owns a vault, with the engine on a thread of its own."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from app.api.authentication import Authentication
from app.api.caller import OWNER, Caller
from app.api.catalogue import build_catalogue
from app.api.proposal_calls import DatabaseCalls
from app.api.registry import Catalogue, Reply
from app.changes import Feed, Listener
from app.config.config import Config
from app.core.clock import Clock, SystemClock
from app.core.process import matrix_threads, memory_trim
from app.core.vault_opening import VaultOpening
from app.engine import Engine
from app.errors import KeepsakeError, MachineError
from app.goals.goal_runner import ModelGoalRunner
from app.rpc.server.rate_limit import Rate
from app.rpc.server.socket_server import SocketServer
from app.store.encryption.vault_encryption import VaultEncryption
from app.store.store import prepare_folder

T = TypeVar("T")

_log = logging.getLogger(__name__)
_STOP_SECONDS = 60.0
_GRACE_SECONDS = 10.0


class Host:
    """An open vault with its engine thread.

    Args:
        vault: The vault's folder, made when there is none.
        overrides: Settings that win over the vault's own, by name.
        clock: Where the time comes from.
        serve: Let other programs in at the local socket.
        safe_mode: Begin without schedules, models and vectors.
        opening: Hears of the steps before the vault is open, and can stop them.
    """

    def __init__(
        self,
        vault: Path,
        *,
        overrides: Mapping[str, object] | None = None,
        clock: Clock | None = None,
        serve: bool = True,
        safe_mode: bool = False,
        opening: VaultOpening | None = None,
    ) -> None:
        self.vault = vault.expanduser().absolute()
        self.feed = Feed()
        self._overrides = dict(overrides or {})
        self._clock = clock or SystemClock()
        self._is_serving = serve
        self._is_safe_mode = safe_mode
        self._vault_opening = opening
        self._server: SocketServer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._started: Future[Catalogue] = Future()
        self._catalogue: Catalogue | None = None
        self._authentication: Authentication | None = None
        self._stop = asyncio.Event()
        self._is_closing = False
        self._calls: set[asyncio.Task[Any]] = set()
        self._late_calls: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Open the vault and start the engine's thread; returns when calls are answered.

        Raises:
            KeepsakeError: The vault or its settings cannot be opened; nothing is left running.
        """
        matrix_threads.use_one_thread()  # before numpy is loaded
        memory_trim.share_one_arena()  # before the engine's thread has memory of its own
        self._thread = threading.Thread(target=self._run, name="keepsake-engine", daemon=True)
        self._thread.start()
        try:
            self._catalogue = self._started.result()
        except BaseException:
            self._thread.join(_STOP_SECONDS)
            self._thread = None
            raise

    def stop(self) -> None:
        """Stop in stages; safe to call twice.

        New calls are refused, jobs cancelled, writes finished and the vault closed.
        """
        thread, loop = self._thread, self._loop
        if thread is None or loop is None:
            return
        self._is_closing = True
        with contextlib.suppress(RuntimeError):  # the engine broke and its loop is closed already
            loop.call_soon_threadsafe(self._stop.set)
        thread.join(_STOP_SECONDS)
        if thread.is_alive():
            _log.error("the engine did not stop within %s seconds", _STOP_SECONDS)
        self._thread = None

    def call(self, operation: str, arguments: Mapping[str, Any], caller: Caller = OWNER) -> "Future[Reply]":
        """Call an operation from any thread; see ``Catalogue.call`` for arguments and errors."""
        if self._catalogue is None:
            raise MachineError("The vault is not open.")
        return self.submit(self._catalogue.call(operation, arguments, caller))

    def ask(self, operation: str, /, **arguments: Any) -> Any:
        """Call an operation as the person and wait for its answer."""
        return self.call(operation, arguments).result().value

    def authenticate(self, token: str, name: str, version: str) -> Caller:
        """Return the caller that an agent's token belongs to; see ``Authentication.caller``."""
        if self._authentication is None:
            raise MachineError("The vault is not open.")
        return self.submit(self._authentication.caller(token, name, version)).result()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the engine's loop.

        Raises:
            MachineError: The vault is closed.
        """
        if self._loop is None or self._thread is None or self._is_closing:
            work.close()
            raise MachineError("The vault is closed.")
        answer: Future[T] = Future()
        try:
            self._loop.call_soon_threadsafe(self._begin, work, answer)
        except RuntimeError as error:
            work.close()
            raise MachineError("The vault is closed.") from error
        return answer

    def _begin(self, work: Coroutine[Any, Any, T], answer: "Future[T]") -> None:
        """Start a call on the engine's loop; cancelling ``answer`` cancels it."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._answered(work, answer))
        self._calls.add(task)

        def forget(ended: asyncio.Task[None]) -> None:
            self._calls.discard(ended)
            if not answer.done():  # it was cancelled before it began
                work.close()
                answer.cancel()

        def cancel(given_up: "Future[T]") -> None:
            if given_up.cancelled():
                with contextlib.suppress(RuntimeError):  # the loop is closed, and all its tasks have ended
                    loop.call_soon_threadsafe(task.cancel)

        task.add_done_callback(forget)
        answer.add_done_callback(cancel)

    async def _answered(self, work: Coroutine[Any, Any, T], answer: "Future[T]") -> None:
        """Run a call and answer it at once, before the work that its changes wake."""
        try:
            value = await work
        except asyncio.CancelledError:
            if asyncio.current_task() not in self._late_calls:
                answer.cancel()
                raise
            _fail(answer, MachineError("The vault was closed before this was done."))
        except Exception as error:  # noqa: BLE001  (the future carries it to the caller)
            _fail(answer, error)
        else:
            if answer.set_running_or_notify_cancel():
                answer.set_result(value)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Subscribe to changes and progress, on the engine's thread; returns a function that unsubscribes."""
        return self.feed.subscribe(listener)

    @property
    def catalogue(self) -> Catalogue:
        """Return the operations of the open vault."""
        if self._catalogue is None:
            raise MachineError("The vault is not open.")
        return self._catalogue

    @property
    def address(self) -> str:
        """Return the address of the socket, ``""`` when there is none."""
        return self._server.address if self._server is not None else ""

    @property
    def connections(self) -> int:
        """Return how many programs are connected at the socket."""
        return self._server.clients if self._server is not None else 0

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            prepare_folder(self.vault)
            config = Config(self.vault, self._overrides, safe_mode=self._is_safe_mode)
            await asyncio.to_thread(VaultEncryption(self.vault).unlock_unattended, config.environment)
            engine = Engine(
                self.vault,
                config,
                self._clock,
                self.feed,
                opening=self._vault_opening,
                new_goal_runner=ModelGoalRunner,
            )
        except KeepsakeError as error:
            self._started.set_exception(error)
            return
        except BaseException as error:  # noqa: BLE001  (the caller of 'start' raises and reports it)
            self._started.set_exception(error)
            return
        try:
            await self._open(engine)
            await self._stop.wait()
        except BaseException as error:
            if self._started.done():
                raise
            self._started.set_exception(error)  # the caller of 'start' raises and reports it
        finally:
            engine.interrupt()
            try:
                if self._server is not None:
                    await self._server.stop()
                await self._finish_calls()
            finally:
                await engine.stop()

    async def _open(self, engine: Engine) -> None:
        await engine.start()
        catalogue = build_catalogue(engine)
        self._authentication = Authentication(engine.agents)
        engine.projection.service.answer_by(DatabaseCalls(engine, catalogue))
        if self._is_serving:
            self._server = await _open_socket(catalogue, self.feed, engine, self._authentication)
        engine.store.settle()
        self._started.set_result(catalogue)

    async def _finish_calls(self) -> None:
        """Wait a while for running calls to end, then cancel them."""
        await asyncio.sleep(0)  # those just submitted begin
        if self._calls:
            _, self._late_calls = await asyncio.wait(self._calls, timeout=_GRACE_SECONDS)
            for task in self._late_calls:
                task.cancel()


def _fail(answer: "Future[T]", error: Exception) -> None:
    if answer.set_running_or_notify_cancel():
        answer.set_exception(error)


async def _open_socket(
    catalogue: Catalogue, feed: Feed, engine: Engine, authentication: Authentication
) -> SocketServer | None:
    def rate() -> Rate:
        return Rate(engine.config.number("agents.rate"), engine.config.whole("agents.burst"))

    server = SocketServer(
        catalogue,
        feed,
        engine.vault,
        authentication,
        rate=rate,
        cancel_job=engine.jobs.cancel,
        presence=engine.presence,
    )
    try:
        await server.start()
    except MachineError as error:
        # A window without a socket is still a window; only other programs cannot reach it.
        _log.warning("other programs cannot reach this vault: %s", error.message)
        return None
    return server
