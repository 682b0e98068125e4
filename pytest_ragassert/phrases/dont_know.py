"""Whole answers that only say "I don't know", in many languages.

They are too short to tell their language for sure, and are therefore asked for in any.
"""

from .table import END, opening

DONT_KNOW = opening(
    r"(?:"
    r"(?:i )?(?:don't|do not) know|i have no idea|no idea|not known|unknown|n/a|(?:i'm )?not sure"
    r"|(?:i )?(?:cannot|can't|can not|am unable to|unable to) (?:determine|answer|say|tell)"
    r"(?: (?:that|this|it|the question|this question))?"
    r"|(?:i )?(?:(?:don't|do not) have )?(?:no|not enough|enough|insufficient) (?:information|data)"
    r"(?: available| to (?:answer|determine|say)(?: (?:that|this|it))?)?"
    r"|(?:(?:the )?answer is )?not available|it cannot be (?:determined|answered)"
    r"|je n'en sais rien|aucune idée|ni idea|(?:lo siento, )?no (?:lo )?encuentro[^,;.]{0,60}"
    r"|(?:désolé(?:e)?, )?je ne trouve pas[^,;.]{0,60}|(?:我也?)?说不准|资料里没写"
    r"|(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht|keine ahnung"
    r"|unbekannt|(?:désolé(?:e)?, )?je ne sais pas|je l'ignore|inconnu|no (?:lo )?sé|desconocido"
    r"|non (?:lo )?so|não sei|ik weet het niet|(?:я )?(?:этого )?не знаю|неизвестно"
    r"|我?不知道|不清楚|不详|未知|(?:分|わ)かりません|知りません|不明(?:です)?"
    r"|لا (?:أعرف|أعلم|أدري)|غير معروف"
    rf"){END}"
)
