"""Citation marks: "[1]", "[^2]", "【4:0†source】", "(doc 2)", "<cite>…</cite>", raised numbers.

A number in round brackets or braces is a mark only if the sources have no number in its place.
`citation_marks` finds what each mark points at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Before a number: "source 2", and before that: "see source 2".
SOURCE = (
    r"(?:docs?|documents?|sources?|refs?|references?|contexts?|ctx|passages?|chunks?|snippets?"
    r"|excerpts?|citations?|cit|footnotes?|fn|notes?|dokumente?|dok|quellen?|kontexte?|textstellen?"
    r"|fußnoten?|beleg|документ[аеу]?|документы|док|источник[аеиу]?|источн|ист|контекст|фрагменты?"
    r"|сноск[аи]|ссылк[аи]|文档|文件|资料|来源|出处|引用|参考|片段|上下文|脚注|注释?"
    r"|réf(?:érence)?s?|extraits?|contextes?|documentos?|fuentes?|referencias?|pasajes?|contextos?"
    r"|fragmentos?|(?:ال)?(?:مصدر|مستند|وثيقة|مرجع|مقطع)|文書|資料|文献|参考文献|出典|参照|情報源)"
)
SEE = (
    r"(?:(?:(?:see|siehe|vgl|cf|см|laut|lt|nach|gemäß|aus|согласно|по|из|per|from|via|based\ on"
    r"|voir|selon|d['’]après|véase|ver|según|انظر|راجع"
    r"|according\ to|(?:as\ )?(?:stated|described|noted|mentioned|shown|seen|cited|quoted)\ in"
    r"|refer(?:ring)?\ to)\.?(?:\s(?:also|auch|также))?\s"
    r"|(?:参见|详见|另见|见|根据|引自|来自|据)\s?))"
)
_DIGIT = "[0-9٠-٩۰-۹０-９]"
_NUMBER = rf"[#№]?{_DIGIT}{{1,3}}"
_JOINT = r"(?:[,;、，；،؛–-]|and|und|et|y|и|و|和|と|&)"
_NUMBERS = rf"{_NUMBER}(?:\s?{_JOINT}\s?{_NUMBER})*"
_PAGE = (
    r"(?:(?:p|pp|page|pages|S|Seite|Seiten|с|стр|第)\.?\s?[0-9]{1,4}(?:\s?[–-]\s?[0-9]{1,4})?页?)"
)
_FIGURE = (
    r"(?:(?:fig(?:ure)?|table|section|sec|chapter|appendix|abb(?:ildung)?|tab(?:elle)?|abschnitt"
    r"|kapitel|anhang|рис(?:унок)?|табл(?:ица)?|раздел|глава|图|表|附录)\.?\s?"
    r"\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?)"
)
# For a work by several authors; "(Smith, 2019)" may be what happened.
_WORK = (
    r"(?:[^\W\d_][\w'’-]{1,30},?\s(?:et\sal|u\.\s?a|и\sдр|и\sсоавт)\.?,?\s?\(?(?:1[5-9]|20)\d\d"
    rf"[a-z]?\)?(?:,\s{_PAGE})?)"
)
_PLACE = rf"(?:,?\s?{_PAGE})"
_MORE = rf"(?:\s?[,;]\s?{SOURCE}\s?{_NUMBER})*"
_NAMED = rf"{SOURCE}[\s_.:：#-]{{0,3}}(?:{_NUMBERS}|[A-D])\b{_PLACE}?{_MORE}"
_FILE = (
    r"[^\[\]()（）\n]{0,80}\.(?:pdf|md|txt|docx?|html?|csv|json|xlsx?|pptx?)\b"
    rf"(?:{_PLACE}|[:#][\w=]{{1,20}})?"
)
_CITED = (
    r"(?:sources?|refs?|references?|quellen?|beleg|источники?|来源|出处|参考)"
    r"\s?[:：]\s?[^\[\]()（）\n]{1,120}"
)
# Only in square brackets: "(file 2)" may be a fact.
_KIND = (
    rf"(?:cite|web|file|search|tool|kb|n|anm|прим|注|(?:(?:{SOURCE})[\s_])?ids?|{SOURCE})"
    rf"[\s_.:：#=-]{{0,3}}(?:[\w.,;\s†:-]{{0,60}}|{_NUMBERS})"
)
_TARGET = r"(?:\([^)\s]{1,500}\))"
_LISTED = (
    rf"(?:(?:\\?\[{{1,2}}|[〔［⟦])\s?(?:{SEE})?{_NUMBERS}{_PLACE}?\s?(?:\\?\]{{1,2}}|[〕］⟧])"
    rf"{_TARGET}?)"
)
_TAGS = r"sup|cite|citation|ref|reference|footnote|source|doc|document"
_FEW = rf"[0-9](?:\s?{_JOINT}\s?[0-9]{{1,2}}){{0,4}}"
_IN_BRACKETS = (
    rf"[(（](?:[^()（）\d\n]{{1,60}},\s)?{_PAGE}[)）]|[(（<]https?://[^)>\s）]{{1,300}}[)>）]|[①-⑳]"
)
# A list's own mark, or the end of the previous sentence.
_FEW_LISTED = r"[0-9](?:\s?(?:[,;、，；]|and|und|и|和)\s?[0-9]{1,2}){0,4}"
_AT_START = re.compile(
    rf"\s*(?:[(（]\s?{_FEW_LISTED}\s?[)）]|\{{{_FEW_LISTED}\}}|{_IN_BRACKETS})+(?=\s?\w|\s*\Z)",
    re.IGNORECASE,
)
_CITATION = re.compile(
    rf"""
      (?P<code>`[^`\n]{{1,300}}`)
    | \ue200cite[^\ue201\n]{{0,200}}\ue201
    | \s?【(?:[^】\n]{{0,80}}(?:†[^】\n]{{0,80}}|\d)|{_NUMBERS})】
    | \s?\[[^\]\n]{{0,40}}[†‡][^\]\n]{{0,80}}\]{_TARGET}?
    | \s?\[\^[^\]\s]{{1,30}}\] | \^\[{_NUMBERS}\] | (?<=[^\W\d_]|[.!?,;])\^\d{{1,2}}\^
    | (?<=[^\W\d_][ ])\^\d{{1,2}}\^ | \s?<sup>\s?<a\b[^>\n]{{0,200}}>\[?\d{{1,3}}\]?</a>\s?</sup>
    | \s?\\cite[a-z]{{0,8}}\{{(?:[^}}\n]{{1,80}}|{_NUMBERS})\}}
    | \s?\bcite(?:turn\d{{1,3}}[a-z]{{1,12}}\d{{1,3}}){{1,9}}
    | (?P<elsewhere>\s?[(（\[]\s?{SEE}(?:{_PAGE}|{_FIGURE}|{_WORK})[)）\]] | \s?[(\[]{_WORK}[)\]])
    | \s?(?P<emphasis>\*{{1,2}}|_{{1,2}})\[{_NUMBERS}\](?P=emphasis)
    | (?:\A\s?{_JOINT})?\s?(?P<round>[(（]\s?(?:{SEE})?)?
        (?P<listed>{_LISTED}(?:(?:\s{{0,2}}|\s?{_JOINT}\s?){_LISTED})*)(?(round)\s?[)）])
    | \s?\{{\{{(?:cite\|)?{_NUMBERS}\}}\}}
    | \s?(?:\[{{1,2}}|[(（〔［])\s?(?:{SEE})?(?:{_NAMED}|{_CITED}|{_FILE})
        \s?(?:\]{{1,2}}|[)）〕］]){_TARGET}?
    | \s?\[(?:cite_(?:start|end)|citation\ needed|[A-Z]\d{{1,3}}|turn\d[\w]{{1,20}}|{_PAGE})\]
    | \s?\[\[[A-Z]\d{{1,3}}\]\] | \s?\[(?=[^\]\n]{{0,80}}\d){_KIND}\]
    | \s?\[(?:sources?|quellen?|источник|来源)\]{_TARGET}?
    | \s?[(（](?:{SEE})?\[[^\]\n]{{1,80}}\]\(https?://[^)\s]{{1,500}}\)[)）]
    | \s?<(?P<tag>{_TAGS})\b(?P<holds>[^>\n]{{0,100}})(?<!/)>
        (?P<inside>[^<\n]{{0,60}}|{_NUMBERS})</(?P=tag)>
    | \s?<(?:{_TAGS})\b[^>\n]{{0,100}}/>
    | \s?[—–-]\s?(?:sources?|quellen?|источники?|来源)\s?[:：]\s?(?:{_FILE}|{_NUMBERS}|https?://\S+)
    | ⁽[¹²³⁰⁴-⁹,⁻]{{1,9}}⁾
    | (?P<raised>[¹²³⁰⁴-⁹](?:[,⁻˒ ]?[¹²³⁰⁴-⁹])*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Before "[1, 2]" they make it an interval or a list.
_INTERVAL = re.compile(
    r"(?:\b(?:range|interval|between|list|array|vector|matrix|set|tuple|Intervall|Bereich|zwischen"
    r"|(?:lies?|falls?|is|are|values?|numbers?|points?) (?:in|within|on)|(?:liegt|liegen) in"
    r"|(?:лежит|лежат) в|Liste|Vektor|Menge|интервал\w*|отрез\w*|диапазон\w*|спис\w+|вектор\w*"
    r"|массив\w*)|区间|范围|列表|向量|数组)\s?\Z",
    re.IGNORECASE,
)
# Before any number in brackets.
_VALUE = re.compile(r"[=∈]\s?\Z")
# The same, but a ferry returns too.
_MAYBE_VALUE = re.compile(
    r"(?:\b(?:returns?|yields?|prints?|outputs?|ergibt|liefert|возвращает|выводит)|返回|输出)\s?\Z",
    re.IGNORECASE,
)
# In code without marks: "a[1]", "row_x[1]", "items[1]".
_INDEXED = re.compile(r"(?:(?<![^\W_])[a-z]|[a-z]_\w{1,20}|[\])])\Z")
# The same, but not at the end of a clause: "public data[1].", "vitamin B12[1]."
_MAYBE_INDEXED = re.compile(
    r"(?:[A-Za-z]\d{1,3}|[a-z][A-Z]\w{0,20}"
    r"|(?<![^\W_])(?:[Ii]tems|arg[sv]|arr|[Aa]rray|[Ll]ist|[Mm]atrix|[Vv]ector|data|rows?|cols?"
    r"|values|params|nums|tokens|keys|buffer|lines))\Z"
)
_CLAUSE_END = re.compile(r"\s*(?:[.,;:!?。，、；：！？،]|\[|\Z)")
_ASSIGNED = re.compile(r"\s?(?:=(?!>)|[+*/<]=?\s?\w|\.\w|\()")
# A raised number after a word or the end of a sentence is a reference; after a sign, a unit or a
# number it is a power.
_REFERRED = re.compile(
    r"(?:[^\W\d_]{3}(?<!sin)(?<!cos)(?<!tan)|[\u4e00-\u9fff](?<!米)|[.,;:!?。，；！？\"”»])\Z"
)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Possible contents of a citation tag that contains the cited statement and not a source.
_STATED = re.compile(r"[.!?。！？]\s*\Z")
_INDEX = re.compile(r"index\s?=")
# If it names a source and is closed later.
_OPENING = re.compile(rf"<(?:{_TAGS})\s[^>\n]{{0,100}}=[^>\n]{{1,100}}(?<!/)>", re.IGNORECASE)


def without_citations(text: str) -> str:
    """Return the text without marks that are certainly citations; code is not changed."""
    if first := _AT_START.match(text):
        text = text[first.end() :]
    return _CITATION.sub(_uncited, text)


def marks_taken_out(text: str) -> Iterator[tuple[int, int]]:
    """Return the offsets of the marks that `without_citations` removes completely."""
    for match in _CITATION.finditer(text):
        if not match["code"] and not _uncited(match):
            yield match.span()


def citations_end(text: str, start: int) -> int:
    """Return where the citation marks after a sentence end, or `start` if there are none."""
    while (mark := _CITATION.match(text, start)) and not mark["code"]:
        start = mark.end()
    return start


class Mark(NamedTuple):
    """A citation mark.

    Attributes:
        start: the offset at which it begins.
        end: the offset after its last character.
        sure: it is certainly one; a doubtful one has no number of the sources in its place.
        ahead: it is before what it cites, for example a tag around a statement.
    """

    start: int
    end: int
    sure: bool
    ahead: bool = False


def citations_in(text: str, sources: Sequence[str]) -> Iterator[Mark]:
    """Return the marks of a sentence that cite a source, not pages, figures or other people's
    works.
    """
    for match in _CITATION.finditer(text):
        other = match["code"] or match["elsewhere"] or _states(match) or _power_of(match)
        if not other and not (match["listed"] and _is_value(match)):
            yield Mark(*match.span(), sure=not _may_be_value(match))
    for match in _OPENING.finditer(text):
        yield Mark(*match.span(), sure=True, ahead=True)
    for match in _DOUBTFUL.finditer(text):
        if not _is_counted(match, sources):
            yield Mark(match.end("sign"), match.end(), sure=False)


def _uncited(match: re.Match[str]) -> str:
    """Return what remains of a citation mark; code, powers, indices and intervals are not marks."""
    if match["code"]:
        return match[0]
    if match["listed"]:
        return match[0] if _is_value(match) or _may_be_value(match) else ""
    return f" {match['inside']}" if _states(match) else _power_of(match)


def _states(match: re.Match[str]) -> bool:
    """Whether a tag contains the cited statement rather than a source."""
    if not match["tag"] or match["tag"].lower() == "sup":
        return False
    return bool(_STATED.search(match["inside"]) or _INDEX.search(match["holds"]))


def _power_of(match: re.Match[str]) -> str:
    """Return a raised number as it is written without tags, if it is a power; otherwise ""."""
    text, start = match.string, match.start()
    is_sup = match["tag"] and match["tag"].lower() == "sup"
    inside = match["inside"] if is_sup and match["inside"].isdecimal() else ""
    if not (match["raised"] or inside) or _REFERRED.search(text, max(0, start - 4), start):
        return ""
    if match["raised"] and not start and text[match.end() : match.end() + 1].isspace():
        return ""
    return match["raised"] or inside.translate(_RAISED)


_ANY_DIGIT = re.compile(r"\d")


def _is_value(match: re.Match[str]) -> bool:
    """Whether numbers in square brackets are an index, an interval or a list."""
    text, start, listed = match.string, match.start(), match["listed"]
    first = _ANY_DIGIT.search(listed)
    if first and first[0] == "0":
        return True
    near = max(0, start - 16)
    if _VALUE.search(text, near, start) or ("," in listed and _INTERVAL.search(text, near, start)):
        return True
    if listed[0] != "[" or match[0][0].isspace() or match["round"]:
        return False
    near = max(0, start - 24)
    if _INDEXED.search(text, near, start) or _ASSIGNED.match(text, match.end()):
        return True
    ends = _CLAUSE_END.match(text, match.end())
    return not ends and _MAYBE_INDEXED.search(text, near, start) is not None


def _may_be_value(match: re.Match[str]) -> bool:
    """Whether numbers in square brackets are where a function's value would be."""
    start = match.start()
    return bool(match["listed"] and _MAYBE_VALUE.search(match.string, max(0, start - 16), start))


_DOUBTFUL = re.compile(
    rf"""
    (?P<word>[\u4e00-\u9fff]{{1,2}}|[^\W_①-⑳]{{1,60}})(?P<sign>[%°"”»)]?[.!?]?)
    (?:\s?(?:[(（]\s?{_FEW}\s?[)）] | (?<!\w)\{{{_FEW}\}} | (?<=\w\w\w)\{{{_FEW}\}}
       | {_IN_BRACKETS})){{1,9}}
    (?=\s*(?:[.,;!?。，；！？]|\Z|(?:and|or|but|und|oder|aber|и|или|но)\b|[和或但]))
    """,
    re.VERBOSE | re.IGNORECASE,
)


def without_doubtful_citations(text: str, sources: Sequence[str]) -> str:
    """Return the text without "(1)", "{2}", "(p. 3)" at the end of a clause, unless sources number
    it so.

    They are kept if a source has a number, or an address, after the same word.
    """

    def kept(match: re.Match[str]) -> str:
        return match[0] if _is_counted(match, sources) else match["word"] + match["sign"]

    return _DOUBTFUL.sub(kept, text)


def _is_counted(match: re.Match[str], sources: Sequence[str]) -> bool:
    """Whether the sources have a number in brackets after the same word, too."""
    if len(match["word"]) < 2 and match["word"].isascii():
        return True  # "f(1)"
    number = r"\W{0,4}(?:[\d①-⑳]|https?:)"
    counted = re.compile(re.escape(match["word"]) + number, re.IGNORECASE)
    return any(map(counted.search, sources))
