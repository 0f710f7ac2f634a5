"""Values of agents with vaults of their own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IsolatedVault:
    """The vault of one isolated agent.

    Args:
        agent: The agent's name, ``""`` when the folder does not say.
        path: Its folder, which can be opened as a vault while no Keepsake has it open.
        bytes: Size of its database and log.
        is_open: Whether this Keepsake has it open.
        is_isolated: Whether the agent is isolated now; otherwise it works on the person's vault again.
    """

    agent: str
    path: str
    bytes: int
    is_open: bool
    is_isolated: bool
