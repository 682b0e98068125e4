"""What answers say without stating anything, and where their sentences are cut, by language."""

from __future__ import annotations

import pytest

from pytest_ragassert.language.phrases.patterns import NEVER
from pytest_ragassert.language.phrases.table import clauses, phrases_of, says_nothing, without_leads

LANGUAGES = ["en", "de", "ru", "zh", "fr", "es", "ja", "ar"]


def rows(**texts: str) -> list[tuple[str, str]]:
    """(language, text) of each text; they stand in lines and between slashes."""
    return [
        (code, row.strip())
        for code, text in texts.items()
        for line in text.splitlines()
        for row in line.split(" / ")
    ]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I don't know."),
        ("en", "I'm sorry, I couldn't find that in the documents."),
        ("de", "Das weiß ich leider nicht."),
        ("fr", "Je ne sais pas."),
        ("ru", "Я не знаю."),
        ("ja", "申し訳ありませんが、わかりません。"),
        ("zh", "我不知道。"),
        ("ar", "لا أعرف"),
    ],
)
def test_not_knowing_says_nothing(code: str, text: str) -> None:
    assert says_nothing(text, code)
    # by the language's own table, not only by the list of whole answers
    assert phrases_of(code).nothing.match(without_leads(text, code))


@pytest.mark.parametrize("text", ["No lo sé.", "Je ne sais pas", "我不知道。", "N/A", "Não sei."])
@pytest.mark.parametrize("code", ["en", "it", "xx", ""])
def test_not_knowing_is_known_in_a_mistaken_language(text: str, code: str) -> None:
    assert says_nothing(text, code)


def test_an_unknown_language_has_an_empty_table() -> None:
    table = phrases_of("tlh")
    assert table.leads is table.turns is table.joints is table.not_in_sources is NEVER
    assert clauses("qapla', and it is", "tlh") == ["qapla', and it is"]
    assert without_leads("Sure, qapla'", "tlh") == "Sure, qapla'"


def test_a_region_and_capitals_do_not_matter() -> None:
    assert phrases_of("EN-gb") is phrases_of("en") is phrases_of("en_US")


@pytest.mark.parametrize(
    ("code", "row"),
    rows(
        en="""Sure, the ferry runs. > the ferry runs.
            Hi there! Yes, of course! The ferry runs. > The ferry runs.
            I’m sorry, but the ferry rests. > the ferry rests.
            Unfortunately the ferry rests. > the ferry rests.
            That's a great question! It runs. > It runs. / Yes — it runs. > it runs.
            Based on the provided documents, it runs. > it runs.""",
        de="""Ja, die Fähre fährt. > die Fähre fährt.
            Guten Tag! Gute Frage! Natürlich, sie fährt. > sie fährt.
            Leider fährt sie nicht. > fährt sie nicht.
            Es tut mir leid, aber sie ruht. > sie ruht.
            Laut den Unterlagen, sie ruht. > sie ruht.""",
        ru="""Здравствуйте! Да, паром ходит. > паром ходит.
            К сожалению, паром стоит. > паром стоит.
            Конечно! Хороший вопрос! Паром ходит. > Паром ходит.
            Извините, но паром стоит. > паром стоит.""",
        zh="""您好，当然，渡轮每天开。 > 渡轮每天开。 / 很抱歉，但是渡轮停运。 > 渡轮停运。
            好问题！是的，渡轮每天开。 > 渡轮每天开。
            根据提供的文档，渡轮每天开。 > 渡轮每天开。""",
        fr="""Bonjour, oui, le ferry part. > le ferry part.
            Désolé, mais le ferry ne part pas. > le ferry ne part pas.""",
        es="""¡Hola! Sí, el ferry sale. > el ferry sale. / Lo siento, pero no sale. > no sale.""",
        ja="""はい、フェリーは毎日出ます。 > フェリーは毎日出ます。""",
        ar="""نعم، العبارة تعمل يوميا > العبارة تعمل يوميا
            عذراً، العبارة متوقفة > العبارة متوقفة""",
    ),
)
def test_leads_are_cut(code: str, row: str) -> None:
    text, rest = row.split(" > ")
    assert without_leads(text, code) == rest


@pytest.mark.parametrize(
    ("code", "text"),
    rows(
        en="""Hello! / Thank you for your question. / I don’t know when the ferry runs.
            I don't know, but I'm happy to help. / Unfortunately I don't know.
            I have no information about that. / If you need more, I'm happy to help.
            The fee is not mentioned in the provided documents.
            The fee isn't mentioned in the documents.
            The documents do not say when the ferry runs. / It isn't mentioned.
            There is nothing about fares in the provided documents. / Unknown. / No.""",
        de="""Dazu habe ich keine Informationen. / In den Dokumenten steht dazu nichts.
            Ich konnte dazu leider nichts finden.
            Ich konnte in den Unterlagen keine Angaben dazu finden.
            Leider weiß ich das nicht. / Ich weiß nicht, wann die Fähre fährt.
            Der Preis wird in den Unterlagen nicht genannt.
            Die Dokumente enthalten keine Angaben zum Preis.
            Es tut mir leid, aber das kann ich nicht beantworten.
            Mir liegen dazu keine Informationen vor. / Vielen Dank für Ihre Frage!
            Wenn Sie weitere Fragen haben, melden Sie sich. / k. A. / Unbekannt""",
        ru="""Мне это неизвестно. / В документах об этом ничего не сказано.
            К сожалению, у меня нет информации. / Я не знаю, когда ходит паром.
            Цена билета в предоставленных документах не указана.
            Цена билета не упоминается в документах.
            Я не нашёл информации об этом в документах. / Извините, но я не могу помочь.
            Документы не содержат сведений о цене. / Если у вас есть вопросы, обращайтесь.
            Надеюсь, это поможет. / Спасибо за вопрос! / неизвестно""",
        zh="""抱歉，我不清楚。 / 文档中没有提到渡轮的票价。 / 票价在文档中没有提及。
            无法回答。 / 没有相关信息。 / 我无法回答这个问题。 / 很抱歉，我没有找到相关信息。
            我不知道，请联系客服。 / 票价我不知道。 / 谢谢您的提问。 / 希望对您有帮助。 / 不详
            未知""",
        fr="""Malheureusement, je ne peux pas répondre. / Les documents ne le mentionnent pas.
            Le prix n'est pas mentionné dans les documents.""",
        es="""Lo siento, no lo sé. / No sé. / No tengo información sobre eso.
            El precio no se menciona en los documentos.""",
        ja="""運賃は分かりません。 / 文書には記載がありません。
            運賃、時刻は文書に記載されていません。""",
        ar="""للأسف لا أعرف. / لا أدري / ليس لدي معلومات عن ذلك. / السعر غير مذكور في الوثائق.""",
    ),
)
def test_what_says_nothing(code: str, text: str) -> None:
    assert says_nothing(text, code)


@pytest.mark.parametrize(
    ("code", "text"),
    rows(
        en="""Sure Start is a programme. / No dogs are allowed. / No. 5 is the red pump.
            Well-known ferries run. / Yes–no questions are easy. / Sorry sights are sold.
            Unknown Pleasures is an album by Joy Division. / We don't charge.
            It runs every 45 minutes, as far as I know.
            The operator says "I don't know" is not an option: it runs every 40 minutes.
            According to sources, he resigned. / Unfortunately for him, it sank.
            The ferry runs daily, and its fee is not mentioned in the documents.""",
        de="""Ja-Wort ist ein Wort. / Gut Ding will Weile haben. / Nein heißt Nein.
            Klar ist das Wasser. / Natürlich vorkommendes Wasser ist rein.
            Keine Hunde erlaubt. / Wir berechnen nichts. / Unbekannte Soldaten liegen hier.
            Die Fähre fährt, soweit ich weiß, alle 45 Minuten. / Weiß ist die Farbe der Fähre.
            Ich weiß, dass die Fähre täglich fährt. / In den Dokumenten steht die Adresse.
            Es gibt keine Fähre im Winter. / Ich kann die Fähre nicht nehmen.
            Das Ticket ist nicht übertragbar.""",
        ru="""Нет собак на борту. / Да Винчи родился в 1452 году.
            Точно в 5 часов отходит паром. / Хорошо видно остров. / Привет — магазин у причала.
            Мы не берём плату. / Неизвестный солдат похоронен здесь.
            Паром ходит, насколько я знаю, каждые 45 минут. / Документы не нужны.
            В документах указана цена 5 евро. / У парома нет кассы.
            Нет данных на сервере. / Нет доступа к острову. / Мне известно 3 рейса.""",
        zh="""不锈钢很硬。 / 对岸有咖啡馆。 / 好望角在南非。 / 当然山海拔3000米。
            可以带狗上船。 / 抱歉信已寄出。 / 我们不收费。 / 未知地带是一部电影。
            据我所知，渡轮每45分钟一班。 / 船上没有餐厅。
            没有数据存储在服务器上。 / 文档中提到票价是5元。
            感谢信放在桌上。""",
        fr="""Oui-Oui est un personnage. / Aucune voiture n'est admise.
            Nous ne facturons rien.""",
        es="""No hay ferry en invierno. / No cobramos nada.""",
        ja="""犬は乗れません。""",
        ar="""لا توجد كلاب على متن العبارة.""",
    ),
)
def test_what_only_looks_so_is_a_statement_as_it_stands(code: str, text: str) -> None:
    assert without_leads(text, code) == text
    assert not says_nothing(text, code)


@pytest.mark.parametrize(
    ("code", "row"),
    rows(
        en="""I don't know why some sites say otherwise, but it runs daily. > it runs daily.
            I don't know, it runs daily. > it runs daily.
            It runs daily, although I'm not sure. > It runs daily""",
        de="""Das weiß ich nicht genau, aber die Fähre fährt oft. > die Fähre fährt oft.
            Das weiß ich nicht, die Fähre fährt oft. > die Fähre fährt oft.""",
        ru="""Я не знаю точно, но паром ходит часто. > паром ходит часто.
            Я не знаю, паром ходит часто. > паром ходит часто.""",
        zh="""我不知道为什么网站说法不同，但是渡轮每天开。 > 渡轮每天开。
            我不知道，渡轮每天开。 > 渡轮每天开。""",
        fr="""Je ne sais pas exactement, mais il part souvent. > il part souvent.""",
        es="""No sé exactamente, pero sale mucho. > sale mucho.""",
        ja="""詳しくはわかりませんが、毎日出ます。 > 毎日出ます。""",
        ar="""لا أعرف بالضبط، لكن العبارة تعمل. > العبارة تعمل.""",
    ),
)
def test_a_half_that_says_nothing_can_be_dropped(code: str, row: str) -> None:
    text, rest = row.split(" > ")
    assert not says_nothing(text, code)
    halves = phrases_of(code).turns.split(text)
    assert [half for half in halves if not says_nothing(half, code)] == [rest]


SPLIT = rows(
    en="""The ferry runs daily¦, and ¦it costs 5 euros. / The ferry runs daily¦ and ¦it costs 5.
        The ferry runs daily¦ and ¦the bus is free. / The fee is 5 euros¦, but ¦the dogs are free.
        It's red¦, while ¦the bus is blue¦; however, ¦there's a tram.
        From May on the ferry runs every 40 minutes¦; ¦in winter it rests.""",
    de="""Die Fähre fährt täglich¦, und ¦sie kostet 5 Euro. / Hunde dürfen mit¦, denn ¦es ist nett.
        Die Fähre fährt täglich¦ und ¦der Bus ist gratis. / Sie ist da¦; ¦im Winter ruht sie.
        Die Karte kostet 5 Euro¦, während ¦die Tageskarte 9 Euro kostet.""",
    ru="""Паром ходит летом¦, а ¦зимой он не работает. / Паром ходит летом¦; ¦зимой он стоит.
        Билет стоит 5 евро¦, но ¦дети едут бесплатно. / Касса открыта¦, однако ¦туалет закрыт.
        Паром ходит каждые 40 минут¦, и ¦билет стоит 5 евро.""",
    zh="""渡轮每天开¦，但是¦冬天停运。 / 渡轮每天开¦，而且¦票价是5元。 / 渡轮每天开¦；¦冬天停运。
        渡轮每天开¦，同时¦提供自行车租赁。 / 狗可以上船¦，但¦必须戴口罩。""",
)
WHOLE = rows(
    en="""The flag is red, white and blue. / It rests between May and September.
        Peter and Mary live here. / We sell apples, pears and the best plums.
        Bikes, dogs, and the luggage are free. / The ferry that serves Ost and West is red.
        The bus to the isle and the town is free. / The fee is due, so that the bus is paid.
        The ferry, which is red, and the bus are free. / He says the fee and the tax will rise.
        If it rains, and the ferry is late, we wait. / Fees: adults; children; dogs.
        If it is late, but the ferry is there, we go.
        The ferry (it is red, and it is old) runs. / He said "it is red, and it is old" today.""",
    de="""Die Flagge ist rot, weiß und blau. / Sie ruht zwischen Mai und September.
        Anna und Peter wohnen hier. / Äpfel, Birnen und die besten Pflaumen sind reif.
        Der Bus, der den Ort und die Insel verbindet, ist rot. / Sie ist nicht rot, sondern blau.
        Die Preise für Räder, Hunde, und die Autos sind gleich. / Preise: Große; Kleine; Hunde.
        Er sagt, dass der Bus rot ist und die Bahn ist blau. / Sie fährt um 8 ab und hält um 9.
        Wenn die Fähre ruht, aber der Bus ist da, geht es.
        Wenn die Fähre fährt, und der Bus ist da, geht es. / „Sie ist rot, und sie ist alt.“""",
    ru="""Билет стоит не 5, а 6 рублей. / Флаг белый, синий и красный. / Анна и Пётр живут здесь.
        Паром ходит с мая по сентябрь. / Красный, а не синий паром ходит летом.
        Паром, который ходит летом, и автобус стоят рядом. / Дети, а также собаки едут бесплатно.
        Если паром стоит, а автобус ходит, ждите. / Не автобус, а паром ходит каждый час.
        Цены: взрослые; дети; собаки. / Большой паром, но лёгкий груз берут.
        И дети, и взрослые могут ехать.
        Он сказал: «Паром ходит летом, а зимой он стоит». / Билет стоит 5, а билеты 9""",
    zh="""苹果；梨；葡萄。 / 票价不是5元，而是6元。 / 旗帜是红、白、蓝。 / 五月和九月之间停运。
        虽然下雨，但渡轮照常运行。 / 他不仅会游泳，而且会开渡轮。 / 他说“渡轮很大，但是速度很慢”。
        渡轮很大，但很慢。 / 渡轮每天开，但愿天气晴好吧。 / 渡轮每天开，而不是每周开一次。
        渡轮（很大，但是速度很慢）每天开。""",
)


@pytest.mark.parametrize(("code", "row"), SPLIT + WHOLE)
def test_a_sentence_is_cut_into_clauses_where_that_is_clear(code: str, row: str) -> None:
    assert clauses(row.replace("¦", ""), code) == row.split("¦")[::2]


@pytest.mark.parametrize(
    ("code", "only", "more"),
    [
        ("en", "Yes, it does.", "Yes, it runs daily."),
        ("de", "Nein!", "Nein, sie ruht."),
        ("ru", "Да.", "Да, паром ходит."),
        ("zh", "不是。", "不是渡轮。"),
        ("fr", "Oui.", "Oui, il part."),
        ("es", "Sí.", "Sí, sale."),
        ("ja", "はい。", "はい、出ます。"),
        ("ar", "نعم.", "نعم، تعمل."),
    ],
)
def test_yes_or_no_alone_is_told_from_more(code: str, only: str, more: str) -> None:
    assert phrases_of(code).yes_no.match(only)
    assert not phrases_of(code).yes_no.match(more)


def test_opinions_are_lower_case_words() -> None:
    for code, word in [("en", "great"), ("de", "schön"), ("ru", "думаю"), ("zh", "我觉得")]:
        opinion = phrases_of(code).opinion
        assert word in opinion
        assert all(one == one.lower() for one in opinion)


TRIGGERS = """, and it is|; the|, but |thank you |if you |(, and it is| and |sure, |not in the
, und sie ist|wenn sie |weiß ich |in den dokumenten |das kann ich |, а он ходит|в документах
，但是渡轮开|我不知道，|文档中|如果|不| |!|“|a|ません|في
je ne sais pas, mais |no sé, pero |а, и он |и """


@pytest.mark.parametrize("trigger", TRIGGERS.replace("\n", "|").split("|"))
def test_long_hostile_input_is_read_in_the_end(trigger: str) -> None:
    text = trigger * (20_000 // len(trigger))
    for code in LANGUAGES:
        says_nothing(text, code)
        phrases_of(code).yes_no.match(text)
        assert len("".join(clauses(text, code))) <= len(text), code
