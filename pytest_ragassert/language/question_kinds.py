"""Finds what a question asks for: a price, a time, a person. Its other words say of what."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .detection import detected_language
from .words.language import forms, opposites, word_set
from .words.languages import language_table

_NEVER = "(?!)"
# "is how much" and "how many metres", after a noun or an adjective of measure
_HOW_MUCH = r"[是为有]?(?:多少|几|什么)(?:(?:公里|千米|英里|厘米|毫米|海里|[米尺])(?:每小时)?)?"
_HOW_MANY_METRES = r"[是为有]?(?:多少|几)(?:公里|千米|英里|厘米|毫米|海里|[米尺])"


@dataclass(frozen=True)
class _Questions:
    """The words with which a language asks.

    Attributes:
        code: the language, by its ISO 639-1 code.
        kinds: the kinds of questions, with a pattern of the words that ask for each. Of two that
            begin at one place, the first kind counts.
        openers: a pattern of the words with which only this language begins a question.
        direction: where something begins and ends: "from A to B". Its groups are `start` and `end`.
        fillers: words that change a question's form and not its meaning: "exactly", "use".
        marks: a pattern of small words that change its meaning: "off" of "turn off".
        alike: words that mean the same in a question: "leave" and "depart". A row begins with the
            word that represents it. In a script without spaces, each is replaced by it.
        opposed: words that exclude each other, besides those of the language's table.
    """

    code: str = ""
    kinds: dict[str, str] = field(default_factory=dict)
    openers: str = _NEVER
    direction: str = _NEVER
    fillers: frozenset[str] = frozenset()
    marks: str = _NEVER
    alike: dict[str, str] = field(default_factory=dict)
    opposed: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        edge = "" if language_table(self.code).fixed else r"\b"
        kinds = "|".join(rf"(?P<{kind}>{edge}(?:{p}){edge})" for kind, p in self.kinds.items())
        return re.compile(kinds or _NEVER, re.IGNORECASE)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        return re.compile(self.openers, re.IGNORECASE)

    @cached_property
    def way(self) -> re.Pattern[str]:
        return re.compile(self.direction, re.IGNORECASE)

    @cached_property
    def small(self) -> re.Pattern[str]:
        return re.compile(self.marks, re.IGNORECASE)

    @cached_property
    def filler_stems(self) -> frozenset[str]:
        return language_table(self.code).stems(self.fillers)

    @cached_property
    def forms_alike(self) -> re.Pattern[str]:
        longest_first = sorted(self.alike, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or _NEVER)

    @cached_property
    def opposed_stems(self) -> dict[str, frozenset[str]]:
        language = language_table(self.code)
        pairs = [(frozenset({stem}), others) for stem, others in language.opposite_stems.items()]
        pairs += [(language.stems(one), language.stems(other)) for one, other in self.opposed]
        found: dict[str, frozenset[str]] = {}
        for sides in pairs:
            one, other = (frozenset(map(self._shared, side)) for side in sides)
            for stem in one:
                found[stem] = found.get(stem, frozenset()) | other
            for stem in other:
                found[stem] = found.get(stem, frozenset()) | one
        return found

    def _shared(self, stem: str) -> str:
        return self.stems_alike.get(stem, stem)

    @cached_property
    def stems_alike(self) -> dict[str, str]:
        language = language_table(self.code)
        if language.fixed:
            return {}
        return {language.stem(word): language.stem(first) for word, first in self.alike.items()}


_LANGUAGES = (
    _Questions(
        code="en",
        kinds={
            "frequency": r"how (?:often|frequently|many times)|(?:at|in) (?:what|which) intervals?"
            r"|intervals?|frequency",
            "duration": r"how (?:long|many (?:seconds|minutes|hours|days|weeks|months|years)"
            r"(?= (?:does|do|did|will|is|are|was|must|should|can|may)\b))|duration|takes?|periods?",
            "price": r"how (?:much|expensive)(?= (?:is|are|was|were|does|do|did|will|would|must"
            r"|should|can|has|have)\b)|costs?|prices?|priced|charges?|charged|fees?|fares?",
            "count": r"how many|(?:the )?(?:total )?number of",
            "distance": r"how far|ranges?|distance",
            "size": r"how (?:large|big)|size",
            "weight": r"how heavy|weight|weighs?",
            "start": r"(?:from|since) when|from (?:what|which) (?:date|day|time)",
            "end": r"(?:until|till) when|until (?:what|which) (?:date|day|time)|how late",
            "time": r"by when|by (?:what|which) (?:date|day|time)|deadlines?"
            r"|when(?= (?:is|are|was|were|does|do|did|will|would|must|should|can|may|has"
            r"|have)\b)|(?:(?:at|in|on) )?(?:what|which) (?:time|year|date|day|month)(?: of day)?"
            r"|what(?:'s| is) the (?:time|date)(?: of)?|times?",
            "person": r"who|whom|(?:what|which) (?:person|people|employees?|role)",
            "place": r"where|(?:at|in|to|from) (?:what|which) (?:place|location|folder|directory)"
            r"|locations?|located|place",
            "reason": r"why|(?:for )?(?:what|which) reason|what (?:is|was|are) the (?:reasons?"
            r"|causes?)(?: that| for| of)?",
            "manner": r"how(?= (?:is|are|was|were|do|does|did|can|could|should|must|may|to)\b)"
            r"|in (?:what|which) way|(?:what are the )?(?:steps|ways?)(?: to)?",
            "whether": r"^(?:can|may|could|is|are|does|do|did|was|were|has|have|must|should|will)"
            r"(?: (?:i|you|we|one|it possible to|it allowed to)\b)?|possible|allowed|permitted",
        },
        openers=r"(?:how|what|which|who|whom|whose|when|where|why|does|did|are|is|can|may|should)\b",
        direction=r"\bfrom (?:the )?(?P<start>[\w-]+) (?:in)?to (?:the )?(?P<end>[\w-]+)",
        fillers=word_set("""exactly have has get gets got use uses possible able required require
            requires need needs needed necessary entitled mean means meant give given there find
            should please actual currently kind type sort way allow allowed permit permitted
            responsible"""),
        marks=r"\b(?:off|out|down|more|less|fewer|inside|outside|within|next|previous)\b",
        alike=forms("""leave depart departs departure,arrive arrival,collect pick,show list
            display,bring take taken carry,contact call reach ask,cancel terminate end,length long,
            age old,height high tall,maximum most, minimum least,happen happens consequence
            consequences,build construct,begin start, buy purchase,configure set,remove delete,
            create add,cover covered pay paid, medicine drug medication,store keep stored"""),
        opposed=opposites("""enable activate/disable deactivate,install/uninstall,lock/unlock,
            connect/disconnect,encrypt/decrypt,upload/download,create/remove,send/receive,
            lend/borrow, read/write,input/output,gross/net,adult/child,employee/employer,
            buyer/seller, teacher/student,left/right,inner/outer,hot/cold,new/old existing used,
            free/paid, cheap/expensive,early/late,short/long,old/young,internal/external,
            public/private, domestic/international,breakfast/lunch dinner,lunch/dinner,front/back,
            client/server, increase/reduce,raise/lower,approve/submit reject,
            full/empty, mandatory/optional,income/expense,debit/credit,inbound/outbound,
            online/offline"""),
    ),
    _Questions(
        code="de",
        kinds={
            "frequency": r"wie (?:oft|häufig)|in welchen (?:abständen|intervallen)|häufigkeit",
            "duration": r"wie (?:lange|viele (?:sekunden|minuten|stunden|tage|wochen|monate|jahre)"
            r"(?= (?:dauert|braucht|benötigt|vergehen)\b))|dauer|dauert|dauern|(?:zeit|dauer)",
            "price": r"was (?:kostet|kosten|muss man)|kostet|kosten|wie teuer|teuer|preise?"
            r"|wie viel(?= (?:kostet|kosten|muss|zahlt|bezahlt)\b)|gebühr(?:en)?|zahlen|bezahlen"
            r"|kostenpunkt|tarif",
            "count": r"(?:auf )?wie viele|anzahl|zahl",
            "distance": r"wie weit|reichweite|entfernung",
            "size": r"wie groß|größe",
            "weight": r"wie schwer|gewicht|wiegt",
            "start": r"(?:ab|seit) (?:wann|wie viel uhr|welchem (?:tag|datum|zeitpunkt))",
            "end": r"bis (?:wann|zu welchem (?:tag|datum|zeitpunkt))|frist",
            "time": r"wann|um (?:wie viel|welche) uhr|(?:in|an) welchem (?:jahr|tag|monat|datum)"
            r"|zu welcher (?:zeit|uhrzeit)|zeitpunkt|uhrzeit",
            "person": r"(?:von |an |bei |für |mit )?(?:wer|wem|wen)|welche person",
            "place": r"wo|wohin|woher|an welche[mr] (?:ort|stelle)|in welche[mn] (?:ordner|ort)",
            "reason": r"warum|wieso|weshalb|aus welche[mn] gr(?:u|ü)nd(?:en)?|gr(?:u|ü)nde?"
            r"|ursachen?",
            "manner": r"wie(?= (?:kann|können|muss|müssen|soll|darf|wird|werden|lässt)\b)"
            r"|wie(?= [a-zäöüß]+e ich\b)|wie(?= [a-zäöüß]+t man\b)|auf welche (?:art|weise)",
            "whether": r"^(?:darf|dürfen|kann|können|ist|sind|wird|werden|hat|haben|muss|müssen"
            r"|gibt)(?: (?:ich|man|wir|es)\b)?|möglich|erlaubt|gestattet",
        },
        openers=r"(?:wie|welche[mnrs]?|wer|wem|wen|wann|wo|wohin|warum|wieso|was (?:ist|sind|kostet"
        r"|muss|passiert|bedeutet|macht)|darf|dürfen|kann|können|gibt|muss|ist|sind|wird|werden)\b",
        direction=r"\b(?:von|vom) (?:der |dem )?(?P<start>[\w-]+) (?:nach|zum|zur|bis) "
        r"(?:nach |zum |zur |der |dem )?(?P<end>[\w-]+)",
        fillers=word_set("""genau haben hat habe brauche braucht brauchen benötige benötigt nötig
            notwendig erforderlich gilt gelten geht gehen stehen steht anspruch gibt eigentlich
            möglich hoch beträgt lautet bedeutet finde findet ich man mein meine meinen erlaubt
            gestattet verlangt erhebt beträgt verantwortlich zuständig verantwortung trägt"""),
        marks=r"\b(?:ein|aus)(?=\W*$)|\b(?:mehr|weniger|innen|außen|innerhalb|außerhalb)\b",
        alike=forms("""abfahren abfahrt fahren fährt ab,ankommen ankunft,abholen holen holt,
            anzeigen zeigt zeigen auflisten,mitnehmen mitnahme nehmen bringen,anrufen rufe wenden
            wende kontaktieren,kündigen beenden,größe groß,gewicht schwer wiegt,maximal höchstens
            maximale maximaler,minimal mindestens minimale minimaler,bauen gebaut erbaut errichtet,
            kostenlos gratis umsonst frei,unterlagen dokumente papiere,jahr jahre"""),
        opposed=opposites("""einschalten aktivieren anschalten/ausschalten deaktivieren abschalten,
            installieren/deinstallieren,anmelden einloggen/abmelden ausloggen, sperren/entsperren,
            verbinden/trennen,hochladen/herunterladen,anlegen erstellen hinzufügen/löschen
            entfernen,senden/empfangen,leihen/verleihen,lesen/schreiben, eingang/ausgang,
            brutto/netto,erwachsene erwachsener/kind kinder, arbeitnehmer/arbeitgeber,
            käufer/verkäufer,links/rechts,neu/alt gebraucht bestehend, kostenlos/kostenpflichtig
            bezahlt,intern/extern,öffentlich/privat,inland/ausland,frühstück/mittagessen
            abendessen, mittagessen/abendessen,genehmigen/einreichen,voll/leer,online/offline,
            soll/haben"""),
    ),
    _Questions(
        code="ru",
        kinds={
            "frequency": r"как часто|с какой (?:периодичностью|частотой)|сколько раз"
            r"|периодичность|частота",
            "duration": r"как долго|сколько (?:времени|длится|длится ли|продолжается|занимает|идёт"
            r"|идет)|сколько (?:дней|часов|минут|недель|месяцев|лет)(?= (?:занимает|длится|идёт"
            r"|идет)\b)|продолжительность|длительность|длится|занимает|срок|на какой срок",
            "price": r"сколько (?:стоит|стоят|стоило)|почём|цена|цены|стоимость|стоит|плата|тариф",
            "count": r"сколько|какое (?:количество|число)|количество|число",
            "distance": r"как далеко|запас хода|на какое расстояние|сколько километров|расстояние",
            "size": r"насколько больш(?:ой|ая|ое|им)|размер",
            "weight": r"сколько весит|вес",
            "start": r"с (?:какого|каких) (?:времени|числа|дня|года|момента|часа)|с которого часа",
            "end": r"до (?:какого|каких) (?:числа|времени|дня|часа)|крайний срок",
            "time": r"когда|во сколько|в какое время|в котором часу|в каком (?:году|месяце)"
            r"|в какой день|какого числа",
            "person": r"кто|кем|кому|кого|какой (?:сотрудник|человек)",
            "place": r"где|куда|откуда|в как(?:ом|ой) (?:месте|папке|каталоге)|находится|найти",
            "reason": r"почему|зачем|по какой причине|отчего|из-за чего|причин[аы]",
            "manner": r"каким образом|каким способом|как(?= (?:можно|нужно|следует|правильно"
            r"|[а-яё]+ть)\b)",
            "whether": r"(?:можно|может|могут|могу|возможн[аоы]?|разреш[её]н[аоы]?|позволено) ли"
            r"|разреш[её]н[аоы]?|ли",
        },
        direction=r"\b(?:из|от|с) (?P<start>[\w-]+) (?:в|во|до|на|к) (?P<end>[\w-]+)",
        fillers=word_set("""точно именно можно нужно следует требуется требуются нужны нужен иметь
            имеет имеют положено получают составляет делать есть чтобы берет взимает разрешено
            каков какова каково каковы какой отвечает ответственный"""),
        marks=r"\b(?:больше|меньше|внутри|снаружи|вне)\b",
        alike=forms("""отправляется уходит отходит отправление,прибывает прибытие приходит,взять
            брать принести провезти провоз перевозка,показывает вывести показать
            выводит,забрать получить,отменить расторгнуть,максимальный наибольший,
            минимальный наименьший,построен построили построить построена,
            арендовать аренда аренды,оплачивает покрывает оплатить, звонить
            позвонить,билет билета,детский дети ребёнок ребенок детского, взрослый взрослые,
            бесплатно бесплатный,стоянка парковка,чистить чистят очистка, загрузить загрузка
            загрузки"""),
        opposed=opposites("""включить активировать/отключить выключить деактивировать,
            установить/удалить,заблокировать/разблокировать,подключить/отключить, загрузить/скачать
            выгрузить,создать добавить/удалить,отправить/получить, читать/писать,вход/выход,
            взрослый/детский,работник/работодатель,покупатель/продавец, студент
            ученик/преподаватель учитель,левый/правый,внутренний/внешний,новый/старый,
            бесплатный/платный,завтрак/обед ужин,обед/ужин,утверждать/подавать,
            полный/пустой,дебет/кредит"""),
    ),
    _Questions(
        code="zh",
        kinds={
            "frequency": r"每隔多(?:久|长时间)|多(?:久|长时间)(?=.{0,8}一次)|频率",
            "duration": r"多(?:久|长时间)(?!.{0,8}一次)|(?<=[期假程课])[是为有]?多长"
            r"|时间(?:[是为有]?多长|[是为]?多久)|(?:需?要|持续|延续)多长|需要几天|要几天|时长|期限",
            "price": r"要?多少钱|(?<=票)价(?:格|钱)?|价格|价钱|售价|费用|收费"
            r"|(?:手续)?费(?=[是为]?多少)",
            "height": rf"有?多(?:少米)?高|有几米高|高度{_HOW_MUCH}"
            rf"|高达?{_HOW_MANY_METRES}|身高{_HOW_MUCH}",
            "length": rf"有?多(?:少米)?长|有几米长|(?:全|总)?长(?:度{_HOW_MUCH}|{_HOW_MANY_METRES})"
            rf"|[全总]长{_HOW_MUCH}",
            "width": rf"有?多(?:少米)?宽|有几米宽|宽(?:度{_HOW_MUCH}|{_HOW_MANY_METRES})",
            "depth": rf"有?多(?:少米)?深|有几米深|深(?:度{_HOW_MUCH}|{_HOW_MANY_METRES})",
            "thickness": rf"有?多厚|厚(?:度{_HOW_MUCH}|{_HOW_MANY_METRES})",
            "speed": rf"有?多快|时速{_HOW_MUCH}|速度(?:{_HOW_MUCH}|有多快)",
            "age": r"(?:今年|现在)?(?:几|多少)岁了?|年龄[是为有]?(?:多少|多大|几岁|什么)"
            r"|岁数[是为有]?多大|多大(?:年龄|年纪|岁数)|(?:今年|现在)多大了?"
            r"|(?<=[人员长师医学童孩友夫客者])多大了?",
            "distance": r"多远|续航(?:里程)?|距离",
            "size": r"有?多大|大小|容量|面积(?=[是为有]?多)",
            "weight": r"有?多重|重量[是为有]?(?:多少)?",
            "start": r"从(?:什么时候|何时|几点|哪天)(?:开始|起)?|自何时起",
            "end": r"(?:在)?(?:什么时候|何时|几点|哪天)(?:之前|以前|前)|截止(?:日期|时间)"
            r"|到(?:什么时候|何时|几点)(?:为止)?",
            "time": r"什么时候|何时|几点|哪一?[年天日]|什么时间|几月几日"
            r"|(?:时间|日期)(?=[是为在]?(?:几点|什么时候|何时|哪一?[年天日]|几月))",
            "person": r"由谁|谁|哪位|什么人|何人",
            "place": r"哪里|哪儿|何处|什么地方"
            r"|(?:位置|地点|地址)(?=[是在]?(?:哪|什么地方|何处|什么))|位置",
            "reason": r"为什么|为何|原因|理由",
            "manner": r"如何|怎样|怎么",
            "whether": r"(?:是否)?(?:可以|允许|能够?)(?=.*吗)|是否(?:可以|允许)|可否|能否|吗",
        },
        direction=r"从(?P<start>\w{1,8}?)[到至往去](?P<end>\w{2})",
        fillers=word_set("""需 要 应 该 会 有 去 上 里 中 用 在 享 负 责 行 受 号 想 些 张 时 可 以
            给 能 找 到 是 否 允 许 每 做 个 几 哪"""),
        marks=r"以[上下]",
        alike=forms("""出发 启程 开出,乘坐 搭乘 乘,携带 带着 带,建成 建造 建于 兴建,星期 礼拜,
            联系 联络,列出 显示,领取 取回"""),
        opposed=opposites("""前/后,内/外,上/下,大/小,多/少,高/低,早/晚,首/末,开/关,启/停,
            进 入/出,买/卖,增/减,收/付,春/秋,夏/冬,左/右,男/女,新/旧,长/短,装/卸,读/写"""),
    ),
)
_TABLES = {table.code: table for table in _LANGUAGES}
_NONE = _Questions()


class QuestionWords(NamedTuple):
    """A question as read: what it asks for, and the rest of its text."""

    kind: str | None  # "price", "time" ...; None if nothing shows it
    rest: str  # the text without the words that ask
    direction: tuple[str, str] | None  # where something begins and ends
    marks: frozenset[str]  # small words that change its meaning


def read_question(text: str, code: str) -> QuestionWords:
    """Return what a question asks for, in a language given by its ISO 639-1 code.

    English, German, Russian and Chinese are known. In other languages the kind is None.
    """
    table = _TABLES.get(code, _NONE)
    if language_table(code).fixed:
        text = table.forms_alike.sub(lambda match: table.alike[match[0]], text)
    way = table.way.search(text)
    direction = (way["start"].lower(), way["end"].lower()) if way else None
    marks = frozenset(match[0].lower() for match in table.small.finditer(text))
    first = table.pattern.search(text)
    if first is None:
        return QuestionWords(None, text, direction, marks)
    kind = first.lastgroup

    def without(match: re.Match[str]) -> str:
        return " " if match.lastgroup == kind else match[0]

    return QuestionWords(kind, table.pattern.sub(without, text), direction, marks)


def shared_form(stem: str, code: str) -> str:
    """Return the one stem that represents those which mean the same in a question, or "" if the
    word changes nothing.
    """
    table = _TABLES.get(code, _NONE)
    return "" if stem in table.filler_stems else table.stems_alike.get(stem, stem)


def are_opposed(stem: str, others: Collection[str], code: str) -> bool:
    """Whether a stem excludes one of the others, as "enable" excludes "disable"."""
    opposed = _TABLES.get(code, _NONE).opposed_stems.get(stem, frozenset())
    return not opposed.isdisjoint(others)


def question_language(text: str) -> str | None:
    """Return the language of a question, by an ISO 639-1 code, or None if nothing shows it.

    A short question may have too few frequent words, but it begins with a word that asks.
    """
    start = text.lstrip("¿¡\"'“„« ")
    opened = (code for code, table in _TABLES.items() if table.opening.match(start))
    return detected_language(text) or next(opened, None)
