"""Stop words of several languages.

Each list holds only what no one would look for by itself. Lists clash (``die``, ``son``, ``come``), so the words of one
question are judged by one list: that of the language the question shares most with.
"""

from collections.abc import Iterable
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH: Final = _words(
    """
    a about after again all also am an and any are aren as at be because been before being between both but by can
    could couldn d did didn do does doesn doing don down during each ever few for from further had hadn has hasn
    have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m may
    me might mine more most must my myself no nor not of off on once one only or other our ours ourselves out over
    own re s same shall she should shouldn so some such t than that the their theirs them themselves then there
    these they this those through to too under until up upon us ve very was wasn we were weren what when where
    whether which while who whom whose why will with won would wouldn you your yours yourself yourselves
    """
)
GERMAN: Final = _words(
    """
    aber als am an auch auf aus bei bin bis das dass dein deine dem den der des dich die dir doch du durch ein eine
    einem einen einer eines er es für hat hatte hatten habe haben ich ihm ihn ihr ihre im in ist ja kann kein keine
    man mein meine mich mir mit nach nicht noch nur oder ob sein seine sich sie sind so über um und uns unser unsere
    unter vom von vor war waren warum was wann weil welche welcher wenn wer wie wir wird wo wurde zu zum zur
    """
)
FRENCH: Final = _words(
    """
    à ai as au aux avec avait c ce ces cet cette comment d dans de des du elle elles en es est et été étaient était
    eu il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour
    pourquoi qu quand que quel quelle quels quelles qui quoi s sa se ses si son sont sur t ta te tes toi ton tu un
    une vos votre vous y
    """
)
DUTCH: Final = _words(
    """
    aan al als bij ben dan dat de der deze die dit door een en er had hadden heb hebben heeft het hij hoe hun ik in
    is je jij jouw kan maar me met mij mijn naar niet nog of om ons onze ook op over te tot u uit van veel voor waar
    waarom wanneer waren was wat we welke wie wij wordt zal ze zich zij zijn zo
    """
)
SPANISH: Final = _words(
    """
    a al algo como cómo con cual cuál cuando cuándo de del desde donde dónde e el él ella ellas ellos en entre era
    eran es esa ese eso esta está este esto estos estas fue fueron ha había han hasta hay la las le les lo los me mi
    mis más muy ni no nos o os para pero por porque que qué quien quién se sea ser si sí sin sobre son soy su sus
    también te tiene tu tus un una uno y ya yo
    """
)
ITALIAN: Final = _words(
    """
    a ad ai al alla alle agli anche che chi ci come con da dal dalla de degli dei del della delle dello di dove e ed
    è era erano fu gli ha hai hanno ho i il in io l la le lei lo loro lui ma mi mia mie mio miei ne nel nella nelle
    noi non o per perché più qual quale quali quando questo questa qui se sei si sia sono su sua sue sul sulla suo
    suoi ti tra tu tua tuo un una uno vi voi
    """
)
PORTUGUESE: Final = _words(
    """
    a à ao aos as às com como da das de dela dele do dos e é ela elas ele eles em entre era eram essa esse esta está
    este eu foi foram há isso isto já lhe mais mas me meu meus minha minhas muito na nas não no nos nós o onde os ou
    para pela pelo por porque qual quando que quem se sem ser seu seus sua suas são só também te tem tu um uma você
    vocês
    """
)
LANGUAGES: Final = (ENGLISH, GERMAN, FRENCH, DUTCH, SPANISH, ITALIAN, PORTUGUESE)


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """Return the stop words among ``words``, case-folded.

    The list that holds most of them decides; English when equal.
    """
    folded = frozenset(word.casefold() for word in words)
    return max((folded & language for language in LANGUAGES), key=len)
