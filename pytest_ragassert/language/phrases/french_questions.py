"""What French questions refer to."""

from .patterns import compiled
from .question_patterns import QuestionPhrases

_TEXT = r"(?:textes?|passages?|extraits?|paragraphes?|articles?|contextes?)"
_PART = (
    r"(?:documents?|sections?|chapitres?|pages?|sources?|tableaux?|figures?|schémas?|listes?"
    r"|exemples?|descriptions?|documentation|informations?|guides?|manuels?|rubriques?)"
)
_ANY = rf"(?:{_TEXT}|{_PART})"
_GIVEN = (
    r"(?:fournie?s?|donnée?s?|ci-dessus|ci-dessous|ci-joints?|suivante?s?|précédente?s?|citée?s?"
    r"|présentée?s?|ci-après)"
)
_END = r"(?![\w-])(?! (?:\d|de (?!quoi)|d'|du |des |sur (?:le|la|les) ))"
_STOP = r"(?![\w-])(?=\s?(?:$|[?!.,;:)]))"
_TOLD = (
    r"(?:mentionnée?s?|décrite?s?|citée?s?|indiquée?s?|évoquée?s?|énumérée?s?|présentée?s?"
    r"|donnée?s?|listée?s?|expliquée?s?|définie?s?|abordée?s?)"
)
_SAYS = (
    r"(?:dit|mentionne|décrit|explique|indique|précise|recommande|affirme|évoque|cite|définit"
    r"|présente|parle|pense|suggère|conseille|propose|entend|souligne|énumère)"
)
_ORDER = (
    r"(?:premi(?:er|ère)s?|seconde?s?|deuxièmes?|troisièmes?|quatrièmes?|derni(?:er|ère)s?|deux"
    r"|trois|autres?)"
)
_THE = rf"(?:(?:le|la|les|l'|chaque|du|des|au|aux|de la|de l') ?(?:{_ORDER} )?)"
_SUBJECT = r"(?:textes?|passages?|extraits?|paragraphes?|documents?|tableaux?|exemples?|auteure?s?)"
_TELLS = (
    rf"(?:{_SAYS}|donne|montre|fournit|rapporte|nomme|révèle|liste|contient|disent|mentionnent"
    r"|décrivent|expliquent|indiquent|précisent|donnent|montrent|citent|fournissent|énumèrent)"
)
_ON = (
    r"(?![\w-])(?=\s?(?:$|[?!.,;:)])|\s(?:sur|à propos|concernant|pour|comme|au sujet|contre|dans"
    r"|en|quant)\b)"
)
_REFERS = compiled(
    # "donne le deuxième paragraphe", "le passage 2", "en utilisant le texte"
    rf"(?<!\bqui )\b{_TELLS}(?:-t-(?:il|elle|on))? {_THE}{_SUBJECT}(?: {_GIVEN})?{_ON}"
    rf"|\b{_TELLS} {_THE}(?:textes?|passages?|extraits?) \d+(?! d)"
    rf"|\b(?:selon|d'après) {_THE}(?:{_ORDER} )?(?:textes?|passages?|extraits?)(?: \d+)?"
    r"(?! d[eu]s? )"
    rf"|\b{_THE}(?:{_ORDER} )?(?:textes?|passages?|extraits?|paragraphes?) (?:{_TELLS}"
    r"-t-(?:il|elle)|(?:disent|donnent|mentionnent|indiquent)-ils)\b"
    rf"|\bapprend {_THE}(?:textes?|passages?|extraits?|documents?){_ON}"
    rf"|^\W*dans {_THE}(?:{_TEXT})(?=\s?,)"
    rf"|\bde quoi (?:parle(?:nt)?|traite(?:nt)?|est-il question dans) {_THE}{_ANY}{_STOP}"
    rf"|\b(?:{_TOLD}|fournie?s?|mentionnée?s?|dite?s?) (?:(?:sur|pour"
    rf"|au sujet|à propos|concernant) (?:\S+ ){{1,7}})?(?:dans|par) {_THE}(?:{_TEXT}"
    rf"|documents?|sections?|chapitres?){_STOP}"
    r"|^\W*(?:en (?:utilisant|considérant|lisant|comparant|vous basant sur|tenant compte"
    r" de)|compte tenu(?: de)?|à (?:partir|l'aide)(?: de)?|avec|au vu(?: de)?|étant donné) "
    rf"{_THE}{_ANY}(?: {_GIVEN})?(?=\s?[,:])"
    rf"|\b(?:selon|d'après|conformément à|conformément au|suivant) (?:(?:le|la|les|l'|ce|cet|cette"
    rf"|ces) ?)?(?:{_ANY}|auteure?|narrateur)(?: {_GIVEN})?{_END}"
    rf"|\b(?:en se basant|basée?s?|en s'appuyant) sur (?:le|la|les|l'|ce|cet|cette|ces) ?{_ANY}"
    rf"(?: {_GIVEN})?{_END}|\b(?:ce|cet|cette|ces) (?:{_ANY})(?: {_GIVEN})?(?![\w-])"
    rf"|\b(?:le|la|les|l'|du|au|des|aux) ?{_ANY} {_GIVEN}{_STOP}"
    rf"|\b{_TOLD} (?:ci-dessus|ci-dessous|plus haut|plus bas|ici|précédemment)\b"
    r"|\b(?:susmentionné|susdit|précité|ci-après)\w*|\bvoir ci-(?:dessus|dessous)\b"
    r"|\b(?:parmi|lequel des|laquelle des|lesquels des) (?:les )?(?:éléments |options |propositions"
    r" |affirmations )?suivante?s?\b"
    rf"|\b{_TOLD} (?:dans|par) (?:le |la |les |l')(?:{_TEXT}|documents?|sections?|chapitres?"
    rf"|documentation){_STOP}"
    rf"|\b(?:que|comment|pourquoi|ce que|quoi) {_SAYS} (?:le |l')(?:texte|passage|extrait"
    rf"|article(?! \d)|document|auteur)(?![\w-])(?! (?:\d|de |d'))"
    rf"|\b(?:le |l')(?:texte|passage|extrait|auteur) {_SAYS}\b"
    r"|\b(?:l')?auteure? (?:du texte|de ce texte|de l'article|du passage|de l'extrait)\b"
)
_LOOSELY = compiled(
    rf"\bdans (?:le |l')(?:texte|passage|extrait|article|paragraphe|contexte){_STOP}"
    rf"|\bdans l'exemple{_STOP}"
)
_ASKS_HOW = compiled(
    r"\W*(?:comment|où|quand)? ?(?:puis-je|peut-on|dois-je|pouvons-nous|est-ce que (?:je|l'on|on)"
    r"|faut-il|insérer|ajouter|modifier|faire)\b"
)
_ASK = (
    r"(?:combien|quand|où|comment|pourquoi|qui|que|qu'est-ce que|à quelle heure|depuis quand|quoi)"
)
_OPEN = tuple(
    map(
        compiled,
        (
            rf"\W*(?:et |mais )?{_ASK} (?:\w+ )?(?:\w+ )?(?P<pronoun>ça|cela|ceci)"
            r"(?=\s?(?:$|[?.!])|\s(?:coûte|marche|fonctionne|signifie|dure|veut dire|commence)\b)",
            rf"\W*(?:et |mais )?{_ASK} (?!y\b|faut|pleut|neige|est-il)\w+(?:-t)?-(?P<pronoun>il"
            rf"|elle|ils"
            r"|elles)(?=\s?(?:$|[?.!])|\s\w+\s?[?.!]?$)",
            r"\W*qu'est-ce que (?P<pronoun>c'est|ça)(?=\s?(?:$|[?.!]))",
        ),
    )
)
PHRASES = QuestionPhrases(_REFERS, _LOOSELY, _ASKS_HOW, _OPEN)
