"""Connections as a whole: shown, made and ended over real files."""

import asyncio
from pathlib import Path

import pytest

from app.connections.model import ConnectionRequest, GrantedAccess
from app.connections.service import ConnectionService
from app.errors import FormatError, InputError, KeepsakeError, MachineError

TOKEN = "kst_0123456789abcdef"


class Agents:
    """Agents with access, in memory."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    async def grant(self, name: str, trust: str, *, review: bool, actor: str) -> GrantedAccess:
        if name in self.names:
            raise InputError(f"There is an agent named '{name}' already.")
        self.names[name] = f"{trust} {review} {actor}"
        return GrantedAccess(f"agt-{name}", TOKEN)

    async def end(self, name: str, *, actor: str) -> str:
        return f"agt-{name}" if self.names.pop(name, "") and actor else ""


@pytest.fixture
def agents() -> Agents:
    return Agents()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def service(vault: Path, agents: Agents) -> ConnectionService:
    return ConnectionService(vault, agents)


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    return {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home" / ".config")}


def cursor(home: dict[str, str]) -> Path:
    return Path(home["HOME"]) / ".cursor" / "mcp.json"


CURSOR = ConnectionRequest("cursor", review=True)


def test_a_file_that_changed_since_it_was_shown_is_left(
    service: ConnectionService, agents: Agents, home: dict[str, str]
) -> None:
    async def work() -> None:
        cursor(home).write_text("{}")
        seen = (await service.preview(CURSOR, home)).digest
        cursor(home).write_text('{"mine": 1}')
        with pytest.raises(MachineError, match="since it was shown"):
            await service.write(CURSOR, seen, home, actor="person")

    asyncio.run(work())
    assert cursor(home).read_text() == '{"mine": 1}'
    assert agents.names == {}


@pytest.mark.parametrize("text", ['{"mcpServers": ', "[1, 2]", '{"mcpServers": {"keepsake": {}}}'])
def test_a_file_that_cannot_be_read_is_one_clear_error(
    service: ConnectionService, home: dict[str, str], text: str
) -> None:
    cursor(home).write_text(text)
    with pytest.raises((FormatError, InputError), match=r"mcp\.json"):
        asyncio.run(service.preview(CURSOR, home))
    state = next(one for one in asyncio.run(service.clients(home)) if one.name == "cursor")
    assert state.problem
    assert cursor(home).read_text() == text


def test_an_unknown_client_and_one_without_hooks(service: ConnectionService, home: dict[str, str]) -> None:
    with pytest.raises(InputError, match="claude-desktop"):
        asyncio.run(service.preview(ConnectionRequest("emacs"), home))
    with pytest.raises(InputError, match="has no hooks"):
        asyncio.run(service.preview(ConnectionRequest("cursor", hooks=True), home))
    with pytest.raises(InputError, match="was not connected"):
        asyncio.run(service.preview_removal("cursor", home))


def test_a_refused_agent_changes_no_file(service: ConnectionService, agents: Agents, home: dict[str, str]) -> None:
    agents.names["cursor"] = "before"

    async def work() -> None:
        seen = (await service.preview(CURSOR, home)).digest
        with pytest.raises(InputError, match="already"):
            await service.write(CURSOR, seen, home, actor="person")

    asyncio.run(work())
    assert not cursor(home).exists()
    assert agents.names == {"cursor": "before"}


def test_a_file_that_cannot_be_written_takes_the_access_back(
    service: ConnectionService, agents: Agents, vault: Path, home: dict[str, str]
) -> None:
    async def work() -> None:
        seen = (await service.preview(CURSOR, home)).digest
        (vault / "connections.json").mkdir()
        with pytest.raises(KeepsakeError):
            await service.write(CURSOR, seen, home, actor="person")

    asyncio.run(work())
    assert not cursor(home).exists()
    assert agents.names == {}


def test_it_is_shown_written_listed_and_taken_back_to_the_byte(
    service: ConnectionService, agents: Agents, home: dict[str, str]
) -> None:
    before = '{\n  // mine\n  "mcpServers": {}\n}\n'
    cursor(home).write_text(before)

    async def work() -> None:
        shown = await service.preview(CURSOR, home)
        assert [file.path for file in shown.files] == [str(cursor(home))]
        assert '+    "keepsake": {' in shown.files[0].diff
        made = await service.write(CURSOR, shown.digest, home, actor="person")
        assert (made.agent, made.agent_id) == ("cursor", "agt-cursor")
        assert Path(made.backups[0]).read_text() == before
        assert TOKEN in cursor(home).read_text()
        assert TOKEN not in shown.files[0].diff
        assert agents.names == {"cursor": "inner True person"}
        state = next(one for one in await service.clients(home) if one.is_connected)
        assert (state.name, state.agent, state.is_installed, state.problem) == ("cursor", "cursor", True, "")
        with pytest.raises(InputError, match="connected already"):
            await service.preview(CURSOR, home)
        away = await service.preview_removal("cursor", home)
        assert '-    "keepsake": {' in away.files[0].diff
        with pytest.raises(MachineError):
            await service.remove("cursor", shown.digest, home, actor="person")
        await service.remove("cursor", away.digest, home, actor="person")

    asyncio.run(work())
    assert cursor(home).read_text() == before
    assert agents.names == {}


def test_what_is_installed_is_told_by_its_traces(service: ConnectionService, home: dict[str, str]) -> None:
    (Path(home["HOME"]) / ".config" / "Claude").mkdir(parents=True)
    found = {one.name: one.is_installed for one in asyncio.run(service.clients(home))}
    assert found["cursor"]
    assert found["claude-desktop"]
    assert not found["windsurf"]


def test_the_variables_of_the_caller_decide_the_place(
    service: ConnectionService, home: dict[str, str], tmp_path: Path
) -> None:
    shown = asyncio.run(service.preview(ConnectionRequest("codex"), {**home, "CODEX_HOME": str(tmp_path / "codex")}))
    assert shown.files[0].path == str(tmp_path / "codex" / "config.toml")
