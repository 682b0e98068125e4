"""Abbreviations by language, and whether the full stop after one can end the sentence."""

from __future__ import annotations

import re
from typing import Literal

# before: never ends a sentence, since a name or the like follows. number: continues with a number.
# name: ends one if the next word certainly begins a sentence. unit: ends one before any capital.
Kind = Literal["before", "number", "name", "unit"]

_TABLES: dict[str, dict[Kind, str]] = {
    "en": {
        "before": """Mr Mrs Ms Mx Messrs Dr Prof Rev Hon Gen Col Maj Capt Lt Sgt Cpl Pvt Adm Cmdr
            Gov Sen Rep Pres Supt Insp Fr Mt Ft e.g i.e eg ie cf viz vs approx ca est incl excl
            resp intl natl Atty Amb Brig Cdr Cpt Msgr acc avg abbr ver diam""",
        "number": """No Nos Nr Vol Vols p pp Fig Figs Sec Secs Ch Art Eq Ref Para Pt Ex c b d max
            min temp deg Rm Apt Bldg Ext Tel Chap Chs Op Pop Alt Temp ver""",
        "name": """Inc Ltd Corp Co Bros LLC Jr Sr Esq St Ave Blvd Rd Ln Sq Dept Univ Assn al ibid
            cit Ph.D M.Sc B.Sc M.Phil Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue
            Tues Wed Thu Thurs Fri""",
        "unit": "etc p.m a.m mg ml kg km cm mm lb lbs oz ft mi hr hrs sec B.C A.D B.C.E C.E",
    },
    "de": {
        "before": """Hr Hrn Dr Prof med phil jur rer nat Dipl Ing St z.B d.h u.a sog bzw vgl inkl
            exkl evtl ggf rd ca geb gest gegr i.d.R m.E o.g u.U v.a z.T z.Z zzgl abzgl einschl Tel
            i.A i.V i.H.v bspw insb tägl ausg Hl sel verh gem lt vs Chr.Geb d.i approx Fa Fam Frl
            verst dt engl frz ital lat griech ehem bzgl entspr ggü urspr mult""",
        "number": "Nr Art Abs Abschn S Kap Abb Tab Bd Aufl Rn Ziff Anm Buchst max min mind Fr s",
        "name": """usw etc u.Ä o.Ä u.ä o.ä u.dgl dgl v.Chr n.Chr Chr Mio Mrd Tsd f ff Jan Feb Febr
            Apr Aug Sept Okt Nov Dez Std Min Sek Ct Mo Di Mi Do Sa So s.o s.u e.V i.L d.J d.M Sen
            Jun Str str p.a""",
    },
    "ru": {
        "before": """ул пл просп наб пр-т б-р д св гр кн проф акад доц ген подп лейт адм см ср
            напр т.е т.к т.н т.о эл пос дер с ст оз р м ред изд сост ок г гос мин макс жит о преп
            нар засл арт мл зам""",
        "number": "кв корп стр доб рис табл илл гл п пп разд прим т тт",
        "name": """в вв янв февр фев апр июн июл авг сент сен окт нояб ноя дек обл р-н им тел полк
            пер кап пн вт чт пт сб вс""",
        "unit": "др пр т.д т.п н.э руб коп долл млн млрд тыс трлн гг экз чел шт",
    },
    "fr": {
        "before": "M MM Mme Mlle Dr Pr Me Mgr St Ste av bd env c.-à-d p.ex cf apr boul tél",
        "number": "art al p pp fig no n chap vol t",
        "name": "S.A S.A.R.L janv févr avr juil sept oct nov déc",
        "unit": "etc s J.-C",
    },
    "es": {
        "before": """Sr Sra Srta Sres Dr Dra D Dña Ud Uds Vd Lic Ing Prof p.ej aprox Av Avda Sto
            Sta Fr Mons tel Bs""",
        "number": "art núm pág págs p pp fig n cap vol s t",
        "name": "EE.UU S.A S.L Cía",
        "unit": "etc a.C d.C",
    },
    # Latin text whose language is unknown
    "": {
        "before": """Sra Srta Dra Ud Uds Dña Mme Mlle MM Avda aprox Hr Hrn Fa Frl bzw vgl inkl evtl
            ggf geb env av Bd Cía Lic Bs mult""",
        "name": "Mio Mrd Tsd Std",
    },
    "ar": {
        "before": "د أ أ.د م ق.م هـ ر.س ر.ق ر.ع د.إ د.ك د.أ د.ب د.ع ج.م ل.ل",
        "number": "ص ج ت ط رقم",
    },
}
# After a number; without one they are words, names and titles: "с. Малое", "г. Москва".
_BEHIND_NUMBERS: dict[str, dict[Kind, str]] = {
    "ru": {"unit": "м см мм км кг мг л мл ч мин сек с дн мес нед", "name": "г"},
    "en": {"unit": "in yd gal min"},
    "fr": {"unit": "hab min"},
}
# Words that certainly begin a sentence after an abbreviation.
_OPENERS = {
    "en": """The A An He She It They We I You This That These Those There Then Thus But And Or So
        If When While After Before However His Her Their Its My Our Your As At For From By With To
        In On Of Both Some Many Most All Each Every No Not Nobody Nothing Another What Who Why How
        Where Which Is Are Was Were Do Did Does Can Also Today Later Since Until During Although
        Because Once One Two Other Others See""",
    "de": """Der Die Das Den Dem Des Ein Eine Einen Einem Einer Er Sie Es Wir Ich Ihr Man In Im Am
        An Auf Bei Beim Mit Nach Von Vom Zu Zum Zur Aus Für Um Bis Ab Seit Und Oder Aber Doch Denn
        Wenn Als Da Dann Danach Dort Hier Heute Nun Jetzt Auch Nur Nicht Kein Keine Alle Alles
        Jeder Jede Jedes Diese Dieser Dieses Diesen Was Wer Wie Wo Warum Ist Sind War Waren Hat
        Hatte Sein Seine Ihre Viele Einige Siehe Daher Deshalb Dabei Dazu Damit Trotzdem Später
        Während Weil Obwohl Niemand Sonst""",
    "ru": """Он Она Оно Они Мы Я Вы Ты Это Этот Эта Эти Этого Тот Та Те В Во На Но А И Или По При
        Для С Со Из К Ко О Об От До За Под Над Без Если Когда Как Так Что Кто Где Почему Все Всё
        Его Её Их Там Тогда Здесь Сейчас Сегодня Также Однако После Затем Потом Нет Не Ни Уже Ещё
        Позже Другие Многие Некоторые Каждый У Поэтому Хотя""",
    "fr": """Le La Les L Un Une Des Du De Il Elle Ils Elles On Nous Vous Je J Ce Cet Cette Ces C
        Son Sa Ses Leur Leurs En Au Aux Dans Sur Pour Par Avec Sans Mais Et Ou Si Quand Puis Alors
        Ici Qui Que Quel Depuis Après Avant Tous Toutes Chaque""",
    "es": """El La Los Las Lo Un Una Unos Unas Él Ella Ellos Ellas Se Su Sus Este Esta Estos Estas
        Ese Esa En De Del Al A Por Para Con Sin Pero Y O Si Cuando Como Luego Hoy Ya No Es Son Fue
        Hay Desde Después Antes Todos Todas Cada Qué Quién Nadie""",
}
# A German number with a full stop before them is an ordinal.
_COUNTED = re.compile(
    r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\w*|Jahrh\w+|Weltkrieg\w*|Stock\w*|Etage"
    r"|OG|UG|Platz|Tag\w*|Woche\w*|Monat\w*|Jahr\w*|Klasse|Kapitel|Auflage|Runde|Liga|Bundesliga"
    r"|FC|SC|SV|Mal|Teil|Akt|Band|Absatz|Satz|Buch|Hälfte|Quartal|Semester|Geburtstag|Lebens\w+"
)
_ARTICLE = re.compile(
    r"\b(?:[Ii]m|[Aa][mb]|[Vv]om|[Zz]u[mr]|[Bb]eim|[Bb]is|[Dd](?:er|em|en|es|ie|as)|[Ii]hr\w*"
    r"|[Ss]ein\w*|[Jj]ed\w+)\s\Z"
)
_ORDINAL = re.compile(r"(?<![\w.,:])\d{1,2}\Z")
# Without letters of scripts without spaces, which write "毕业于M.I.T." with no space.
_LETTER = r"[^\W\d_\u3040-\u30ff\u4e00-\u9fff]"
_DOTTED = re.compile(
    rf"(?<!{_LETTER})"
    rf"(?P<parts>(?:-?{_LETTER}{{1,4}}\.[^\S\n]?){{0,3}}-?{_LETTER}+(?:-{_LETTER}+){{0,2}})\Z"
)
_SPACE = re.compile(r"\s")
_AFTER_NUMBER = re.compile(r"\d[^\S\n]?\Z")
_ROMAN = re.compile(r"[IVXLC]+\b")
_OFFICE = re.compile(r"[А-ЯЁ]{2,6}\Z")  # "МЧС. России"
_OF_STATE = frozenset({"России", "РФ"})
# After "p.m." they belong to the time.
_OF_TIME = re.compile(r"[A-Z]{2,4}\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")
_FARTHEST = 30  # characters of an abbreviation with many parts


def _by_word(tables: dict[str, dict[Kind, str]]) -> dict[str, dict[str, Kind]]:
    return {
        language: {word: kind for kind, words in table.items() for word in words.split()}
        for language, table in tables.items()
    }


_KINDS, _NUMBERED_KINDS = _by_word(_TABLES), _by_word(_BEHIND_NUMBERS)
for _language in ("de", "fr", "es"):
    # not a word of another language: a number follows it, or it has several full stops
    for _word, _kind in _KINDS[_language].items():
        if _kind == "number" or "." in _word:
            _KINDS[""].setdefault(_word, _kind)
# The text before a full stop within them, and the part after it.
_PARTED = {
    language: {
        (".".join(parts[:at]), parts[at])
        for parts in (word.split(".") for word in kinds)
        for at in range(1, len(parts))
    }
    for language, kinds in _KINDS.items()
}
_LATIN = frozenset({"de", "fr", "es", "it", "nl", "pt"})
_BEGINNING = {language: frozenset(words.split()) for language, words in _OPENERS.items()}


def ends_sentence(line: str, stop: int, following: str, language: str) -> bool | None:
    """Return whether the full stop at an offset ends its sentence; None if no abbreviation decides
    this.

    Args:
        following: the text after it, from its first letter or digit on.
    """
    before = line[max(0, stop - _FARTHEST) : stop]
    word = _first_word(following)
    if language == "de" and _ORDINAL.search(before):
        return _ends_after_ordinal(before, word)
    found = _DOTTED.search(before)
    if found is None:
        return None
    if word in _OF_STATE and _OFFICE.search(before):
        return False
    parts = _parts(found)
    last = parts[-1]
    initial = following[len(word) : len(word) + 1] == "."
    if initial and _is_parted(parts, word, language):
        return False
    kind = _kind_of(parts, language, bool(_AFTER_NUMBER.search(before[: -len(last)])))
    if kind is None:
        return None
    if kind == "before" or not following:
        return False
    goes_on = following[0].isdigit() or _ROMAN.match(following) is not None
    if kind == "number":
        if goes_on:
            return False
        return True if last in ("No", "no") else None  # an answer
    if following[0].isdigit() or following[0].islower():
        return False
    if not initial and word in (_BEGINNING.get(language) or _BEGINNING["en"]):
        return True
    return kind == "unit" and following[0].isupper() and not _OF_TIME.match(following)


def is_abbreviation(before: str, language: str) -> bool:
    """Whether the text before a full stop is an abbreviation, whatever follows it."""
    found = _DOTTED.search(before[-_FARTHEST:])
    return found is not None and _kind_of(_parts(found), language, numbered=False) is not None


def _parts(found: re.Match[str]) -> list[str]:
    return _SPACE.sub("", found["parts"]).split(".")


def _ends_after_ordinal(before: str, word: str) -> bool | None:
    if word in _BEGINNING["de"]:
        return None
    start = len(before.rstrip("0123456789"))
    return False if _COUNTED.fullmatch(word) or _ARTICLE.search(before[:start]) else None


def _codes(language: str) -> tuple[str, ...]:
    """Return the tables to use."""
    # Latin words in another script are English, and the language of English text may be undetected
    return (language,) if language in _LATIN else (language, "en", "")


def _is_parted(parts: list[str], word: str, language: str) -> bool:
    """Whether a word continues an abbreviation that the parts before it begin."""
    wholes = [".".join(parts[first:]) for first in range(len(parts))]
    return any((whole, word) in _PARTED.get(c, ()) for c in _codes(language) for whole in wholes)


def _kind_of(parts: list[str], language: str, numbered: bool) -> Kind | None:
    """Return the kind of the longest abbreviation at the end of the parts."""
    codes = _codes(language)
    for first in range(len(parts)):
        whole = ".".join(parts[first:])
        # at the beginning of a sentence; but "D.C." is not "d. C."
        small = whole[:1].lower() + whole[1:] if len(parts[first]) > 1 else whole
        for code in codes:
            if numbered and (kind := _NUMBERED_KINDS.get(code, {}).get(whole)):
                return kind
            if kind := _KINDS.get(code, {}).get(whole):
                return kind
        for code in codes:
            if kind := _KINDS.get(code, {}).get(small):
                return kind
    last = parts[-1]
    if language == "de" and last.endswith("str"):
        return "name"
    if language == "ar" and parts[0][:1] == "و":  # "and"
        return _kind_of([parts[0][1:], *parts[1:]], language, numbered)
    initial = last.lstrip("-")  # "J.-P."
    return "name" if len(initial) == 1 and initial.isupper() else None


def _first_word(text: str) -> str:
    word = re.match(r"[^\W\d_]+", text)
    return word[0] if word else ""
