"""Texts with one fact changed: a digit, a half of the day, a unit, a month, a version's zero."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Digits that are no fact of the text: a list's own marks and citations.
_MARKS = re.compile(r"(?m)^\s*(?:\d{1,3}[.)]|[-*])\s|\[\d{1,3}\]")
_DIGIT = re.compile(r"\d")
_VERSION = r"(?i:Python|version|section|abschnitt|раздел|第|==|>=|~=) ?\d+\."
_SWAPS = [
    (r"(?i)\b(\d+(?:[:.]\d\d)? ?)a\.?m\b", r"\1pm"),
    (r"(?i)\b(\d+(?:[:.]\d\d)? ?)p\.m\.", r"\1a.m."),
    (r"(?i)\b(\d+(?:[:.]\d\d)? ?)pm\b", r"\1am"),
    (r"in the morning", "in the evening"),
    (r"in the evening", "in the morning"),
    (r"morgens", "abends"),
    (r"abends", "morgens"),
    (r"утра", "вечера"),
    (r"вечера", "утра"),
    (r"上午", "下午"),
    (r"下午", "上午"),
    (r"早上", "晚上"),
    (r"(\d) kg\b", r"\1 g"),
    (r"(\d) g\b", r"\1 kg"),
    (r"(\d) кг", r"\1 г"),
    (r"(\d) г\b", r"\1 кг"),
    (r"(\d)公斤", r"\1克"),
    (r"(\d)克", r"\1公斤"),
    (r"(\d) km\b", r"\1 m"),
    (r"(\d) m\b", r"\1 km"),
    (r"(\d) км\b", r"\1 м"),
    (r"(\d)公里", r"\1米"),
    (r"m²", "km²"),
    (r"км/ч", "м/с"),
    (r"km/h", "mph"),
    (r"m/s", "km/h"),
    (r"mg\b", "g"),
    (r"мг\b", "г"),
    (r"毫克", "克"),
    (r"°C", "°F"),
    (r"℃", "℉"),
    (r"(\d) ?kW", r"\1 MW"),
    (r"MHz", "GHz"),
    (r"(\d) V\b", r"\1 kV"),
    (r"MB", "GB"),
    (r"МБ", "ГБ"),
    (r"€(?=\d)", "$"),
    (r"(\d) €", r"\1 $"),
    (r"\$(?=\d)", "€"),
    (r"£", "€"),
    (r"欧元", "美元"),
    (r"(\d)元", r"\1美元"),
    (r"\bEUR\b", "USD"),
    (r"\bUSD\b", "EUR"),
    (r"руб\.", "евро"),
    (r"₽", "€"),
    (r"%", "‰"),
    (r"\bhours\b", "days"),
    (r"\bStunden\b", "Tage"),
    (r"часов\b(?=\.| в день| \w+ни)", "дней"),
    (r"小时", "天"),
    (r"\bdays\b", "weeks"),
    (r"\bTagen\b", "Wochen"),
    (r"\bдней\b", "недель"),
    (r"\bMay\b", "June"),
    (r"\bJune\b", "May"),
    (r"\bMai\b", "Juni"),
    (r"\bмая\b", "июня"),
    (r"\bмае\b", "июне"),
    (r"October", "November"),
    (r"октября", "ноября"),
    (r"\bTuesday\b", "Thursday"),
    (r"\bDienstag\b", "Donnerstag"),
    (r"\bвторник\b", "четверг"),
    (r"周二", "周四"),
    (rf"({_VERSION}\d*[1-9])0\b", r"\1"),
    (rf"({_VERSION}\d*[1-9])(?![.\d])", r"\g<1>0"),
    (r"\bsecond\b", "third"),
    (r"\bzweiten\b", "dritten"),
    (r"\btwelve\b", "eleven"),
    (r"\bzwölf\b", "elf"),
    (r"\bдвенадцать\b", "одиннадцать"),
    (r"十二", "十三"),
    (r"½", "¼"),
    (r"weekly", "monthly"),
    (r"wöchentlich", "monatlich"),
    (r"еженедельно", "ежемесячно"),
    (r"每周(?=检)", "每月"),
    (r"\btwice\b", "once"),
    (r"zweimal", "dreimal"),
    (r"дважды", "трижды"),
    (r"winter", "spring"),
    (r"\bWinter\b", "Herbst"),
    (r"зимой", "осенью"),
    (r"冬季", "秋季"),
    (r"\bBC\b", "AD"),
    (r"v\. Chr", "n. Chr"),
    (r" до н\. э\.", " н. э."),
    (r"公元前", "公元"),
    (r"(?i)(vitamin|витамин|维生素) C\b", r"\1 D"),
    (r"(Karl|Карла) V\b", r"\1 I"),
    (r"\bX\b", "V"),
    (r"Ⅳ", "Ⅴ"),
    (r">=(?= 18)", "<="),
    (r"< 5", "> 5"),
    (r"tbsp", "tsp"),
    (r"\bEL\b", "TL"),
    (r"ст\. л\.", "ч. л."),
    (r"⭐⭐⭐⭐", "⭐⭐⭐"),
    (r"🕘", "🕙"),
    (r"(?<![A-Z])A\$", "CA$"),
    (r"\bsechs\b", "sieben"),
    (r"\bшесть\b", "пять"),
]
_COMPILED = [(re.compile(pattern), new) for pattern, new in _SWAPS]


def changed(text: str, step: int) -> Iterator[str]:
    """The text with one digit raised by `step` (1 to 9, round from 9 to 0), or one fact swapped."""
    marks = [match.span() for match in _MARKS.finditer(text)]
    for match in _DIGIT.finditer(text):
        place = match.start()
        if not any(start <= place < end for start, end in marks):
            digit = (int(match[0]) + step) % 10
            yield f"{text[:place]}{digit}{text[place + 1 :]}"
    yield from swapped(text)


def swapped(text: str) -> Iterator[str]:
    """The text with one fact swapped for another of its kind."""
    for pattern, new in _COMPILED:
        for match in pattern.finditer(text):
            yield text[: match.start()] + match.expand(new) + text[match.end() :]
