"""French phrases: not knowing and refusing, and what leads to it."""

from .table import END, STOP, Phrases, compiled, opening

_SOURCES = (
    r"(?:(?:les|le|la|ces|ce|vos|mes) )?(?:documents?|textes?|contexte|sources?|passages?|extraits?"
    r"|base de connaissances)(?: (?:fournie?s?|disponibles?|donnée?s?))?"
)
_OBJECT = (
    rf"(?:(?: exactement| précisément| avec certitude)?{END}| (?:si|quand|où|comment|pourquoi"
    rf"|combien|quel(?:le)?s?|qui|ce que?|à|de|du)\b)"
)
PHRASES = Phrases(
    leads=opening(
        rf"(?:bonjour|bonsoir|salut|oui|non|bien sûr|certainement|d'accord|malheureusement){STOP}",
        r"(?:(?:je suis )?(?:vraiment |sincèrement )?désolée?|(?:je vous prie de m')?excusez-moi"
        r"|pardon"
        rf"|je regrette)(?:,? mais\b|{STOP})",
        r"malheureusement\b",
    ),
    nothing=opening(
        rf"(?:malheureusement,? )?je (?:n'en sais rien|(?:ne )?(?:le )?sais (?:malheureusement"
        rf" )?pas)"
        rf"{_OBJECT}",
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
    turns=compiled(r"[,;] (?:mais|cependant|toutefois|pourtant|bien que|néanmoins),? "),
    joints=compiled(r"; (?=(?:il|elle|ils|elles|on|nous) \w)"),
    yes_no=opening(rf"(?:oui|non|si){END}"),
)
