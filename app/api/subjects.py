"""Subjects of operations: the first words of their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of some operations.

    Args:
        about: A sentence for the person.
        holds_items: Whether their answers hold memories, conversations or entities.
    """

    about: str
    holds_items: bool = False


SUBJECTS: Final[Mapping[str, Subject]] = {
    "agent": Subject("Programs that may use the memory: let them in, see and undo what they did."),
    "agent.incognito": Subject("One switch with which no agent can read or record."),
    "archive": Subject("Memories put away, which searches leave out.", holds_items=True),
    "attachment": Subject("Pictures and other files of notes."),
    "backup": Subject("Copies of the database."),
    "capsule": Subject("Chosen memories in a signed file, for another person or agent."),
    "capture": Subject("Conversations taken in from other programs."),
    "connection": Subject("Programs such as Claude Code, connected by an entry in their configuration."),
    "device": Subject("The person's other machines that hold the same vault."),
    "embedding": Subject("The model that search by meaning uses."),
    "encryption": Subject("The vault's passphrase: encrypt, decrypt, change it."),
    "entity": Subject("People, projects and other names.", holds_items=True),
    "exchange": Subject("Import and export."),
    "fact": Subject("Facts: remember, correct, confirm, forget.", holds_items=True),
    "graph": Subject("The knowledge graph, as the MCP memory server has it: entities, observations and relations."),
    "health": Subject("Fixes of what vault health finds."),
    "history": Subject("What was done in the vault, by whom, and its undo."),
    "inbox": Subject("Changes that agents propose and the person decides on."),
    "inbox.rule": Subject("Rules for agents' writes: which are done at once, which wait and which are refused."),
    "job": Subject("Long work that is running."),
    "llm": Subject("The language model: its state, a test of it, and what it cost."),
    "memory": Subject("Search, read and write the memory.", holds_items=True),
    "note": Subject("Notes: write, change, tag, list.", holds_items=True),
    "projection": Subject("Tables of the shared store in a database, for agents on servers."),
    "reflection": Subject("Weekly reflections.", holds_items=True),
    "saved_search": Subject("Searches kept under a name."),
    "schedule": Subject("Work that is done at set times."),
    "search": Subject("Why a search found something, or did not.", holds_items=True),
    "secret": Subject("Keys of remote services."),
    "session": Subject("Conversations and their messages.", holds_items=True),
    "session.digest": Subject("Summaries of conversations, kept for later ones."),
    "session.scratchpad": Subject("An agent's notes to itself within a conversation."),
    "session.summary": Subject("The rolling summary of a conversation."),
    "settings": Subject("Settings, by name."),
    "tag": Subject("Tags of all memories.", holds_items=True),
    "transcript": Subject("Transcripts of coding agents, taken in as conversations while they grow."),
    "trial": Subject("Judgements of the search, for comparisons of models."),
    "upkeep": Subject("Consolidation, decay, archiving and other upkeep."),
    "vault": Subject("The vault: check, repair, statistics."),
}
"""By the words before the last one of an operation or of its command."""
