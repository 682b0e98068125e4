"""Words by which a text commands a language model instead of informing a reader: "Ignore all
previous instructions".

Any text may contain words of any language, so all languages are searched.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from .patterns import NEVER

# Between two words there may be a line break, quotation marks and markup.
_GAP = "[\\s*_~`>#\"'“”„«»-]{1,12}"
_MODELS = r"(?:(?-i:AI|A\.I\.|LLM|GPT|DAN)\b|chat-?gpt|claude|gemini|llama|copilot)"


class _Commands(NamedTuple):
    """The commands in one language.

    Attributes:
        pattern: what is searched.
        negated_before: searched at the end of the text before, where it makes a command harmless.
        negated_after: matched at the beginning of the text after it, likewise.
    """

    pattern: re.Pattern[str]
    negated_before: re.Pattern[str] = NEVER
    negated_after: re.Pattern[str] = NEVER


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns).replace(" ", _GAP), re.IGNORECASE)


# Control marks of chat formats
_MARKS = _Commands(
    re.compile(
        r"<\|(?:im_(?:start|end|sep)|system|user|assistant|endoftext|endofprompt|eot_id|eom_id"
        r"|begin_of_text|end_of_text|(?:start|end)_header_id|start|message|channel|end)\|>"
        r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
    )
)

_BEFORE = r"(?:previous|prior|preceding|earlier|foregoing|above|former|original|initial|existing)"
_ALL = r"(?:all(?: of)?|any|every(?: one of)?|each of)"
_INSTRUCTIONS = (
    r"(?:instructions?|directives?|prompts?|guidelines?|commands?|rules|orders|directions)"
)
_END = r"(?=\W*(?:$|[.,;:!?\n]|and\b|then\b|instead\b|but\b))"
_ENGLISH = _Commands(
    _any(
        # "ignore all previous instructions", "disregard your guidelines"
        r"\b(?:ignore|disregard|forget|override|bypass|discard|(?:do not|don'?t|stop) (?:follow"
        rf"|following|obey|obeying)) (?:(?:{_ALL}|the|these|those|my|our|your|whatever) )*"
        rf"(?:your|{_BEFORE}|system) (?:(?:{_BEFORE}|system|safety|given|own|and|or) )*"
        rf"(?:{_INSTRUCTIONS}|programming|training)\b",
        rf"\b(?:ignore|disregard|forget|override) {_ALL} (?:(?:the|these|those) )?"
        rf"(?:instructions|directives|guidelines)(?: (?:above|before|given|(?:that )?you|so far"
        rf"|previously|from (?:the )?(?:system|developer))\b|{_END})",
        r"\b(?:ignore|disregard|forget|discard) (?:the )?(?:instructions|directives|prompts?)"
        rf" (?:(?:that )?you (?:were|have been|got|had)|(?:given|written) (?:to you|above)"
        rf"|above{_END})",
        r"\b(?:disregard|ignore|forget) (?:everything|all|anything) (?:above|before this"
        r"|(?:that )?(?:you|came before|was said|has been said|i said|precedes)|said|written above"
        r"|prior|previously)\b",
        rf"\b(?:disregard|ignore|forget) (?:all )?(?:of )?the above{_END}",
        # a new role
        r"\byou are (?:now|no longer) (?:(?:called|named|acting as|going to be|to act as) )?"
        rf"(?:(?:an?|the|my|our) (?:[\w-]+ ){{0,2}}?)?(?:{_MODELS}|assistant|chat-?bot"
        rf"|language model"
        r"|jailbroken|unrestricted|unfiltered|uncensored|pirate)\b",
        r"\b(?:act|respond|answer|behave) as (?:if you (?:were|are) )?(?:an? )?(?:[\w-]+ ){0,2}?"
        rf"(?:{_MODELS}|chat-?bot|language model|jailbroken|unrestricted)",
        r"\bpretend (?:to be|(?:that )?you are|you're) (?:an? )?(?:[\w-]+ ){0,2}?"
        rf"(?:{_MODELS}|assistant|chat-?bot|language model|unrestricted)",
        r"\bfrom now on,? you (?:(?:will|must|shall|should|are to|only|always) )*"
        r"(?:respond|answer|reply|obey|act as|pretend|behave|speak|output)\b",
        # its own instructions
        r"\bsystem prompt\W{0,4}:",
        r"\b(?:reveal|print|show|output|repeat|leak|display|tell me|write out) (?:(?:me|us|of|the"
        r"|exact|text) )*(?:all (?:of )?your|your (?:full|complete|system|initial|hidden|secret"
        r"|original)) (?:(?:full|system|initial|hidden|secret|original) )*(?:prompts?"
        r"|instructions)\b",
        r"\byour new (?:instructions|prompt|system prompt) (?:is|are)\b",
        r"\byour new (?:instructions|prompt|system prompt):",
        # the model itself
        r"\bif you are an? (?:[\w-]+ )?(?:(?-i:AI|LLM)\b|(?:large )?language model|chat-?bot)"
        r"(?!\W+(?:engineer|developer|researcher|expert|specialist|scientist|company|team|user"
        r"|vendor"
        r"|provider|start-?up|enthusiast|student|lab)\b)",
        r"\b(?:note|message|instructions?|attention|notice) (?:to|for) (?:(?:the|all|any) )?"
        r"(?:(?-i:AIs?|LLMs?)\b|(?:large )?language models?|chat-?bots?|ai (?:assistants?|models?"
        r"|agents?))(?: (?:reading|reviewing|processing|that (?:reads?|process(?:es)?))\b|[*_]*:)",
    ),
    re.compile(r"(?:\bnot|n['’]t|\bnever|\bcannot|\bmay|\bcan)\W+(?:\w+\W+)?\Z", re.IGNORECASE),
)

_VORIG = (
    r"(?:bisherigen?|vorherigen?|vorigen?|vorangegangenen?|vorangehenden?|vorstehenden?|obigen?"
    r"|früheren?|bestehenden?|ursprünglichen?|vorhergehenden?)"
)
_ANWEISUNGEN = (
    r"(?:(?:system-?)?anweisung(?:en)?|(?:system-?)?instruktion(?:en)?|befehle?|vorgaben?|regeln"
    r"|richtlinien|(?:system-?)?prompts?|aufträge|anordnungen)"
)
_KI = (
    rf"(?:{_MODELS}|(?-i:KI)\b|ki-?(?:assistent\w*|modell|system)|assistent(?:in)?\b|chat-?bot"
    r"|sprachmodell|pirat\b|uneingeschränkt)"
)
_GERMAN = _Commands(
    _any(
        r"\b(?:ignorier(?:e|t|en sie)|missachte(?:t|n sie)?|vergiss|vergesst|vergessen sie|verwirf"
        r"|verwerfen sie|übergehe?|übergehen sie) (?:(?:bitte|jetzt|ab sofort|alle|sämtliche|jede"
        rf"|die|diese|jegliche|meine|unsere) )*(?:(?:deine|eure|{_VORIG})|ihre (?:eigenen"
        rf"|{_VORIG})) "
        rf"(?:(?:{_VORIG}|eigenen|und|oder|gegebenen) )*{_ANWEISUNGEN}\b",
        r"\b(?:ignorier(?:e|t|en sie)|missachte(?:t|n sie)?|vergiss|vergessen sie) (?:bitte )?"
        r"(?:alle|sämtliche) (?:anweisungen|instruktionen)(?= (?:oben|bisher|davor|und|die (?:du"
        r"|dir|ihnen))\b|\W*(?:$|[.;:!\n]))",
        r"\b(?:vergiss|vergessen sie|ignorier(?:e|en sie)) (?:bitte )?alles,?(?: bisherige"
        r"| vorherige| obige| oben| zuvor| davor| was (?:bisher|zuvor|oben|davor|du|dir|ich"
        r"|ihnen)\b)",
        r"\b(?:du bist|sie sind) (?:jetzt|nun|ab jetzt|ab sofort|von nun an|fortan|nicht mehr) "
        rf"(?:(?:ein|eine|der|die|das|mein|kein) )?(?:[\w-]+ ){{0,3}}?{_KI}",
        rf"\b(?:von nun an|ab jetzt|ab sofort) bist du (?:(?:ein|eine|der|die|das|mein) )?"
        rf"(?:[\w-]+ ){{0,3}}?{_KI}",
        r"\bsystem-?prompt\W{0,4}:",
        r"\b(?:zeige?|nenne|verrate|wiederhole|gib)(?: mir)? dein(?:en?|e) (?:[\w-]+ )?"
        r"(?:system-?prompt|prompt|(?:system-?)?anweisungen|instruktionen)\b",
        r"\bwenn (?:du|sie) (?:ein|eine) (?:[\w-]+ )?(?:(?-i:KI|LLM)\b|ki-\w+|sprachmodell"
        r"|chat-?bot) (?:bist|sind)\b",
        r"\b(?:hinweis|anweisung|nachricht|achtung)(?:en)? (?:an|für) (?:(?:die|das|den|alle) )?"
        r"(?:(?-i:KI|LLMs?)\b|ki-?\w*|sprachmodelle?|chat-?bots?)[*_]*:",
    ),
    re.compile(r"\b(?:nicht|nie|niemals)\W+\Z", re.IGNORECASE),
    re.compile(r"(?:\W+\w+){0,2}?\W+(?:nicht|niemals|nie)\b", re.IGNORECASE),
)

_PREZHN = (
    r"(?:предыдущ\w+|прежн\w+|прошл\w+|предшествующ\w+|вышеуказанн\w+|вышеизложенн\w+"
    r"|вышеприведенн\w+|вышеприведённ\w+|первоначальн\w+|изначальн\w+|исходн\w+|системн\w+)"
)
_UKAZANIYA = r"(?:инструкци\w+|указани\w+|команд\w*|правил\w*|распоряжени\w+|промпт\w*|директив\w*)"
_SVOI = r"(?:сво[иеё]\w*|тво[иеё]\w*|ваш\w*)"
_II = (
    rf"(?:{_MODELS}|(?-i:ИИ)\b|ии-\w+|ассистент\w*|чат-?бот\w*|бот\b|языков\w+ модел\w+|пират\b"
    r"|искусственн\w+ интеллект\w*)"
)
_RUSSIAN = _Commands(
    _any(
        r"\b(?:про)?игнорируй(?:те)? (?:(?:пожалуйста|все|всё|любые|эти|мои|абсолютно) )*"
        rf"(?:{_SVOI}|{_PREZHN}) (?:(?:{_PREZHN}|и|или) )*{_UKAZANIYA}",
        r"\b(?:забудь(?:те)?|отбрось(?:те)?|отмени(?:те)?|не следуй(?:те)?|не выполняй(?:те)?"
        r"|не обращай(?:те)? внимания на) (?:(?:про|о|обо|об|все|всех|всём|всем|любые|эти|мои) )*"
        rf"(?:{_SVOI}|{_PREZHN}) (?:(?:{_PREZHN}|и|или) )*{_UKAZANIYA}",
        r"\b(?:про)?игнорируй(?:те)? все (?:инструкции|указания|директивы)(?= (?:выше|ранее|и)\b"
        r"|\W*(?:$|[.;:!\n]))",
        r"\b(?:забудь(?:те)?|(?:про)?игнорируй(?:те)?) (?:обо? )?(?:вс[её]м?),?"
        r"(?: (?:что|о ч[её]м)(?: тебе| вам| ты| вы| было| я| выше| сказано)| (?:выше)?сказанн\w+"
        r"| предыдущ\w+| выше\b| написанн\w+ выше)",
        r"\b(?:ты|вы) (?:теперь|отныне|больше не) (?:[—–-] )?(?:[\w-]+ ){0,3}?"
        rf"{_II}",
        rf"\b(?:теперь|отныне|с этого момента|с этой минуты),? (?:ты"
        rf"|вы) (?:[—–-] )?(?:[\w-]+ ){{0,3}}?{_II}",
        r"\bсистемн(?:ый|ого) (?:промпт|запрос)\w*\W{0,4}:",
        r"\b(?:покажи|выведи|раскрой|повтори|напиши)(?:те)?(?: мне)? (?:свой|твой|ваш|свои|твои) "
        r"(?:(?:системн\w+|полн\w+) )?(?:промпт|инструкции)",
        r"\bесли ты (?:[—–-] )?(?:(?-i:ИИ|LLM)\b|языков\w+ модел\w+|чат-?бот|нейросеть)",
    ),
    re.compile(r"\b(?:не|нельзя|никогда не)\W+\Z", re.IGNORECASE),
)

_CHINESE = _Commands(
    _any(
        r"(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|抛开|拋開|不要?(?:遵循|遵守|理会|理會))(?:掉|你|您|我|给|給|所有|一切"
        r"|全部|任何|这些|這些|的){0,4}(?:之前|以上|上述|上面|前面|先前|此前|你的|您的|原有|原来|系统|系統)(?:所有|一切|全部|任何"
        r"|给你|給你|收到|提供|系统|系統|的){0,4}(?:指令|指示|命令|提示词|提示詞|规则|規則|设定|設定)",
        r"(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉)(?:掉)?(?:所有|一切|全部|任何)的?(?:指令|指示|提示词|提示詞)",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉)(?:掉)?(?:之前|以上|上述|上面|前面|先前|此前)的?(?:所有|一切|全部)的?(?:内容|內容|话|話|对话"
        r"|對話)?(?=$|[。，；！\n])",
        r"(?:你现在是|你現在是|从现在(?:开始|起)[，,]?你(?:就?是|将扮演|要扮演)|從現在(?:開始|起)[，,]?你(?:就?是|將扮演)"
        rf"|你不再是|请你扮演|請你扮演)[^。！？\n]{{0,12}}?(?:{_MODELS}|助手|助理|机器人|機器人|人工智能|语言模型|語言模型|模型|海盗"
        r"|海盜|黑客)",
        r"(?:系统|系統)(?:提示词|提示詞)\W{0,4}[:：]",
        r"(?:输出|輸出|显示|顯示|告诉我|告訴我|透露|重复|重複|打印|公开)(?:出)?(?:你|您)的(?:系统|系統|初始|完整|全部|隐藏)?的?"
        r"(?:提示词|提示詞|指令|系统提示)",
        r"如果(?:你|您)是(?:一个|一個|一名)?(?:(?-i:AI|LLM)|人工智能|大?语言模型|聊天机器人)",
    ),
    re.compile(r"(?:不要|请勿|請勿|切勿|勿|别|別|不可|不能|不应|不得|不会|没有|可以?|可)\Z"),
)

_IA = (
    rf"(?:{_MODELS}|(?-i:IA)\b|assistante?\b|chat-?bot|agent conversationnel|modèle de langage"
    r"|pirate\b|sans restrictions?)"
)
_FRENCH = _Commands(
    _any(
        r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|contourne[zr]?|(?:ne )?(?:tiens"
        r"|tenez) (?:pas )?"
        r"compte|(?:fais|faites) abstraction|(?:ne )?(?:suis|suivez) (?:plus|pas)) (?:(?:donc|de"
        r"|des"
        r"|du|toutes?|tous|les|ces|mes|nos|l'ensemble|à) )*(?:(?:tes|vos) (?:instructions|consignes"
        r"|directives)\b|(?:(?:tes|vos) )?(?:instructions?|consignes?|directives?|ordres?|prompts?"
        r"|règles) (?:(?:qui|données|reçues|et|système) )*(?:précéd\w+|antérieur\w*|ci-dessus"
        r"|initial\w+|d'origine|plus haut))",
        r"\b(?:oublie[zr]?|ignore[zr]?) tout (?:ce qui|ce que|le reste|le texte|le contenu) "
        r"(?:précède|(?:a|est) (?:été )?(?:dit|écrit)|(?:tu|vous|je|t'|l'on)|précédent|ci-dessus)",
        r"\b(?:tu es|vous êtes) (?:maintenant|désormais|à présent) (?:(?:une?|le|la|mon) )?"
        rf"(?:[\w-]+ ){{0,3}}?{_IA}",
        r"\b(?:à partir de maintenant|désormais),? (?:tu es|vous êtes) (?:(?:une?|le|la|mon) )?"
        rf"(?:[\w-]+ ){{0,3}}?{_IA}",
        r"\bprompt système\W{0,4}:",
        r"\b(?:affiche|montre|révèle|répète|donne)(?:-moi|z)? (?:tes|ton|vos|votre) (?:prompt"
        r"|instructions|consignes)\b",
        r"\bsi (?:tu es|vous êtes) (?:une? )?(?:(?-i:IA|LLM)\b|modèle de langage|chat-?bot"
        r"|intelligence artificielle)",
    ),
    re.compile(r"(?:\b(?:ne|pouvez|peux|peut)\W+|\bn['’])\Z", re.IGNORECASE),
)

_IA_ES = (
    rf"(?:{_MODELS}|(?-i:IA)\b|asistente\b|chat-?bot|modelo de lenguaje|pirata\b|sin restricciones)"
)
_SPANISH = _Commands(
    _any(
        r"\b(?:ignor(?:a|e|ad|en)|olvid(?:a|e|ad|en)|descart(?:a|e|en)|desobedec(?:e|a)|(?:haz"
        r"|haga|hagan)"
        r" caso omiso de|no (?:sigas|siga|hagas caso (?:a|de)|haga caso (?:a|de))) (?:(?:por favor"
        r"|todas?"
        r"|todos|las|los|de|estas?|mis|nuestras) )*(?:tus (?:(?:propias"
        r"|anteriores) )?(?:instrucciones|órdenes"
        r"|directrices|indicaciones|reglas)\b|(?:sus )?(?:instrucciones|órdenes|ordenes"
        r"|indicaciones"
        r"|directrices|reglas|prompts?|comandos) (?:(?:que|y|del sistema) )*(?:anteriores"
        r"|previ[ao]s"
        r"|precedentes|de arriba|iniciales|originales|(?:te|le) (?:dieron|han dado|di)))",
        r"\b(?:olvid(?:a|e|en)|ignor(?:a|e|en)) (?:todo lo (?:anterior|que (?:te|se|he|has|le"
        r"|precede)"
        r"|dicho|de arriba)|lo anterior(?=\W*(?:$|[.,;!\n]|y\b)))",
        r"\b(?:ahora|a partir de ahora|desde ahora),? (?:eres|serás|es usted|usted es) (?:(?:una?"
        r"|el|la|mi) )?"
        rf"(?:[\w-]+ ){{0,3}}?{_IA_ES}",
        rf"\beres ahora (?:(?:una?|el|la|mi) )?(?:[\w-]+ ){{0,3}}?{_IA_ES}",
        r"\bprompt del? sistema\W{0,4}:",
        r"\b(?:muestra|muéstrame|revela|imprime|repite|dime) tus? (?:prompt|instrucciones)\b",
        r"\bsi eres (?:una? )?(?:(?-i:IA|LLM)\b|modelo de lenguaje|chat-?bot"
        r"|inteligencia artificial)",
    ),
    re.compile(r"\b(?:no|nunca|jamás|puede|puedes)\W+\Z", re.IGNORECASE),
)

_LANGUAGES = (_MARKS, _ENGLISH, _GERMAN, _RUSSIAN, _CHINESE, _FRENCH, _SPANISH)

# Characters without width: soft hyphens, joiners, fillers, direction marks, variation selectors.
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000\U000e0001\U000e0100-\U000e01ef]"
)
# Invisible copies of the ASCII characters. Their message is as good as any.
_TAGS = re.compile("[\U000e0020-\U000e007f]")
_TAG_OFFSET = 0xE0000
_NEAR = 20  # characters around a command in which a negation is looked for


def model_command(text: str) -> tuple[int, int] | None:
    """Return the offsets of the first words that command a language model, or None.

    Invisible characters between letters, or letters that are wide or invisible copies of others,
    make no difference.
    """
    found = [
        (places[start], places[end - 1] + 1)
        for plain, places in _readings(text)
        for start, end in _commands(plain)
    ]
    return min(found, default=None)


def _commands(text: str) -> Iterator[tuple[int, int]]:
    for language in _LANGUAGES:
        for match in language.pattern.finditer(text):
            before = text[max(0, match.start() - _NEAR) : match.start()]
            after = text[match.end() : match.end() + _NEAR]
            if language.negated_before.search(before) or language.negated_after.match(after):
                continue
            yield match.span()
            break


class _Same:
    """The offsets of a text in itself."""

    def __getitem__(self, index: int) -> int:
        return index


def _readings(text: str) -> Iterator[tuple[str, array[int] | _Same]]:
    """Yield the text as it is seen, and as a model may read it, each with its offsets in the
    text.
    """
    if text.isascii():
        yield text, _Same()
        return
    wide = _WIDE.sub(_narrow, text)
    tagged = _TAGS.search(wide)
    if not tagged and not _INVISIBLE.search(wide):
        yield wide, _Same()
        return
    yield _without(wide, re.compile(f"{_INVISIBLE.pattern}|{_TAGS.pattern}"))
    if tagged:
        shown = _TAGS.sub(lambda match: chr(ord(match[0]) - _TAG_OFFSET), wide)
        yield _without(shown, _INVISIBLE)


_WIDE = re.compile("[\uff01-\uff5e\u2460-\u24ff\U0001d400-\U0001d7ff]")


def _narrow(match: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", match[0])
    return plain if len(plain) == 1 else match[0]


def _without(text: str, dropped: re.Pattern[str]) -> tuple[str, array[int]]:
    places = array("q")
    parts: list[str] = []
    done = 0
    for match in dropped.finditer(text):
        parts.append(text[done : match.start()])
        places.extend(range(done, match.start()))
        done = match.end()
    parts.append(text[done:])
    places.extend(range(done, len(text)))
    return "".join(parts), places
