"""Secrets are found by their patterns, and ordinary text and code are left alone."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.secret_patterns import secrets_in, value_without_secrets, without_secrets

_RANDOM = "a8Kx2mQ9vB4nZ7tY1cR6wE3uI5oP0sLdFgHjKq"

# Made up, and put together here so that no scanner takes this file for a leak.
SECRETS = {
    "Anthropic key": "sk-ant-" + "api03-" + _RANDOM,
    "OpenAI key": "sk-" + "proj-" + _RANDOM,
    "GitHub token": "ghp" + "_" + _RANDOM[:36],
    "GitLab token": "glpat" + "-" + _RANDOM[:20],
    "Slack token": "xox" + "b-1234567890-" + _RANDOM[:20],
    "AWS access key": "AKIA" + "IOSFODNN7ABCDEFG",
    "Google API key": "AIza" + _RANDOM[:35],
    "Stripe key": "sk_" + "live_" + _RANDOM[:24],
    "npm token": "npm" + "_" + _RANDOM[:36],
    "Hugging Face token": "hf" + "_" + _RANDOM[:34],
    "JSON web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "Keepsake token": "kst" + "_" + _RANDOM + "abcde",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_token_is_replaced_by_its_kind_and_the_text_around_it_stays(kind: str) -> None:
    text = f"Use {SECRETS[kind]} for it, please."

    clean, counts = without_secrets(text)

    assert clean == f"Use [secret: {kind}] for it, please."
    assert counts == Counter({kind: 1})


def test_a_private_key_is_taken_as_a_whole_and_also_when_it_is_cut_off() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEA" + _RANDOM] * 5)
    whole = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"

    assert without_secrets(f"key:\n{whole}\nend")[0] == "key:\n[secret: private key]\nend"
    assert _RANDOM not in without_secrets(whole[:120])[0]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=hunter2-hunter", "hunter2-hunter"),
        ('password: "correct-horse"', "correct-horse"),
        ("{'password': 'Tr0ub4dor&3'}", "Tr0ub4dor&3"),
        ('{\\"password\\": \\"Tr0ub4dor3\\"}', "Tr0ub4dor3"),
        ("export API_KEY=" + _RANDOM, _RANDOM),
        ("aws_secret_access_key = " + _RANDOM, _RANDOM),
        ("my password is hunter2!!", "hunter2!!"),
        ("postgres://alice:s3cr3t@db.example.org/app", "s3cr3t"),
        ("Authorization: Bearer " + _RANDOM, _RANDOM),
        ("AccountKey=" + _RANDOM + "==;", _RANDOM + "=="),
    ],
)
def test_a_password_is_found_by_what_it_is_given_to(text: str, secret: str) -> None:
    clean, counts = without_secrets(text)

    assert secret not in clean
    assert counts.total() == 1
    assert clean.split("[secret")[0] in text


@pytest.mark.parametrize(
    "text",
    [
        "The password field is required.",
        "password = get_password()",
        "password: str = ''",
        "token = request.headers.get('X-Token')",
        "API_KEY=<your key here>",
        "api_key = os.environ['API_KEY']",
        'password: "${DB_PASSWORD}"',
        "max_tokens: 4096",
        "tokens: 12345678",
        "secret: string",
        "the secret is out: nobody knew",
        "sk-learn is a library; risk-free-investment-of-the-twenty-first",
        "https://example.org/path:8080/a@b",
        "git@github.com:owner/name.git",
        "commit 33a610e1f5b4ea56ba4e517873d7df7e43095a41",
        "key: value",
        "primary_key=True",
        "the token is invalid",
        "[secret: password]",
    ],
)
def test_ordinary_text_and_code_are_left_alone(text: str) -> None:
    assert without_secrets(text) == (text, Counter())


def test_secrets_inside_json_values_are_replaced_by_text_and_by_field_name() -> None:
    counts: Counter[str] = Counter()
    value = {"args": ["--key", SECRETS["GitHub token"]], "env": {"DB_PASSWORD": "hunter2x"}, "n": 3, "none": None}

    clean = value_without_secrets(value, counts)

    assert clean == {
        "args": ["--key", "[secret: GitHub token]"],
        "env": {"DB_PASSWORD": "[secret: password]"},
        "n": 3,
        "none": None,
    }
    assert counts.total() == 2


def test_deep_nesting_does_not_end_the_program() -> None:
    value: object = "x"
    for _ in range(5000):
        value = [value]

    value_without_secrets(value, Counter())


@given(st.text(max_size=300))
def test_matches_are_ordered_disjoint_and_replacing_twice_changes_nothing(text: str) -> None:
    found = secrets_in(text)
    ends = [0, *(match.end for match in found)]
    assert all(end <= match.start < match.end for end, match in zip(ends, found, strict=False))

    once, _ = without_secrets(text)
    assert without_secrets(once)[0] == once


@pytest.mark.parametrize(
    "unit", ["password=", "sk-", "eyJ", "a_", "-----BEGIN PRIVATE KEY-----", "://x:", "token:'", "A_a-"]
)
def test_hostile_repetition_is_read_in_linear_time(unit: str) -> None:
    # The time limit of the test suite is the assertion: a pattern that backtracks would never end.
    without_secrets(unit * 100_000)
