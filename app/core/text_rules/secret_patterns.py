"""Secrets in text: keys, tokens, private keys and passwords, found by their patterns.

The patterns are those of the services' own documentation; detect-secrets and gitleaks were looked at, and bring an
engine for repositories (or another language) where one pass over a message is wanted.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_MAX_DEPTH: Final = 60
_LEAST_VALUE: Final = 6
_LEAST_ENTROPY: Final = 3.0
_LEAST_BARE: Final = 16


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret in a text: ``text[start:end]``, and what kind it is."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A kind of secret.

    Args:
        kind: Its name for a person.
        hints: A text without any of them holds none; compared without case where ``is_folded``.
        pattern: The secret is the group ``secret``, else all of it.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    is_folded: bool = False


def _fixed(kind: str, hints: str, pattern: str) -> _Pattern:
    return _Pattern(kind, tuple(hints.split()), re.compile(pattern))


_END: Final = r"(?![A-Za-z0-9_-])"
_PATTERNS: Final = (
    _fixed(
        "private key",
        "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----END )[\s\S]){0,20000}(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _fixed("Keepsake token", "kst_", rf"\bkst_[A-Za-z0-9_-]{{30,64}}{_END}"),
    _fixed("Anthropic key", "sk-ant-", rf"\bsk-ant-[A-Za-z0-9_-]{{20,200}}{_END}"),
    _fixed("OpenRouter key", "sk-or-", rf"\bsk-or-[A-Za-z0-9_-]{{20,200}}{_END}"),
    _fixed("OpenAI key", "sk-", rf"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{{20,200}}{_END}"),
    _fixed("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"\bgh[pousr]_[A-Za-z0-9]{{30,255}}{_END}"),
    _fixed("GitHub token", "github_pat_", rf"\bgithub_pat_[A-Za-z0-9_]{{22,255}}{_END}"),
    _fixed("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_.-]{20,300}"),
    _fixed("Slack token", "xox xapp-", r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,250}"),
    _fixed(
        "Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_+-]{20,200}"
    ),
    _fixed("AWS access key", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _fixed("Google API key", "AIza", rf"\bAIza[A-Za-z0-9_-]{{35}}{_END}"),
    _fixed("Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{20,60}"),
    _fixed("Stripe key", "_live_ _test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}\b"),
    _fixed("webhook secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{20,200}"),
    _fixed("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _fixed("PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{50,500}"),
    _fixed("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,60}\b"),
    _fixed("SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _fixed("DigitalOcean token", "do", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    _fixed(
        "Azure key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{30,120})",
    ),
    _fixed("JSON web token", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}"),
    _fixed("Telegram bot token", ":AA", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    _fixed(
        "password in an address",
        "://",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/?#\[\]@'\"<>]{0,100}:(?P<secret>[^\s/?#@'\"<>]{3,200})@",
    ),
    _Pattern(
        "bearer token",
        ("bearer ",),
        re.compile(r"\bbearer\s{1,3}(?P<secret>[A-Za-z0-9_.~+/-]{20,2000}=*)", re.IGNORECASE),
        is_folded=True,
    ),
)

_NAMES: Final = (
    r"pass(?:word|wort)|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?"
)
_ASSIGNED: Final = re.compile(
    rf"(?P<name>(?<![A-Za-z])(?:[A-Za-z0-9]{{1,40}}[_.-]){{0,6}}(?:{_NAMES})(?:[_-][A-Za-z0-9]{{1,20}}){{0,2}})"
    r"(?P<between>\\?[\"']?\s{0,8}(?:=>|:=|[:=])\s{0,8})"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\"'`\\\r\n]{6,400})\\?[\"'`]|(?P<bare>[^\s\"'`,;(){}\[\]<>\\|&]{6,400}))",
    re.IGNORECASE,
)
_SPOKEN: Final = re.compile(
    r"\b(?:password|passwort|passphrase|api key|token)\s{1,3}(?:is|was|=)\s{0,3}:?\s{0,3}[\"'`]?"
    r"(?P<secret>[^\s\"'`,;(){}<>]{6,200})",
    re.IGNORECASE,
)
_SPOKEN_OF: Final = ("password", "passwort", "passwd", "passphrase", "pwd", "secret", "token", "key", "credential")
_PLACEHOLDER: Final = re.compile(
    r"your|example|placeholder|change.?me|redacted|dummy|x{4,}|\*{3,}|\.{3}|…|^(?:none|null|true|false|undefined|string)$"
    r"|^[$%@<{]|process\.env|os\.environ|getenv|env\.|^\[secret",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_]+)*[!?:.]?|https?://\S*|/\S*|\d{1,12}")


def secrets_in(text: str) -> list[SecretMatch]:
    """Return the secrets in a text, in order and without overlap."""
    matches = sorted(_found(text), key=lambda match: (match.start, -match.end))
    secrets: list[SecretMatch] = []
    for match in matches:
        if not secrets or match.start >= secrets[-1].end:
            secrets.append(match)
    return secrets


def without_secrets(text: str) -> tuple[str, Counter[str]]:
    """Return ``text`` with ``[secret: kind]`` for each secret, and their number by kind."""
    matches = secrets_in(text)
    if not matches:
        return text, Counter()
    parts, at = [], 0
    for match in matches:
        parts += [text[at : match.start], f"[secret: {match.kind}]"]
        at = match.end
    return "".join([*parts, text[at:]]), Counter(match.kind for match in matches)


def value_without_secrets(value: Any, counts: Counter[str], depth: int = 0) -> Any:
    """Return a JSON value without the secrets in its texts; ``counts`` is added to."""
    if isinstance(value, str):
        clean, secrets = without_secrets(value)
        counts.update(secrets)
        return clean
    if depth >= _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {name: _of_field(str(name), inner, counts, depth) for name, inner in value.items()}
    if isinstance(value, list):
        return [value_without_secrets(inner, counts, depth + 1) for inner in value]
    return value


def _of_field(name: str, value: Any, counts: Counter[str], depth: int) -> Any:
    """Return a field's value without secrets; its name alone can say that it is one."""
    folded = name.lower()
    if isinstance(value, str) and re.search(_NAMES, folded) and _is_secret(value, folded, is_quoted=True):
        counts[_kind_of(folded)] += 1
        return f"[secret: {_kind_of(folded)}]"
    return value_without_secrets(value, counts, depth + 1)


def _kind_of(name: str) -> str:
    return "password" if "pass" in name or "pwd" in name else "secret"


def _found(text: str) -> Iterator[SecretMatch]:
    folded = text.lower()
    for item in _PATTERNS:
        if any(hint in (folded if item.is_folded else text) for hint in item.hints):
            yield from (_match(item.kind, match) for match in item.pattern.finditer(text) if _is_value(match))
    if any(word in folded for word in _SPOKEN_OF):
        if ":" in text or "=" in text:
            yield from _assigned(text)
        yield from (
            _match("password", match)
            for match in _SPOKEN.finditer(text)
            if _is_secret(match["secret"], "", is_quoted=False)
        )


def _match(kind: str, match: re.Match[str]) -> SecretMatch:
    return SecretMatch(kind, *match.span("secret" if "secret" in match.re.groupindex else 0))


def _is_value(match: re.Match[str]) -> bool:
    value = match["secret"] if "secret" in match.re.groupindex else ""
    return not (value and _PLACEHOLDER.search(value))


def _assigned(text: str) -> Iterator[SecretMatch]:
    for match in _ASSIGNED.finditer(text):
        group = "quoted" if match["quoted"] is not None else "bare"
        name = match["name"].lower()
        if _is_secret(match[group], name, is_quoted=group == "quoted"):
            yield SecretMatch(_kind_of(name), *match.span(group))


def _is_secret(value: str, name: str, *, is_quoted: bool) -> bool:
    """Return whether a value looks like a password or key, not like code."""
    if len(value) < _LEAST_VALUE or _PLACEHOLDER.search(value):
        return False
    is_password = _kind_of(name) == "password"
    if is_quoted and is_password and not any(character.isspace() for character in value):
        return True
    if any(character.isspace() for character in value) or _CODE.fullmatch(value):
        return is_password and is_quoted and not _CODE.fullmatch(value)
    has_mix = any(character.isdigit() for character in value) and any(character.isalpha() for character in value)
    if is_password or not name:
        return has_mix or not value.isalnum()
    return has_mix and len(value) >= _LEAST_BARE and _entropy(value) >= _LEAST_ENTROPY


def _entropy(value: str) -> float:
    shares = (count / len(value) for count in Counter(value).values())
    return -sum(share * math.log2(share) for share in shares)
