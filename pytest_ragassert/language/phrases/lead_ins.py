"""Text that introduces an answer and states nothing: "Here is a summary:", "Sources: ...".

It is recognized in the four languages of the offline judge, whatever language the answer was
attributed to, because a lead-in is often too short for detecting its language.
"""

from __future__ import annotations

import re

from .patterns import END, compiled, opening

_COLON = r"\s*(?:[:：]|\s[–—-](?=\s|$))"
_HERE = (
    r"(?:here(?:'s| is| are)|below (?:is|are)|(?:the )?following (?:is|are)|this is|these are"
    r"|i(?:'ve| have)? found"
    r"|hier (?:ist|sind|finden sie|findest du|kommt)|nachfolgend|im folgenden|unten (?:ist|sind)"
    r"|folgendes|das habe ich|dies ist|das ist"
    r"|вот|ниже (?:привед[её]н[аоы]?|представлен[аоы]?|дан[аоы]?)|это|я наш[её]л|я нашла)"
)
_SUMMED = (
    r"(?:(?:brief|short|quick|concise|detailed|complete|full|simple|step-by-step|kurze|kleine"
    r"|detaillierte|vollständige|краткое|короткое|подробное|полное|краткий|краткая) )?"
    r"(?:summary|following|overview|answer|list|breakdown|outline|explanation|recap|information|details"
    r"|results?|points|steps|facts|findings|comparison|table|example|what|how|everything"
    r"|zusammenfassung|überblick|übersicht|antwort|liste|aufstellung|erklärung|informationen"
    r"|angaben|punkte|schritte|fakten|ergebnis(?:se)?|vergleich|tabelle|beispiel|was|wie|gefunden"
    r"|содержание|резюме|обзор|ответ|список|сводка|объяснение|информация|сведения|пункты|шаги"
    r"|факты|результаты?|сравнение|таблица|пример|что|как|следующее|выводы?)"
)
# With a colon they introduce what follows; at the start of a sentence they are cut off.
LEAD_IN = opening(
    rf"{_HERE}\b[^:：.!?。\d]{{0,60}}?\b{_SUMMED}\b[^:：.!?。\d]{{0,80}}{_COLON}",
    r"(?:here you (?:go|are)|(?:in|a|the|my|kurze|meine)? ?(?:short |brief |quick |final )?"
    r"(?:summary|overview|conclusion|short|brief|summing up|answer|recap|key (?:points|facts"
    r"|takeaways)|main points|tl;?dr|short version"
    r"|zusammenfassung|zusammengefasst|überblick|übersicht|fazit|kurz (?:gesagt|zusammengefasst)"
    r"|kurzfassung|antwort|das wichtigste(?: in kürze)?|folgendes habe ich gefunden"
    r"|кратко|вкратце|короче|итог[иоа]?|в итоге|итак|резюме|краткое содержание|обзор|вывод"
    rf"|основное|главное|ответ)){_COLON}",
    rf"(?:to (?:sum up|summari[sz]e)|in (?:summary|short|brief|conclusion)){_COLON}",
    r"(?:以下|下面|这|這)(?:是|为|列出了?)[^：:。！？\d]{0,20}(?:摘要|总结|概述|概要|内容|信息|回答|答案"
    rf"|要点|结果|列表|清单|步骤|说明|情况)[^：:。！？\d]{{0,12}}{_COLON}",
    r"(?:总结|摘要|概述|概要|简介|总之|综上|综上所述|简而言之|总的来说|结论|要点|回答|答案"
    rf"|我找到[^：:。！？\d]{{0,20}})(?:如下)?{_COLON}",
)
# The same as a separate sentence, without a colon.
ANNOUNCES = opening(
    rf"{_HERE} (?:(?:a|an|the|some|your|my|all|is|eine|die|der|das|ein|alle|ihre) )?{_SUMMED}"
    r"(?: (?:i found|you (?:asked for|need|wanted)|of (?:it|this|that|the \w+)|below|for you"
    rf"|ich gefunden habe|für sie|dazu|я наш[её]л|по теме))?{END}",
    rf"(?:see|see also|cf\.?|siehe|vgl\.?|см\.?|参见|habe ich gefunden"
    rf"|这是(?:我找到的(?:内容|信息)?|总结|摘要|概述)|以下是(?:总结|摘要|概述)){END}",
)
# A sentence before a code block that ends so, or names the code, introduces it.
_CODE = (
    r"(?:commands?|code|snippet|example|script|query|lines?|function|befehle?|kommando|beispiel"
    r"|skript|zeilen?|команд\w+|код\w*|пример\w*|скрипт\w*|строк\w*)"
)
POINTS_ON = compiled(
    r"(?:[:：]|\b(?:below|as follows|like (?:this|so)|unten|wie folgt|so aus|ниже|так)"
    r"|如下|以下|下面)\W*$"
    rf"|\b(?:following|this|folgende[nmrs]?|diese[nmrs]?|следующ\w+|эт[оуа]т?) {_CODE}\b"
    r"|(?:以下|下面|这个?)的?(?:命令|代码|示例|例子|脚本)"
)

_SOURCES = (
    r"(?:sources?|references?|citations?|bibliography|works cited|further reading|footnotes?"
    r"|source documents?|sources? used|quellen?(?:angaben?|verzeichnis|nachweise?)?"
    r"|literatur(?:verzeichnis)?|referenzen|belege|nachweise|fußnoten|verwendete quellen"
    r"|источники?|использованные источники|список (?:источников|литературы)|литература|ссылк[аи]"
    r"|сноски|библиография|来源|来源列表|资料来源|信息来源|参考(?:资料|文献|来源)?|引用(?:来源)?"
    r"|出处|脚注)"
)
_OPEN = r"[\s#>*_\-•]*"
# A heading or a separate line: what follows is the list.
SOURCES_HEADING = compiled(rf"{_OPEN}{_SOURCES}[*_]*\s*[:：]?[*_]*\s*$")
# A line with a colon: sources follow it.
SOURCES_LINE = compiled(
    rf"{_OPEN}(?:[(（\[](?=[^)）\]]*[)）\]]?\W*$))?{_SOURCES}[*_]*\s*[:：][*_]*"
)
# An entry of such a list: numbered, bulleted, a link or a file.
SOURCE_ENTRY = re.compile(
    r"\s*(?:[-*+•·–]\s|\(?\[?\^?\d{1,3}[\]).:：]|[¹²³⁴-⁹]|【|https?://|www\.|<https?:"
    r"|[^\s.!?]{1,80}\.(?:pdf|md|txt|docx?|html?|csv|json)\b)"
)
# The definition of a footnote or a link, and the target of one, anywhere.
DEFINITION = re.compile(r"\s*(?:\[\^?[^\]\n]{1,30}\]:\s|\(https?://[^)\s]{1,500}\)\W*$)")
