"""Plans of connections for every client, and what comes out when they are taken back."""

import json
import tomllib

import pytest

from app.connections import planning
from app.connections.clients import CLIENTS, client_config
from app.connections.model import ClientConfig, ServerEntry, WrittenFile
from app.errors import FormatError, InputError

HOME = {"HOME": "/home/alice"}
TOKEN = "kst_" + "x" * 43


def client(name: str) -> ClientConfig:
    found = client_config(name, HOME, "linux")
    assert found is not None
    return found


def entry(of: ClientConfig) -> ServerEntry:
    return ServerEntry("/opt/keepsake", ("mcp",), {"KEEPSAKE_TOKEN": TOKEN}, of.has_type)


def written(of: ClientConfig, made: tuple[tuple[str, ...], ...] = ()) -> WrittenFile:
    return WrittenFile(of.path, entry=planning.digest_of(entry(of).value()), made=made)


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_gets_an_entry_in_its_format(name: str) -> None:
    of = client(name)
    after = planning.plan_entry(of, None, entry(of)).after or ""
    values = tomllib.loads(after) if of.format == "toml" else json.loads(after)
    found = values[of.section[0]]["keepsake"]
    assert (found["command"], found["args"], found["env"]) == ("/opt/keepsake", ["mcp"], {"KEEPSAKE_TOKEN": TOKEN})
    assert planning.plan_removal(of, after, written(of, ((of.section[0],),))).text.strip() in ("", "{}")


@pytest.mark.parametrize(
    ("platform", "environment", "name", "path"),
    [
        ("linux", HOME, "claude-desktop", "/home/alice/.config/Claude/claude_desktop_config.json"),
        (
            "darwin",
            {"HOME": "/Users/a"},
            "claude-desktop",
            "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        (
            "win32",
            {"USERPROFILE": r"C:\Users\a", "APPDATA": r"C:\R"},
            "claude-desktop",
            r"C:\R\Claude\claude_desktop_config.json",
        ),
        ("win32", {"USERPROFILE": r"C:\Users\a"}, "vscode", r"C:\Users\a\AppData\Roaming\Code\User\mcp.json"),
        ("linux", HOME, "claude-code", "/home/alice/.claude.json"),
        ("linux", {**HOME, "CLAUDE_CONFIG_DIR": "/c"}, "claude-code", "/c/.claude.json"),
        ("darwin", {"HOME": "/Users/a"}, "cursor", "/Users/a/.cursor/mcp.json"),
        ("linux", {**HOME, "CODEX_HOME": "/x"}, "codex", "/x/config.toml"),
        ("linux", HOME, "gemini", "/home/alice/.gemini/settings.json"),
        ("linux", HOME, "windsurf", "/home/alice/.codeium/windsurf/mcp_config.json"),
    ],
)
def test_configurations_are_where_the_system_has_them(
    platform: str, environment: dict[str, str], name: str, path: str
) -> None:
    found = client_config(name, environment, platform)
    assert found is not None
    assert found.path == path


def test_an_unknown_client_has_no_configuration() -> None:
    assert client_config("emacs", HOME, "linux") is None


def test_a_name_that_is_taken_is_not_overwritten() -> None:
    text = '{"mcpServers": {"keepsake": {"command": "other"}}}'
    with pytest.raises(InputError, match="has an entry named 'keepsake' already"):
        planning.plan_entry(client("cursor"), text, entry(client("cursor")))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "{"),
        ("cursor", "[1]"),
        ("cursor", '{"mcpServers": 3}'),
        ("codex", "a = = 1"),
        ("codex", "mcp_servers = 3"),
    ],
)
def test_a_broken_configuration_is_refused(name: str, text: str) -> None:
    with pytest.raises(FormatError):
        planning.plan_entry(client(name), text, entry(client(name)))


def test_toml_keeps_its_comments_and_gives_the_entry_back() -> None:
    of, text = client("codex"), '# mine\nmodel = "o4" # fast\n\n[mcp_servers.x]\ncommand = "y"\n'
    plan = planning.plan_entry(of, text, entry(of))
    assert (plan.after or "").startswith(text)
    assert planning.plan_removal(of, f"{plan.after}# later\n", written(of)).text == f"{text}# later\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { fs = { command = "npx" } }\n',
        'model = "o4"\nmcp_servers = {fs={command="npx"}} # mine\n[tui]\nx = 1\n',
        "mcp_servers = {}\n",
        'mcp_servers.fs.command = "npx"\n',
        '[mcp_servers]\nfs = { command = "npx" }\n\n[tui]\nx = 1\n',
    ],
)
def test_toml_of_any_style_takes_the_entry_and_gives_it_back(text: str) -> None:
    of = client("codex")
    plan = planning.plan_entry(of, text, entry(of))
    assert planning.plan_removal(of, plan.after or "", written(of)).text == text


def test_an_entry_that_the_person_changed_is_left() -> None:
    of = client("vscode")
    text = (planning.plan_entry(of, "{}", entry(of)).after or "").replace('"mcp"', '"mcp", "--debug"')
    removal = planning.plan_removal(of, text, written(of, ((of.section[0],),)))
    assert removal.text == text
    assert "was changed since" in removal.left[0]


def test_other_entries_added_since_stay() -> None:
    of = client("cursor")
    text = (planning.plan_entry(of, "{}", entry(of)).after or "").replace(
        '"keepsake": {', '"new": {},\n    "keepsake": {', 1
    )
    removal = planning.plan_removal(of, text, written(of, ((of.section[0],),)))
    assert json.loads(removal.text) == {"mcpServers": {"new": {}}}
    assert removal.left == ()


def test_hooks_are_added_beside_the_persons_and_taken_back() -> None:
    of = client("claude-code")
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "model": "opus"}'
    commands = {event: f"KEEPSAKE_TOKEN={TOKEN} keepsake hook {ours}" for event, ours in of.hooks}

    plan = planning.plan_hooks(of, text, commands)

    values = json.loads(plan.after or "")
    assert values["hooks"]["Stop"][0]["hooks"][0]["command"] == "mine"
    assert values["hooks"]["Stop"][1]["hooks"][0]["command"].endswith("hook stop")
    digests = {event: planning.digest_of(planning.hook_value(of, command)) for event, command in commands.items()}
    receipt = WrittenFile(of.hooks_path, hooks=digests, made=plan.made)
    assert json.loads(planning.plan_removal(of, plan.after or "", receipt).text) == json.loads(text)

    changed = (plan.after or "").replace("hook stop", "hook stop --max-tokens 3")
    left = planning.plan_removal(of, changed, receipt)
    assert left.left == ("The hook for Stop was changed since, so it was left as it is.",)
    assert "--max-tokens" in left.text


def test_a_byte_order_mark_stays_and_a_diff_shows_no_token() -> None:
    of = client("cursor")
    plan = planning.plan_entry(of, '\ufeff{"a": 1}\n', entry(of))
    assert (plan.after or "").startswith('\ufeff{"a": 1')
    assert TOKEN in (plan.after or "")
    assert TOKEN not in planning.diff(plan)
    assert "kst_…" in planning.diff(plan)
