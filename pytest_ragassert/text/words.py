"""What a text says in words: content words by stem, numbers with their units, names, negation.

The room for reading a text without a model. English so far; what belongs to a language stands in
its `Language` table. Numbers follow the English reading: `1,000` is a thousand, `1.000` is one.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

Kind = Literal["number", "year", "month", "time", "decade"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written and as read."""

    text: str
    value: str  # canonical decimal text, so that `1,000` and `one thousand` are equal
    unit: str = ""  # the unit's one name ("kilogram", "%"), "" where none is known
    kind: Kind = "number"
    before: str = ""  # the content word before it
    after: str = ""  # what it counts
    hedged: bool = False  # a bound or an estimate: "at least", "about"
    demanded: bool = True  # must be found where a claim has it; "one" is seldom a count


@dataclass(frozen=True, slots=True)
class Words:
    """A text read; words are stems."""

    content: tuple[str, ...]  # in order, without the units of numbers
    light: frozenset[str]  # words that say how much, when or how surely
    available: frozenset[str]  # all that a claim's words may be found among, units too
    numbers: tuple[Number, ...]
    names: frozenset[str]  # content that is surely a name
    negated: frozenset[str]  # content with a negation before it
    plain: frozenset[str]  # content without
    negates: bool  # whether anything is negated at all


@dataclass(frozen=True)
class Language:
    """What the reader has to know of a language."""

    stemmer: str
    stop_words: frozenset[str]
    light: frozenset[str]  # they matter, but name nothing
    negators: frozenset[str]
    after_no: frozenset[str]  # "no" is an answer then: "no it isn't"
    not_negating: frozenset[str]  # after a negator: "not only", "no more than"
    carriers: frozenset[str]  # stems; negated, they negate what follows: "no evidence that ..."
    hedges: frozenset[str]  # before a number: a bound or an estimate
    year_words: frozenset[str]  # before a bare 1900: it is a year, whatever follows
    months: dict[str, str]
    small: dict[str, str]
    scales: dict[str, int]  # powers of ten
    irregular: dict[str, str]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(text: str) -> dict[str, str]:
    """Each form to the first word of its comma-separated row."""
    rows = [row.split() for row in text.split(",")]
    return {form: row[0] for row in rows for form in row}


ENGLISH = Language(
    stemmer="english",
    stop_words=_set("""a according am among an and another are as at be became because become
        been being but by can cannot did do does doing done dr else etc for from had has have having
        he hence her here hers herself him himself his how however if in into is it its itself mr
        mrs ms of on one onto or our ours ourselves per shall she so sooner than that the their
        theirs them themselves then there these they this those though thus to upon us via was we
        were what when where whether which who whom whose why will with would yes you your yours
        yourself"""),
    light=_set("""about above after again against all almost also although any anyone anything
        approximately around before below between both could down during each earlier either even
        ever every few fewer further i just later least less longer many may me might mine more most
        much must my myself nearly off often once only other others out over own rather roughly same
        several should since some such through too under until up very while within yet"""),
    negators=_set("not no never without neither nor none nobody nothing nowhere cannot"),
    after_no=_set("but it he she they i we you there this that the"),
    not_negating=_set("only just merely simply necessarily more less later fewer earlier sooner"),
    carriers=_set("evid proof indic true case sign reason"),
    hedges=_set("""about around approximately roughly nearly almost over under above below least
        most than minimum maximum to some circa"""),
    year_words=_set("in since of by from until till and between during before after"),
    months=_forms("""1 january jan,2 february feb,3 march mar,4 april apr,5 may,6 june jun,
        7 july jul,8 august aug,9 september sep sept,10 october oct,11 november nov,
        12 december dec"""),
    small=_forms("""0 zero,1 one,2 two,3 three,4 four,5 five,6 six,7 seven,8 eight,9 nine,10 ten,
        11 eleven,12 twelve,13 thirteen,14 fourteen,15 fifteen,16 sixteen,17 seventeen,18 eighteen,
        19 nineteen,20 twenty,30 thirty,40 forty,50 fifty,60 sixty,70 seventy,80 eighty,
        90 ninety"""),
    scales={"hundred": 2, "thousand": 3, "k": 3, "million": 6, "billion": 9, "bn": 9}
    | {"trillion": 12},
    irregular=_forms("""begin began begun,break broke broken,bring brought,build built,buy
        bought,choose chose chosen,draw drew drawn,drive drove driven,fall fell fallen,find
        found,get got,give gave given,go went gone,grow grew grown,hold held,keep kept,know knew
        known,lead led,leave left,lose lost,make made,meet met,pay paid,rise rose risen,run ran,say
        said,see saw seen,sell sold,send sent,show shown,speak spoke spoken,spend spent,stand
        stood,take took taken,tell told,think thought,win won,write wrote written,child
        children"""),
)
_LANGUAGE = ENGLISH

# Signs and the units' English names; the first of a row is the unit's name.
_UNITS = _forms("""kilogram kg kgs kilo kilos kilograms kilogramme kilogrammes,gram g grams,
    milligram mg milligrams,tonne t tonnes ton tons,ounce oz ounces,pound lb lbs pounds gbp £,
    kilometre km kilometres kilometer kilometers,metre m metres meter meters,
    centimetre cm centimetres centimeter centimeters,millimetre mm millimetres millimeter
    millimeters,mile mi miles,foot ft feet,inch inches,yard yd yards,second s sec secs seconds,
    millisecond ms milliseconds,minute min mins minutes,hour h hr hrs hours,day days,week weeks,
    month months,year yr yrs years,litre l litres liter liters,millilitre ml millilitres milliliter
    milliliters,gallon gal gallons,watt w watts,kilowatt kw kilowatts,volt v volts,hertz hz,
    kilobyte kb,megabyte mb,gigabyte gb,terabyte tb,degree degrees ° °c °f celsius fahrenheit,
    % percent pct,dollar $ usd dollars,euro € eur euros,yen ¥ jpy,rupee ₹ inr rupees""")
_CURRENCIES = frozenset("$€£¥₹")
_CURRENCY_SCALES = {"m": 6, "b": 9}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})

_TYPOGRAPHY = str.maketrans(
    {"’": "'", "ʼ": "'", "−": "-", "‐": "-", "‑": "-", "–": "-", "ﬁ": "fi", "ﬂ": "fl"}
    | dict.fromkeys("\u00ad\u200b\ufeff", "")
)
# Each alternative takes all that it has looked at, so that reading stays linear.
_TOKEN = re.compile(
    r"""
      (?P<date>\d{4}-\d{2}-\d{2}(?![\d-]) | \d{1,2}\.\d{1,2}\.\d{4}(?![\d.]))
    | (?P<time>\d{1,2}:\d{2}(?!\d))
    | (?P<run>(?:\d+ | (?<![\w.])\.\d+)(?:[.,'\u00a0\u202f\u2009]\d+ | [ ]\d{3}(?!\d))*)
      (?:[eE](?P<power>\d{1,2})(?!\w) | (?P<tail>[^\W\d_][^\W_]*))?
    | (?P<word>[^\W\d_][^\W_]*(?:'[^\W\d_]+)*)
    | (?P<mark>[.;:!?,\n])
    """,
    re.VERBOSE,
)
_GROUPED = re.compile(r"\d{1,3}([,'\u00a0\u202f\u2009 ])\d{3}(?:\1\d{3})*(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_PLAIN = re.compile(r"\d*\.\d+|\d+,\d{1,2}|\d+")
_SPAN = re.compile(r"(1[0-9]|20)[0-9]{2}[-/](?=[0-9])")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_SEPARATOR = re.compile(r"[,'\u00a0\u202f\u2009 ]")
_JOINS = frozenset(("", " ", "-", "\u00a0", "\u202f", "\u2009"))


@lru_cache(maxsize=4096)
def read_words(text: str) -> Words:
    """The words of `text`, one sentence or a few."""
    # not NFKC: it would make 10² into 102
    text = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)
    return _Reader(text.replace("per cent", "percent"), _LANGUAGE).words()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem that a lower-case word shares with its plurals and verb forms."""
    word = _LANGUAGE.irregular.get(word, word)
    # imported late: most runs never ask this judge
    module = importlib.import_module(f"snowballstemmer.{_LANGUAGE.stemmer}_stemmer")
    # a stemmer keeps the word it works on in itself, so that threads can't share one
    return str(getattr(module, f"{_LANGUAGE.stemmer.title()}Stemmer")().stemWord(word))


def decimal_text(text: str, shift: int = 0, negative: bool = False) -> str:
    """Canonical text of decimal digits, moved by `shift` places; versions ("1.2.3") as they are."""
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    if text.count(".") > 1:
        return text
    whole, _, fraction = text.partition(".")
    point = len(whole) + shift
    digits = (whole + fraction).ljust(point, "0")
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    value = f"{whole}.{fraction}" if fraction else whole
    return f"-{value}" if negative and value != "0" else value


def _readings(run: str) -> list[str]:
    """The numbers that a run of digits and separators holds."""
    if _GROUPED.fullmatch(run):
        return [_SEPARATOR.sub("", run)]
    if _GROUPED_BY_POINT.fullmatch(run):
        return [run.replace(".", "").replace(",", ".")]
    if _PLAIN.fullmatch(run):
        return [run.replace(",", ".")]
    return _SEPARATOR.split(run)


class _Reader:
    """One pass over a text's tokens."""

    def __init__(self, text: str, language: Language) -> None:
        self.text, self.language = text, language
        self.shouts = text.isupper()  # capitals then tell no name
        self.tokens = list(_TOKEN.finditer(text))
        self.content: list[str] = []
        self.numbers: list[Number] = []
        self.light, self.extra, self.names = set[str](), set[str](), set[str]()
        self.negated, self.plain, self.negates = set[str](), set[str](), False
        self.scope = ""  # of a negation: "word", the next one; "rest", all to the next mark
        self.starts = True  # the next word begins a sentence
        self.previous = ""  # the word just read, lower case

    def words(self) -> Words:
        index = 0
        while index < len(self.tokens):
            index = self._take(index)
        names, negated, plain = map(frozenset, (self.names, self.negated, self.plain))
        available = frozenset(self.light).union(self.content, self.extra)
        content, light, numbers = tuple(self.content), frozenset(self.light), tuple(self.numbers)
        return Words(content, light, available, numbers, names, negated, plain, self.negates)

    def _take(self, index: int) -> int:
        token = self.tokens[index]
        if mark := token["mark"]:
            self.starts = self.starts or mark in ".!?:\n"
            self.scope, self.previous = "", mark
            return index + 1
        take = self._word if token["word"] else self._digits if token["run"] else self._calendar
        end = take(index)
        self.starts = False
        self.previous = self.tokens[end - 1][0].lower()
        return end

    def _word(self, index: int) -> int:
        written = self.tokens[index][0]
        word = _bare(written.lower())
        if (end := self._spelled(index, word)) or (end := self._month(index, word)):
            return end
        if word in self.language.negators or written.lower().endswith("n't"):
            self._negator(index)
        elif word in self.language.light:
            self.light.add(word)
        elif len(word) > 1 and (not self._small(word) or (written.isupper() and not self.shouts)):
            self._content(index, written, stem(word))
        return index + 1

    def _negator(self, index: int) -> None:
        word, following = self._lower(index), self._lower(index + 1)
        interjected = following == "," or (word == "no" and following in self.language.after_no)
        numbered = following == "." and (token := self._token(index + 2)) and token["run"]
        if not interjected and not numbered and following not in self.language.not_negating:
            self.negates, self.scope = True, self.scope or "word"

    def _content(self, index: int, written: str, stemmed: str) -> None:
        self.content.append(stemmed)
        if self.scope:
            self.negated.add(stemmed)
            self.scope = "rest" if self.scope == "rest" or stemmed in self.language.carriers else ""
        else:
            self.plain.add(stemmed)
        if self._is_name(index, written):
            self.names.add(stemmed)

    def _small(self, word: str) -> bool:
        return word in self.language.stop_words or word in self.language.light

    def _is_name(self, index: int, written: str) -> bool:
        if not written[0].isupper() or self.shouts:
            return False
        following = token[0] if (token := self._token(index + 1)) else ""
        runs_on = following[:1].isupper() and not self._small(following.lower())
        return not self.starts or written.isupper() or runs_on

    def _digits(self, index: int) -> int:
        token, end = self.tokens[index], index + 1
        run, tail = token["run"], (token["tail"] or "").lower()
        readings = _readings(run)
        if len(readings) > 1:
            for part in filter(None, readings):
                self._number(Number(part, decimal_text(part)))
            return end
        before = self.text[max(token.start() - 2, 0) : token.start()]
        currency = _UNITS[before[-1:]] if before[-1:] in _CURRENCIES else ""
        shift = int(token["power"] or 0)
        if scale := self.language.scales.get(tail) or (currency and _CURRENCY_SCALES.get(tail)):
            shift, tail = scale, ""
        elif not tail and self._gap(index) in _JOINS:
            scale = self.language.scales.get(self._lower(end))
            shift, end = (scale, end + 1) if scale else (shift, end)
        negative = before[-1:] == "-" and before[:-1] in ("", " ", "(", "\n")
        written = self.text[token.start() : self.tokens[end - 1].end()]
        number = Number(written, decimal_text(readings[0], shift, negative), currency)
        if len(run) == 2 and (since := _SPAN.match(self.text, max(token.start() - 5, 0))):
            number = replace(number, value=since[1] + run, kind="year")  # "2018-19"
        if len(run) == 4 and tail == "s":
            self._number(replace(number, kind="decade"))
        elif tail and tail not in _ORDINALS:
            self.extra.add(stem(tail))
            self._number(replace(number, unit=currency or _UNITS.get(tail, tail)))
        else:
            return self._measured(end, number, may_be_year=written == number.value)
        return end

    def _measured(self, end: int, number: Number, may_be_year: bool = False) -> int:
        """Take a number with the unit or noun that follows it, and return where that ends."""
        between = self._gap(end - 1).strip(" \u00a0\u202f\u2009-")
        sign = between[:1] if between[:1] in ("%", "°") else ""
        following = self._lower(end) if between == sign else ""
        if following and sign != "%" and (unit := _UNITS.get(sign + following)):
            self._number(replace(number, unit=number.unit or unit))
            self.extra.add(stem(following))
            return end + 1
        if sign:
            self._number(replace(number, unit=_UNITS[sign]))
            return end
        noun = _bare(following)
        if not noun.isalpha() or self._small(noun) or noun in self.language.months:
            noun = ""
        counts = noun and self.previous not in self.language.year_words
        if may_be_year and not number.unit and not counts and _YEAR.fullmatch(number.value):
            number = replace(number, kind="year")
        self._number(replace(number, after=stem(noun) if noun else ""))
        return end

    def _calendar(self, index: int) -> int:
        token = self.tokens[index]
        if token["time"]:
            hour, _, minute = token["time"].partition(":")
            self._number(Number(token[0], f"{decimal_text(hour)}:{minute}", kind="time"))
            return index + 1
        parts = re.split(r"[-.]", token["date"])
        year, month, day = map(decimal_text, parts if "-" in token["date"] else reversed(parts))
        self._number(Number(token[0], year, kind="year"))
        self._number(Number(token[0], month, kind="month"))
        self._number(Number(token[0], day))
        return index + 1

    def _month(self, index: int, word: str) -> int:
        """A month is a number beside a day or year, else a word that may be found as one."""
        month, written = self.language.months.get(word), self.tokens[index][0]
        if not month or not written[0].isupper():
            return 0
        dated = any((near := self._token(i)) and near["run"] for i in (index - 1, index + 1))
        self._number(Number(written, month, kind="month", demanded=dated))
        self.extra.add(stem(word))
        return index + 1 if dated else 0

    def _spelled(self, index: int, word: str) -> int:
        """Take a number in words and return where it ends, 0 where there is none."""
        small, scales = self.language.small, self.language.scales
        if word not in small and not (self.previous == "a" and len(word) > 3 and word in scales):
            return 0
        total, current, end = 0, 1 if word in scales else 0, index
        while end < len(self.tokens) and (end == index or self._gap(end - 1) in _JOINS):
            word = _bare(self._lower(end))
            if word in small and _follows(int(small[word]), current):
                current += int(small[word])
            elif word == "hundred" and 0 < current < 100:
                current *= 100
            elif word in scales and word != "hundred" and current:
                total, current = total + current * 10 ** scales[word], 0
            elif not (word == "and" and current >= 100 and self._lower(end + 1) in small):
                break
            end += 1
        written = self.text[self.tokens[index].start() : self.tokens[end - 1].end()]
        number = Number(written, str(total + current), demanded=total + current != 1)
        return self._measured(end, number)

    def _number(self, number: Number) -> None:
        hedged = self.previous in self.language.hedges
        before = self.content[-1] if self.content else ""
        self.numbers.append(replace(number, before=before, hedged=hedged))

    def _token(self, index: int) -> re.Match[str] | None:
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def _lower(self, index: int) -> str:
        token = self._token(index)
        return token[0].lower() if token else ""

    def _gap(self, index: int) -> str:
        following = self._token(index + 1)
        return self.text[self.tokens[index].end() : following.start() if following else None]


def _follows(number: int, sofar: int) -> bool:
    """Whether spelling goes on: "twenty-one", "two hundred six", but not "nineteen forty"."""
    return sofar % 100 == 0 or (sofar % 10 == 0 and sofar % 100 > 10 and 0 < number < 10)


def _bare(word: str) -> str:
    """Without the ending of a possessive or contraction; other apostrophes only go."""
    head, mark, ending = word.rpartition("'")
    if mark and ending in ("s", "re", "ll", "ve", "d", "m", "t"):
        return head.replace("'", "")
    return word.replace("'", "")
