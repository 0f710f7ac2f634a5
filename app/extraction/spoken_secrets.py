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
    # An account's number, ISO 13616; Chinese writes it without a space.
    r"|(?<![a-z0-9])[a-z]{2}\d{2}(?:[ .-]?[a-z0-9]{4})?(?:[ .-]?\d{4}){2,}"
    r"|\b(?:passport|reisepass|personalausweis|ausweis|pasaporte|dni|nie)\s(?:is|ist|es|lautet)\s"
    r"(?=(?:[a-z]*\d){3})[a-z\d]{7,12}\b",
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"(?<!\d)\d(?:[ .-]?\d){12,18}(?!\d)")
# A number follows that is nobody's but the speaker's and the other party's.
_SURE_PARTY: Final = (
    r"(?:\b(?:(?:account|acct\.?|customer|client|(?:bank|credit|debit|atm) ?card|card|member(?:ship)?|policy|insurance"
    r"|passport|tax(?:payer)?|contract|routing|licen[cs]e) (?:numbers?|no\.?|nr\.?|ids?)|sort code"
    r"|(?:konto|kunden|karten|kreditkarten|depot|versicherungs|versicherten|mitglieds|steuer|ausweis|reisepass|vertrags"
    r"|rentenversicherungs)-?(?:nummern?|nr\.?|id)|bankleitzahl|blz"
    r"|(?:número|núm\.|nº|n\.º) de(?: la| mi)? (?:cuenta|cliente|tarjeta|soci[oa]|póliza|pasaporte|afiliad[oa]|contrato"
    r"|dni|nie|nif))(?!\w)"
    r"|[账帐][号户]|卡号|客户(?:编?号|代码)|会员(?:编?号)|护照|保单号|税号|合同号)"
)
_LIKELY_PARTY: Final = (
    r"(?:\b(?:(?:bank|savings|checking|current)? ?account|acct|(?:bank|credit|debit|atm) ?card|passport|konto"
    r"|kreditkarte|ec-karte|bankkarte|personalausweis|reisepass|cuenta(?: bancaria| corriente)?"
    r"|tarjeta(?: de (?:crédito|débito))?|pasaporte|dni|nie|nif)\b|银行卡|信用卡|储蓄卡|借记卡)"
)
_NUMBER: Final = r"(?P<number>(?<![\d+.,])\d(?:(?:[ /-]|\.(?=\d{{4}}))?\d)+)(?![.,]?\d)(?!\s?{unit})"
_UNIT: Final = (
    r"(?:[%€$£¥元块万年岁]|(?:euros?|eur|dollars?|usd|pounds?|gbp|fran[ck]\w*|chf|pesos?|yuan|km|kilomet\w+|miles?|points?"
    r"|punkte?n?|puntos|followers?|years?|jahren?|años|listeners?"
    r"|subscribers?|commits?|views?|plays?|streams?|downloads?|likes?|posts?|messages?|users?|members?|files?|stars?"
    r"|hörern?|abonnenten|aufrufen?|nachrichten|mitgliedern?|seguidores|oyentes|suscriptores|mensajes)\b)"
)
_PARTIES: Final = tuple(
    (re.compile(rf"{party}[^.!?。！？\d]{{0,40}}?{_NUMBER.format(unit=_UNIT)}", re.IGNORECASE), least)
    for party, least in ((_SURE_PARTY, 4), (_LIKELY_PARTY, 8))
)
_CONTACT_WORD: Final = (
    r"(?:\b(?:phone|tel\b|telephone|mobile|cell\b|fax|call|whatsapp|telefon|handy|mobil|ruf|teléfono|móvil|llama)\w*"
    r"|电话|手机)"
)
_CONTACT: Final = re.compile(_CONTACT_WORD, re.IGNORECASE)
_CONTACT_BEFORE: Final = re.compile(rf"{_CONTACT_WORD}\s(?:\w+\s){{0,2}}\Z", re.IGNORECASE)
_DELIVERY_BEFORE: Final = re.compile(
    r"(?:\b(?:order|tracking|parcel|shipment|invoice|bestell|sendung|paket|rechnung|pedido|envío|factura)|订单|快递)"
    r"[^.,;:!?。，！？\d]{0,20}\Z",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"(?:19|20)\d\d|(?:19|20)\d\d[-/]\d\d?[-/]\d\d?|\d\d?[-/]\d\d?[-/](?:19|20)\d\d|(?:(?:19|20)\d\d[ /-]?){2}"
)
# So long without a break is no date, phone number or price; a book's number begins with 978 or 979.
_LONG: Final = re.compile(
    r"(?<![\w+.,])(?!00|97[89])\d{12,30}(?![\w.,]?\d)(?!\w)|(?<=[是为：:])(?!00|97[89])\d{12,30}(?!\d)"
)


def holds_a_secret(sentence: str) -> bool:
    """Return whether a sentence holds a password or the number of a card or account."""
    if _SPOKEN.search(sentence) is not None or any(map(_is_card, _CARD.findall(sentence))):
        return True
    long = (match.start() for match in _LONG.finditer(sentence))
    if any(not _DELIVERY_BEFORE.search(sentence[:start]) for start in long) and not _CONTACT.search(sentence):
        return True
    return any(_is_of_party(match, least) for pattern, least in _PARTIES for match in pattern.finditer(sentence))


def _is_of_party(match: re.Match[str], least: int) -> bool:
    """Return whether a long number is neither a date nor a phone number."""
    number = match["number"]
    if sum(map(str.isdigit, number)) < least or _CONTACT.search(match[0]):
        return False
    if _CONTACT_BEFORE.search(match.string[: match.start()]):
        return False
    return _DATE.fullmatch(number) is None


def _is_card(number: str) -> bool:
    """Return whether the last digit is the check digit of the others (Luhn, ISO/IEC 7812)."""
    digits = [int(character) for character in reversed(number) if character.isdigit()]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0
