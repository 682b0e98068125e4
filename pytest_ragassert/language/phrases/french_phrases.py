"""French phrases: not knowing and refusing, and what introduces it."""

from ..words.language import word_set
from .patterns import END, STOP, Phrases, compiled, opening

_SOURCES = (
    r"(?:(?:les|le|la|ces|ce|vos|mes) )?(?:documents?|textes?|contexte|sources?|passages?|extraits?"
    r"|base de connaissances)(?: (?:fournie?s?|disponibles?|donnée?s?))?"
)
_OBJECT = (
    rf"(?:(?: exactement| précisément| avec certitude)?{END}| (?:si|s'il|quand|où|comment|pourquoi"
    rf"|combien|quel(?:le)?s?|qui|ce que?|ce qu'\w+|à|de|du)\b)"
)
_GOES_ON = (
    r"(?:(?:et|ou|ni) )?(?:si|quand|où|comment|pourquoi|combien|quel(?:le)?s?|qui|que|qu'|ce qu"
    r"|car|parce|puisque|donc|dont|notamment|y compris|comme|à quelle|bien que|concernant)"
)
_VERB = (
    r"(?:est|sont|était|étaient|a|ont|peut|peuvent|doit|doivent|passe|passent|part|partent|coûte"
    r"|coûtent|ouvre|ouvrent|ferme|ferment|dure|va|vont|fait|circule|circulent|sera|seront)"
)
_EMPTY = word_set("""je j'ai j'en j'ignore moi me m' nous on vous votre vos il elle ils elles ce
    cela ça c'est cet cette ces le la les l'ignore un une des du de d'accord d'idée
    d'information d'informations d'après au aux à en y sur dans par pour avec ne n'ai n'en n'est
    n'a n'y pas rien aucun* jamais nulle part si s'il quand où comment pourquoi combien quel*
    qui que quoi ou ni et est suis sont été a ont ai sais savoir sait peux peut pouvais pouvoir
    pu trouver trouve trouvé* répondre réponse* l'information dire aider aide mesure certain*
    certitude sûr* exactement précisément information* idée donnée* accès question* sujet
    document* texte* contexte source* passage* extrait* base connaissances fourni* disponible*
    mentionn* précis* indiqu* dit disent contien* donne* parle* figure* trouvent dispose ignore
    inconnu* malheureusement désolé* excusez* pardon regrette merci vraiment sincèrement
    suffisamment assez suffisant* franchement honnêtement l'aide réellement là te tu connais
    impossible saurais""")
PHRASES = Phrases(
    leads=opening(
        rf"(?:bonjour|bonsoir|salut|oui|non|bien sûr|certainement|d'accord|malheureusement){STOP}",
        r"(?:(?:je suis )?(?:vraiment |sincèrement )?désolée?|(?:je vous prie de m')?excusez-moi"
        r"|pardon"
        rf"|je regrette)(?:,? mais\b|{STOP})",
        r"(?:honnêtement|franchement|hélas|je crains que)\b,?(?= )|(?:la |ma )?réponse ?:",
        rf"(?:d'après|selon|sur la base d[eu]s?) {_SOURCES},",
        r"malheureusement\b",
    ),
    nothing=opening(
        rf"(?:malheureusement,? )?je (?:n'en sais rien|(?:ne )?(?:le )?sais (?:malheureusement"
        rf" )?pas)"
        rf"{_OBJECT}",
        rf"je (?:n'en ai|n'ai) (?:vraiment )?(?:aucune|pas la moindre) idée\b"
        rf"|je n'en ai pas la moindre idée{END}",
        r"je ne suis pas (?:en mesure|capable) de (?:vous )?(?:répondre|dire|fournir|donner"
        r"|déterminer|confirmer)\b",
        rf"je ne suis pas (?:sûre?|certaine?){_OBJECT}",
        r"(?:je (?:n'ai|ne dispose|ne possède|ne trouve|ne connais)|il n'y a|je n'ai pas trouvé)"
        r" (?:malheureusement )?(?:pas|aucune)? ?(?:(?:de|la|cette|assez) |d'|l')*"
        r"(?:informations?|réponse)s?\b",
        r"j'ignore\b(?! (?:les|pas)\b)",
        rf"(?:la |cette |l'|aucune )?(?:réponse|information)(?: à (?:cette|la|votre) question)?"
        rf" (?:ne|n')(?: ?se| ?s'| est| figure)?[^,;:]{{0,30}} (?:pas"
        rf"|nulle part)(?: [^,;:]{{0,30}})?"
        rf" dans {_SOURCES}{END}",
        rf"je ne connais pas la réponse\b|impossible (?:à|de (?:le )?)(?: )?(?:dire|savoir){END}",
        r"je n'ai trouvé aucune (?:information|réponse|mention)s?\b",
        rf"je ne (?:peux|saurais) pas (?:le|vous le) dire{END}",
        rf"(?:pas (?:de réponse|d'informations?|d'idée)|sans réponse|aucune réponse){END}",
        rf"je (?:ne )?sais pas(?: du tout| vraiment)?{END}",
        r"je (?:ne (?:peux|pouvais)|n'ai) (?:malheureusement )?(?:pas|rien)(?: pu)? (?:trouvé"
        r"|trouver|répondre"
        r"|vous aider|aider|dire|vous dire|réponse|d'informations?|d'information|accès)\b",
        r"je n'ai (?:malheureusement )?(?:aucune|pas (?:assez )?d') ?(?:informations?|idée"
        r"|réponse)\b",
        r"je l'ignore\b[^,;:]{0,60}$|aucune (?:information|idée|réponse|donnée)s?\b[^,;:]{0,80}$",
        rf"{_SOURCES} ne (?:le )?(?:mentionne|précise|dit|contien|indique|donne|parle)(?:nt|t"
        rf"|nnent)? "
        r"(?:pas|rien)\b",
        rf"(?:ce(?:la)? (?:n'est|est) )?(?:pas (?:mentionné|précisé|indiqué)|inconnue?|non précisé"
        rf"|n/a){END}",
        rf"(?:merci|de rien|je vous en prie)(?: (?:de|pour|beaucoup)\b[^.!?,]{{0,80}})?{END}",
    ),
    not_in_sources=compiled(
        r"\b(?:pas|jamais|nulle part) (?:mentionnée?s?|précisée?s?|indiquée?s?) dans " + _SOURCES
    ),
    closings=compiled(
        rf"[,.;]? (?:(?:je suis )?(?:vraiment )?désolée?|malheureusement|pardon){END}"
    ),
    corrects=compiled(r",? (?:mais|cependant|toutefois|pourtant) "),
    exceeds=compiled(
        r"\b(?:autres?|autre chose|plus|moins|rien d'autre) (?:\S+ ){0,3}que?\b"
        r"|\b(?:sauf|excepté|hormis|à part|en dehors|doutes?)\b"
    ),
    goes_on=opening(_GOES_ON),
    asserts=compiled(
        r"(?:(?:peut-être|environ|probablement) )?(?:chaque|tous|toutes|toujours)\b"
        rf"|(?!(?:je|j'|nous|et|ou)\b)(?:(?:\S+ ){{1,5}}?{_VERB}\b|(?:ils?|elles?|on) \w)"
    ),
    lists=compiled(r"(?:\b|^)(?:et|ou|ni)\b"),
    empty=_EMPTY,
    reporting=word_set(
        "mentionn* précis* indiqu* contien* disponible* fourni* figure* connu* inconnu*"
    ),
    doubtful=compiled(
        r"\b(?:mais|cependant|toutefois|pourtant|sauf|hormis|sinon|doutes?|seulement)\b"
        r"|\b(?:dire|confirmer|sais|sûre?|certaine?) qu(?:e\b|'(?!à\b))"
    ),
    turns=compiled(r"[,;] (?:mais|cependant|toutefois|pourtant|bien que|néanmoins),? "),
    joints=compiled(r"; (?=(?:il|elle|ils|elles|on|nous) \w)"),
    yes_no=opening(rf"(?:oui|non|si){END}"),
)
