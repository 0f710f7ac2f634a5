"""What each surface derives from the declarations of operations."""

from collections.abc import Callable

import pytest

from app.api.catalogue import declared
from app.api.operation import Operation
from app.api.subjects import SUBJECTS
from app.cli.verbs.generation import verb_of
from app.core.declared_operations import declared_operations
from ui.engine_texts import texts
from ui.panes.agents.agent_labels import operation_words

OPERATIONS = list(declared())


def names(matches: Callable[[Operation], bool]) -> str:
    return " ".join(item.name for item in OPERATIONS if matches(item))


DERIVED = {
    "a client may repeat it under a key": (lambda item: item.key, "memory.write note.save session.append"),
    "no language model is offered it": (
        lambda item: not item.for_models,
        "agent.request_access entity.place session.append_later",
    ),
    "an unknown program may call it": (lambda item: item.open_to_unknown, "agent.request_access agent.whoami"),
    "recalled text in its messages becomes a reference": (
        lambda item: item.transcript == "messages",
        "session.append session.append_later",
    ),
    "it waits for the person where the client did not ask": (
        lambda item: item.guard == "unconfirmed",
        "saved_search.order",
    ),
    "it waits for the person where the schedule is another's": (
        lambda item: item.guard == "others",
        "schedule.prune",
    ),
    "it waits for the person where the job is Keepsake's": (
        lambda item: item.guard == "built_in",
        "schedule.delete schedule.run_now schedule.update",
    ),
    "the window compares its text with facts": (
        lambda item: item.checks_facts,
        "fact.correct fact.remember fact.set note.create_file note.save note.update",
    ),
    "the search drops what it names": (
        lambda item: item.removes,
        "note.delete note.delete_many session.forget session.forget_many",
    ),
    "the person may keep its fact beside the other": (lambda item: item.replaces, "fact.correct fact.set"),
    "the ledger forgets what it names": (lambda item: item.erases, "memory.forget_forever"),
    "the window gives advice after it": (lambda item: item.imports, "exchange.import"),
    "the window selects what it brought back": (lambda item: item.brings_back, "memory.undo"),
    "it calls another": (lambda item: item.relays, "agent.ask"),
    "Keepsake itself proposes it": (lambda item: item.proposed, "entity.merge fact.correct"),
    "its command has words of its own": (
        lambda item: item.words,
        "capture.part capture.position capture.status search.explain",
    ),
    "its command looks a value up": (lambda item: item.filled, "note.update"),
    "its command joins words": (lambda item: item.joined, "memory.context memory.search"),
    "another operation, or itself, undoes it": (
        lambda item: item.undo == "operation",
        "agent.add agent.allow agent.incognito.set agent.quarantine agent.refuse agent.release agent.trust agent.undo "
        "backup.cancel_restore connection.write device.approve device.join device.leave "
        "device.pause device.rename device.resume device.share embedding.change embedding.pause embedding.resume "
        "embedding.rollback embedding.switch encryption.cancel encryption.change encryption.encrypt encryption.forget "
        "encryption.remember health.fix inbox.reject projection.begin projection.end "
        "saved_search.order schedule.pause_all settings.set trial.judge",
    ),
    "nothing need be undone": (
        lambda item: item.undo == "needless",
        "agent.request_access attachment.add backup.now capture.part device.accept device.invite "
        "device.refuse device.sync "
        "exchange.dismiss inbox.draft job.cancel "
        "job.pause job.resume schedule.claim schedule.heartbeat schedule.notes_shown schedule.report schedule.run_here "
        "schedule.run_now "
        "session.append session.append_later session.compact session.consolidated session.digest.roll "
        "session.scratchpad.clear session.scratchpad.write session.summary.roll upkeep.cancel vault.reindex "
        "vault.repair",
    ),
    "nothing brings back what was there": (
        lambda item: item.undo == "none",
        "agent.ask agent.clear_ledger agent.revoke agent.rotate archive.clean backup.restore connection.remove "
        "device.remove encryption.decrypt memory.forget_forever schedule.prune secret.remove secret.set",
    ),
    "a run that cannot be rehearsed is on the history": (
        lambda item: item.undo == "history" and item.review in ("refused", "unrehearsed"),
        "exchange.import session.consolidate upkeep.run",
    ),
    "it is not said what brings back what was written": (lambda item: item.access == "write" and not item.undo, ""),
    "its command asks first": (
        lambda item: verb_of(item).asks,
        "agent.ask agent.clear_ledger agent.revoke archive.clean backup.restore connection.remove "
        "device.remove encryption.decrypt memory.forget_forever schedule.prune secret.remove",
    ),
}


@pytest.mark.parametrize("meaning", DERIVED)
def test_what_is_derived(meaning: str) -> None:
    matches, expected = DERIVED[meaning]
    assert names(matches) == expected


def test_the_clients_derive_the_same() -> None:
    known = declared_operations()
    assert known.keys == {item.name: item.key for item in OPERATIONS if item.key}
    assert known.not_for_models == {item.name for item in OPERATIONS if not item.for_models}
    assert known.checks_facts == {item.name for item in OPERATIONS if item.checks_facts}
    assert known.removes == {item.name for item in OPERATIONS if item.removes}
    assert known.replaces == {item.name for item in OPERATIONS if item.replaces}
    assert known.erases == {item.name for item in OPERATIONS if item.erases}
    assert known.imports == {item.name for item in OPERATIONS if item.imports}
    assert known.brings_back == {item.name for item in OPERATIONS if item.brings_back}


def test_each_subject_has_operations_and_each_operation_its_subject() -> None:
    used = {item.name.rpartition(".")[0] for item in OPERATIONS}
    of_commands = {".".join(verb_of(item).words[:-1]).replace("-", "_") for item in OPERATIONS} - {""}
    assert used | of_commands == SUBJECTS.keys()


def test_the_subjects_whose_answers_hold_memories_conversations_or_entities() -> None:
    subjects = {item.name.partition(".")[0] for item in OPERATIONS if item.holds_items}
    assert subjects == {"archive", "entity", "fact", "memory", "note", "reflection", "search", "session", "tag"}


def test_parameters_that_are_named_exist() -> None:
    for item in OPERATIONS:
        named = {*item.positional, item.filled, item.joined, item.transcript, item.key} - {""}
        assert named <= {parameter.name for parameter in item.parameters}, item.name


def test_what_an_agent_may_call_has_a_sentence_that_is_translated() -> None:
    """The ledger tells the person what an agent did, in the person's language."""
    assert names(lambda item: not item.owner_only and not item.sentence) == ""
    assert {item.sentence for item in OPERATIONS if item.sentence} <= set(texts())
    assert operation_words("note.save") == "Wrote a note"


def test_an_operation_that_reads_declares_nothing_of_a_write() -> None:
    reads = [item for item in OPERATIONS if item.access == "read"]
    assert [item.name for item in reads if item.kind != "other" or item.undo or item.guard or item.destructive] == []
    assert names(lambda item: item.access == "write" and item.sentence.startswith(("Looked at", "Asked"))) == ""
