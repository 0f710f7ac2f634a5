"""Every operation of the catalogue is a command whose line says the same arguments."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.catalogue import declared
from app.cli.command_line import verb_line
from app.cli.generated.reference import verbs
from app.cli.root import commands_by_hand
from app.cli.verbs.command_help import verb_help
from app.cli.verbs.declarations import declarations, verb
from tests.unit.app.cli.verbs.command_lines import arguments, rendered, understood

VERBS = {item.operation: item for item in verbs()}
BY_WORDS = {" ".join(item.words): item for item in verbs()}


@pytest.mark.parametrize("operation", [item.name for item in declared()])
def test_an_operation_has_a_command_with_all_its_parameters(operation: str) -> None:
    found = VERBS[operation]
    parameters = {item.name for item in next(one for one in declared() if one.name == operation).parameters}
    assert {item.inside or item.name for item in found.parameters} == parameters
    assert verb(" ".join(found.words)) == found
    assert verb_help(found)[0].startswith(f"Usage: keepsake {' '.join(found.words)}")
    named = [name for item in found.parameters for name in item.names]
    assert len(named) == len(set(named))
    assert not {"--json", "--yes", "--help"} & set(named)


def test_a_command_written_by_hand_stands_in_for_few_verbs() -> None:
    replaced = {words for words in BY_WORDS if (line := verb_line(words.split())) is None or line.words != words}
    of_encryption = ("cancel", "change", "decrypt", "encrypt", "forget", "remember", "status")
    encryption = {f"encryption {verb}" for verb in of_encryption}
    secrets = {"secret list", "secret remove", "secret set"}
    assert replaced == {"backup list", "backup restore", "backup verify"} | encryption | secrets


def test_no_subject_hides_behind_a_single_command() -> None:
    single = {words for words, made in commands_by_hand().items() if words and not hasattr(made, "commands")}
    assert not single & declarations().subjects.keys()


@pytest.mark.parametrize("subject", sorted(declarations().subjects))
def test_a_subject_says_what_it_is_about(subject: str) -> None:
    assert not declarations().subjects[subject].startswith("Operations on")


@pytest.mark.parametrize("operation", [item.name for item in declared()])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_command_line_gives_the_arguments_it_was_made_from(operation: str, data: st.DataObject) -> None:
    found = VERBS[operation]
    wanted = data.draw(arguments(found))
    assert understood(found, rendered(found, wanted)) == wanted
