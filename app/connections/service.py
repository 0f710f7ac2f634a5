"""Connections of clients: shown, made and ended."""

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from app.connections import config_files, entries, planning, receipts
from app.connections.clients import CLIENTS, client_config, is_installed
from app.connections.model import (
    ClientConfig,
    ClientState,
    ConnectionPreview,
    ConnectionReceipt,
    ConnectionRequest,
    ConnectionResult,
    FileChange,
    FilePlan,
    GrantedAccess,
    WrittenFile,
)
from app.connections.token_files import token_file, write_token
from app.errors import InputError, KeepsakeError, MachineError
from app.sentence import Sentence

_PLACEHOLDER: Final = "kst_made_when_written"


class AccessGranter(Protocol):
    """The registration of agents."""

    async def grant(self, name: str, trust: str, *, review: bool, actor: str) -> GrantedAccess:
        """Let an agent in and return its token.

        Raises:
            InputError: An agent of that name has access already.
        """

    async def end(self, name: str, *, actor: str) -> str:
        """End an agent's access and return its id, ``""`` where it had none."""


class ConnectionService:
    """Connects clients with a vault.

    Args:
        vault: The vault's folder.
        access: Registers the agents.
    """

    def __init__(self, vault: Path, access: AccessGranter) -> None:
        self._vault = vault
        self._access = access
        self._one_at_a_time = asyncio.Lock()

    async def clients(self, variables: Mapping[str, str]) -> list[ClientState]:
        """Return the clients that Keepsake knows, and how each stands.

        Args:
            variables: Where ``HOME``, ``CODEX_HOME`` and the like are looked up.
        """
        return await asyncio.to_thread(self._clients, variables)

    async def preview(self, request: ConnectionRequest, variables: Mapping[str, str]) -> ConnectionPreview:
        """Return what a connection would change; nothing is written.

        Raises:
            InputError: There is no such client, or it is connected already.
            FormatError: Its configuration cannot be read.
            MachineError: Its configuration cannot be written.
        """
        return await asyncio.to_thread(self._preview, request, variables)

    async def write(
        self, request: ConnectionRequest, seen: str, variables: Mapping[str, str], *, actor: str
    ) -> ConnectionResult:
        """Connect a client: register its agent, and write its configuration after a backup.

        Args:
            request: What is wanted.
            seen: The digest of the preview; a file that changed since is left as it is.
            variables: See ``clients``.
            actor: Who decides.

        Raises:
            MachineError: A file changed since the preview, or cannot be written.
            KeepsakeError: See ``preview``.
        """
        async with self._one_at_a_time:
            self._check_seen((await self.preview(request, variables)).digest, seen)
            granted = await self._access.grant(request.agent_name, request.trust, review=request.review, actor=actor)
            try:
                written = await asyncio.to_thread(self._write, request, granted.token, seen, variables)
            except BaseException:
                await self._access.end(request.agent_name, actor=actor)
                raise
        client = _client(request.client, variables)
        backups = tuple(file.backup for file in written if file.backup)
        return ConnectionResult(
            client.name, client.title, request.agent_name, granted.id, backups, next_step=client.restart
        )

    async def preview_removal(self, client: str, variables: Mapping[str, str]) -> ConnectionPreview:
        """Return what the end of a connection would change; nothing is written.

        Raises:
            InputError: The client was not connected from this vault.
        """
        return await asyncio.to_thread(self._preview_removal, client, variables)

    async def remove(self, client: str, seen: str, variables: Mapping[str, str], *, actor: str) -> ConnectionResult:
        """End a connection: take out what was written, and end the agent's access.

        Args:
            client: The client.
            seen: The digest of the preview; a file that changed since is left as it is.
            variables: See ``clients``.
            actor: Who decides.

        Raises:
            MachineError: A file changed since the preview, or cannot be written.
            InputError: See ``preview_removal``.
        """
        async with self._one_at_a_time:
            files, written = self._connected(client, variables)
            await asyncio.to_thread(self._remove, client, seen, variables)
            agent_id = await self._access.end(written.agent, actor=actor)
        return ConnectionResult(files.name, files.title, written.agent, agent_id, next_step=files.restart)

    # --- reading ---

    def _clients(self, variables: Mapping[str, str]) -> list[ClientState]:
        known = receipts.read_receipts(self._vault)
        return [self._state(_client(name, variables), known.get(name), variables) for name in CLIENTS]

    def _state(
        self, client: ClientConfig, receipt: ConnectionReceipt | None, variables: Mapping[str, str]
    ) -> ClientState:
        problem = ""
        if receipt is None:
            try:
                self._plans(client, _PLACEHOLDER, hooks=False)
            except KeepsakeError as error:
                problem = error.sentence
        return ClientState(
            client.name,
            client.title,
            client.path,
            is_installed=is_installed(client, variables),
            is_connected=receipt is not None,
            agent="" if receipt is None else receipt.agent,
            has_hooks=bool(client.hooks),
            problem=problem,
        )

    def _preview(self, request: ConnectionRequest, variables: Mapping[str, str]) -> ConnectionPreview:
        client = _client(request.client, variables)
        if client.name in receipts.read_receipts(self._vault):
            raise InputError(
                Sentence(
                    "{client} is connected already. Disconnect it first ('keepsake agent disconnect {client_name}').",
                    client=client.title,
                    client_name=client.name,
                )
            )
        if request.hooks and not client.hooks:
            raise InputError(
                Sentence(
                    "{client} has no hooks. Leave out --hooks; its transcripts can be watched instead.",
                    client=client.title,
                )
            )
        return _shown(client, request.agent_name, self._plans(client, _PLACEHOLDER, hooks=request.hooks))

    def _preview_removal(self, name: str, variables: Mapping[str, str]) -> ConnectionPreview:
        client, written = self._connected(name, variables)
        plans, sentences = _removals(client, written)
        return replace(_shown(client, written.agent, plans), left=sentences)

    def _connected(self, name: str, variables: Mapping[str, str]) -> tuple[ClientConfig, ConnectionReceipt]:
        receipt = receipts.read_receipts(self._vault).get(name)
        config = client_config(name, variables)
        if receipt is None or config is None:
            raise InputError(
                "That client was not connected from this vault, so there is nothing to take back.", field="client"
            )
        return config, receipt

    def _plans(self, client: ClientConfig, token: str, *, hooks: bool) -> list[FilePlan]:
        text = config_files.read_config(Path(client.path))
        plan = planning.plan_entry(client, text, entries.server_entry(self._vault, client, token))
        if not hooks:
            return [plan]
        commands = entries.hook_commands(self._vault, client)
        if client.hooks_path == client.path:
            # One file for both: the hooks are added to what the entry made of it.
            added = planning.plan_hooks(client, plan.after, commands)
            return [replace(plan, after=added.after, made=(*plan.made, *added.made))]
        text = config_files.read_config(Path(client.hooks_path))
        return [plan, planning.plan_hooks(client, text, commands)]

    # --- writing ---

    def _write(
        self, request: ConnectionRequest, token: str, seen: str, variables: Mapping[str, str]
    ) -> list[WrittenFile]:
        client = _client(request.client, variables)
        plans = self._plans(client, token, hooks=request.hooks)
        self._check_seen(_digest(plans), seen)
        done: list[WrittenFile] = []
        tokens = token_file(self._vault, client.name)
        try:
            if request.hooks:
                _keep_token(tokens, token)
            for plan in plans:
                backup = config_files.write_config(Path(plan.path), plan.before, plan.after)
                done.append(self._receipt(client, plan, backup, token, hooks=request.hooks))
            known = receipts.read_receipts(self._vault)
            receipt = ConnectionReceipt(client.name, request.agent_name, tuple(done))
            receipts.write_receipts(self._vault, {**known, client.name: receipt})
        except BaseException:
            tokens.unlink(missing_ok=True)
            for written in done:
                _put_back(written)
            raise
        return done

    def _remove(self, name: str, seen: str, variables: Mapping[str, str]) -> None:
        client, written = self._connected(name, variables)
        plans, _ = _removals(client, written)
        self._check_seen(_digest(plans), seen)
        for plan in plans:
            config_files.write_config(Path(plan.path), plan.before, plan.after)
        token_file(self._vault, name).unlink(missing_ok=True)
        known = receipts.read_receipts(self._vault)
        receipts.write_receipts(self._vault, {key: other for key, other in known.items() if key != name})

    def _receipt(self, client: ClientConfig, plan: FilePlan, backup: str, token: str, *, hooks: bool) -> WrittenFile:
        has_entry, has_hooks = plan.path == client.path, hooks and plan.path == client.hooks_path
        entry = entries.server_entry(self._vault, client, token).value()
        commands = entries.hook_commands(self._vault, client) if has_hooks else {}
        return WrittenFile(
            plan.path,
            backup,
            "" if plan.before is None else planning.digest_of(plan.before),
            planning.digest_of(plan.after or ""),
            planning.digest_of(entry) if has_entry else "",
            {name: planning.digest_of(planning.hook_value(client, command)) for name, command in commands.items()},
            plan.made,
        )

    @staticmethod
    def _check_seen(now: str, seen: str) -> None:
        if now != seen:
            raise MachineError(
                "The configuration was changed by another program since it was shown. Look at the change again;"
                " nothing was written."
            )


def own_variables() -> Mapping[str, str]:
    """Return the variables of this process."""
    return os.environ


def _client(name: str, variables: Mapping[str, str]) -> ClientConfig:
    config = client_config(name, variables)
    if config is None:
        raise InputError(
            Sentence(
                "There is no such client. Use one of {choices}; 'keepsake agent connect --print' serves all others.",
                choices=", ".join(CLIENTS),
            ),
            field="client",
        )
    return config


def _shown(client: ClientConfig, agent: str, plans: Sequence[FilePlan]) -> ConnectionPreview:
    files = tuple(FileChange(plan.path, planning.diff(plan)) for plan in plans)
    return ConnectionPreview(client.name, client.title, agent, files, _digest(plans))


def _digest(plans: Sequence[FilePlan]) -> str:
    """Return what identifies the files of plans as they were read."""
    return planning.digest_of([[plan.path, plan.before] for plan in plans])


def _removals(client: ClientConfig, receipt: ConnectionReceipt) -> tuple[list[FilePlan], tuple[str, ...]]:
    """Return the changes that end a connection, and sentences about what stays."""
    removals = [_removal(client, written) for written in receipt.files]
    remarks = tuple(sentence for _, sentences in removals for sentence in sentences)
    return [plan for plan, _ in removals if plan.before != plan.after], remarks


def _removal(client: ClientConfig, written: WrittenFile) -> tuple[FilePlan, tuple[str, ...]]:
    text = config_files.read_config(Path(written.path))
    if text is None:
        return FilePlan(written.path, None, None), (Sentence("{path} is gone already.", path=written.path),)
    if planning.digest_of(text) == written.after:
        # Nobody has touched it since: it becomes what it was, to the byte.
        original = None
        if written.backup:
            # A backup that is a link or no text by now is no help; the entry is taken out instead.
            with contextlib.suppress(KeepsakeError):
                original = config_files.read_config(Path(written.backup))
        if original is not None and planning.digest_of(original) == written.before:
            return FilePlan(written.path, text, original), ()
        if not written.before:
            return FilePlan(written.path, text, None), ()
    removal = planning.plan_removal(client, text, written)
    return FilePlan(written.path, text, removal.text), removal.left


def _keep_token(path: Path, token: str) -> None:
    try:
        write_token(path, token)
    except OSError as error:
        raise MachineError(
            Sentence("The token could not be kept in {path}: {reason}.", path=path, reason=error.strerror),
            path=str(path),
        ) from error


def _put_back(written: WrittenFile) -> None:
    path = Path(written.path)
    before = config_files.read_config(Path(written.backup)) if written.backup else None
    config_files.write_config(path, config_files.read_config(path), before)
