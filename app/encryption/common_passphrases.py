"""Passphrases that are tried first: the commonest ones, also with digits at the end."""

import re
import unicodedata
from typing import Final

_ENDING: Final = re.compile(r"[\W\d_]+\Z")
_LOOKS_LIKE: Final = str.maketrans("013457@$!", "oieastasi")
_FEWEST_CHARACTERS: Final = 4
_FEWEST_DIGITS: Final = 16
# Of lists of leaked passwords: those with eight characters or more, and shorter ones that an ending makes long enough.
_WORDS: Final = frozenset(
    [
        "password",
        "passphrase",
        "passwort",
        "kennwort",
        "geheimnis",
        "contrasena",
        "motdepasse",
        "keepsake",
        "letmein",
        "welcome",
        "login",
        "iloveyou",
        "sunshine",
        "princess",
        "football",
        "baseball",
        "basketball",
        "superman",
        "batman",
        "starwars",
        "trustno",
        "monkey",
        "dragon",
        "master",
        "shadow",
        "whatever",
        "computer",
        "internet",
        "michelle",
        "jennifer",
        "jessica",
        "samantha",
        "elizabeth",
        "alexander",
        "victoria",
        "charlotte",
        "liverpool",
        "chelsea",
        "arsenal",
        "corvette",
        "mercedes",
        "porsche",
        "maverick",
        "midnight",
        "steelers",
        "cowboys",
        "yankees",
        "hardcore",
        "administrator",
        "admin",
        "changeme",
        "default",
        "secret",
        "test",
        "testing",
        "guest",
        "qwerty",
        "qwertyui",
        "qwertyuiop",
        "qwertz",
        "qwertzui",
        "qwertzuiop",
        "azerty",
        "azertyui",
        "azertyuiop",
        "asdf",
        "asdfgh",
        "asdfghjk",
        "asdfghjkl",
        "zxcvbn",
        "zxcvbnm",
        "abc",
        "abcd",
        "abcdef",
        "abcdefgh",
        "abcdefghi",
        "abcdefghij",
        "hallo",
        "hello",
        "freedom",
        "blink",
        "summer",
        "winter",
        "spring",
        "autumn",
        "google",
        "facebook",
        "pokemon",
        "naruto",
        "mustang",
        "harley",
        "ranger",
        "hunter",
        "killer",
        "ginger",
        "pepper",
        "cheese",
        "cookie",
        "butterfly",
        "chocolate",
        "correcthorsebatterystaple",
    ]
)
_RUNS: Final = (
    "01234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "abcdefghijklmnopqrstuvwxyz",
    "1qaz2wsx3edc4rfv5tgb",
)
_MIXED: Final = frozenset(
    ["q1w2e3r4", "1q2w3e4r", "1q2w3e4r5t", "q1w2e3r4t5", "zaq12wsx", "zaq1zaq1", "qazwsxedc", "1a2b3c4d", "a1b2c3d4"]
)


def is_common(passphrase: str) -> bool:
    """Return whether a passphrase is one of those that are tried first."""
    text = unicodedata.normalize("NFKD", passphrase).casefold()
    plain = "".join(char for char in text if not char.isspace() and not unicodedata.combining(char))
    if len(set(plain)) < _FEWEST_CHARACTERS or plain in _MIXED:
        return True
    if any(plain in run or plain in run[::-1] for run in _RUNS):
        return True
    stem = _ENDING.sub("", plain)
    if not stem and len(plain) < _FEWEST_DIGITS:  # a date, or a number that can be tried
        return True
    return any(part in _WORDS for part in (plain, stem, _read(plain), _read(stem)))


def _read(text: str) -> str:
    """Return a word whose letters are written as digits and signs."""
    return text.translate(_LOOKS_LIKE)
