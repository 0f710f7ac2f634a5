"""The parser of verbs, and what it says about mistakes."""

import pytest

from app.cli.usage import WrongUsageError
from app.cli.verbs.declarations import verb
from app.cli.verbs.model import Verb
from app.cli.verbs.option_parser import parsed
from app.cli.verbs.values import arguments_of, piped_items


def arguments(command: str, *words: str, piped: str = "") -> dict[str, object]:
    found = verb(command)
    assert isinstance(found, Verb)
    return arguments_of(found, parsed(found, words).values, lambda: piped)


@pytest.mark.parametrize(
    ("command", "words", "sentence"),
    [
        ("note get", (), "Missing argument 'ID'"),
        ("note get", ("a", "b"), "Got unexpected extra argument (b)"),
        ("note list", ("--limits", "3"), "No such option: --limits (did you mean --limit?)"),
        ("note list", ("--limit",), "Option '--limit' requires an argument"),
        ("note list", ("--limit", "many"), "--limit: 'many' is not a whole number"),
        ("note list", ("--kind", "note,fax"), "--kinds: 'fax' is not one of"),
        ("note list", ("--since", "when it rained"), "--since: 'when it rained' is not a time such as"),
        ("note list", ("--pinned=yes",), "Option '--pinned' does not take a value"),
        ("note list", ("--filter", "{"), "--filter: this is not JSON"),
        ("note list", ("--filter", "[1]"), "--filter: give a JSON object"),
        ("note save", ("T", "@/no/such/file"), "There is no file '/no/such/file'"),
        ("note delete-many", (), "Missing argument 'IDS'"),
        ("tag merge", ("a",), "Missing argument"),
        ("schedule create", ("goal", "sometimes"), "CADENCE: write"),
    ],
)
def test_a_mistake_is_said(command: str, words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(WrongUsageError) as caught:
        arguments(command, *words)
    assert sentence in caught.value.sentence


def test_standard_input_is_read_once() -> None:
    with pytest.raises(WrongUsageError, match="one value only"):
        arguments("memory context", "-", "-", piped="x")


@pytest.mark.parametrize(
    ("command", "words", "made"),
    [
        ("note save", ("T", "a", "b=c", "--tag", "x,y", "--tags", "z"), None),
        ("note save", ("T", "--tag", "x,y", "a", "--tags", "z"),
         {"title": "T", "content": "a", "tags": ["x", "y", "z"]}),
        ("note save", ("--", "-T", "--json"), {"title": "-T", "content": "--json"}),
        ("note save", ("T", "@@x"), {"title": "T", "content": "@x"}),
        ("note save", ("T", "x", "--attributes", "a=1", "--attributes", '{"b": 2}'),
         {"title": "T", "content": "x", "attributes": {"a": "1", "b": 2}}),
        ("tag merge", ("a", "b", "c"), {"tags": ["a", "b"], "into": "c"}),
        ("note list", ("--filter", '{"text": "x", "tags": ["a"]}', "--text", "y", "--no-pinned"),
         {"filter": {"text": "y", "tags": ["a"], "pinned": False}}),
        ("agent add", ("n", "--stores", "shared,social", "--review"),
         {"name": "n", "stores": ["shared", "social"], "review": True}),
        ("memory search", ("red", "roses"), {"query": "red roses"}),
        ("memory undo", ("3", "4"), {"history_ids": [3, 4]}),
        ("schedule create", ("g", "0 9 * * 1 Europe/Berlin"),
         {"goal": "g", "cadence": {"kind": "cron", "expression": "0 9 * * 1", "zone": "Europe/Berlin"}}),
        ("schedule create", ("g", "every 2 hours"), {"goal": "g", "cadence": {"kind": "interval", "seconds": 7200.0}}),
    ],
)  # fmt: skip
def test_a_line_is_understood(command: str, words: tuple[str, ...], made: dict[str, object] | None) -> None:
    if made is None:
        with pytest.raises(WrongUsageError, match="unexpected extra"):
            arguments(command, *words)
    else:
        assert arguments(command, *words) == made


@pytest.mark.parametrize(
    "piped",
    ['["a", "b"]', '[{"id": "a"}, {"id": "b"}]', '{"hits": [{"id": "a"}, {"id": "b"}]}', '{"id": "a"}\n{"id": "b"}\n',
     "a\tnote\tTitle\nb\tfact\t\n", "a\nb", '"a"\n"b"'.replace('"', ""), "  a \n\n b \n"],
)  # fmt: skip
def test_ids_come_from_any_list(piped: str) -> None:
    assert piped_items(piped) == ["a", "b"]
    assert arguments("note delete-many", "-", piped=piped) == {"ids": ["a", "b"]}
    assert arguments("note delete-many", "c", "-", piped=piped) == {"ids": ["c", "a", "b"]}


def test_objects_without_an_id_are_refused() -> None:
    with pytest.raises(WrongUsageError, match="no 'id'"):
        piped_items('[{"name": "a"}]')


def test_times_are_those_of_the_operators() -> None:
    since = arguments("note list", "--since", "2026-03")["filter"]
    assert isinstance(since, dict)
    assert str(since["since"]).startswith("2026-0")
    for text in ("yesterday", "last week", "3 days ago", "2026-03-01T14:30", "2026-03-01T14:30:00Z"):
        assert arguments("note list", "--since", text)["filter"]
