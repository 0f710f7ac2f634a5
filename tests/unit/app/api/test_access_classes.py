"""Access classes: every operation is in one of them on purpose."""

import pytest

from app.api.caller import OWNER, Caller
from app.api.catalogue import declared
from app.errors import AccessDeniedError, AccessRequiredError, KeepsakeError
from app.host import Host

# A new operation belongs into one of these: whom may it serve, and what does it tell?
CLASSES = {
    # Programs that nobody let in yet.
    "unknown": "agent.request_access agent.whoami",
    # Says nothing of what others stored.
    "public": "inbox.mine memory.operators schedule.preview schedule.words",
    # Reads of the stores that a caller reaches.
    "familiar": """
        archive.get archive.list graph.read entity.graph entity.ids entity.info entity.list entity.of
        entity.rows fact.beliefs fact.by_metadata fact.confidence fact.clashes fact.conflicts fact.get fact.list
        memory.context memory.forecast memory.get memory.list memory.parse memory.people memory.search
        memory.sources memory.stats memory.timeline note.days note.entities note.facets
        note.mentions note.templates memory.months entity.named
        note.files note.get note.ids note.kept_texts note.links note.list note.resolve note.rows note.titles
        reflection.latest reflection.list
        search.explain tag.list
    """,
    # Writes into these stores, and the caller's own conversations and schedules.
    "inner": """
        capture.part capture.position
        archive.restore graph.add_observations graph.create_entities graph.create_relations
        graph.delete_entities graph.delete_observations graph.delete_relations
        fact.batch fact.confirm fact.correct fact.forget fact.remember fact.resolve fact.set
        memory.write note.change_many note.create_file note.delete note.delete_many note.dismiss_texts
        note.from_template note.link_mention note.merge note.move_files note.pin note.restore note.save note.tag_many
        note.take_text note.update
        reflection.save schedule.calendar schedule.claim schedule.count schedule.create schedule.delete schedule.due
        schedule.get schedule.heartbeat schedule.report schedule.run schedule.runs schedule.search schedule.update
        session.all session.append session.append_later session.at session.before session.compact session.create
        session.find session.get session.length session.memories session.messages
        session.recent session.restore session.scratchpad.clear
        session.scratchpad.read session.scratchpad.write session.summary.get session.summary.roll
        session.summary.set tag.merge tag.rename
    """,
    # Works on all of the vault: only for callers that read every store.
    "full": """
        capture.status
        memory.on_this_day memory.related
        archive.put entity.duplicates entity.merge entity.place entity.protect entity.relate entity.rename entity.split
        entity.unrelate memory.history memory.undo
        schedule.notes schedule.prune schedule.run_now schedule.status session.agents session.consolidated
        session.digest.get
        session.digest.list session.digest.roll session.forget session.ids session.list session.pending
        session.forget_many
        saved_search.delete saved_search.list saved_search.order saved_search.rename saved_search.save
        session.groups session.memory_counts
        reflection.preview session.rename session.rows session.set_project settings.check settings.list upkeep.plan
        upkeep.status vault.settle vault.stats vault.status
    """,
    # Administers the vault or other agents, or removes for good: the person's own programs.
    "owner": """
        job.cancel job.list job.pause job.resume
        agent.incognito.get agent.incognito.set
        agent.activity agent.add agent.allow agent.ask agent.clear_ledger agent.ledger agent.list
        agent.quarantine agent.quarantined agent.readers agent.refuse agent.release agent.requests
        agent.revoke agent.rotate agent.trust agent.undo agent.vaults archive.clean backup.cancel_restore
        backup.list backup.now backup.restore backup.verify embedding.advice embedding.change
        embedding.compare embedding.pause embedding.resume embedding.rollback embedding.status
        embedding.switch capsule.count capsule.key capsule.make exchange.dismiss exchange.export exchange.export_session
        exchange.import exchange.unfinished
        device.accept device.approve device.invite device.join device.leave device.list device.pause device.refuse
        device.remove device.rename device.requests device.resume device.share device.state device.sync
        encryption.cancel encryption.change encryption.decrypt encryption.encrypt encryption.forget
        encryption.remember encryption.status attachment.read
        exchange.notes_folder exchange.preview health.fix schedule.run_here
        history.find history.list history.next history.step history.undo inbox.draft
        health.plan inbox.accept inbox.count inbox.edit inbox.get inbox.list inbox.reject inbox.rule.remove
        backup.preview backup.status attachment.add attachment.list attachment.locate
        inbox.rule.set inbox.rules llm.status llm.test llm.usage memory.forget_forever memory.receipts
        projection.begin projection.end projection.state
        schedule.activity schedule.notes_shown schedule.pause_all secret.list secret.remove secret.set
        secret.status session.consolidate settings.set trial.judge trial.judged
        upkeep.cancel upkeep.changes upkeep.run upkeep.undo_night
        vault.check vault.health vault.reindex vault.repair agent.connected connection.list
        connection.preview connection.remove connection.write vault.overview vault.trace
    """,
}
CLASS_OF = {name: kind for kind, names in CLASSES.items() for name in names.split()}
OPERATIONS = {item.name: item for item in declared()}


def test_every_operation_is_in_its_class() -> None:
    found = {
        name: "unknown" if item.open_to_unknown else "owner" if item.owner_only else item.trust
        for name, item in OPERATIONS.items()
    }
    assert found == CLASS_OF


def is_refused(host: Host, name: str, caller: Caller) -> bool:
    """Return whether a caller may not call an operation; who may is told that it takes no such argument."""
    with pytest.raises(KeepsakeError) as caught:
        host.call(name, {"no such argument": 1}, caller).result()
    return isinstance(caught.value, AccessDeniedError | AccessRequiredError)


def test_the_class_decides_who_may_call(host: Host) -> None:
    callers = {
        "unknown": Caller("stranger", "full", state="unknown"),
        "public": Caller("stranger", "public"),
        "familiar": Caller("visitor", "familiar"),
        "inner": Caller("helper", "inner"),
        "narrowed": Caller("helper", "full", ("shared",)),
        "full": Caller("helper", "full"),
        "owner": OWNER,
    }
    allowed = {
        "unknown": set(callers),
        "public": {*callers} - {"unknown"},
        "familiar": {"familiar", "inner", "narrowed", "full", "owner"},
        "inner": {"inner", "narrowed", "full", "owner"},
        "full": {"full", "owner"},
        "owner": {"owner"},
    }
    for name, kind in CLASS_OF.items():
        refused = {who for who, caller in callers.items() if is_refused(host, name, caller)}
        assert refused == set(callers) - allowed[kind], name


def test_a_narrowed_agent_is_told_why(host: Host) -> None:
    narrowed = Caller("helper", "full", ("shared",))
    with pytest.raises(AccessDeniedError, match="helper has it for shared only"):
        host.call("memory.history", {}, narrowed).result()
    assert host.call("memory.history", {}, Caller("helper", "full")).result().value == []
    assert host.call("agent.list", {}, OWNER).result().value == []
