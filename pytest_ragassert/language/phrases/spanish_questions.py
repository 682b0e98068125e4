"""What Spanish questions refer to."""

from .patterns import compiled
from .question_patterns import QuestionPhrases

_TEXT = r"(?:textos?|pasajes?|fragmentos?|extractos?|párrafos?|artículos?|contextos?)"
_PART = (
    r"(?:documentos?|secci(?:ón|ones)|apartados?|capítulos?|páginas?|fuentes?|tablas?|figuras?"
    r"|gráficos?|listas?|ejemplos?|descripci(?:ón|ones)|documentación|informaci(?:ón|ones)|guías?"
    r"|manual(?:es)?)"
)
_ANY = rf"(?:{_TEXT}|{_PART})"
_GIVEN = (
    r"(?:proporcionad[oa]s?|dad[oa]s?|anterior(?:es)?|siguientes?|citad[oa]s?|presentad[oa]s?"
    r"|adjunt[oa]s?|de arriba|de abajo|facilitad[oa]s?|suministrad[oa]s?)"
)
_END = r"(?![\w-])(?! (?:\d|de (?!qué)|del |sobre (?:el|la|los|las) ))"
_STOP = r"(?![\w-])(?=\s?(?:$|[?!.,;:)]))"
_TOLD = (
    r"(?:mencionad[oa]s?|menciona[n]?|descrit[oa]s?|describe[n]?|citad[oa]s?|indicad[oa]s?"
    r"|indica[n]?"
    r"|señalad[oa]s?|enumerad[oa]s?|presentad[oa]s?|explica(?:n|d[oa]s?)?|definid[oa]s?|dice[n]?"
    r"|list[a]d[oa]s?)"
)
_SAYS = (
    r"(?:dice|menciona|describe|explica|indica|señala|recomienda|afirma|cita|define|presenta|habla"
    r"|piensa|sugiere|opina|propone|enumera|sostiene)"
)
_ORDER = r"(?:primer[oa]?s?|segund[oa]s?|tercer[oa]?s?|cuart[oa]s?|últim[oa]s?|dos|tres|otr[oa]s?)"
_THE = rf"(?:(?:el|la|los|las|ambos|ambas|cada|del|al) (?:{_ORDER} )?)"
_SUBJECT = (
    r"(?:textos?|pasajes?|fragmentos?|extractos?|párrafos?|documentos?|tablas?|ejemplos?|autor(?:a|es)?"
    r")"
)
_TELLS = (
    rf"(?:{_SAYS}|da|muestra|proporciona|ofrece|nombra|revela|informa|contiene|dicen|mencionan"
    r"|describen|explican|indican|señalan|dan|muestran|citan|proporcionan|enumeran|afirman)"
)
_ON = r"(?![\w-])(?=\s?(?:$|[?!.,;:)])|\s(?:sobre|acerca|respecto|para|como|contra|en|con)\b)"
_REFERS = compiled(
    # "menciona el segundo párrafo", "el pasaje 2", "usando el texto"
    rf"(?<!\bquién )\b{_TELLS} {_THE}{_SUBJECT}(?: {_GIVEN})?{_ON}"
    rf"|\b{_TELLS} {_THE}(?:textos?|pasajes?|fragmentos?|extractos?) \d+(?! de)"
    rf"|\bsegún {_THE}(?:textos?|pasajes?|fragmentos?|extractos?)(?: \d+)?(?! de)"
    rf"|^\W*en {_THE}(?:{_TEXT})(?=\s?,)"
    rf"|\b(?:de qué (?:trata[n]?|habla[n]?)|sobre qué (?:trata[n]?|es)) {_THE}{_ANY}{_STOP}"
    rf"|\b(?:{_TOLD}|proporciona[n]?|proporcionad[oa]s?|dad[oa]s?|da[n]?) (?:sobre|para|acerca de"
    r"|respecto a) "
    rf"(?:\S+ ){{1,7}}en {_THE}(?:{_TEXT}|documentos?|secci(?:ón|ones)|capítulos?){_STOP}"
    r"|^\W*(?:usando|utilizando|considerando|leyendo|comparando|teniendo en cuenta|dad[oa]s?|con"
    r"|a partir de|con ayuda de|en vista de) "
    rf"{_THE}{_ANY}(?: {_GIVEN})?(?=\s?[,:])"
    rf"|\b(?:según|de acuerdo con|conforme a|con base en|basándose en|a partir de) "
    rf"(?:(?:el|la|los|las|l[oa]|este|esta|estos|estas|ese|esa|dicho|dicha) )?(?:siguiente "
    rf"|presente )?(?:{_ANY}|autora?|narrador)(?: {_GIVEN})?{_END}"
    rf"|\b(?:este|esta|estos|estas|dicho|dicha) (?:{_ANY})(?: {_GIVEN})?(?![\w-])"
    rf"|\b(?:el|la|los|las|del|al) (?:{_ANY}) {_GIVEN}{_STOP}"
    rf"|\b(?:el|la|los|las|del|al) (?:siguiente|presente|anterior)s? {_ANY}{_END}"
    rf"|\b{_TOLD} (?:arriba|abajo|anteriormente|aquí|más arriba|a continuación)\b"
    r"|\b(?:antes|anteriormente|arriba) mencionad[oa]s?\b|\bsusodich[oa]s?\b"
    r"|\bcuál(?:es)? de (?:los|las) siguientes\b"
    rf"|\b{_TOLD} (?:en|por) (?:el|la|los|las) (?:{_TEXT}|documentos?|secci(?:ón|ones)|capítulos?"
    rf"|documentación){_STOP}|\b{_SAYS} (?:el|la) (?:texto|pasaje|fragmento|artículo|documento"
    rf"|autora?)(?![\w-])(?! (?:\d|de ))"
    rf"|\bel (?:texto|pasaje|fragmento|autor) {_SAYS}\b"
)
_LOOSELY = compiled(rf"\ben el (?:texto|pasaje|fragmento|artículo|párrafo|contexto|ejemplo){_STOP}")
_ASKS_HOW = compiled(
    r"\W*(?:cómo|dónde|cuándo) (?:se )?(?:puedo|puede|podemos|debo|hago|inserto|añado|cambio)\b"
)
_OPEN = tuple(
    map(
        compiled,
        (
            r"\W*(?:y |pero )?(?:cuánto|cuándo|dónde|cómo|qué|por qué|quién|desde cuándo) \w+ "
            r"(?P<pronoun>esto|eso|aquello|él|ella|ellos|ellas)(?=\s?(?:$|[?.!]))",
        ),
    )
)
PHRASES = QuestionPhrases(_REFERS, _LOOSELY, _ASKS_HOW, _OPEN)
