"""Choices about verbs beyond the catalogue: subjects, and parameters by their names."""

from collections.abc import Mapping
from typing import Final

SUBJECTS: Final[Mapping[str, str]] = {
    "agent": "Programs that may use the memory: let them in, see and undo what they did.",
    "agent incognito": "One switch with which no agent can read or record.",
    "archive": "Memories put away, which searches leave out.",
    "attachment": "Pictures and other files of notes.",
    "backup": "Copies of the database.",
    "capsule": "Chosen memories in a signed file, for another person or agent.",
    "capture": "Conversations taken in from other programs.",
    "connection": "Programs such as Claude Code, connected by an entry in their configuration.",
    "embedding": "The model that search by meaning uses.",
    "encryption": "The vault's passphrase: encrypt, decrypt, change it.",
    "entity": "People, projects and other names.",
    "exchange": "Import and export.",
    "fact": "Facts: remember, correct, confirm, forget.",
    "graph": "The knowledge graph, as the MCP memory server has it: entities, observations and relations.",
    "health": "Fixes of what vault health finds.",
    "history": "What was done in the vault, by whom, and its undo.",
    "inbox": "Changes that agents propose and the person decides on.",
    "inbox rule": "Rules for agents' writes: which are done at once, which wait and which are refused.",
    "job": "Long work that is running.",
    "llm": "The language model: its state, a test of it, and what it cost.",
    "memory": "Search, read and write the memory.",
    "note": "Notes: write, change, tag, list.",
    "reflection": "Weekly reflections.",
    "saved-search": "Searches kept under a name.",
    "schedule": "Work that is done at set times.",
    "secret": "Keys of remote services.",
    "session": "Conversations and their messages.",
    "session digest": "Summaries of conversations, kept for later ones.",
    "session scratchpad": "An agent's notes to itself within a conversation.",
    "session summary": "The rolling summary of a conversation.",
    "settings": "Settings, by name.",
    "tag": "Tags of all memories.",
    "transcript": "Transcripts of coding agents, taken in as conversations while they grow.",
    "trial": "Tests of the search with the vault's own questions.",
    "upkeep": "Consolidation, decay, archiving and other upkeep.",
    "vault": "The vault: check, repair, statistics.",
}

# Options that no verb has; a passphrase is never an argument, where other programs could read it.
HIDDEN: Final = frozenset({"job", "confirm", "passphrase"})

FILES: Final = frozenset({"content", "summary", "prompt"})
PIPED: Final = frozenset({"query", "text", "value", "ids", "history_ids", "items"})
TAGS: Final = frozenset({"tags", "add", "remove"})
