"""Projects in real vaults: where they come from, how they are searched, renamed, merged and hidden."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.entities.model import EntityFilter
from app.errors import NotFoundError
from app.host import Host
from tests.bench import projects
from tests.helpers.mcp_clients import RawClient, environment
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.transcripts import CLAUDE_SESSION, claude_line, lines

ATTEMPTS = 20
REMOTE = '[remote "origin"]\n\turl = git@example.org:alice/garden.git\n'


@pytest.fixture
def host(vault: Path, request: pytest.FixtureRequest) -> Iterator[Host]:
    running = Host(vault, overrides=getattr(request, "param", {"embedding.model": "hashed"}))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    """Return a folder in a repository."""
    (tmp_path / "garden" / ".git").mkdir(parents=True)
    (tmp_path / "garden" / ".git" / "config").write_text(REMOTE, encoding="utf-8")
    (tmp_path / "garden" / "beds").mkdir()
    return tmp_path / "garden" / "beds"


def found(host: Host, query: str, caller: Any = None) -> set[str]:
    arguments = {"query": query, "recipe": "words"}
    reply = host.call("memory.search", arguments) if caller is None else host.call("memory.search", arguments, caller)
    return {hit.id for hit in reply.result().value.hits}


def facets(host: Host, query: str) -> dict[str, int]:
    result = host.ask("memory.search", query=query, recipe="words")
    return {facet.value: facet.count for facet in result.facets if facet.name == "project"}


def test_a_transcript_belongs_to_the_repository_of_its_working_folder(host: Host, garden: Path) -> None:
    path = garden / f"{CLAUDE_SESSION}.jsonl"
    path.write_bytes(lines([claude_line(1, "user", "Water the tomatoes", cwd=str(garden))]))
    given = {"session_id": CLAUDE_SESSION, "transcript_path": str(path), "cwd": str(garden)}
    command = [*keepsake_command(), "hook", "stop"]
    subprocess.run(
        command, input=json.dumps(given).encode(), env=environment(host.vault), check=True, cwd=garden, timeout=120
    )
    host.ask("vault.settle", names=True)
    (session,) = host.ask("session.list")
    assert session.attributes["project"] == "alice/garden"
    assert found(host, "project:garden") == found(host, "tomatoes project:alice/garden") == {f"{session.id}#1"}
    assert found(host, "tomatoes -project:garden") == set()
    assert facets(host, "tomatoes") == {"alice/garden": 1}


def test_an_agent_in_a_repository_writes_for_its_project(host: Host, garden: Path) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    client = RawClient(host.vault, token, folder=garden)
    client.greet()
    ask = _asking(client)
    ask("memory_write", content="The beds are watered at six.", kind="observation")
    ask("remember_fact", content="Tomatoes need lime.")
    ask("memory_write", content="The mill stands still.", project="bob/mill")
    said = ask("memory_search", query="project:garden")
    assert "beds" in said
    assert "lime" in said
    assert "mill" not in said
    assert "mill" in ask("memory_search", query="project:mill")
    assert client.close() == 0
    outside = RawClient(host.vault, token)
    outside.greet()
    _asking(outside)("memory_write", content="It rains.")
    assert outside.close() == 0


def _asking(client: RawClient) -> Callable[..., str]:
    def ask(name: str, /, **arguments: Any) -> str:
        result = client.ask(1, "tools/call", {"name": name, "arguments": arguments})["result"]
        return str(result["content"][0]["text"])

    return ask


def test_a_project_is_renamed_and_merged_and_that_is_undone(host: Host) -> None:
    ids = {
        project: host.ask("memory.write", content=f"Lime for {project}.", project=project).memory.id
        for project in ("alice/garden", "alice/beds", "bob/mill")
    }
    host.ask("session.append", session="s", project="alice/beds", messages=[{"role": "user", "content": "Lime."}])
    host.ask("vault.settle", names=True)
    projects = {row.name: row.id for row in host.ask("entity.list", filter=EntityFilter(types=("project",)))}
    assert set(projects) == set(ids)
    assert facets(host, "lime") == {"alice/garden": 1, "alice/beds": 2, "bob/mill": 1}
    host.ask("entity.rename", id=projects["alice/garden"], name="Vegetables")
    assert found(host, "project:vegetables") == found(host, "project:garden") == {ids["alice/garden"]}
    merged = host.call("entity.merge", {"ids": [projects["alice/beds"]], "into": projects["alice/garden"]}).result()
    assert (
        found(host, "project:Vegetables")
        == found(host, "project:beds")
        == {
            ids["alice/garden"],
            ids["alice/beds"],
            "s#1",
        }
    )
    assert facets(host, "lime") == {"Vegetables": 3, "bob/mill": 1}
    later = host.ask("memory.write", content="Lime again.", project="alice/beds").memory.id
    assert later in found(host, "project:vegetables")
    host.ask("memory.undo", history_ids=list(merged.changes.history_ids))
    assert found(host, "project:vegetables") == {ids["alice/garden"]}


def test_what_is_there_already_is_put_into_a_project_and_out_of_it_and_that_is_undone(host: Host) -> None:
    ids = [host.ask("note.save", content=f"Lime {number}.").id for number in range(2)]
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "Lime."}])
    notes = host.call("note.change_many", {"ids": ids, "project": " alice/garden "}).result()
    assert notes.value == tuple(ids)
    session = host.call("session.set_project", {"session": "s", "project": "alice/garden"}).result()
    assert session.value.attributes == {"project": "alice/garden"}
    assert found(host, "project:garden") == {*ids, "s#1"}
    host.ask("vault.settle", names=True)
    (entity,) = host.ask("entity.list", filter=EntityFilter(types=("project",)))
    assert (entity.name, entity.mentions) == ("alice/garden", 3)
    for again in (
        host.call("note.change_many", {"ids": ids, "project": "alice/garden"}).result(),
        host.call("session.set_project", {"session": "s", "project": "alice/garden"}).result(),
    ):
        assert not again.changes.history_ids
    host.ask("session.rename", session="s", title="Beds")
    out = host.call("session.set_project", {"session": "s", "project": ""}).result()
    assert out.value.attributes == {}
    assert host.call("note.change_many", {"ids": ids, "project": ""}).result().value == tuple(ids)
    assert found(host, "project:garden") == set()
    host.ask("vault.settle", names=True)
    assert all(row.mentions == 0 for row in host.ask("entity.rows", ids=[entity.id]))
    host.ask("memory.undo", history_ids=list(out.changes.history_ids))
    assert found(host, "project:garden") == {"s#1"}
    host.ask("memory.undo", history_ids=list(session.changes.history_ids))
    assert host.ask("session.get", session="s").title == "Beds"
    assert found(host, "project:garden") == set()
    with pytest.raises(NotFoundError):
        host.ask("session.set_project", session="none", project="alice/garden")


def test_a_project_is_found_by_any_name_that_it_has_or_had(host: Host) -> None:
    host.ask("memory.write", content="Lime.", project="alice/garden", store="shared")
    host.ask("memory.write", content="Flour.", project="bob/mill", store="shared")
    host.ask("vault.settle", names=True)
    projects = {row.name: row.id for row in host.ask("entity.list", filter=EntityFilter(types=("project",)))}
    host.ask("entity.rename", id=projects["alice/garden"], name="Vegetables")
    for name in ("alice/garden", "Alice/Garden", "vegetables"):
        wanted = EntityFilter(name=name, types=("project",))
        assert [row.name for row in host.ask("entity.list", filter=wanted)] == ["Vegetables"]
    wanted = EntityFilter(name="alice/garden")
    rows = host.call("entity.list", {"filter": wanted}, Caller("scout", "inner")).result().value
    assert [row.name for row in rows] == ["alice/garden"]
    assert host.ask("entity.list", filter=EntityFilter(name="garden")) == []


def test_a_timeline_narrows_to_a_project(host: Host) -> None:
    messages = [{"role": "user", "content": "Lime."}]
    host.ask("session.append", session="s", project="alice/garden", messages=messages)
    host.ask("session.append", session="t", project="bob/mill", messages=messages)
    drawn = host.ask("fact.remember", content="Lime is bought.", session="s").memory.id
    own = host.ask("memory.write", content="Lime is heavy.", project="alice/garden", store="shared").memory.id
    host.ask("memory.write", content="Flour is light.", project="bob/mill", store="shared")

    def shown(caller: Caller | None = None, **arguments: Any) -> list[str]:
        given = {"before": 100, "project": "garden", **arguments}
        reply = host.call("memory.timeline", given) if caller is None else host.call("memory.timeline", given, caller)
        return [item.id for item in reply.result().value.items]

    assert shown() == ["s#1", drawn, own]
    assert shown(session="t") == []
    assert shown(kinds=["message"]) == ["s#1"]
    assert shown(Caller("scout", "inner")) == [own]
    host.ask("vault.settle", names=True)
    (row,) = host.ask("entity.list", filter=EntityFilter(name="alice/garden"))
    host.ask("entity.rename", id=row.id, name="Vegetables")
    assert shown(project="vegetables") == ["s#1", drawn, own]
    assert shown(Caller("scout", "inner"), project="vegetables") == []


def test_projects_of_many_conversations_are_counted_as_those_of_few(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        project = ("alice/garden", "bob/mill", "")[number % 3]
        turns = [{"role": "user", "content": "Lime."}] * (number + 1)
        host.ask("session.append", session=f"s{number}", project=project, messages=turns)
    of_few = facets(host, "lime")
    assert of_few == {"alice/garden": 1 + 4 + 7 + 10, "bob/mill": 2 + 5 + 8 + 11}
    monkeypatch.setattr("app.retrieval.results.project_counts._FEW", 0)
    assert facets(host, "lime") == of_few


def test_an_agent_learns_of_no_project_of_what_it_does_not_see(host: Host) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    caller = host.authenticate(token, "scout", "")
    host.ask("session.append", session="s", project="alice/secret", messages=[{"role": "user", "content": "Lime."}])
    host.ask("memory.write", content="Lime is private.", project="alice/secret", store="private")
    shared = host.ask("memory.write", content="Lime is shared.", project="alice/garden", store="shared").memory.id
    host.ask("memory.write", content="Lime was drawn.", session="s", store="shared")
    host.ask("vault.settle", names=True)
    (garden,) = [row for row in host.ask("entity.list") if row.name == "alice/garden"]
    host.ask("entity.rename", id=garden.id, name="Hush")
    assert found(host, "project:secret", caller) == found(host, "project:hush", caller) == set()
    assert found(host, "project:garden", caller) == {shared}
    result = host.call("memory.search", {"query": "lime"}, caller).result().value
    assert {facet.value: facet.count for facet in result.facets if facet.name == "project"} == {"alice/garden": 1}
    names = [row.name for row in host.call("entity.list", {}, caller).result().value]
    assert names == ["alice/garden"]
    assert len(found(host, "project:secret")) == 3


def test_the_project_at_hand_comes_first_and_what_is_clearly_better_still_does(vault: Path) -> None:
    running = Host(vault)
    running.start()
    try:
        projects.fill(running)
        own, other = projects.shares(running)
        assert own >= 0.9
        assert other == 1
        hits = running.ask("memory.search", query="how are the tests run?", project="bob/kiln").hits
        assert hits[0].why.features["project"] > 0
        assert "project" not in hits[1].why.features
    finally:
        running.stop()


@pytest.mark.parametrize("host", [{}], indirect=True)
def test_a_context_and_a_hook_tell_of_the_project_of_the_working_folder(host: Host, garden: Path) -> None:
    for project in ("alice/garden", "bob/mill", "carol/kiln"):
        host.ask("fact.remember", content=f"Tests of {project} are run by hand.", project=project)
    host.ask("vault.settle")
    context = host.ask("memory.context", prompt="how are the tests run?", project="alice/garden")
    first = {section.name: section.items[0].text for section in context.sections if section.items}
    assert "alice/garden" in first["facts"]
    given = {"prompt": "How are the tests run?", "cwd": str(garden), "session_id": "new"}
    for event in ("prompt", "session-start"):
        answer = _hook(host, event, given, garden)
        places = [answer.find(name) for name in ("alice/garden", "bob/mill", "carol/kiln")]
        assert 0 <= places[0] < min([place for place in places[1:] if place >= 0], default=len(answer))


def _hook(host: Host, event: str, given: dict[str, str], folder: Path) -> str:
    """Return what a hook tells, which gives up after two seconds on a machine with much to do."""
    for _ in range(ATTEMPTS):
        done = subprocess.run(
            [*keepsake_command(), "hook", event],
            input=json.dumps(given).encode(),
            env=environment(host.vault),
            check=True,
            cwd=folder,
            timeout=120,
            capture_output=True,
        )
        if done.stdout:
            return done.stdout.decode()
    raise AssertionError(done.stderr)
