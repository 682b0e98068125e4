"""What stands in a text for layout and reference alone: emphasis, links, tags, citation marks."""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:docs?|documents?|sources?|refs?|references?|contexts?|passages?|chunks?|snippets?|excerpts?"
    r"|citations?|cit|footnotes?|fn|notes?|dokumente?|dok|quellen?|kontexte?|textstellen?|fußnoten?"
    r"|beleg|документы?|док|источники?|источн|ист|контекст|фрагменты?|сноск[аи]|ссылк[аи]"
    r"|文档|文件|资料|来源|出处|引用|参考|片段|上下文|脚注)"
)
_NUMBER = r"[#№]?[0-9]{1,3}"
_NUMBERS = rf"{_NUMBER}(?:\s?(?:[,;–-]|and|und|и|和|&)\s?{_NUMBER}){{0,9}}"
_PLACE = (
    r"(?:,?\s?(?:p|pp|page|pages|S|Seite|Seiten|с|стр|第)\.?\s?[0-9]{1,4}"
    r"(?:\s?[–-]\s?[0-9]{1,4})?页?)"
)
_MORE = rf"(?:\s?[,;]\s?{_SOURCE}\s?{_NUMBER}){{0,9}}"
_NAMED = rf"{_SOURCE}[\s_.:：#-]{{0,3}}(?:{_NUMBERS}|[A-D])\b{_PLACE}?{_MORE}"
_FILE = rf"[^\[\]()（）\n]{{0,80}}\.(?:pdf|md|txt|docx?|html?|csv|json|xlsx?|pptx?)\b{_PLACE}?"
_CITED = (
    r"(?:sources?|refs?|references?|quellen?|beleg|источники?|来源|出处|参考)"
    r"\s?[:：]\s?[^\[\]()（）\n]{1,120}"
)
_CITATION = re.compile(
    rf"""
      (?P<code>`[^`\n]{{1,300}}`)
    | \ue200cite[^\ue201\n]{{0,200}}\ue201
    | \s?【[^】\n]{{0,80}}(?:†[^】\n]{{0,80}}|\d)】
    | \s?\[[^\]\n]{{0,40}}[†‡][^\]\n]{{0,80}}\](?:\([^)\s]{{1,500}}\))?
    | \s?\[\^[^\]\s]{{1,30}}\] | \^\[{_NUMBERS}\] | (?<=[^\W\d_])\^\d{{1,2}}\^
    | \s?\\?\[{{1,2}}(?P<listed>{_NUMBERS})\\?\]{{1,2}}(?:\([^)\s]{{1,500}}\))?
    | \s?[\[(（]\s?(?:(?:see|vgl\.?|siehe|см\.|参见|见)\s)?(?:{_NAMED}|{_CITED}|{_FILE})\s?[\])）]
    | \s?\[(?:citation\ needed|source|quelle|источник|来源|[A-Z]\d{{1,3}})\]
    | \s?<(?P<tag>sup|cite|ref|footnote)\b[^>\n]{{0,100}}>(?P<inside>[^<\n]{{0,60}})</(?P=tag)>
    | (?P<raised>[¹²³⁰⁴-⁹](?:[,⁻˒ ]?[¹²³⁰⁴-⁹])*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MARKUP = re.compile(
    r"(?<![0-9A-Za-z])(?P<mark>\*{1,3}|__|`)(?=\S)(?P<marked>[^*_`\n]{1,300})(?P=mark)"
    r"(?![0-9A-Za-z])"
    r"|!?\[(?P<link>[^\]\[\n]{1,200})\]\([^)\s]{1,500}\)"
    r"|</?(?:b|i|u|em|strong|span|p|br|mark|small|sub|sup|code|kbd|a)\b[^>\n]{0,200}>",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(r"[*_`\[(<【（¹²³⁰⁴-⁹\ue200^]")
# Before "[1, 2]" they make it an interval.
_INTERVAL = re.compile(
    r"(?:\b(?:range|interval|between|Intervall|Bereich|zwischen|интервал\w*|отрез\w*|диапазон\w*)"
    r"|[=∈]|区间|范围)\s?\Z",
    re.IGNORECASE,
)
# A raised number behind a word or the end of a sentence is a reference; behind a sign, a unit or
# a number it is a power.
_REFERRED = re.compile(
    r"(?:[^\W\d_]{3}(?<!sin)(?<!cos)(?<!tan)|[\u4e00-\u9fff](?<!米)|[.,;:!?。，；！？\"”»])\Z"
)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(text: str) -> str:
    """The text without emphasis, link targets, tags and citation marks; code stays as it is."""
    if not _MAY_HOLD.search(text):
        return text
    return _MARKUP.sub(lambda m: m["marked"] or m["link"] or "", _CITATION.sub(_uncited, text))


def _uncited(match: re.Match[str]) -> str:
    """What stays of a citation mark: code, powers and intervals are none."""
    text, start = match.string, match.start()
    if match["code"]:
        return match[0]
    if match["listed"]:
        numbers = match["listed"].strip("#№")
        interval = _INTERVAL.search(text, max(0, start - 12), start) and "," in numbers
        return match[0] if interval or numbers.startswith("0") else ""
    inside = match["inside"] if (match["tag"] or "").lower() == "sup" else ""
    if (match["raised"] or inside.isdecimal()) and not _REFERRED.search(
        text, max(0, start - 4), start
    ):
        return match["raised"] or inside.translate(_RAISED)
    return ""
