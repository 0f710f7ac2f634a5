"""Search finds known texts by their words in any script."""

import pytest

from app.host import Host

TEXTS = {
    "latin": ("Das Café in der Brücknerstraße öffnet früh", "Cafe Brücknerstraße"),
    "spanish": ("El niño plantó un limonero en el jardín", "limonero jardin"),
    "cyrillic": ("Бабушка хранит рецепт борща в синей тетради", "рецепт борща"),
    "greek": ("Το καράβι φεύγει από τον Πειραιά το πρωί", "καράβι Πειραιά"),
    "arabic": ("موعد الطبيب يوم الثلاثاء صباحا", "موعد الطبيب"),
    "hebrew": ("המפתח של המחסן נמצא מתחת לעציץ", "מפתח המחסן"),
    "thai": ("ร้านอาหารริมแม่น้ำเปิดทุกวันศุกร์", "แม่น้ำ"),
    "hindi": ("दादी का अचार रसोई की अलमारी में है", "अचार अलमारी"),
    "chinese": ("周末我们去西湖边喝龙井茶", "龙井茶"),
    "japanese": ("京都の古い茶室で友人に会った", "京都 茶室"),
    "korean": ("할머니 댁에서 김치를 담갔다", "김치"),
}


@pytest.mark.parametrize("recipe", ["learned", "balanced", "words"])
def test_a_known_item_comes_first_in_each_script(host: Host, recipe: str) -> None:
    messages = [{"role": "user", "content": text} for text, _ in TEXTS.values()]
    host.ask("session.append", session="s", messages=messages)
    host.ask("vault.settle")
    first = {name: host.ask("memory.search", query=query, recipe=recipe).hits[:1] for name, (_, query) in TEXTS.items()}
    found = {name: [hit.seq for hit in hits] for name, hits in first.items()}
    assert found == {name: [place] for place, name in enumerate(TEXTS, 1)}
