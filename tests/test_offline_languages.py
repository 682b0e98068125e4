"""The offline judge in German, Russian and Chinese, across languages, and where such tools fail."""

from __future__ import annotations

import re

import pytest

from .offline import AGAINST, FULL, NONE, claims_of, verdicts_of


def rows(text: str) -> list[str]:
    """The rows of a table; they stand in lines and between slashes."""
    return [row.strip() for line in text.splitlines() for row in line.split(" / ")]


# Facts of one invented harbour in four languages; each sentence is its own row's evidence.
HARBOUR = {
    code: rows(text)
    for code, text in {
        "en": """The night bus to Orrin Bay runs every 40 minutes from May to September.
            A ticket costs 3.50 euros. / Dogs are not allowed on the upper deck.
            The lighthouse was opened on 1 February 2031.
            The depot stores 12,500 barrels of oil.""",
        "de": """Der Nachtbus zur Möwenbucht fährt von Mai bis September alle 40 Minuten.
            Eine Fahrkarte kostet 3,50 Euro. / Hunde dürfen nicht auf das Oberdeck.
            Der Leuchtturm wurde am 1. Februar 2031 eröffnet.
            Das Lager fasst 12.500 Fässer mit Öl.""",
        "ru": """Ночной автобус до Чаячьей бухты ходит с мая по сентябрь каждые 40 минут.
            Билет на автобус стоит 3,50 евро. / Собак на верхнюю палубу не пускают.
            Маяк открыт 1 февраля 2031 года. / Склад вмещает 12 500 бочек масла.""",
        "zh": """开往鸥湾的夜班车五月至九月每40分钟一班。 / 夜班车的票价是3.5元。
            狗不可登上二层甲板。 / 鸥湾灯塔于2031年2月1日启用。 / 仓库可储存12500桶燃油。""",
    }.items()
}


def passage_of(code: str) -> str:
    return ("" if code == "zh" else " ").join(HARBOUR[code])


def verdict_of(claim: str, *passages: str) -> tuple[str, str | None]:
    [verdict] = verdicts_of([claim], list(passages))
    for one in verdict["evidence"]:
        assert one["quote"] in passages[one["passage"] - 10]
    return verdict["verdict"], next((one["quote"] for one in verdict["evidence"]), None)


# The claim, the verdict, and which sentence of the harbour is quoted.
CLAIMS = {
    "en": """A night bus ran to Orrin Bay every forty minutes. + 0 / A ticket costs 3,5 €. + 1
        The lighthouse opened on 2031-02-01. + 3 / The depots store 12500 barrels. + 4
        The night bus to Orrin Bay runs every 30 minutes. - 0 / A ticket costs 35 euros. - 1
        Dogs are allowed on the upper deck. - 2
        The lighthouse was opened on 3 March 2032. - 3
        The depot stores 125 barrels of oil. - 4 / The bus has 86 seats. ?
        Captain Mira Holt drives the night bus to Orrin Bay. ?
        The museum shows French films. ?""",
    "de": """Nachtbusse zur Möwenbucht fahren alle vierzig Minuten. + 0
        Fahrkarten kosteten 3,5 €. + 1 / Am 01.02.2031 wurde der Leuchtturm eröffnet. + 3
        In das Lager passen 12500 Fässer mit Öl. + 4
        Der Nachtbus zur Möwenbucht fährt alle 30 Minuten. - 0
        Eine Fahrkarte kostet 35 Euro. - 1 / Hunde dürfen auf das Oberdeck. - 2
        Der Leuchtturm wurde am 3. März 2032 eröffnet. - 3
        Das Lager fasst 125 Fässer mit Öl. - 4 / Der Bus hat 86 Sitze für die Gäste. ?
        Kapitänin Mira Holt fährt den Nachtbus zur Möwenbucht. ?
        Das Museum zeigt französische Filme. ?""",
    "ru": """Ночные автобусы до Чаячьей бухты ходят каждые сорок минут. + 0
        Билеты на автобус стоят 3,5 евро. + 1 / С 01.02.2031 маяк открыт. + 3
        На складе помещается 12.500 бочек масла. + 4
        Ночной автобус до Чаячьей бухты ходит каждые 30 минут. - 0
        Билет на автобус стоит 35 евро. - 1 / Собак на верхнюю палубу пускают. - 2
        Маяк открыт 3 марта 2032 года. - 3 / Склад вмещает 125 бочек масла. - 4
        В автобусе 86 мест. ? / Музей показывает французские фильмы. ?
        Капитан Мира Холт ведёт ночной автобус до Чаячьей бухты. ?""",
    "zh": """鸥湾的夜班车每四十分钟一班。 + 0 / 夜班车票价是三点五元。 + 1
        鸥湾灯塔于2031-02-01启用。 + 3 / 仓库可储存1.25万桶燃油。 + 4
        夜班车的票价是35元。 - 1 / 狗可以登上二层甲板。 - 2
        鸥湾灯塔于2032年3月3日启用。 - 3 / 仓库可储存125桶燃油。 - 4 / 夜班车有86个座位。 ?
        船长Mira驾驶开往鸥湾的夜班车。 ? / 博物馆放映法国电影。 ?""",
}
SIGNS = {"+": FULL, "-": AGAINST, "?": NONE}


@pytest.mark.parametrize(
    ("code", "row"), [(code, row) for code, text in CLAIMS.items() for row in rows(text)]
)
def test_each_language_has_the_same_rule(code: str, row: str) -> None:
    claim, sign, *place = row.rsplit(" ", 1 if row.endswith("?") else 2)
    quote = HARBOUR[code][int(place[0])] if place else None
    assert verdict_of(claim, "x y z", passage_of(code)) == (SIGNS[sign], quote)


@pytest.mark.parametrize("code", HARBOUR)
def test_what_stands_there_word_for_word_is_supported(code: str) -> None:
    for sentence in HARBOUR[code]:
        assert verdict_of(sentence, passage_of(code)) == (FULL, sentence)


# A claim, its passages between bars, and the verdict with the place of the passage quoted whole.
JUDGED = """
The cargo sled weighs 31 kg. > The tool box weighs 31 kg. | The cargo sled weighs 44 kg. > - 1
Der Schlitten wiegt 31 kg. > Die Kiste wiegt 31 kg. | Der Schlitten wiegt 44 kg. > - 1
Сани весят 31 кг. > Ящик весит 31 кг. | Сани весят 44 кг. > - 1
货运雪橇的重量是31公斤。 > 工具箱的重量是31公斤。 | 货运雪橇的重量是44公斤。 > - 1
The lease of the mill began on 12 May 2029. > The lease of the mill ended on 12 May 2029. > ?
Der Vertrag der Mühle begann am 12. Mai 2029. > Der Vertrag der Mühle endete am 12. Mai 2029. > ?
Договор мельницы начался 12 мая 2029 года. > Договор мельницы закончился 12 мая 2029 года. > ?
磨坊合同于2029年5月12日开始。 > 磨坊合同于2029年5月12日结束。 > ?
The rope is rated for ice. > The rope is not rated for ice. > - 0
Es gibt einen Aufzug. > Es gibt keinen Aufzug. > - 0
Es gibt keinen Aufzug. > Es gibt einen Aufzug. > - 0
Das Seil ist zum Klettern zugelassen. > Das Seil ist nicht zum Klettern zugelassen. > - 0
Das Seil ist nicht zum Klettern zugelassen. > Das Seil ist zum Klettern zugelassen. > - 0
Верёвка подходит для скалолазания. > Верёвка не подходит для скалолазания. > - 0
这根绳子适合攀岩使用。 > 这根绳子不适合攀岩使用。 > - 0
这根绳子不适合攀岩使用。 > 这根绳子适合攀岩使用。 > - 0
The sled's mass is 44 kilograms. > Sled, mass: 44kg > + 0
Die Masse der Schlitten ist 44 Kilogramm. > Schlitten, Masse: 44kg > + 0
Масса саней — 44 килограмма. > Сани, масса: 44кг > + 0
雪橇的质量是44千克。 > 雪橇，质量：44kg > + 0
Паромы ходят по озеру. > Паром ходит по озеру. > + 0
Der Ticketpreis beträgt 9 Euro. > Der Preis für ein Ticket beträgt 9 Euro. > + 0
Der Preis für ein Ticket beträgt 9 Euro. > Der Ticketpreis beträgt 9 Euro. > + 0
Der Steg wurde am 1. Februar 2031 gebaut. > Der Steg wurde am 01.02.2031 gebaut. > + 0
Причал построен 1 февраля 2031 года. > Причал построен 01.02.2031 на озере. > + 0
码头于2031年2月1日启用。 > 码头于2031-02-01启用。 > + 0
I live above the cafe. > The owner and the cook live above the cafe. > ?
Ich wohne über dem Café. > Der Besitzer wohnt über dem Café, und es ist schön. > ?
Ich wohne über dem Café im Ort. > Mein Bruder und ich wohnen über dem Café im Ort. > + 0
Я живу над кафе в порту. > Хозяин живёт над кафе в порту. > ?
Я живу над кафе в порту. > Я давно живу над кафе в порту. > + 0
我住在咖啡馆楼上。 > 老板住在咖啡馆楼上。 > ? / 我住在咖啡馆楼上。 > 我一直住在咖啡馆楼上。 > + 0
我们住在咖啡馆楼上。 > 老板住在咖啡馆楼上。 > + 0
The bus to Orrin is always on time. > The bus to Orrin is on time. > ?
Der Bus zur Bucht ist immer pünktlich. > Der Bus zur Bucht ist pünktlich. > ?
Der Bus zur Bucht ist immer pünktlich. > Der Bus zur Bucht ist stets pünktlich. > + 0
Автобус всегда приходит вовремя. > Автобус приходит вовремя. > ?
Автобус всегда приходит вовремя. > Каждый автобус приходит вовремя. > + 0
夜班车总是准时到站。 > 夜班车准时到站。 > ? / 夜班车总是准时到站。 > 每个夜班车都准时到站。 > + 0
The Gull carries 120 men. > The Gull is a new boat. It carries 140 men. > - 0
Der Graureiher fasst 120 Gäste. > Der Graureiher ist ein Boot. Er fasst 140 Gäste. > - 0
«Серая цапля» вмещает 120 человек. > «Серая цапля» — судно. Она вмещает 140 человек. > - 0
The Gull carries 120 men. > The Gull is a new boat. The Tern carries 140 men. > ?
Ada Quill was born in 1911. > Ada Quill, friend of sailors and poets, was born in 1913. > - 0
The Orrin mill opened in 1911. > Amid quarrels over money, the Orrin mill opened in 1913. > - 0
Ada Quill wurde 1911 geboren. > Ada Quill, Freundin der Maler und Dichter, wurde 1913 geboren. > - 0
Ада Квилл родилась в 1911 году. > Ада Квилл, друг моряков и поэтов, родилась в 1913 году. > - 0
奥林灯塔于1911年启用。 > 经过多年关于资金的争论，奥林灯塔于1913年启用，众多渔民到场。 > - 0
Orrin won the title in 1989. > Orrin, a club of bakers, last won the big title in 2003. > ?
Orrin gewann 1989 den Titel. > Orrin, ein Verein alter Bäcker, gewann zuletzt 2003 den Titel. > ?
Клуб выиграл титул в 1989 году. > Клуб пекарей и рыбаков опять выиграл титул в 2003 году. > ?
奥林俱乐部在1989年赢得冠军。 > 奥林俱乐部由渔民和面包师组成，在2003年最后一次赢得冠军。 > ?
"""


@pytest.mark.parametrize("row", rows(JUDGED.strip()))
def test_how_a_claim_is_judged(row: str) -> None:
    claim, texts, verdict = row.split(" > ")
    passages = texts.split(" | ")
    sign, _, place = verdict.partition(" ")
    assert verdict_of(claim, *passages) == (SIGNS[sign], passages[int(place)] if place else None)


SAYING = {
    "en": "The depot stores {} barrels of oil.",
    "de": "Das Lager hält {} Fässer mit Öl bereit.",
    "ru": "Склад хранит {} бочек масла.",
    "zh": "仓库储存了{}桶燃油。",
}


@pytest.mark.parametrize("code", SAYING)
@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("1,000", "1000", "en zh"),
        ("1.000", "1000", "de ru"),
        ("1000", "1 000", "en de ru zh"),
        ("3.5%", "3,5 %", "en de ru zh"),
        ("3.5%", "35%", ""),
        ("50", "1500", ""),
    ],
)
def test_numbers_are_compared_by_value(code: str, one: str, other: str, where: str) -> None:
    claim, passage = SAYING[code].format(one), SAYING[code].format(other)
    if code in where.split():
        assert verdict_of(claim, passage) == (FULL, passage)
    elif len(where.split()) == 2:
        # whether they are equal hangs on the writer's country: neither for nor against
        assert verdict_of(claim, passage) == (NONE, None)
    else:
        assert verdict_of(claim, passage) == (AGAINST, passage)


# A claim of two clauses, and the second sentence of its passage.
CLAUSES = """
The bus is blue, and the cafe opens at 8:30. > The bus is blue. | The cafe opens at {}:30.
Der Bus ist blau, und das Café öffnet um 8:30. > Der Bus ist blau. | Das Café öffnet um {}:30.
Автобус ходит летом, а касса открыта с 8:30. > Автобус ходит летом. | Касса открыта с {}:30.
夜班车是蓝色的，而且咖啡馆8:30开门。 > 夜班车是蓝色的。 | 咖啡馆{}:30开门。
"""


@pytest.mark.parametrize("row", rows(CLAUSES.strip()))
def test_a_claim_is_as_well_supported_as_its_weaker_clause(row: str) -> None:
    claim, texts = row.split(" > ")
    first, second = texts.split(" | ")
    same, other = second.format(8), second.format(9)
    assert verdict_of(claim, f"{first} {same}")[0] == FULL
    assert verdict_of(claim, f"{first} {other}") == (AGAINST, other)
    assert verdict_of(claim, first) == (NONE, None)


NAMES = {"en": "English", "de": "German", "ru": "Russian", "zh": "Chinese"}


@pytest.mark.parametrize("passage", NAMES)
@pytest.mark.parametrize("claim", NAMES)
def test_languages_cannot_be_compared(claim: str, passage: str) -> None:
    [verdict] = verdicts_of([HARBOUR[claim][0]], [passage_of(passage)])
    reason = f"the claim is in {NAMES[claim]}, the passages are in {NAMES[passage]}: "
    assert verdict["verdict"] == (FULL if claim == passage else NONE)
    assert verdict["reason"].startswith(reason) is (claim != passage)


@pytest.mark.parametrize("code", HARBOUR)
def test_of_mixed_passages_those_in_the_claims_language_decide(code: str) -> None:
    bus = HARBOUR[code][0]
    assert verdict_of(bus, *map(passage_of, HARBOUR)) == (FULL, bus)
    others = [passage_of(other) for other in HARBOUR if other != code]
    [verdict] = verdicts_of([bus], others)
    names = " and ".join(NAMES[other] for other in sorted(HARBOUR) if other != code)
    assert f"the passages are in {names}:" in verdict["reason"]


@pytest.mark.parametrize(
    "text",
    rows("""I don't know. / I'm sorry, I couldn't find that in the documents. / Unknown / N/A
        Das weiß ich leider nicht. / Je ne sais pas. / Я не знаю. / 我不知道。 / لا أعرف
        申し訳ありませんが、わかりません。"""),
)
def test_not_knowing_carries_no_claim(text: str) -> None:
    assert claims_of(text) == []


@pytest.mark.parametrize(
    "row",
    rows("""I don't know why sites differ, but it runs every 40 minutes. > it runs every 40 minutes.
        Ich weiß nicht, warum manche das sagen, aber der Bus ist rot. > der Bus ist rot.
        Я не знаю, почему пишут иначе, но автобус красный. > автобус красный.
        我不知道为什么有些网站说法不同，但是夜班车每40分钟一班。 > 夜班车每40分钟一班。
        Unknown Shores is a film. / N/A Records is a label. / Unbekannte stahlen das Boot.
        The bus is blue, and it stops at Orrin. > The bus is blue ¦ it stops at Orrin.
        Der Bus ist blau, und er hält in Orrin. > Der Bus ist blau ¦ er hält in Orrin.
        Автобус ходит летом, а зимой он стоит. > Автобус ходит летом ¦ зимой он стоит.
        夜班车每天运行，但是冬天停运。 > 夜班车每天运行 ¦ 冬天停运。
        Soup, bread, and tea are free. / Der Bus hält in Orrin, Dale und Harrow.
        Автобус идёт в Оррин, Дейл и на рынок. / 夜班车停靠港口、市场和车站。"""),
)
def test_claims_are_the_clauses_that_state_something(row: str) -> None:
    text, _, claims = row.partition(" > ")
    assert [claim for _, claim in claims_of(text)] == (claims or text).split(" ¦ ")


RICH = """# Fares \u202eabc\u202c\n
| Zone | Fare |\n|:-----|-----:|\n| A | 2.40 € |\n| B\u200f | ٣٫٥ € |\n
Call `GET https://example.org/fares?zone=A&x=1` at 8:30.\n
```python\nfare = {"A": 2.4}\n```\n
Energy is $E = mc^2$ and \\(a_1 \\le b\\).\n
القطار يغادر كل ٤٠ دقيقة.\n
\u2067العبارة تعمل يوميا\u2069 and the \u202bferry\u202c runs daily."""


def test_a_rich_answer_is_read_without_its_code_headings_and_table_frames() -> None:
    claims = [claim for _, claim in claims_of(RICH)]
    assert claims == [
        "A | 2.40 €",
        "B\u200f | ٣٫٥ €",
        "Call GET https://example.org/fares?zone=A&x=1 at 8:30.",
        "Energy is $E = mc^2$ and \\(a_1 \\le b\\).",
        "القطار يغادر كل ٤٠ دقيقة.",
        "\u2067العبارة تعمل يوميا\u2069 and the \u202bferry\u202c runs daily.",
    ]
    assert {verdict["verdict"] for verdict in verdicts_of(claims, claims)} == {FULL}


# Two sentences in languages of which the judge knows the script alone, and a word with another.
UNKNOWN = {
    "Hindi": ("पुल लाल है। नौका में ४० कारें आती हैं।", "लाल", "नीला"),
    "Bengali": ("সেতুটি লাল রঙের। ফেরিতে ৪০টি গাড়ি ধরে।", "লাল", "নীল"),
    "Tamil": ("பாலம் சிவப்பு நிறம். படகு 40 கார்களை ஏற்றும்.", "சிவப்பு", "நீலம்"),
    "Thai": ("สะพานมี สีแดง เรือบรรทุกรถได้40คัน", "สีแดง", "สีฟ้า"),
    "Khmer": ("ស្ពានពណ៌ក្រហម។ សាឡាងដឹករថយន្ត 40 គ្រឿង។", "ក្រហម", "ខៀវ"),
    "Burmese": ("တံတားက အနီရောင် ဖြစ်သည်။ သင်္ဘောသည် ကား ၄၀ တင်သည်။", "အနီရောင်", "အပြာရောင်"),
    "Tibetan": ("ཟམ་པ་ དམར་པོ་ ཡིན། གྲུ་ཡིས་ རླངས་འཁོར་ 40 འདྲེན།", "དམར་པོ་", "སྔོན་པོ་"),
    "Amharic": ("ድልድዩ ቀይ ነው። ጀልባው 40 መኪናዎችን ይይዛል።", "ቀይ", "ሰማያዊ"),
    "Armenian": ("Կամուրջը կարմիր է։ Լաստանավը տանում է 40 մեքենա։", "կարմիր", "կապույտ"),
    "Georgian": ("ხიდი წითელია. ბორანი 40 მანქანას იტევს.", "წითელია", "ლურჯია"),
    "Hebrew": ("הגֶּשר אדום מאוד. המעבורת נושאת 40 מכוניות.", "אדום", "כחול"),
    "Arabic": ("الجسر أحمر جدا. العبارة تحمل ٤٠ سيارة.", "أحمر", "أزرق"),
    "Greek": ("Η γέφυρα είναι κόκκινη. Το πλοίο παίρνει 40 οχήματα.", "κόκκινη", "μπλε"),
    "Korean": ("다리는 빨간색이다. 이 배는 자동차 40대를 싣는다.", "빨간색이다", "파란색이다"),
    "Japanese": ("橋は赤いです。40台の車を運びます。", "赤", "青"),
    "French": ("Le pont qui est rouge est dans le port. Il y a 40 places.", "rouge", "bleu"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_language_is_compared_by_words_and_numbers(name: str) -> None:
    text, word, other = UNKNOWN[name]
    claims = [claim for _, claim in claims_of(text)]
    assert len(claims) == (1 if name == "Thai" else 2)
    assert {verdict["verdict"] for verdict in verdicts_of(claims, [text])} == {FULL}
    changed = [text.replace(word, other), re.sub("[4४৪၄٤](?=[0०০၀٠])", "7", text)]
    for answer in changed:
        assert answer != text
        verdicts = verdicts_of([claim for _, claim in claims_of(answer)], [text])
        assert {verdict["verdict"] for verdict in verdicts} - {FULL}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_language_that_is_not_the_passages_is_named(name: str) -> None:
    claim = claims_of(UNKNOWN[name][0])[0][1]
    [verdict] = verdicts_of([claim], [passage_of("en")])
    assert verdict["verdict"] == NONE
    assert f"the claim is in {name}, the passages are in English" in verdict["reason"]


@pytest.mark.parametrize(
    "question", ["هل الجسر أحمر؟", "ድልድዩ ቀይ ነው፧", "Είναι κόκκινη η γέφυρα\u037e"]
)
def test_a_question_in_any_script_carries_no_claim(question: str) -> None:
    assert claims_of(question) == []
