"""Removes the polite words around a question: "Could you tell me when the ferry leaves?".

After polite words, a question has the word order of a clause: "when the ferry leaves". Its first
words are rewritten as those of a question, because `question_kinds` recognizes some kinds by them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .phrases.patterns import NEVER


@dataclass(frozen=True)
class _Polite:
    """The polite words of a language.

    Attributes:
        before: matched at the start, as often as it fits.
        after: searched at the end, before its last mark.
        asks: searched in the polite words at the start: with these, a question may end with a
            particle, as "吗" in "您能告诉我灯塔有多高吗".
        particle: searched in the rest: this particle, after another word that asks.
        clauses: patterns of the first words of a clause, each with those of a question.
    """

    before: re.Pattern[str]
    after: re.Pattern[str]
    asks: re.Pattern[str] = NEVER
    particle: re.Pattern[str] = NEVER
    clauses: tuple[tuple[re.Pattern[str], str], ...] = ()


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("'", "['’]").replace(" ", r"\s+"), re.IGNORECASE)


_END = r"(?=\s*[?？.。!！]*\s*$)"
_TABLES = {
    "en": _Polite(
        before=_compiled(
            r"\s*(?:(?:hi|hello|excuse me|sorry|please|so|thanks)(?:\s*[,.!:]\s*| )"
            r"|(?:(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody)"
            r"(?: please| kindly| possibly)?"
            r" (?:tell|inform|remind|explain to|let) (?:me|us)(?: know)?(?: please)?"
            r"|(?:can|could|would|will) you (?:please )?(?:explain|say|clarify)(?! (?:to|the)\b)"
            r"|(?:would|do) you mind (?:telling|explaining to) (?:me|us)"
            r"|(?:i'd|i would|we'd|we would) (?:like|love) to (?:know|ask|find out|learn)"
            r"|(?:i|we) (?:want|need) to (?:know|ask|find out|learn)"
            r"|do you (?:happen to )?know|(?:may|can|could|might) (?:i|we) ask(?: you)?"
            r"|i (?:wonder|was wondering|am wondering)|i'm wondering"
            r"|(?:please )?(?:tell|let) (?:me|us)(?: know)?|i(?:'d| would) be interested to know"
            r"|is it possible to (?:know|find out))"
            r"(?:\s*[,:]\s*| )(?=(?:what|which|who|whom|whose|when|where|why|how|whether|if|by|at"
            r"|in|on|from|until|since|for|to|the|its|their|my|our|is|are|does|do|did|was|were)\b))"
        ),
        after=_compiled(rf",? ?\b(?:please|thanks|thank you){_END}"),
        clauses=(
            (_compiled(r"(?:whether|if) "), "is "),
            # the kind of these shows by the verb after them
            (_compiled(r"when (?!(?:is|are|was|were|do|does|did|will|can)\b)"), "when is "),
            (_compiled(r"how much (?!(?:is|are|was|were|do|does|did|will)\b)"), "how much is "),
            (
                _compiled(
                    r"how many (?P<unit>seconds|minutes|hours|days|weeks|months|years)"
                    r" (?=.*\b(?:takes?|lasts?|is|are)\b)"
                ),
                r"how many \g<unit> does ",
            ),
            (
                _compiled(
                    r"how (?=(?:the|a|an|i|we|you|one|people|users?|this|these|my|our"
                    r"|passengers)\b)"
                ),
                "how do ",
            ),
        ),
    ),
    "de": _Polite(
        before=_compiled(
            r"\s*(?:(?:hallo|entschuldigung|entschuldigen sie|verzeihung|bitte|guten tag|danke)"
            r"(?:\s*[,.!:]\s*| )"
            r"|(?:(?:können|könnten|kannst|könntest|würden|würdest) (?:sie|du|ihr)(?: bitte)?"
            r" (?:mir|uns)(?: bitte| vielleicht)? (?:sagen|mitteilen|erklären|verraten|erläutern"
            r"|beantworten)"
            r"|(?:bitte )?(?:sagen|erklären|verraten) sie (?:mir|uns)(?: bitte)?"
            r"|(?:bitte )?(?:sag|erklär|erkläre|verrate) (?:mir|uns)(?: bitte)?"
            r"|(?:ich|wir) (?:möchten?|würden?|will|wollen)(?: gerne?)?"
            r" (?:wissen|erfahren|fragen)"
            r"|(?:ich|wir) (?:wüssten?|hätten?) (?:gerne?)(?: gewusst)?"
            r"|(?:wissen sie|weißt du|wisst ihr)(?: vielleicht| zufällig)?"
            r"|(?:darf|dürfte|kann) ich(?: sie)? fragen|mich interessiert|ich frage mich)"
            r"\s*[,:]\s*)"
        ),
        after=_compiled(rf",? ?\b(?:bitte|danke|vielen dank){_END}"),
        clauses=(
            (_compiled("ob "), "ist "),
            (
                _compiled(
                    r"wie viele (?P<unit>sekunden|minuten|stunden|tage|wochen|monate|jahre)"
                    r" (?=.*\b(?P<verb>dauert|braucht|benötigt|vergehen)\b)"
                ),
                r"wie viele \g<unit> \g<verb> ",
            ),
            (
                _compiled(r"wie viel (?=.*\b(?P<verb>kostet|kosten|zahlt|bezahlt)\b)"),
                r"wie viel \g<verb> ",
            ),
            (
                _compiled(
                    r"wie (?=(?:der|die|das|den|man|ich|wir|ein|eine|einen|sich)\b"
                    r"(?!.*\b(?:heißt|heißen)\b))"
                ),
                "wie wird ",
            ),
        ),
    ),
    "ru": _Polite(
        before=_compiled(
            r"\s*(?:(?:здравствуйте|добрый день|извините|простите|пожалуйста|будьте добры"
            r"|будьте любезны|спасибо)(?:\s*[,.!:]\s*| )"
            r"|(?:(?:вы )?(?:не )?(?:подскажите|подскажи|подскажете|скажите|скажи|скажете|сообщите"
            r"|объясните|поясните)(?: мне)?(?:,? пожалуйста)?"
            r"|(?:вы )?(?:не )?(?:могли бы|можете|можешь|мог бы|могла бы)(?: ли)?(?: вы| ты)?"
            r"(?: мне| нам)?(?: пожалуйста)?"
            r" (?:подсказать|сказать|сообщить|объяснить|пояснить)(?: мне)?(?:,? пожалуйста)?"
            r"|(?:(?:я|мы|мне) )?(?:хотел(?:а|и)? бы|хочу|хотим|хотелось бы|хочется)"
            r" (?:узнать|знать|спросить|уточнить|выяснить)"
            r"|(?:можно|могу я|можно ли) (?:узнать|спросить|уточнить)"
            r"|(?:меня|нас) интересует|интересно|(?:вы )?(?:не )?знаете(?: ли)?(?: вы)?)"
            r"\s*[,:]\s*)"
        ),
        after=_compiled(rf",? ?\b(?:(?:под)?скажите|пожалуйста|спасибо)(?:,? пожалуйста)?{_END}"),
    ),
    "zh": _Polite(
        before=_compiled(
            r"\s*(?:(?:你好|您好|不好意思|打扰一下|麻烦您?你?|麻煩您?你?|劳驾|勞駕|请教一下|請教一下"
            r"|请教|請教"
            r"|想?(?:请问|請問)(?:一下)?|[请請])"
            r"|(?:您|你)?(?:能不能|可不可以|能够|能否|可否|可以|能)?"
            r"(?:请|麻烦)?(?:您|你)?(?:告诉|告訴)我"
            r"(?:一下)?|(?:您|你)?(?:能不能|可不可以|能否|可否|可以|能)?(?:跟|和|给)我(?:说|讲)(?:一下|说)?"
            r"|我?(?:很)?(?:想要|想|需要|希望)(?:知道|了解|瞭解|问|問|请问)(?:一下|一問|一问)?"
            r"|(?:您|你)(?:知道|知不知道|清楚))[，,：:]?"
        ),
        after=_compiled(rf"[，,]?(?:谢谢您?你?|謝謝您?你?|好吗|好嗎){_END}"),
        asks=_compiled(r"[能可]|知道|清楚"),
        particle=_compiled(rf"(?P<asked>[多几幾哪何怎谁誰什甚].*)[吗嗎]{_END}"),
    ),
}


def without_polite_frame(question: str, code: str) -> str:
    """Return a question without the polite words at its start and end.

    Args:
        code: the language, by its ISO 639-1 code. English, German, Russian and Chinese are known;
            a question in another is returned as it is, as is one that has nothing else.
    """
    table = _TABLES.get(code)
    if table is None:
        return question
    start = 0
    while (found := table.before.match(question, start)) and found.end() > start:
        start = found.end()
    frame, rest = question[:start], table.after.sub("", question[start:])
    if table.asks.search(frame):
        rest = table.particle.sub(r"\g<asked>", rest)
    if not any(map(str.isalnum, rest)):
        return question
    for pattern, start_of_question in table.clauses if frame else ():
        if found := pattern.match(rest):
            return found.expand(start_of_question) + rest[found.end() :]
    return rest
