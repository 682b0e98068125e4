"""Near copies by what they ask for in Chinese, and by the polite words around a question."""

from __future__ import annotations

import pytest

from pytest_ragassert.generation.question_match import difference
from pytest_ragassert.language.polite_frames import without_polite_frame

SAME_MEASURE = """
    灯塔的高度是多少？ | 灯塔有多高？
    斯卡恩灯塔的高度是多少米？ | 斯卡恩灯塔有多高？
    斯卡恩灯塔有几米高？ | 斯卡恩灯塔有多高？
    渡轮的票价是多少？ | 渡轮票多少钱？
    儿童票的票价是多少？ | 儿童票多少钱一张？
    斯卡恩渡轮的儿童票多少钱？ | 斯卡恩渡轮儿童票的价格是多少？
    大桥的长度是多少？ | 大桥有多长？
    大桥的全长是多少？ | 大桥有多长？
    霍尔姆隧道长多少米？ | 霍尔姆隧道有多长？
    船长的年龄是多少？ | 船长多大了？
    船长几岁？ | 船长的年龄是多大？
    船长今年多少岁？ | 船长多大年纪？
    开船的时间是几点？ | 几点开船？
    末班渡轮的开船时间是什么时候？ | 末班渡轮几点开船？
    博物馆的开门时间是几点？ | 博物馆什么时候开门？
    航道的宽度是多少？ | 航道有多宽？
    港口的深度是多少？ | 港口有多深？
    行李的重量是多少？ | 行李有多重？
    渡轮的速度是多少？ | 渡轮有多快？
    码头到车站的距离是多少？ | 码头到车站有多远？
    岛的面积是多少？ | 岛的面积有多大？
    舱房的大小是多少？ | 舱房有多大？
    图书馆的地址是什么？ | 图书馆的地址在哪里？
    图书馆的位置是哪里？ | 图书馆在哪里？
    水池的厚度是多少？ | 水池有多厚？
    停车一天的费用是多少？ | 停车一天多少钱？
    灯塔多高？ | 灯塔的高度是多少米？
    斯卡恩灯塔高多少米？ | 斯卡恩灯塔的高度是多少？
    霍尔姆桥的宽度是多少？ | 霍尔姆桥多宽？
    隧道的总长是多少？ | 隧道有多长？
    音乐会的票价是多少？ | 音乐会的票多少钱？
    一张船票的价格是多少？ | 一张船票多少钱？
    成人票的票价多少？ | 成人票多少钱？
    首班车的发车时间是几点？ | 首班车几点发车？
    博物馆的闭馆时间是几点？ | 博物馆几点闭馆？
    校长的年龄是多少？ | 校长今年几岁？
    市长多大年纪？ | 市长的年龄是多少？
    保修期有多长？ | 保修期是多久？
    课程的时间有多长？ | 课程的时间是多久？
    行李的重量是多少？ | 行李多重？
"""
OTHER_MEASURE = """
    大桥有多长？ | 大桥有多高？
    大桥的长度是多少？ | 大桥有多宽？
    航线的长度是多少？ | 航线要多久？
    船长的年龄是多少？ | 船长的身高是多少？
    成人票的票价是多少？ | 儿童票多少钱？
    门的高度是多少？ | 门的宽度是多少？
    保修期是多长？ | 保修卡有多长？
    房子多大？ | 房子的房龄是多少？
    渡轮的速度是多少？ | 渡轮的长度是多少？
    船票多少钱？ | 船多少钱？
    开船时间是几点？ | 关船时间是几点？
    航行时间是多长？ | 开船时间是几点？
    开门时间是几点？ | 关门时间是几点？
    渡轮有多少米高？ | 渡轮有多少米长？
    最大高度是多少？ | 最小高度是多少？
    门票多少钱？ | 月票多少钱？
    货架的最大承重是多少？ | 货架的最大高度是多少？
    儿童多大可以坐船？ | 儿童年龄证明在哪里办？
    灯塔的高度是多少？ | 灯塔高度限制是多少？
    最大宽度是多少？ | 最大深度是多少？
    票价是多少？ | 票价从什么时候开始涨？
    停车费是多少？ | 停车时间是多久？
    船票的价格是多少？ | 车票的价格是多少？
    充电时间是多久？ | 充电时间是几点？
    桥的重量是多少？ | 桥的长度是多少？
    高度限制是什么时候取消的？ | 高度是多少？
    渡轮长多少米？ | 渡轮宽多少米？
    学生年龄限制是多少？ | 学生多大？
    房间的面积是多少？ | 房间的价格是多少？
    长期停车多少钱？ | 停车多少钱？
    高级舱多少钱？ | 舱多少钱？
    长途电话多少钱？ | 短途电话多少钱？
"""
SAME_FRAMED = """
    请问灯塔有多高？ | 灯塔有多高？
    请问，斯卡恩灯塔的高度是多少？ | 斯卡恩灯塔有多高？
    您能告诉我灯塔有多高吗？ | 灯塔有多高？
    你可以告诉我渡轮几点开吗？ | 渡轮几点开？
    我想知道渡轮几点开。 | 渡轮几点开？
    我想了解一下斯卡恩渡轮的票价是多少？ | 斯卡恩渡轮票多少钱？
    麻烦告诉我渡轮几点开？ | 渡轮几点开？
    请告诉我图书馆在哪里。 | 图书馆在哪里？
    請問燈塔有多高？ | 燈塔有多高？
    Can you tell me what the height of Skarn pier is? | What is the height of Skarn pier?
    Could you tell me when the ferry leaves? | When does the ferry leave?
    I would like to know how much a ticket costs. | How much does a ticket cost?
    I'd like to know how long the crossing takes. | How long does the crossing take?
    Could you please tell me whether dogs are allowed on the ferry? | Are dogs allowed on the ferry?
    Do you know if dogs are allowed on the ferry? | Are dogs allowed on the ferry?
    Can you tell me the height of Skarn pier? | What is the height of Skarn pier?
    Would you tell me who runs the ferry? | Who runs the ferry?
    Please tell me where the pier is. | Where is the pier?
    Could you tell me how the pump is cleaned? | How is the pump cleaned?
    Could you tell me how I clean the pump? | How do I clean the pump?
    Could you tell me how to clean the pump? | How do I clean the pump?
    Could you explain why the ferry is late? | Why is the ferry late?
    May I ask how many seats the ferry has? | How many seats does the ferry have?
    I was wondering when the museum opens. | When does the museum open?
    I want to know how many minutes the crossing takes. | How many minutes does the crossing take?
    When does the ferry leave, please? | When does the ferry leave?
    Excuse me, where is the pier? | Where is the pier?
    Können Sie mir sagen, wie hoch der Turm in Skarn ist? | Wie hoch ist der Turm in Skarn?
    Könnten Sie mir bitte sagen, wann die Fähre abfährt? | Wann fährt die Fähre ab?
    Ich möchte gern wissen, was ein Ticket kostet. | Was kostet ein Ticket?
    Ich würde gerne wissen, wie viel ein Ticket kostet. | Wie viel kostet ein Ticket?
    Wissen Sie, ob Hunde auf der Fähre erlaubt sind? | Sind Hunde auf der Fähre erlaubt?
    Kannst du mir sagen, wie viele Stunden die Fahrt dauert? | Wie viele Stunden dauert die Fahrt?
    Bitte sagen Sie mir, wo der Pier ist. | Wo ist der Pier?
    Können Sie mir sagen, wie die Pumpe gereinigt wird? | Wie wird die Pumpe gereinigt?
    Können Sie mir erklären, wie man die Pumpe reinigt? | Wie reinigt man die Pumpe?
    Ich wüsste gern, wie lange die Überfahrt dauert. | Wie lange dauert die Überfahrt?
    Wann fährt die Fähre ab, bitte? | Wann fährt die Fähre ab?
    Подскажите, пожалуйста, какова высота маяка в Скарне? | Какова высота маяка в Скарне?
    Подскажите, сколько стоит билет? | Сколько стоит билет?
    Скажите, пожалуйста, когда отходит паром? | Когда отходит паром?
    Не могли бы вы сказать, когда отходит паром? | Когда отходит паром?
    Я хотел бы узнать, сколько стоит билет. | Сколько стоит билет?
    Хотелось бы знать, как долго идёт паром? | Как долго идёт паром?
    Можете сказать, где находится причал? | Где находится причал?
    Сколько стоит билет, подскажите, пожалуйста? | Сколько стоит билет?
    请问一下，渡轮几点开？ | 渡轮几点开？
    您好，请问渡轮几点开？ | 渡轮几点开？
    能不能告诉我渡轮几点开？ | 渡轮几点开？
    想请问渡轮几点开？ | 渡轮几点开？
    你知道渡轮几点开吗？ | 渡轮几点开？
    您能告诉我可以带狗上渡轮吗？ | 可以带狗上渡轮吗？
    麻烦您告诉我斯卡恩灯塔的高度是多少，谢谢！ | 斯卡恩灯塔有多高？
    Hello, could you please let me know where the pier is? | Where is the pier?
    I would like to know what the fare for a dog is, please. | What is the fare for a dog?
    I'd like to ask who owns the ferry. | Who owns the ferry?
    Do you happen to know which pier the Skarn ferry uses? | Which pier does the Skarn ferry use?
    Could you tell me at what time the museum opens? | At what time does the museum open?
    Could you tell me how far it is from Holm to Skarn? | How far is it from Holm to Skarn?
    I wonder how often the ferry runs. | How often does the ferry run?
    Can you please tell me its library's hours? | What are its library's hours?
    Tell me how tall the lighthouse is. | How tall is the lighthouse?
    Können Sie mir bitte sagen, was die Überfahrt kostet? | Was kostet die Überfahrt?
    Ich hätte gern gewusst, wann das Museum öffnet. | Wann öffnet das Museum?
    Mich interessiert, wer die Fähre betreibt. | Wer betreibt die Fähre?
    Sagen Sie mir bitte, wie oft die Fähre fährt. | Wie oft fährt die Fähre?
    Können Sie mir sagen, ob es an Bord ein Restaurant gibt? | Gibt es an Bord ein Restaurant?
    Entschuldigung, wo ist der Pier? | Wo ist der Pier?
    Darf ich fragen, wie viele Plätze die Fähre hat? | Wie viele Plätze hat die Fähre?
    Вы не подскажете, сколько стоит билет? | Сколько стоит билет?
    Хочу узнать, как часто ходит паром. | Как часто ходит паром?
    Не могли бы вы подсказать, где находится причал? | Где находится причал?
    Меня интересует, кто владеет паромом. | Кто владеет паромом?
    Будьте добры, подскажите, когда отходит паром? | Когда отходит паром?
    Не знаете ли вы, когда отходит паром? | Когда отходит паром?
    Могу я узнать, какова высота маяка в Скарне? | Какова высота маяка в Скарне?
"""
OTHER_FRAMED = """
    请问灯塔有多高？ | 请问码头有多高？
    Could you tell me when the ferry leaves? | Could you tell me when the ferry arrives?
    Can you tell me how much a ticket costs? | Can you tell me how long the ferry takes?
    Could you tell me whether dogs are allowed? | Could you tell me whether dogs are not allowed?
    I would like to know who runs the ferry. | I would like to know where the ferry runs.
    Can you tell me how to turn on the pump? | How do I turn off the pump?
    Do you know when the ferry leaves? | Who knows when the ferry leaves?
    Können Sie mir sagen, wann die Fähre abfährt? | Können Sie mir sagen, wann die Fähre ankommt?
    Подскажите, когда отходит паром? | Подскажите, куда отходит паром?
    Скажите, сколько стоит билет? | Скажите, где купить билет?
    请问谁是船长？ | 请问船长多大？
    您知道谁卖票吗？ | 谁知道在哪里卖票？
    你能告诉船长几点开船吗？ | 几点开船？
    我想取消船票。 | 我想知道怎么买船票？
    Can you tell the captain when the ferry leaves? | When does the ferry leave?
    Can I ask for a refund of a ticket? | Can I ask for a refund of a fine?
    Do you know how to tie a bowline? | Who knows how to tie a bowline?
    Could you tell me how I turn the pump on? | Could you tell me how I turn the pump off?
    Could you tell me who may not board? | Who may board?
    I would like to know how much a cabin costs. | I would like to know how much a cabin weighs.
    Können Sie mir sagen, wann das Museum öffnet? | Können Sie mir sagen, wann das Museum schließt?
    Ich möchte wissen, wer die Pumpe reinigt. | Ich möchte wissen, wie die Pumpe gereinigt wird.
    Подскажите, сколько стоит билет для детей? | Подскажите, сколько стоит билет для взрослых?
    Не подскажете, разрешены ли собаки? | Не разрешены ли собаки в каюте?
"""


def listed(*tables: str) -> list[tuple[str, str]]:
    """The pairs of questions of each table."""
    rows = (line.split(" | ") for table in tables for line in table.strip().splitlines())
    return [(one.strip(), other.strip()) for one, other in rows]


@pytest.mark.parametrize(("one", "other"), listed(SAME_MEASURE, SAME_FRAMED))
def test_the_same_question(one: str, other: str) -> None:
    assert difference(one, other).is_none
    assert difference(other, one).is_none


@pytest.mark.parametrize(("one", "other"), listed(OTHER_MEASURE, OTHER_FRAMED))
def test_another_question(one: str, other: str) -> None:
    assert not difference(one, other).is_none
    assert difference(one, other) == difference(other, one)


@pytest.mark.parametrize(
    ("question", "code", "plain"),
    [
        ("Could you tell me when the ferry leaves?", "en", "when is the ferry leaves?"),
        ("Could you please tell me who runs it?", "en", "who runs it?"),
        ("Hello, can you let me know where the pier is, please?", "en", "where the pier is?"),
        ("Do you know if dogs are allowed?", "en", "is dogs are allowed?"),
        ("Können Sie mir sagen, ob Hunde mitfahren?", "de", "ist Hunde mitfahren?"),
        ("Wann fährt die Fähre ab, bitte?", "de", "Wann fährt die Fähre ab?"),
        ("Скажите, пожалуйста, где причал?", "ru", "где причал?"),
        ("您能告诉我灯塔有多高吗？", "zh", "灯塔有多高？"),
        ("您能告诉我可以带狗吗？", "zh", "可以带狗吗？"),
        ("请问，渡轮几点开？", "zh", "渡轮几点开？"),
        # polite words with nothing else, other verbs, and other languages stay
        ("Please?", "en", "Please?"),
        ("Can you tell the captain where I sit?", "en", "Can you tell the captain where I sit?"),
        ("Who knows when the ferry leaves?", "en", "Who knows when the ferry leaves?"),
        ("When the ferry is late, who pays?", "en", "When the ferry is late, who pays?"),
        ("Wissen Sie mehr als der Kapitän?", "de", "Wissen Sie mehr als der Kapitän?"),
        ("你能告诉船长几点开船吗？", "zh", "你能告诉船长几点开船吗？"),
        ("Pourriez-vous me dire où est le quai ?", "fr", "Pourriez-vous me dire où est le quai ?"),
    ],
)
def test_polite_words_are_removed(question: str, code: str, plain: str) -> None:
    assert without_polite_frame(question, code) == plain


def test_a_clause_is_the_question_that_it_asks() -> None:
    one = "Can you tell me what the height of the lighthouse in Skarn is?"
    assert difference(one, "What is the height of the lighthouse in Skarn?").is_none
    assert not difference(one, "What is the height of the lighthouse in Holm?").is_none


def test_opposites_that_other_words_represent_exclude_each_other_in_any_order() -> None:
    one, other = "When does the ferry leave?", "When does the ferry arrive?"
    assert difference(one, other).other_question
    assert difference(other, one).other_question


def test_long_polite_words_are_read_in_time() -> None:
    for piece, code in (("please ", "en"), ("请", "zh"), ("bitte ", "de"), ("скажите, ", "ru")):
        without_polite_frame(piece * 5_000, code)
        without_polite_frame(f"{piece * 5_000}, how many days is it?", code)
