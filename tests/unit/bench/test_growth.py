"""Curves of growth: the same material for all, processes that are stopped, filters that bite, and the picture."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.embed.embedder_factory import open_embedder
from app.host import Host
from tests.bench.growth import filters, plot, search_under_load, workload
from tests.bench.growth.child_process import ChildError, measured, version_of
from tests.bench.growth.measurements import figures, timed
from tests.bench.growth.report_text import reported, show
from tests.bench.scale.corpus import TURNS_A_SESSION

SIZES = (80, 400)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("material")
    workload.prepare(folder, SIZES, with_vectors=True)
    return folder


def test_a_smaller_size_is_the_beginning_of_a_larger_one(given: Path) -> None:
    small, large = (workload.import_file(given, size).read_text().splitlines() for size in SIZES)
    assert (len(small), len(large)) == SIZES
    assert large[: len(small)] == small
    assert [turn.text for turn in workload.turns(given, 80)] == [json.loads(line)["content"] for line in small]


def test_other_systems_get_the_vectors_of_the_built_in_table(given: Path) -> None:
    batches = list(workload.batches(given, 80, most=30))
    assert [len(turns) for turns, _ in batches] == [30, 30, 20]
    embedder = open_embedder("static")
    for turns, rows in batches:
        assert np.allclose(rows, embedder.embed([turn.text for turn in turns]))
    requested = workload.questions(given)
    assert np.allclose(workload.question_vectors(given), embedder.embed(requested))
    assert len(requested) == workload.QUESTIONS + workload.WARM_UP


def test_slow_answers_are_asked_for_less_often() -> None:
    assert timed([lambda: None] * 30, within_s=-1.0)["count"] == 10
    assert timed([lambda: None] * 30)["count"] == 30
    assert figures([]) == {"count": 0}


def _module(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (folder / "grown.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_a_process_tells_what_it_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _module(
        tmp_path,
        monkeypatch,
        "import sys; from pathlib import Path; from tests.bench.growth.measurements import MeasurementFiles\n"
        "MeasurementFiles(Path(sys.argv[1])).measured({'given': sys.argv[2]})",
    )
    assert measured(sys.executable, "grown", ["this"], tmp_path / "told", None) == {"given": "this"}


def test_one_that_takes_too_long_is_stopped_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _module(
        tmp_path,
        monkeypatch,
        "import sys, threading; from pathlib import Path\n"
        "Path(sys.argv[1], 'progress.txt').write_text('1200'); threading.Event().wait()",
    )
    # Where the machine is slow it is stopped before it says anything.
    found = measured(sys.executable, "grown", [], tmp_path / "told", 2.0)["stopped"]
    assert found["seconds"] == 2.0
    assert found["at"] in ("1200", "")


def test_one_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _module(tmp_path, monkeypatch, "raise SystemExit('no room left')")
    with pytest.raises(ChildError, match="no room left"):
        measured(sys.executable, "grown", [], tmp_path / "told", None)


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(ChildError, match="no_such_store"):
        version_of(sys.executable, "no-such-store", ["no_such_store"])
    assert version_of(sys.executable, "numpy", ["numpy"]) == np.__version__


@pytest.fixture
def filled(host: Host, given: Path) -> Host:
    host.ask("exchange.import", path=str(workload.import_file(given, 400)))
    return host


def test_each_filter_is_understood_and_leaves_what_its_name_says(filled: Host, tmp_path: Path) -> None:
    assert filters.add(filled, tmp_path, 400) == 40
    found = {}
    for name, operator in filters.operators(400).items():
        answer = filled.ask("memory.search", query=operator, limit=1_000, recipe="words")
        assert not answer.query.hints
        assert not answer.query.terms
        found[name] = len(answer.hits)
    assert all(found.values()), found
    for kind in ("kind", "tag", "store", "session", "time"):
        assert found[f"{kind}, broad"] > found[f"{kind}, narrow"]
    assert found["kind, broad"] == 400
    assert found["session, narrow"] == TURNS_A_SESSION


def test_searches_go_on_while_it_imports_and_makes_other_vectors(
    filled: Host, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_under_load, "QUERIES", 5)
    monkeypatch.setattr(search_under_load, "_LEAST", 200)
    requested = workload.questions(given)
    busy = search_under_load.importing(filled, tmp_path, requested, 400)
    assert busy["turns"] == 200
    assert [one["count"] for one in busy["quiet"]] == [5, 5]
    model = filled.ask("embedding.status").serving.model
    search_under_load.re_embedding(filled, requested)
    status = filled.ask("embedding.status")
    assert (status.serving.model, status.building) == (model, None)
    assert filled.ask("memory.search", query=requested[0]).legs == ("words", "vector")


def _run(size: int, factor: float) -> dict[str, Any]:
    taken = {"p50_ms": 3.0 * factor, "p95_ms": 9.0, "max_ms": 9.0, "count": 200}
    return {
        "add_per_s": 4_000 / factor,
        "add_cpu_s": 3.0,
        "disk_per_message": 4_100.0,
        "fill_memory": {"rss_mb": 90.0},
        "memory": {"rss_mb": 100.0 * factor},
        "open_ms": 200.0,
        "search": {"default": taken, "vector": taken},
    }


def _report() -> dict[str, Any]:
    stopped = {"seconds": 3_600.0, "at": "112000", "phase": "fill", "size": 100_000}
    return {
        "machine": "a machine",
        "cores": 2,
        "sizes": [10_000, 100_000],
        "versions": {"chromadb": "1.5", "mem0": "2.2"},
        "systems": {
            "Keepsake": {"10000": _run(10_000, 1.0), "100000": _run(100_000, 2.0)},
            "chromadb": {"10000": _run(10_000, 1.0), "100000": _run(100_000, 2.0)},
            "mem0": {"10000": _run(10_000, 30.0), "100000": {"stopped": stopped}},
        },
    }


def test_the_picture_has_a_curve_for_each_system_as_far_as_it_came(qapp: object, tmp_path: Path) -> None:
    shown = plot.curves(_report(), plot.PANELS[0])
    assert [(one.name, len(one.points)) for one in shown] == [
        ("Keepsake", 2),
        ("chromadb", 2),
        ("mem0", 1),
        ("vectors alone", 2),
    ]
    plot.draw(_report(), tmp_path / "growth.png")
    drawn = QImage(str(tmp_path / "growth.png"))
    assert (drawn.width(), drawn.height()) == (plot.WIDTH * plot.SCALE, plot.HEIGHT * plot.SCALE)
    colours = {drawn.pixelColor(x, y).name() for x in range(0, drawn.width(), 2) for y in range(0, drawn.height(), 2)}
    assert colours.issuperset({"#1f6a5a", "#b0562a", "#4a63a8"})


def test_a_report_says_where_a_system_was_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    show(_report())
    assert "stopped after 60 min at 112,000 turns" in capsys.readouterr().out
    asking = {"seconds": 60.0, "at": "", "phase": "ask", "size": 10_000}
    assert reported(asking) == "stopped after 1 min of questions to 10,000 turns"
    assert reported({"error": "killed", "phase": "fill", "size": 10_000}) == "failed with 10,000 turns"


def test_an_axis_holds_its_values_with_some_room() -> None:
    assert plot.bounds([3.1, 66.0]) == (2.0, 100.0)
    assert plot.bounds([]) == (1.0, 10.0)
    assert plot.ticks(2.0, 100.0) == [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    assert plot.ticks(1.0, 10_000.0) == [1.0, 10.0, 100.0, 1_000.0, 10_000.0]


def test_names_at_the_end_keep_apart_and_inside() -> None:
    assert plot.spread([10.0, 12.0, 60.0], 16.0, 0.0, 100.0) == [10.0, 26.0, 60.0]
    assert plot.spread([90.0, 95.0], 16.0, 0.0, 100.0) == [84.0, 100.0]
    assert plot.spread([], 16.0, 0.0, 100.0) == []


def test_numbers_are_short_at_an_axis_and_whole_at_a_curve() -> None:
    assert [plot.short(value) for value in (0.5, 20.0, 5_000.0, 1e6)] == ["0.5", "20", "5k", "1M"]
    assert [plot.amount(value) for value in (0.52, 5.61, 65.7, 2_536.0, 12_345.0)] == [
        "0.52", "5.6", "66", "2,536", "12,300",
    ]  # fmt: skip
