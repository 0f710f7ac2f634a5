"""Work under way is told in sentences."""

from app.host import Host
from ui.shell.activity import activity, followed


def test_every_job_of_upkeep_has_a_sentence(host: Host) -> None:
    for job in host.ask("upkeep.jobs"):
        assert activity(job.title) != job.title
        assert not activity(job.title).endswith(".")


def test_a_goal_keeps_its_name() -> None:
    assert activity("Goal: water the roses") == "Working on the goal ‘water the roses’"


def test_other_titles_are_sentences_themselves() -> None:
    assert activity("Importing garden.zip") == "Importing garden.zip"


def test_what_follows_is_told_where_something_does() -> None:
    assert followed("Idle", "Decay today 04:00") == "Idle — next: Decay today 04:00"
    assert followed("Idle", "") == "Idle"
