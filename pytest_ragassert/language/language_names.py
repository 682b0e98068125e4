"""Languages by tag and name: "de", "de-AT", "German" and "Deutsch" are the same one."""

from __future__ import annotations

import re

# ISO 639-1 code: codes of ISO 639-2, then names in English and in the language itself.
_NAMES = """
    ar: ara arabic العربية
    be: bel belarusian беларуская
    bg: bul bulgarian български
    bn: ben bengali bangla বাংলা
    ca: cat catalan català
    cs: ces cze czech čeština česky
    da: dan danish dansk
    de: deu ger german deutsch
    el: ell gre greek ελληνικά
    en: eng english
    es: spa spanish castilian español castellano
    et: est estonian eesti
    eu: eus baq basque euskara
    fa: fas per persian farsi فارسی
    fi: fin finnish suomi
    fr: fra fre french français francais
    he: heb hebrew עברית
    hi: hin hindi हिन्दी हिंदी
    hr: hrv croatian hrvatski
    hu: hun hungarian magyar
    hy: hye arm armenian հայերեն
    id: ind indonesian
    is: isl ice icelandic íslenska
    it: ita italian italiano
    ja: jpn japanese 日本語
    ka: kat geo georgian ქართული
    kk: kaz kazakh қазақша
    ko: kor korean 한국어
    lt: lit lithuanian lietuvių
    lv: lav latvian latviešu
    mk: mkd mac macedonian македонски
    mr: mar marathi मराठी
    nb: nob norwegian bokmål norsk no nn
    nl: nld dut dutch flemish nederlands
    pl: pol polish polski
    pt: por portuguese português portugues
    ro: ron rum romanian română
    ru: rus russian русский
    sk: slk slo slovak slovenčina
    sl: slv slovenian slovene slovenščina
    sr: srp serbian српски
    sv: swe swedish svenska
    ta: tam tamil தமிழ்
    th: tha thai ไทย
    tr: tur turkish türkçe
    uk: ukr ukrainian українська
    ur: urd urdu اردو
    vi: vie vietnamese việt
    zh: zho chi chinese mandarin cmn 中文 汉语 漢語 普通话
"""
_CODE_OF = {
    name: code.strip()
    for code, _, names in (line.partition(":") for line in _NAMES.strip().splitlines())
    for name in (code.strip(), *names.split())
}
_APART = re.compile(r"[\s()_,/-]+")


def language_code(tag: str) -> str | None:
    """Return the ISO 639-1 code of a language, or None if it is unknown.

    Args:
        tag: a language tag such as "de" or "pt-BR", or a name in English or in the language itself,
            such as "German", "Brazilian Portuguese" or "Deutsch".
    """
    words = [word for word in _APART.split(tag.strip().casefold()) if word]
    # a tag begins with the language, and a name may end with it
    for word in words[:1] + words[::-1]:
        if word in _CODE_OF:
            return _CODE_OF[word]
    return None
