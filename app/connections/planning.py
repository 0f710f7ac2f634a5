"""Plans of connections: pure functions from a configuration's text to its new text."""

import difflib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from app.connections import json_text
from app.connections.model import ENTRY_NAME, ClientConfig, FilePlan, ServerEntry, WrittenFile
from app.errors import FormatError, InputError
from app.sentence import Sentence

_HOOKS: Final = "hooks"
_TOKEN: Final = re.compile(r"kst_[A-Za-z0-9_-]{8,}")
_OUR_HOOK: Final = "KEEPSAKE_TOKEN="
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Removal:
    """A planned removal: the new text, and sentences about parts left alone."""

    text: str
    left: tuple[str, ...] = ()


def plan_entry(client: ClientConfig, text: str | None, entry: ServerEntry) -> FilePlan:
    """Return the change that puts our entry into a client's configuration.

    Raises:
        FormatError: The configuration cannot be read, or its servers are no table.
        InputError: There is an entry of that name already.
    """
    path = (*client.section, ENTRY_NAME)
    before = _plain(text)
    values = _parsed(client, before)
    if _value_at(values, path) is not None:
        raise InputError(
            Sentence(
                "{client} has an entry named '{entry}' already, in {path}. Remove it first.",
                client=client.title,
                entry=ENTRY_NAME,
                path=client.path,
            ),
            path=client.path,
        )
    parents = tuple(path[:depth] for depth in range(1, len(path)) if _value_at(values, path[:depth]) is None)
    if client.format == "toml":
        after = _toml().with_entry(before, path, entry)
    else:
        after = json_text.with_member(before or "{}\n", path, entry.value())
    expected = _with_value(values, path, entry.value())
    if _parsed(client, after) != expected:
        raise FormatError(
            Sentence(
                "{path} is written in a way that cannot be changed safely. Add the entry yourself.", path=client.path
            ),
            path=client.path,
        )
    return FilePlan(client.path, text, _as_before(text, after), parents)


def plan_hooks(client: ClientConfig, text: str | None, hooks: Mapping[str, str]) -> FilePlan:
    """Return the change that adds hooks, each a command by the client's event.

    Raises:
        FormatError: The configuration cannot be read, or its hooks are no lists.
    """
    path, after = client.hooks_path, _plain(text) or "{}\n"
    values = json_text.parse(after).value
    if not isinstance(values, dict):
        raise FormatError(Sentence("{path} is not a JSON object.", path=path), path=path)
    paths = [(_HOOKS,), *((_HOOKS, event) for event in hooks)]
    parents = tuple(path for path in paths if _value_at(values, path) is None)
    for event, command in hooks.items():
        after = json_text.with_item(after, (_HOOKS, event), hook_value(client, command))
    return FilePlan(path, text, _as_before(text, after), parents)


def hook_value(client: ClientConfig, command: str) -> dict[str, Any]:
    """Return a hook as a client lists it."""
    return {"hooks": [{"type": "command", "command": command, "timeout": client.hook_timeout}]}


def plan_removal(client: ClientConfig, text: str, written: WrittenFile) -> Removal:
    """Return a configuration without what a connection put into it, and nothing else taken out.

    Raises:
        FormatError: The configuration cannot be read.
    """
    sentences: list[str] = []
    after = _plain(text)
    if written.entry:
        after = _without_entry(client, after, written, sentences)
    for event, digest in written.hooks.items():
        after = _without_hook(after, event, digest, sentences)
    # What the connection made on the way goes when nothing is left in it.
    for path in sorted(written.made, key=len, reverse=True):
        after = _without_empty(client if written.entry else None, after, path)
    return Removal(_as_before(text, after), tuple(sentences))


def digest_of(value: Any) -> str:
    """Return a digest of JSON values or text, to detect a later change."""
    plain = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def diff(plan: FilePlan) -> str:
    """Return the change as a unified diff; a token is not shown in it."""
    before, after = plan.before or "", plan.after or ""
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        "now" if plan.before is not None else "no file",
        "then",
        lineterm="",
        n=2,
    )
    return _TOKEN.sub("kst_…", "\n".join(lines))


def printed(client: ClientConfig, entry: ServerEntry) -> str:
    """Return our entry as the person would write it into the configuration."""
    path = (*client.section, ENTRY_NAME)
    if client.format == "toml":
        return str(_toml().with_entry("", path, entry))
    value: Any = entry.value()
    for name in reversed(path):
        value = {name: value}
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# Parts ------------------------------------------------------------------------------------------------------------


def _toml() -> ModuleType:
    # Most commands and clients have no use for tomlkit, which takes long to load.
    from app.connections import toml_text  # noqa: PLC0415

    return toml_text


def _plain(text: str | None) -> str:
    return (text or "").removeprefix(_BOM)


def _as_before(before: str | None, after: str) -> str:
    return _BOM + after if before is not None and before.startswith(_BOM) else after


def _parsed(client: ClientConfig, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        values = _toml().parse(text) if client.format == "toml" else json_text.parse(text).value
    except FormatError as error:
        raise FormatError(
            Sentence("{path} cannot be read. {reason}", path=client.path, reason=error.sentence), path=client.path
        ) from error
    if not isinstance(values, dict):
        raise FormatError(Sentence("{path} is not a JSON object.", path=client.path), path=client.path)
    return values


def _value_at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _with_value(values: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    inner = values.get(path[0])
    rest = value if len(path) == 1 else _with_value(inner if isinstance(inner, dict) else {}, path[1:], value)
    return {**values, path[0]: rest}


def _without_entry(client: ClientConfig, text: str, written: WrittenFile, left: list[str]) -> str:
    path = (*client.section, ENTRY_NAME)
    entry = _value_at(_parsed(client, text), path)
    if entry is None:
        return text
    if digest_of(entry) != written.entry:
        left.append(
            Sentence(
                "The entry '{entry_name}' in {path} was changed since, so it was left as it is.",
                entry_name=ENTRY_NAME,
                path=written.path,
            )
        )
        return text
    return _without_path(client, text, path)


def _without_path(client: ClientConfig | None, text: str, path: tuple[str, ...]) -> str:
    if client is None or client.format == "json":
        return json_text.without(text, path)
    return str(_toml().without_entry(text, path))


def _without_hook(text: str, event: str, digest: str, left: list[str]) -> str:
    entry = json_text.at(text, (_HOOKS, event))
    items = entry.node.value if entry is not None and isinstance(entry.node.value, list) else []
    position = next((n for n, item in enumerate(items) if digest_of(item) == digest), None)
    if position is not None:
        return json_text.without(text, (_HOOKS, event), position)
    if any(_OUR_HOOK in json.dumps(item) for item in items):
        left.append(Sentence("The hook for {event} was changed since, so it was left as it is.", event=event))
    return text


def _without_empty(client: ClientConfig | None, text: str, path: tuple[str, ...]) -> str:
    values = json_text.parse(text).value if client is None or client.format == "json" else _toml().parse(text)
    return _without_path(client, text, path) if _value_at(values, path) in ({}, []) else text
