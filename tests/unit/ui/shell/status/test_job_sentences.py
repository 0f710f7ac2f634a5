"""Work under way is told in sentences."""

from app.host import Host
from ui.shell.status.job_sentences import followed, job_sentence


def test_every_job_of_upkeep_has_a_sentence(host: Host) -> None:
    for job in host.ask("upkeep.status"):
        assert job_sentence(job.title) != job.title
        assert not job_sentence(job.title).endswith(".")


def test_a_goal_keeps_its_name() -> None:
    assert job_sentence("Goal: water the roses") == "Working on the goal ‘water the roses’"


def test_other_titles_are_sentences_themselves() -> None:
    assert job_sentence("Importing garden.zip") == "Importing garden.zip"


def test_what_follows_is_told_where_something_does() -> None:
    assert followed("Idle", "Decay today 04:00") == "Idle — next: Decay today 04:00"
    assert followed("Idle", "") == "Idle"
