"""Secrets as people say them, in four languages: passwords and numbers of cards and accounts.

More is refused here than is masked in a text: a sentence that is not remembered by itself is lost to nobody.
"""

import re
from typing import Final

# What is said after these words is secret, whatever it looks like.
_WORD: Final = (
    r"(?:\b(?:pass(?:word|code|phrase|wort)s?|pwd|kennwort|geheimzahl|zugangsdaten|contraseñas?|credentials|log-?in"
    r"|pin(?:[- ](?:code|number|nummer))?|cvv|cvc)\b|密码|口令|验证码|登录)"
)
# These have a secret only where a number follows.
_NUMBERED: Final = (
    r"(?:(?<!area )(?<!zip )(?<!postal )(?<!dress )\b(?:(?:access|door|gate|alarm|unlock|security|zugangs|tür)?-?codes?"
    r"|combination|código|clave|ssn|social security(?: number)?"
    r"|sozialversicherungsnummer|(?:número de(?: la)? )?seguridad social)\b|身份证|社保)"
)
_VALUE: Final = r"(?<![^\W_])(?!(?<=in |en )(?:19|20)\d\d\b)(?=[^\s\d]{0,30}\d)\S{3,40}"
_SPOKEN: Final = re.compile(
    rf"{_WORD}[^.!?。！？]{{0,20}}?(?:\b(?:is|was|are|ist|war|sind|lautet|es|era|son)\b|[是为：:=])"
    rf"|{_WORD}[^.!?。！？]{{0,40}}?{_VALUE}|(?:密码|口令|验证码|登录)[^。！？]{{0,20}}?\d"
    rf"|{_NUMBERED}[^.!?。！？\d]{{0,20}}\d[\d -]{{2}}"
    rf"|{_VALUE}\s(?:is|ist|es)\s(?:my|our|mein\w*|unser\w*|mi|la|el)\s(?:\w+\s){{0,2}}{_WORD}"
    r"|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"  # a social security number
    r"|\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4})?(?: ?\d{4}){2,}",  # an account's number, ISO 13616
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")


def holds_a_secret(sentence: str) -> bool:
    """Return whether a sentence holds a password, a card, account or insurance number."""
    return _SPOKEN.search(sentence) is not None or any(map(_is_card, _CARD.findall(sentence)))


def _is_card(number: str) -> bool:
    """Return whether the last digit is the check digit of the others (Luhn, ISO/IEC 7812)."""
    digits = [int(character) for character in reversed(number) if character.isdigit()]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0
