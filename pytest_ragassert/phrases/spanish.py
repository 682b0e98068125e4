"""Spanish phrases: not knowing and refusing, and what leads to it."""

from .table import END, STOP, Phrases, compiled, opening

_SOURCES = (
    r"(?:(?:los|el|la|las|estos|este|sus) )?(?:documentos?|textos?|contexto|fuentes?|pasajes?"
    r"|base de conocimientos?)(?: (?:proporcionad[oa]s?|disponibles?|dad[oa]s?))?"
)
_OBJECT = (
    rf"(?:{END}| (?:si|cuándo|cuando|dónde|donde|cómo|como|por qué|cuánt[oa]s?|cuáles|cuál|qué"
    rf"|quién"
    r"|con certeza|exactamente)\b)"
)
PHRASES = Phrases(
    leads=opening(
        r"(?:¡)?(?:hola|buen(?:os|as) (?:días|tardes|noches)|sí|no|claro(?: que sí)?|por supuesto"
        rf"|desde luego|de acuerdo){STOP}",
        r"(?:¡)?(?:lo siento(?: mucho)?|lo lamento|perdón|disculpe?|perdone)"
        rf"(?:,? pero\b|{STOP})",
        r"(?:desafortunadamente|lamentablemente|por desgracia)\b,?",
    ),
    nothing=opening(
        rf"(?:yo )?no (?:lo )?sé{_OBJECT}",
        r"no (?:puedo|pude|he podido) (?:encontrar|responder|ayudar\w{0,3}|decir\w{0,3}"
        r"|determinar)\b",
        r"no (?:tengo|dispongo de|hay|encontré|encuentro|he encontrado) (?:ningun[ao] |suficiente"
        r" )?"
        r"(?:información|datos|idea|respuesta|acceso)\b",
        rf"no (?:se (?:menciona|indica|especifica|sabe)|consta){END}",
        rf"{_SOURCES} no (?:lo )?(?:menciona|indica|dice|contiene|especifica|proporciona)n?\b",
        rf"(?:desconocid[oa]|lo desconozco|lo ignoro|ni idea|n/[ad]){END}",
        rf"(?:¡)?(?:(?:muchas )?gracias|de nada)(?: por\b[^.!?,]{{0,80}})?{END}",
    ),
    not_in_sources=compiled(
        r"\bno (?:se |está |es )?(?:menciona|menciona[nd]o|mencionad[oa]|indica|indicad[oa]"
        r"|especifica"
        rf"|especificad[oa])n? en {_SOURCES}"
    ),
    turns=compiled(r"[,;] (?:pero|sin embargo|aunque|no obstante),? "),
    yes_no=opening(rf"(?:sí|si|no){END}"),
)
