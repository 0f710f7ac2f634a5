"""Operations on the vaults of isolated agents."""

import time
from dataclasses import replace
from typing import Any

from app.agents.isolated_vaults import IsolatedVaults
from app.agents.model import IsolatedVault
from app.agents.vault_folders import AGENTS
from app.api.caller import OWNER, Caller
from app.api.registry import REGISTRY, Catalogue, operation
from app.engine import Engine
from app.errors import InputError, MachineError
from app.sentence import Sentence, as_sentence
from app.upkeep.model import CheckReport, Finding


@operation("agent.vaults", owner_only=True)
async def vaults(engine: Engine, caller: Caller) -> list[IsolatedVault]:
    """Return the vaults of isolated agents, with their folders and sizes.

    An agent is isolated when the setting ``agents.isolated`` names it or its registration says so. Its calls
    then work on a vault of its own; what it stored before stays where it is. Only the caller counts, not the agent that
    a call names: a conversation with that agent that the person stores stays in the person's vault.
    """
    return [] if engine.isolated is None else await engine.isolated.listed()


@operation("agent.ask", access="write", destructive=True, owner_only=True, relays=True, undo="none")
async def ask(engine: Engine, caller: Caller, agent: str, operation: str, arguments: dict[str, Any] = {}) -> Any:  # noqa: B006
    """Call an operation in an isolated agent's vault, as the person.

    Args:
        agent: The agent's name, as ``agent.vaults`` has it.
        operation: The operation, such as ``memory.search``.
        arguments: Its arguments by name.
    """
    if engine.isolated is None:
        raise InputError("An isolated agent's vault contains no other vaults.", agent=agent)
    place = await engine.isolated.existing(agent)
    as_person = replace(caller, name=OWNER.name)
    return (await Catalogue(place, REGISTRY.all(), place, place.trace).call(operation, arguments, as_person)).value


async def back_up_isolated(vaults: IsolatedVaults[Engine] | None) -> None:
    """Make a backup of every isolated agent's vault, each in its own folder.

    Raises:
        MachineError: Some could not be copied; the others were.
    """
    failed: list[str] = []
    if vaults is None:
        return
    for folder in vaults.paths():
        try:
            await (await vaults.at(folder)).upkeep.backups.now("manual")
        except MachineError as error:
            failed.append(f"{AGENTS}/{folder.name}: {error.message}")
    if failed:
        raise MachineError(
            Sentence("The vault was backed up, but not every isolated agent's. {notes}", notes=" ".join(failed))
        )


async def with_isolated(report: CheckReport, vaults: IsolatedVaults[Engine]) -> CheckReport:
    """Return a check's report with the findings of the isolated agents' vaults.

    Each finding names its folder.
    """
    begun, findings = time.perf_counter(), list(report.findings)
    for folder in vaults.paths():
        try:
            vault = await vaults.at(folder)
            await vault.erasure.settled()
            own = await vault.upkeep.service.check()
            findings += [
                replace(
                    finding,
                    what=Sentence(
                        "In {folder}: {what}", folder=f"{AGENTS}/{folder.name}", what=as_sentence(finding.what)
                    ),
                )
                for finding in own.findings
            ]
        except MachineError as error:
            what = Sentence(
                "The vault in {folder} cannot be opened: {why}", folder=f"{AGENTS}/{folder.name}", why=error.sentence
            )
            findings.append(Finding("database", "error", what, "Restore a backup of it, or move the folder away."))
    sound = not any(finding.severity == "error" for finding in findings)
    return CheckReport(sound, tuple(findings), report.seconds + time.perf_counter() - begun)
