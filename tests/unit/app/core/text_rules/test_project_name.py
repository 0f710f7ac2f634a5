"""Names of projects from folders: real repositories, worktrees, clones, and hostile ones."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.core.text_rules.project_name import MAX_NAME, project_of

GIT = shutil.which("git")


def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run([str(GIT), *name, *arguments], cwd=folder, check=True, capture_output=True, env=environment)


def repository(folder: Path, config: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return folder


@pytest.mark.skipif(GIT is None, reason="needs git")
def test_worktrees_and_clones_of_a_remote_are_one_project(tmp_path: Path) -> None:
    main, clone = tmp_path / "main", tmp_path / "clone"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "x")
    assert project_of(str(main)) == str(main)
    (main / "src" / "deep").mkdir(parents=True)
    git(main, "worktree", "add", "-q", str(tmp_path / "beside"))
    assert {project_of(str(path)) for path in (main / "src" / "deep", tmp_path / "beside")} == {str(main)}
    git(main, "remote", "add", "upstream", "https://example.org/else/where.git")
    git(main, "remote", "add", "origin", "git@example.org:alice/garden.git")
    git(tmp_path, "clone", "-q", str(main), str(clone))
    git(clone, "remote", "set-url", "origin", "https://ann:secret@example.org/alice/garden")
    names = {project_of(str(path)) for path in (main / "src", tmp_path / "beside", clone)}
    assert names == {"alice/garden"}


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("git@github.com:alice/garden.git", "alice/garden"),
        ("https://user:token@github.com/alice/garden.git/", "alice/garden"),
        ("ssh://git@host:2222/group/sub/garden.git", "sub/garden"),
        ("https://dev.azure.com/org/plan/_git/garden", "plan/garden"),
        ("/srv/git/garden.git", "git/garden"),
        ("C:\\git\\garden.git", "git/garden"),
        ("../garden", "garden"),
        ("https://host/garden?token=secret#x", "garden"),
    ],
)
def test_a_project_is_called_by_the_end_of_its_remote(tmp_path: Path, address: str, name: str) -> None:
    repository(tmp_path, f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {address}\n\tfetch = +refs\n')
    assert project_of(str(tmp_path)) == name


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/alice/nowhere/garden", "~/nowhere/garden"),
        ("/Users/alice/garden/", "~/garden"),
        ("C:\\Users\\alice\\garden", "~/garden"),
        ("/srv/nowhere", "/srv/nowhere"),
        ("/mnt/c/Users/alice/work/garden", "~/work/garden"),
        ("/mnt/c/Users/alice", ""),
        ("/srv/home/alice/garden", "/srv/home/alice/garden"),
        ("/home/alice", ""),
        ("/Users/alice/Documents", ""),
        ("/home/alice/Schreibtisch", ""),
        ("/Users/alice/Documents/garden", "~/Documents/garden"),
        ("/root", ""),
        ("/", ""),
        ("C:\\", ""),
        ("/tmp/x", ""),
        ("", ""),
        ("garden", ""),
        ("~/garden", ""),
        ("\\\\server\\share\\garden", ""),
        ("//server/share", ""),
        ("/srv/../etc", ""),
        ("/srv/a\0b", ""),
        ("/srv/" + "x" * 9_000, ("/srv/" + "x" * 9_000)[:MAX_NAME]),
        ("/srv/a\nb\u2028c", "/srv/a b c"),
        ("/srv/nowhere" + "/a" * 5_000, ("/srv/nowhere" + "/a" * 5_000)[:MAX_NAME]),
    ],
)
def test_a_folder_that_is_no_repository_is_called_by_its_path(folder: str, name: str) -> None:
    assert project_of(folder) == name


def test_hostile_repositories_are_read_only_so_far(tmp_path: Path) -> None:
    big = repository(tmp_path / "big", "[core]\n" + "x" * 400_000 + '\n[remote "origin"]\nurl = a/b\n')
    assert project_of(str(big)) == str(big)
    pipe = tmp_path / "pipe"
    (pipe / ".git").mkdir(parents=True)
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe / ".git" / "config")
    assert project_of(str(pipe)) == ""
    loop = tmp_path / "loop"
    loop.mkdir()
    (loop / ".git").write_text(f"gitdir: {loop}/.git\n", encoding="utf-8")
    assert project_of(str(loop)) == ""
    for pointer in ("gitdir:", "gitdir: //server/share", "gitdir: \0", "x" * 20_000):
        (loop / ".git").write_text(pointer, encoding="utf-8")
        assert project_of(str(loop)) == ""
    binary = tmp_path / "binary"
    (binary / ".git").mkdir(parents=True)
    (binary / ".git" / "config").write_bytes(
        b'[remote "origin"]\nurl = \xff\xfe\x00/\x1b[31mgarden\n' + os.urandom(5_000)
    )
    assert project_of(str(binary)).isprintable()
    for config in (
        '[remote "origin"]',
        "url = a/b",
        '[remote "origin"]\nurl =\n',
        '[remote "a"]\nurl = https://host\n',
    ):
        odd = repository(tmp_path / f"odd-{len(config)}", config)
        assert project_of(str(odd)) == str(odd)
