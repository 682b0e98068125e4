"""Spanish phrases: not knowing and refusing, and what introduces it."""

from ..words.language import word_set
from .patterns import END, STOP, Phrases, compiled, opening

_SOURCES = (
    r"(?:(?:los|el|la|las|estos|este|sus) )?(?:documentos?|textos?|contexto|fuentes?|pasajes?"
    r"|base de conocimientos?)(?: (?:proporcionad[oa]s?|disponibles?|dad[oa]s?))?"
)
_OBJECT = (
    rf"(?:(?: (?:exactamente|con certeza|con seguridad))?{END}| (?:(?:con|a|de|en|desde|hasta|por)"
    rf" (?:qué|quién|cuál|dónde|cuánt[oa]s?|cuándo)|nada|la respuesta|la información|si|cuándo"
    rf"|cuando|dónde|donde|cómo|como|por qué|cuánt[oa]s?|cuáles|cuál|qué"
    rf"|quién"
    r"|con certeza|exactamente)\b)"
)
_KINDS = r"(?:información|informaciones|datos|idea|respuestas?|acceso|detalles)"
_GOES_ON = (
    r"(?:(?:y|o|ni) )?(?:si|cuándo|cuando|dónde|donde|cómo|como|por qué|porque|cuánt[oa]s?"
    r"|cuál(?:es)?"
    r"|qué|que|quién|por lo que|así que|ya que|incluyendo|con qué|aunque|sobre|tampoco)\b"
)
_VERB = (
    r"(?:es|son|era|está|están|hay|tiene|tienen|puede|pueden|debe|deben|sale|salen|pasa|pasan"
    r"|cuesta|cuestan|abre|abren|cierra|cierran|dura|va|van|viaja|viajan|funciona|funcionan|será)"
)
_EMPTY = word_set("""yo me mí mi nos le les lo la los las el un una unos unas esto esta este
    estos estas eso esa ese esos esas de del al a en y o ni por para con sobre acerca no sí se
    si cuándo cuando dónde donde cómo como qué cuánt* cuál* quién que sé saber sabe sabría puedo
    pude podido puede podría poder encontrar encontré encuentro encontrado encuentra encuentran
    responder responderle respuesta* ayudar* decir* dice dicen determinar tengo tiene dispongo
    hay he está están es ha ningun* ningún suficiente* información datos idea detalles acceso
    menciona* mencion* indica* especifica* consta contiene* contienen proporciona* documento*
    texto* contexto fuente* pasaje* base conocimiento* disponible* dad* desconoc* desconozco
    ignoro lamentablemente desafortunadamente desgracia lo siento mucho lamento perdón disculp*
    perdone gracias exactamente certeza seguridad seguro segura pregunta* nada sin tampoco ni
    siquiera sinceramente realmente conozco imposible saberlo determinar* estoy aparece figura
    relevante específic* respecto según""")
PHRASES = Phrases(
    leads=opening(
        r"(?:¡)?(?:hola|buen(?:os|as) (?:días|tardes|noches)|sí|no|claro(?: que sí)?|por supuesto"
        rf"|desde luego|de acuerdo){STOP}",
        r"(?:¡)?(?:lo siento(?: mucho)?|lo lamento|perdón|disculpe?|perdone)"
        rf"(?:,? pero\b|{STOP})",
        r"(?:desafortunadamente|lamentablemente|por desgracia|sinceramente|la verdad|me temo que)"
        r"\b,?|(?:la |mi )?respuesta:",
        rf"(?:según|de acuerdo con|con base en) {_SOURCES},",
    ),
    nothing=opening(
        rf"(?:yo )?(?:la verdad es que )?no (?:lo )?(?:sé|sabría)(?: (?:decir\w*|responder\w*))?"
        rf"{_OBJECT}",
        r"(?:yo )?no tengo (?:ni |la menor |ninguna )?(?:la menor |la más mínima )?idea\b",
        rf"(?:desconozco|ignoro) (?:la respuesta|esa información|ese dato|eso)\b{_OBJECT}",
        rf"(?:desconozco|ignoro)(?: {_GOES_ON})",
        rf"no estoy segur[oa]{_OBJECT}",
        rf"no (?:conozco|tengo) la respuesta\b|imposible (?:de )?(?:saberlo|saber|decirlo){END}",
        rf"no (?:aparece|figura|está|consta|se encuentra) en {_SOURCES}{END}",
        rf"(?:la |esa |esta )?(?:respuesta|información|dato)(?: a (?:esa|esta|la|su) pregunta)? no"
        rf" (?:está|aparece|figura|se encuentra|se menciona|consta)[^,;:]{{0,30}} {_SOURCES}{END}",
        rf"(?:sin (?:respuesta|información|datos)|no me consta|ninguna respuesta){END}",
        rf"(?:no (?:tengo|dispongo de|hay|encontré|encuentro|he encontrado|pude encontrar)"
        rf" (?:(?:esa|esta|la|dicha|suficiente) )?{_KINDS}\b)",
        r"no (?:puedo|pude|he podido) (?:encontrar|responder|ayudar\w{0,3}|decir\w{0,3}"
        r"|determinar|saber)(?:lo|la|le|los|las)?\b",
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
    closings=compiled(rf"[,.;]? (?:lo siento(?: mucho)?|lo lamento|perdón|disculpe){END}"),
    corrects=compiled(r",? (?:pero|sino(?: que)?|sin embargo) "),
    exceeds=compiled(
        r"\b(?:otr[oa]s?|otra cosa|más|menos|nada más) (?:\S+ ){0,3}que\b"
        r"|\b(?:salvo|excepto|aparte de|dudas?)\b"
    ),
    goes_on=opening(_GOES_ON),
    asserts=compiled(
        r"(?:(?:quizás?|tal vez|probablemente) )?(?:cada|tod[oa]s|siempre)\b|"
        rf"(?!(?:yo|y|o)\b)(?:(?:\S+ ){{1,5}}?{_VERB}\b|sale\b|salen\b)"
    ),
    lists=compiled(r"(?:\b|^)(?:y|o|ni)\b"),
    empty=_EMPTY,
    reporting=word_set(
        "menciona* mencion* indica* especifica* contien* disponible* proporciona* consta"
    ),
    doubtful=compiled(
        r"\b(?:pero|sino|embargo|salvo|excepto|aunque|dudas?|solo|sólo)\b"
        r"|\b(?:decir\w*|confirmar|sé|segur[oa]|saber) que\b"
    ),
    turns=compiled(r"[,;] (?:pero|sino|sin embargo|aunque|no obstante),? "),
    yes_no=opening(rf"(?:sí|si|no){END}"),
)
