"""``keepsake`` as a person and a shell run it: real processes on real vaults."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app import __version__
from app.core.text import has_controls
from app.rpc.hostfile import FILE
from tests.helpers.processes.warm_process import ModuleProcess, start_module
from tests.helpers.processes.warm_start import keepsake_command
from tests.helpers.sample_data import NAUGHTY, ROOT
from tests.integration.processes.command_lines import run_all

SAMPLE = ROOT / "resources" / "sample"
LIMIT_S = 60
ALL_AT_ONCE = next(text for text in NAUGHTY if "${HOME}" in text)

Done = subprocess.CompletedProcess[bytes]
Keepsake = Callable[..., Done]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of Unix")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where the vault of the test will be."""
    return tmp_path / "vault"


@pytest.fixture
def keepsake(place: Path, tmp_path: Path) -> Keepsake:
    """Return what runs ``keepsake`` on the test's vault, with a home of its own."""

    def run(*arguments: str | bytes, stdin: bytes | None = None, **environment: str) -> Done:
        return subprocess.run(
            [*keepsake_command(), "--vault", str(place), *arguments],
            cwd=tmp_path,
            env=surroundings(tmp_path, **environment),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )

    return run


def surroundings(home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), "PYTHONUTF8": "1", **more}


@contextmanager
def serving(place: Path, home: Path) -> Iterator[ModuleProcess]:
    """Run ``keepsake serve`` until the block ends."""
    with start_module("app", "--vault", str(place), "serve", environment=surroundings(home)) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("Keepsake serves ")
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(LIMIT_S)


def sentence(done: Done) -> str:
    """Return the one sentence a failed command said."""
    assert done.returncode != 0
    shown = done.stderr.decode()
    assert shown.startswith("keepsake: ")
    assert shown.count("\n") == 1
    assert "Traceback" not in shown
    return shown


def test_the_version(keepsake: Keepsake) -> None:
    assert keepsake("--version").stdout.decode().strip() == f"keepsake {__version__}"


def test_a_note_is_kept_and_found(keepsake: Keepsake) -> None:
    kept = keepsake("capture", "Bram lends the endoscope", "--tag", "garden", "--title", "Bram")
    assert kept.returncode == 0, kept.stderr
    text = keepsake("search", "endoscope").stdout.decode()
    assert kept.stdout.decode().strip() in text
    assert "why: " in text
    assert "\x1b" not in text
    note = json.loads(keepsake("call", "note.get", json.dumps({"id": kept.stdout.decode().strip()})).stdout)
    assert (note["title"], note["tags"]) == ("Bram", ["garden"])


def test_a_note_is_kept_from_standard_input(keepsake: Keepsake) -> None:
    kept = keepsake("capture", stdin="流氷 from a pipe\n".encode())
    found = json.loads(keepsake("search", "--json", "流氷").stdout)
    assert found["hits"][0]["id"] == kept.stdout.decode().strip()


def test_nothing_to_keep_is_said(keepsake: Keepsake) -> None:
    for done in (keepsake("capture"), keepsake("capture", "  "), keepsake("capture", stdin=b"\n")):
        assert done.returncode == 65
        assert "note is empty" in sentence(done)


def test_commands_go_through_the_host_that_runs(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    with serving(place, tmp_path) as process:
        assert process.pid == json.loads((place / FILE).read_bytes())["pid"]
        kept = keepsake("capture", "through the socket")
        assert kept.returncode == 0, kept.stderr
        assert b"through the socket" in keepsake("search", "socket").stdout
        assert keepsake("import", str(SAMPLE / "notes")).returncode == 0
        assert keepsake("export", "relative.jsonl").returncode == 0
        assert (tmp_path / "relative.jsonl").is_file()
        assert keepsake("config", "set", "search.limit", "60").stdout == b"search.limit = 60\n"
        assert keepsake("config", "get", "search.limit").stdout == b"60\n"
        assert keepsake("check").returncode == 0
        assert Path(keepsake("backup").stdout.decode().strip()).is_file()
    assert b"through the socket" in keepsake("search", "socket").stdout


def test_a_second_host_is_refused(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    with serving(place, tmp_path) as process:
        second = keepsake("serve")
        assert second.returncode == 75
        assert f"Another Keepsake (process {process.pid}) has this vault open" in sentence(second)
        assert keepsake("capture", "still well").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot stop a process for a while")
def test_a_host_that_hangs_is_named_with_what_to_do(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    with serving(place, tmp_path) as process:
        process.send_signal(signal.SIGSTOP)
        try:
            captured = keepsake("capture", "while it hangs")
            refused = keepsake("note", "save", "while it hangs")
        finally:
            process.send_signal(signal.SIGCONT)
        assert captured.returncode == 69
        assert "Nothing was kept" in sentence(captured)
        assert refused.returncode == 75
        assert f"process {process.pid}" in sentence(refused)
        assert "if it does not answer, end its process" in sentence(refused)
        assert keepsake("capture", "still well").returncode == 0
    assert b"while it hangs" not in keepsake("note", "list").stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_a_clean_vault(keepsake: Keepsake, place: Path, tmp_path: Path, number: signal.Signals) -> None:
    with serving(place, tmp_path) as process:
        socket = Path(json.loads((place / FILE).read_bytes())["socket"])
        assert socket.is_socket()
        keepsake("capture", "before the signal")
        process.send_signal(number)
        assert process.wait(LIMIT_S) == 0
    assert not socket.exists()
    assert not (place / FILE).exists()
    assert keepsake("check").returncode == 0
    assert b"before the signal" in keepsake("search", "signal").stdout


def test_a_killed_host_is_forgotten(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    with serving(place, tmp_path) as process:
        keepsake("capture", "before the end")
        process.kill()
        process.wait(LIMIT_S)
    assert (place / FILE).exists()
    assert b"before the end" in keepsake("search", "end").stdout
    with serving(place, tmp_path):
        assert b"before the end" in keepsake("search", "end").stdout


def test_the_sample_goes_in_and_out_and_in(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    for part in ("conversations.jsonl", "memories.jsonl", "notes"):
        done = keepsake("import", str(SAMPLE / part))
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(b"Imported ")
    examples = json.loads((SAMPLE / "searches.json").read_bytes())
    searches = [["--vault", str(place), "search", "--json", example["query"]] for example in examples]
    for example, said in zip(examples, run_all(searches, tmp_path, surroundings(tmp_path)), strict=True):
        names = [name for hit in json.loads(said.output)["hits"] for name in (hit["id"], hit["title"])]
        assert example["expected"] in names
    again = keepsake("import", str(SAMPLE / "conversations.jsonl"))
    assert b"Imported 0 conversations with 0 messages" in again.stdout
    assert keepsake("export", "first.jsonl").returncode == 0
    assert keepsake("--vault", str(tmp_path / "other"), "import", "first.jsonl").returncode == 0
    assert keepsake("--vault", str(tmp_path / "other"), "export", "second.jsonl").returncode == 0
    first, second = (sorted((tmp_path / f"{name}.jsonl").read_bytes().splitlines()) for name in ("first", "second"))
    assert len(first) == len(second)
    assert keepsake("export", "--format", "markdown", "reading").returncode == 0
    assert list((tmp_path / "reading").rglob("*.md"))


def test_what_was_left_out_shows_in_the_status(keepsake: Keepsake, tmp_path: Path) -> None:
    good = '{"type":"memory","kind":"note","content":"kept"}'
    (tmp_path / "half.jsonl").write_text(f"{good}\n{{broken\n")
    done = keepsake("import", "half.jsonl")
    assert done.returncode == 1
    assert b"left out" in done.stdout
    assert b"kept" in keepsake("search", "kept").stdout


def test_pictures_among_notes_are_no_loss(keepsake: Keepsake, tmp_path: Path) -> None:
    (tmp_path / "notes" / ".hidden").mkdir(parents=True)
    (tmp_path / "notes" / "note.md").write_text("kept")
    (tmp_path / "notes" / "picture.png").write_bytes(b"x")
    done = keepsake("import", "notes")
    assert done.returncode == 0
    assert b"(1 .png)." in done.stdout
    assert b"1 hidden folder was left out (.hidden)." in done.stdout


def test_the_status_tells_lost_pictures_from_lost_notes(keepsake: Keepsake, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("![](broken.png) kept ![](fine.txt)")
    (notes / "broken.png").write_bytes(b"no picture at all")
    (notes / "fine.txt").write_text("fine")
    done = keepsake("import", "notes")
    assert done.returncode == 3, done.stdout
    assert b"broken.png" in done.stdout
    (notes / "binary.md").write_bytes(bytes(range(256)) * 4)
    assert keepsake("import", "notes").returncode == 1
    assert keepsake("export", "all.jsonl").returncode == 0
    piped = keepsake("export", "-")
    assert piped.returncode == 3
    assert b"Attachments were left out (1)" in piped.stderr
    assert b"kept" in piped.stdout
    (notes / "note.md").write_text("![](fine.txt) alone")
    (notes / "binary.md").unlink()
    assert keepsake("import", "notes").returncode == 0


def test_an_export_goes_to_standard_output(keepsake: Keepsake, tmp_path: Path) -> None:
    keepsake("capture", "kept \x9b")
    done = keepsake("export", "-")
    assert done.returncode == 0, done.stderr
    assert "kept \x9b" in {json.loads(line).get("content") for line in done.stdout.splitlines()}
    assert b"\\u009b" in done.stdout
    assert not (tmp_path / "-").exists()
    assert keepsake("export", "--format", "markdown", "-").returncode == 65


def test_a_search_without_words_and_one_that_finds_nothing(keepsake: Keepsake) -> None:
    keepsake("capture", "heron")
    for text in ("-", "()*&^%", "___"):
        done = keepsake("search", "--", text)
        assert done.returncode == 65
        assert "no word to search for" in sentence(done)
    nothing = keepsake("search", "zzzqqq")
    assert nothing.returncode == 0
    assert nothing.stdout.startswith(b"Noth")


def test_what_people_try_first_works(keepsake: Keepsake) -> None:
    keepsake("capture", "heron")
    wrong = keepsake("export", "--format", "xml", "x")
    assert wrong.returncode == 2
    assert "'xml' is not one of 'jsonl', 'markdown', 'folder', 'encrypted', 'mcp-memory'." in sentence(wrong)
    listed = keepsake("config", "list").stdout
    assert listed
    assert keepsake("config").stdout == keepsake("config", "show").stdout == listed
    path = Path(keepsake("backup").stdout.decode().strip())
    assert keepsake("backup", "restore", path.name).returncode == 0
    requested = {"_KEEPSAKE_COMPLETE": "complete_bash", "COMP_WORDS": "keepsake expo", "COMP_CWORD": "1"}
    assert keepsake(**requested).stdout.split() == [b"export"]


def test_wrong_usage_and_wrong_input_are_sentences(keepsake: Keepsake) -> None:
    statuses = {
        ("nonsense",): 2,
        ("search",): 2,
        ("search", "--limit", "0", "x"): 2,
        ("search", "--recipe", "none", "x"): 65,
        ("call", "no.such"): 65,
        ("call", "note.get", "[]"): 65,
        ("call", "note.get", "{"): 65,
        ("call", "note.get", '{"id": 5}'): 65,
        ("call", "note.get", '{"id": "note-nowhere"}'): 65,
        ("config", "get", "no.such"): 65,
        ("config", "set", "search.limit", "many"): 65,
        ("import", "nowhere.zip"): 65,
    }
    for arguments, status in statuses.items():
        done = keepsake(*arguments)
        assert done.returncode == status, (arguments, done.stderr)
        sentence(done)


def test_a_vault_that_is_a_file_is_said(keepsake: Keepsake, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = keepsake("--vault", str(tmp_path / "file"), "search", "x")
    assert done.returncode == 74
    assert "is a file" in sentence(done)


def test_naughty_arguments_do_no_harm(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    given = [
        arguments
        for text in NAUGHTY
        for arguments in (["capture", "--title", text, "--tag", text, "--", text or "empty"], ["search", "--", text])
    ]
    vault = ["--vault", str(place)]
    with serving(place, tmp_path):
        started = [keepsake(*arguments) for arguments in given if ALL_AT_ONCE in arguments]
        assert [done.returncode for done in started] == [0, 0]
        answers = run_all([vault + arguments for arguments in given], tmp_path, surroundings(tmp_path))
    for arguments, said in zip(given, answers, strict=True):
        assert said.status in {0, 2, 65}, (arguments, said)
        assert "Traceback" not in said.errors
    assert {answer.status for answer in answers} > {0}
    assert keepsake("check").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [["--vault", "", "check"], ["import", ""], ["export", " "], ["call", "--", "%s {0}\n\x1b[2J", "\u202e"]],
)
def test_arguments_that_say_nothing_are_refused(keepsake: Keepsake, arguments: list[str]) -> None:
    done = keepsake(*arguments)
    assert done.returncode == 65
    assert b"\x1b" not in done.stderr


def test_nothing_that_is_printed_steers_the_terminal(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    bad = "a\x1b]0;t\x07\x1b[2J\x9b2K\x7f\u202eb\u2066"
    lines = [
        {"type": "session", "id": bad, "title": bad, "agent": bad, "channel": bad},
        {"type": "message", "session": bad, "role": "user", "content": f"heron {bad}", "author": bad},
        {"type": "memory", "kind": "note", "id": f"note-{bad}", "content": f"heron {bad}", "title": bad, "tags": [bad]},
    ]
    (tmp_path / "hostile.jsonl").write_text("\n".join(map(json.dumps, lines)))
    quoted = json.dumps(bad)
    command_lines = [
        ["import", "hostile.jsonl"],
        ["search", "heron"],
        ["search", "--json", "heron"],
        ["search", f"agent:{bad}"],
        ["call", "session.list"],
        ["call", "note.list"],
        ["call", "session.get", f'{{"session": {quoted}}}'],
        ["call", "note.get", f'{{"id": {quoted}}}'],
        ["call", "note.save", f'{{"content": "x", "id": {quoted}}}'],
        ["call", bad],
        ["call", "--list", bad],
        ["config", "get", bad],
        ["config", "set", bad, bad],
        ["config", "list"],
        ["secret", "list"],
        ["backup", "verify", bad],
        ["restore", bad],
        ["salvage", bad, bad],
        ["import", bad],
        ["export", f"{bad}/{bad}"],
        ["--debug", "import", bad],
        ["--vault", str(tmp_path / f"vault{bad}"), "check"],
        [bad],
        ["search", bad, f"--{bad}"],
    ]
    vault = ["--vault", str(place)]
    answers = run_all([vault + arguments for arguments in command_lines], tmp_path, surroundings(tmp_path))
    for arguments, said in zip(command_lines, answers, strict=True):
        printed = re.sub(r"[\n\t]", "", said.output + said.errors)
        assert not has_controls(printed), (arguments, said)
    assert [answer.status for answer in answers[:3]] == [0, 0, 0]


# A shell starts what runs in its background with Ctrl-C ignored, and all that it starts inherits that.
_HEEDING = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["keepsake", "--vault", sys.argv[1], "import", "big.jsonl"]
runpy.run_module("app", run_name="__main__")
"""


def test_ctrl_c_stops_an_import_in_order(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    lines = [f'{{"type":"message","session":"s{n % 50}","role":"user","content":"turn {n}"}}' for n in range(80_000)]
    (tmp_path / "big.jsonl").write_text("\n".join(lines))
    try:
        master, slave = os.openpty()
    except OSError as error:
        pytest.skip(f"needs a pseudo terminal, which this machine has not: {error}")
    process = subprocess.Popen(
        [sys.executable, "-c", _HEEDING, str(place)],
        cwd=tmp_path,
        env=surroundings(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    while b"%" not in shown:
        shown += os.read(master, 1000)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=LIMIT_S)
    os.close(master)
    assert process.returncode == 130
    assert said.startswith(b"Stopped after importing")
    again = keepsake("import", "--no-wait", "big.jsonl")
    assert again.returncode == 0
    assert json.loads(keepsake("call", "memory.stats").stdout)["messages"] == 80_000


def test_an_import_says_what_it_waits_for(keepsake: Keepsake, tmp_path: Path) -> None:
    turns = [{"session": "s", "role": "user", "content": f"turn {number} of the garden"} for number in range(2000)]
    (tmp_path / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)))
    done = keepsake("import", "turns.jsonl")
    assert done.returncode == 0
    assert b"Preparing search by meaning" in done.stderr
    assert b"--no-wait" in done.stderr
    assert b"Search by meaning is ready (" in done.stderr
    again = keepsake("import", "--no-wait", "turns.jsonl")
    assert b"Preparing" not in again.stderr


def test_bytes_that_are_no_text_do_no_harm(keepsake: Keepsake) -> None:
    kept = keepsake("capture", b"not \xe9 utf-8")
    assert kept.returncode == 0, kept.stderr
    assert keepsake("search", b"\xff\xfe").returncode == 0
    piped = keepsake("capture", "-", stdin=b"not \xe9 utf-8")
    assert piped.returncode == 0
    assert b"were replaced by" in piped.stderr
    assert keepsake("capture", "-", stdin="流氷".encode()).stderr == b""
    assert keepsake("import", b"no\xff.zip").returncode == 65


def test_a_terminal_that_knows_only_ascii_is_served(keepsake: Keepsake) -> None:
    keepsake("capture", "流氷 \x1b[2J drift ice")
    plain = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    shown = keepsake("search", "drift", **plain)
    assert shown.returncode == 0, shown.stderr
    assert b"\\u6d41" in shown.stdout
    assert b"\x1b" not in shown.stdout
    assert json.loads(keepsake("search", "--json", "drift", **plain).stdout)["hits"][0]["snippet"].startswith("流氷")


def test_a_reader_that_leaves_is_no_failure(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    keepsake("capture", "x")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "app", "--vault", str(place), "call", "--list"],
        env=surroundings(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 141
    assert done.stderr == b""


def test_closed_streams_do_no_harm(place: Path, tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m app --vault "{place}"'
    for line, status in ((f"{command} capture words <&- >&- 2>&-", 0), (f"{command} capture <&-", 65)):
        done = subprocess.run(
            ["/bin/sh", "-c", line], env=surroundings(tmp_path), capture_output=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == status, done.stderr


def test_without_a_window_the_way_out_is_said(keepsake: Keepsake) -> None:
    script = "import sys; from app.cli.entry_points import installed; from app.errors import MachineError\n"
    script += "try: installed('keepsake.nothing')\nexcept MachineError as error: sys.exit(error.message)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, timeout=LIMIT_S, check=False)
    assert b"has no window" in done.stderr


def test_the_demo_finds_what_it_promises(keepsake: Keepsake, place: Path, tmp_path: Path) -> None:
    from app.cli.demo import examples, fill, show_search
    from app.host import Host

    said: list[str] = []
    host = Host(place, serve=False)
    host.start()
    fill(host, said.append)
    for example in examples():
        show_search(host, example, said.append)
    stats, waiting = host.ask("memory.stats"), host.ask("inbox.count")
    host.stop()
    report = "\n".join(said)
    assert f"The vault holds 345 messages and {stats.memories} notes and facts:" in report
    assert f"Added 3 agents and 3 goals; {waiting} proposals wait in the inbox." in report
    assert "Nothing found" not in report
    for example in examples():
        assert example.query in report
    refused = keepsake("demo")
    assert refused.returncode == 65
    assert "not an empty folder" in sentence(refused)


def test_reference_is_written_to_the_given_folder(keepsake: Keepsake, tmp_path: Path) -> None:
    done = keepsake("docs", "pages")
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == [
        "commands.md",
        "keepsake.1",
        "operations.md",
        "settings.md",
    ]
    assert done.stdout.count(b"\n") == 4


def test_an_import_can_be_previewed_and_leave_out_secrets(keepsake: Keepsake, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("A rose")
    (tmp_path / "notes" / "keys.md").write_text("api_key = sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX90yzABCD")
    done = keepsake("import", "--preview", "notes")
    assert (done.returncode, b"2 notes and facts" in done.stdout) == (0, True)
    assert b"1 text looks as if holding a key or a password" in done.stdout
    done = keepsake("import", "--skip-secrets", "--no-wait", "notes")
    assert b"1 note or fact" in done.stdout
    assert b"1 text left out that may hold a key or a password" in done.stdout
