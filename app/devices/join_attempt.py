"""Joining from the side of the machine that asks to come in."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from app.core.clock import Clock
from app.core.process.daemon_thread import begin_in_daemon_thread, in_daemon_thread
from app.devices.join_messages import APPROVED, REFUSED, USED, JoinMessages
from app.errors import CallStoppedError, ExchangeError, InputError, KeepsakeError, MachineError
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing import member_list, primitives
from app.sync.sealing.device_keys import DeviceKeys, new_device_keys
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import TornError

_log = logging.getLogger(__name__)

VALID_S: Final = 600
"""Validity of an invitation."""


class JoinAttempt:
    """Attempt of this machine to be let in by the words of an invitation.

    Args:
        point: The exchange point.
        messages: The messages of the invitation.
        clock: The source of the time.
        look_s: Seconds between two looks for an answer.
    """

    def __init__(self, point: ExchangePoint, messages: JoinMessages, clock: Clock, look_s: float) -> None:
        self._point = point
        self._messages = messages
        self._clock = clock
        self._look_s = look_s

    async def let_in(self, name: str, leftovers: list[str]) -> tuple[DeviceKeys, Sequence[bytes]]:
        """Put a request; once it was approved, return a member's keys and the list.

        Args:
            name: The name that this machine is to have.
            leftovers: Gets the names of the messages that are to be removed afterwards.

        Raises:
            InputError: There is no such invitation, the other machine refused, or it gave no answer.
            MachineError: The place cannot be reached, or shows another list of machines.
        """
        invitation = await in_daemon_thread(self._point.get, self._messages.invitation_name)
        if invitation is None or not self._messages.is_invitation(invitation):
            raise InputError(
                "There is no invitation with these words: its ten minutes are over, or it is for another place. Make a"
                " new one.",
                field="words",
            )
        keys = new_device_keys()
        request = self._messages.request(keys, name)
        leftovers += (
            self._messages.request_name(keys.id),
            self._messages.answer_name(keys.id),
            self._messages.invitation_name,
        )
        await in_daemon_thread(self._point.put_new, self._messages.request_name(keys.id), request)
        word, content = await self._answered(keys, request)
        if word != APPROVED:
            raise _turned_away(word)
        keys = replace(
            keys,
            receiving=(*keys.receiving, primitives.random_key()),
            shared=bytes.fromhex(content["shared"]),
            epochs={int(content["epoch"]): bytes.fromhex(content["key"])},
            anchor=str(content["anchor"]),
        )
        return keys, await self._listed(keys)

    async def _answered(self, keys: DeviceKeys, request: bytes) -> tuple[str, dict[str, Any]]:
        until_ms = self._clock.now_ms() + VALID_S * 1000
        while self._clock.now_ms() < until_ms:
            data = await in_daemon_thread(self._point.get, self._messages.answer_name(keys.id))
            if data is not None:
                try:
                    word, content = self._messages.answered(keys, request, data)
                except NotOpenedError:
                    pass  # still being copied, or put there by somebody who does not know the words
                else:
                    return word, dict(content)
            await asyncio.sleep(self._look_s)
        raise InputError(
            "Nobody let this machine in within ten minutes. Make a new invitation, and confirm it on the other machine."
        )

    async def _listed(self, keys: DeviceKeys) -> Sequence[bytes]:
        """Return the entries of the list once this device is a member in it."""
        until_ms = self._clock.now_ms() + VALID_S * 1000
        while self._clock.now_ms() < until_ms:
            entries = await in_daemon_thread(_entries_at, self._point)
            try:
                lists = member_list.chain(self._messages.vault, entries)
            except TornError:
                lists = []
            if lists and lists[0].digest != keys.anchor:
                raise ExchangeError(
                    "The list of machines at the place is not that of the machine which let this one in. Nothing was"
                    " taken in."
                )
            if lists and keys.id in lists[-1].members:
                return entries
            await asyncio.sleep(self._look_s)
        raise ExchangeError("The list of your machines did not arrive within ten minutes. Try again.")


@asynccontextmanager
async def withdrawing(point: ExchangePoint) -> AsyncIterator[list[str]]:
    """Remove the messages that a block lists at its end, and close the place.

    That is not waited for where the block was stopped.
    """
    names: list[str] = []
    is_stopped = False
    try:
        yield names
    except (asyncio.CancelledError, CallStoppedError):
        is_stopped = True
        raise
    finally:
        if is_stopped:
            begin_in_daemon_thread(_withdraw, point, names)
        else:
            await in_daemon_thread(_withdraw, point, names)


def _withdraw(point: ExchangePoint, names: Sequence[str]) -> None:
    try:
        for name in names:
            point.remove(name)
    except MachineError as error:
        _log.warning("a message of a pairing could not be removed: %s", error.code)
    finally:
        point.close()


def _entries_at(point: ExchangePoint) -> list[bytes]:
    entries: list[bytes] = []
    while (data := point.get(member_list.entry_name(len(entries) + 1))) is not None:
        entries.append(data)
    return entries


def _turned_away(word: str) -> KeepsakeError:
    if word == REFUSED:
        return InputError("The other machine refused to let this one in.")
    if word == USED:
        return InputError("Another machine came in with these words. Make a new invitation.", field="words")
    return InputError("The ten minutes of this invitation are over. Make a new one.", field="words")
