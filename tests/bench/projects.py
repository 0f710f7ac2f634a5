"""Benchmark of the preference for a project, on generated memories of many projects.

``python -m tests.bench.projects`` prints for several preferences how often the first result is the right one: of what
every project has its own answer to, that of the project at hand; of what only another project knows, that one.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.host import Host
from app.retrieval.ranking import linear_ranker
from app.retrieval.ranking.project_preference import PREFERENCE

PROJECTS: Final = (
    "alice/garden",
    "alice/mill",
    "bob/harbour",
    "bob/kiln",
    "carol/atlas",
    "carol/beacon",
    "~/work/ledger",
    "~/work/quarry",
)
# What each project settles in its own way: a statement with a place for the choice, the choices, and questions.
_COMMON: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        "Tests are run with {}.",
        ("make check", "nox", "tox -p", "pytest -n 4", "go test", "cargo test", "npm test", "ctest"),
        ("How are the tests run?", "run the test suite"),
    ),
    (
        "Deploys go through {}.",
        ("Jenkins", "GitHub Actions", "Ansible", "a shell script", "Argo", "Fabric", "Nomad", "Helm"),
        ("How do we deploy?", "which system does the deploy go through"),
    ),
    (
        "Data is stored in {}.",
        ("PostgreSQL", "SQLite", "MySQL", "DuckDB", "Redis", "MongoDB", "CSV files", "Parquet"),
        ("Which database is the data stored in?", "where do we store data"),
    ),
    (
        "The linter is {}.",
        ("ruff", "flake8", "pylint", "eslint", "clippy", "golint", "biome", "prettier"),
        ("Which linter is used?", "what linter do we have"),
    ),
    (
        "Releases are cut on {}.",
        ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "the first", "the fifteenth", "demand"),
        ("When are releases cut?", "on which day do we cut a release"),
    ),
    (
        "Logs are kept for {} days.",
        ("3", "7", "14", "30", "60", "90", "180", "365"),
        ("How long are logs kept?", "for how many days do we keep the logs"),
    ),
    (
        "The cache holds {} MB.",
        ("16", "32", "64", "128", "256", "512", "1024", "2048"),
        ("How large is the cache?", "how many MB does the cache hold"),
    ),
    (
        "Reviews need approval by {}.",
        ("Mara", "Tobias", "Priya", "Olga", "Emil", "Noor", "Jonas", "Wen"),
        ("Who approves reviews?", "whose approval does a review need"),
    ),
    (
        "Branches are named {}.",
        ("feat/x", "topic-x", "dev-x", "user/x", "x-wip", "issue-x", "fix/x", "t/x"),
        ("How are branches named?", "what should I name the branch"),
    ),
    (
        "Configuration is read from {}.",
        ("TOML", "YAML", "environment variables", "JSON", "an INI file", "etcd", "Consul", "flags"),
        ("Where is configuration read from?", "which format does the configuration have"),
    ),
)
# What one project alone knows: a statement and a question. All projects have something near: the statements above.
_ALONE: Final = (
    (
        "The tests of the payment gateway need the sandbox key of Stripe.",
        "which key do the payment gateway tests need?",
    ),
    (
        "The deploy of the satellite decoder waits for the licence server.",
        "what does the satellite decoder's deploy wait for?",
    ),
    ("Sensor data from the greenhouse is stored as float16.", "how is greenhouse sensor data stored?"),
    ("The linter ignores the generated protobuf stubs.", "does the linter look at protobuf stubs?"),
    ("Releases of the firmware are signed with a YubiKey in the safe.", "how are firmware releases signed?"),
    ("Logs of the turbine controller are shipped to Splunk.", "where do the turbine controller's logs go?"),
    ("The cache of map tiles is warmed at four in the morning.", "when is the cache of map tiles warmed?"),
    ("Reviews of cryptographic code need a second pair of eyes from Zurich.", "who reviews cryptographic code?"),
    ("Branches for the audit are frozen until the auditors leave.", "until when are audit branches frozen?"),
    (
        "Configuration of the elevator simulator lives in its EEPROM.",
        "where is the elevator simulator's configuration?",
    ),
)


def fill(host: Host) -> None:
    """Store what the projects know."""
    for place, project in enumerate(PROJECTS):
        for statement, choices, _ in _COMMON:
            host.ask("fact.remember", content=statement.format(choices[place]), project=project)
    for place, (statement, _) in enumerate(_ALONE):
        host.ask("fact.remember", content=statement, project=PROJECTS[place % len(PROJECTS)])
    host.ask("vault.settle")


def shares(host: Host, *, with_project: bool = True) -> tuple[float, float]:
    """Return how often the first result is right.

    The first share is of what all projects know, the second of what only another one knows.
    """

    def first(question: str, project: str) -> str:
        hits = host.ask("memory.search", query=question, limit=1, project=project if with_project else "").hits
        return hits[0].snippet if hits else ""

    own = [
        first(question, project) == statement.format(choices[place])
        for place, project in enumerate(PROJECTS)
        for statement, choices, questions in _COMMON
        for question in questions
    ]
    only = [
        first(question, project) == statement
        for place, (statement, question) in enumerate(_ALONE)
        for number, project in enumerate(PROJECTS)
        if number != place % len(PROJECTS)
    ]
    return sum(own) / len(own), sum(only) / len(only)


def main(arguments: Sequence[str]) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="tests.bench.projects", description=__doc__)
    parser.add_argument("--preferences", type=float, nargs="*", default=[0.5, 1.0, PREFERENCE, 2.0, 3.0, 4.0, 6.0, 9.0])
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder) / "vault")
        host.start()
        try:
            fill(host)
            print("preference  own project first  clearly better elsewhere first")
            print("      none  {:17.3f}  {:30.3f}".format(*shares(host, with_project=False)))
            for preference in given.preferences:
                vars(linear_ranker)["PREFERENCE"] = preference
                print(f"{preference:10.2f}  " + "{:17.3f}  {:30.3f}".format(*shares(host)))
        finally:
            host.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
