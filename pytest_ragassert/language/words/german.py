"""German: its function words, numbers, units and opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .language import PM, Language, clock, forms, opposites, word_set

_listed = str.split
_SEPARABLE = _listed("""ab an auf aus bei ein fest her hin los mit nach statt teil um vor weg
    wieder zu zurück zusammen""")
_INSEPARABLE = _listed("be ent er ver zer über unter")

# Infinitive, vowel-changing present, preterite, participle, without forms that are usually nouns:
# "Schloss", "Wand".
_STRONG = """backen bäckt gebacken,befehlen befiehlt befahl befohlen,beginnen begann begannen
    begonnen,beißen biss bissen gebissen,bewegen bewog bewogen,biegen bog bogen gebogen,
    bieten bot geboten,binden band gebunden,bitten bat baten gebeten,blasen bläst blies
    geblasen,bleiben blieb blieben geblieben,brechen bricht brach brachen gebrochen,brennen
    brannte brannten gebrannt,bringen brachte brachten gebracht,denken dachte dachten gedacht,
    dringen drang drangen gedrungen,empfangen empfängt empfing empfingen,empfehlen empfiehlt
    empfahl empfohlen,fahren fährt fuhr fuhren gefahren,fallen fällt fiel fielen gefallen,
    fangen fängt fing fingen gefangen,finden fand fanden gefunden,fliegen flog flogen
    geflogen,fliehen floh flohen geflohen,fließen floss flossen geflossen,fressen frisst fraß
    gefressen,frieren fror froren gefroren,geben gibt gab gaben gegeben,gehen ging gingen
    gegangen,gelingen gelang gelungen,gelten gilt galt galten gegolten,genießen genoss
    genossen,geschehen geschieht geschah geschahen,gewinnen gewann gewannen gewonnen,gießen
    goss gossen gegossen,gleichen glich glichen geglichen,graben gräbt grub gruben gegraben,
    greifen griff griffen gegriffen,halten hält hielt hielten gehalten,hängen hing hingen
    gehangen,heben hob hoben gehoben,heißen hieß hießen geheißen,helfen hilft half halfen
    geholfen,kennen kannte kannten gekannt,klingen klang klangen geklungen,kommen kam kamen
    gekommen,laden lädt lud luden geladen,lassen lässt ließ ließen gelassen,laufen läuft lief
    liefen gelaufen,leiden litt litten gelitten,leihen lieh liehen geliehen,lesen liest las
    lasen gelesen,liegen lag lagen gelegen,lügen log gelogen,messen misst gemessen,nehmen
    nimmt nahm nahmen genommen,nennen nannte nannten genannt,raten rät riet rieten,reißen
    riss rissen gerissen,reiten ritt ritten geritten,rennen rannte rannten gerannt,riechen
    roch rochen gerochen,rufen rief riefen gerufen,schaffen schuf schufen geschaffen,scheiden
    schied schieden geschieden,scheinen schien schienen geschienen,schieben schob schoben
    geschoben,schießen schossen geschossen,schlafen schläft schlief schliefen geschlafen,
    schlagen schlägt schlug schlugen geschlagen,schließen schließt schlossen geschlossen,
    schneiden schnitt schnitten geschnitten,schreiben schrieb schrieben geschrieben,schreiten
    schritt schritten,schweigen schwieg geschwiegen,schwimmen schwamm schwammen geschwommen,
    sehen sieht sah sahen gesehen,senden sandte sandten gesandt,singen sang sangen gesungen,
    sinken sank sanken gesunken,sitzen saß saßen gesessen,sprechen spricht sprach sprachen
    gesprochen,springen sprang sprangen gesprungen,stehen stand standen gestanden,stehlen
    stiehlt stahl gestohlen,steigen stieg stiegen gestiegen,sterben stirbt starb starben
    gestorben,stoßen stößt stieß stießen gestoßen,streichen strich strichen gestrichen,
    streiten stritt stritten gestritten,tragen trägt trug trugen getragen,treffen trifft traf
    trafen getroffen,treiben trieb trieben getrieben,treten tritt trat traten getreten,
    trinken trank tranken getrunken,tun tut tat taten getan,verderben verdirbt verdarb
    verdorben,vergessen vergisst vergaß vergaßen,verlieren verlor verloren,wachsen wächst
    wuchs wuchsen gewachsen,waschen wäscht wusch gewaschen,weisen wies wiesen gewiesen,werben
    wirbt warb geworben,werfen wirft warf warfen geworfen,wiegen wog wogen gewogen,wissen
    weiß wusste wussten gewusst,ziehen zog zogen gezogen,zwingen zwang zwangen gezwungen"""
# Weak verbs that are too short for `_trim`, or whose infinitive the stemmer truncates.
_WEAK = """bad bau bet bild brems dank deck dien druck eign eil end fehl feier freu fühl füg
    führ füll fürcht heil heiz hoff hol hör kehr kenn klag kling koch lad lach land leb leg lehr
    leist leit lern lieb lob lohn lös mach mal meid meld mein miet mut öffn pfleg prüf rat reb
    red reg reis rett richt rüst sag sammel schad schau segn setz sorg spar spend sperr spür
    stell stör straf such tank teil tanz test töt tön trau üb wag wähl wein werb wirk wohn zahl
    zähl zeig ziel zöger ehr änder dauer verdien"""
_OTHERS = """probleme problem,systeme system,extreme extrem,moderne modern,busse bus busses
    bussen,museum museen museums,zentrum zentren zentrums,häfen hafen hafens,kurse kurs,
    boote boot boots,höhere hoch hohe hohen hoher hohes hohem höher höheren höherer höheres,
    liga ligen,konten konto kontos,risiko risiken risikos,firma firmen,thema themen themas,
    album alben albums,nachbar nachbarn,herr herrn herren,daten datum datums,gast gäste
    gästen gastes gasts,fahrten fahrt,freundin freundinnen,kundin kundinnen,bürgerin
    bürgerinnen,teuer teure teuren teurer teures,haben gehabt,essen isst esst aß aßen
    gegessen gegessene gegessenen,fährschiff fähre fähren,konzerne konzern konzerns,feier
    feiern,wert werte werten werts,frei freie freien freier freies freiem"""
# Not these: "gehört zu" is more common than "hat gehört".
_NO_FORMS = """gehört gehörte gehörten verrat vorrat unterlagen übernahmen verlag verlags
    verlages umstand verschieden verschiedene verschiedenen verschiedener verschiedenes belegen
    erlegen überlegen verlegen unterlegen zerlegen bekannt bekannte bekannten bekannter
    bekanntes bekanntem"""
_FEMININE = ("gab", "nahm", "lag", "sprach")  # "Ausgabe" and "Einnahme" are separate nouns


def _irregular() -> dict[str, str]:
    found = dict(_strong_forms()) | dict(_weak_forms()) | forms(_OTHERS)
    for form in _listed(_NO_FORMS):
        found.pop(form, None)
    return found | {form.replace("ß", "ss"): base for form, base in found.items()}


def _strong_forms() -> Iterator[tuple[str, str]]:
    for row in _STRONG.split(","):
        infinitive, *others = row.split()
        for form in (_present(infinitive), *others):
            participle = form.startswith("ge") and form.endswith(("en", "t", "tan"))
            plural = form.endswith("en") and not participle
            if participle or form == others[-1]:
                variants = _inflected(form)
            elif plural or (form[-1] in "tsß" and not form.endswith("itt")) or form in _FEMININE:
                variants = [form]
            else:
                variants = [form, f"{form}e", f"{form}s", f"{form}es"]  # "Schritte", "Angriffs"
            for one in variants:
                yield one, infinitive
                for prefix in _INSEPARABLE:
                    yield prefix + (one[2:] if participle else one), prefix + infinitive
                if not plural:  # apart in a main clause; "Ausgaben" is a noun
                    yield from ((prefix + one, prefix + infinitive) for prefix in _SEPARABLE)


def _weak_forms() -> Iterator[tuple[str, str]]:
    for stem in _listed(_WEAK):
        infinitive = f"{stem}n" if re.search("(?<!i)e[lr]$", stem) else f"{stem}en"
        finite = _present(infinitive)
        for prefix in _SEPARABLE:
            yield from ((prefix + finite + end, prefix + infinitive) for end in ("", "e", "en"))
        for prefix in ("", *_INSEPARABLE):
            yield from ((prefix + one, prefix + infinitive) for one in _inflected(finite))
        for prefix in ("", *_SEPARABLE):
            yield from ((f"{prefix}ge{one}", prefix + infinitive) for one in _inflected(finite))


def _present(infinitive: str) -> str:
    stem = infinitive.removesuffix("n") if infinitive[-3:] in ("eln", "ern") else infinitive[:-2]
    return f"{stem}et" if stem.endswith(("d", "t", "fn", "gn")) else f"{stem}t"


def _inflected(form: str) -> list[str]:
    return [form + ending for ending in ("", "e", "en", "er", "es", "em")]


_ONES = _listed("eins zwei drei vier fünf sechs sieben acht neun")
_TEENS = _listed("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
_TENS = _listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")


def _small() -> dict[str, str]:
    """Return number words up to 999, and round ones above."""
    named = dict(enumerate(["null", *_ONES, *_TEENS]))
    for tens, word in enumerate(_TENS, start=2):
        named[tens * 10] = word
        for ones, one in enumerate(["ein", *_ONES[1:]], start=1):
            named[tens * 10 + ones] = f"{one}und{word}"
    below = dict(named)
    for hundreds, one in enumerate(["ein", *_ONES[1:]], start=1):
        named |= {hundreds * 100 + rest: f"{one}hundert{word}" for rest, word in below.items()}
        named[hundreds * 100] = f"{one}hundert"
    words = {word: number for number, word in named.items()}
    words |= {w.removeprefix("ein"): n for w, n in words.items() if w.startswith("einhundert")}
    hundreds_words = {named[n]: n for n in range(100, 1000, 100)} | {"hundert": 100, "": 0}
    for word, number in list(words.items()):
        if number > 1 and (number <= 20 or number % 10 == 0):
            words |= {f"{word}tausend{w}": number * 1000 + n for w, n in hundreds_words.items()}
    for word, number in hundreds_words.items():
        words |= {f"tausend{word}": 1000 + number, f"eintausend{word}": 1000 + number}
    words |= {f"{named[n]}hundert": n * 100 for n in range(11, 20)}
    words |= {"zwo": 2, "zweien": 2}
    words |= {word.replace("ß", "ss"): number for word, number in words.items()}
    return {word: str(number) for word, number in words.items()}


# Their "ge" is not a prefix, or what remains would be another word.
_WITH_GE = re.compile(
    r"""ge(?:schicht|richt|wicht|sicht|schaft|halt|stalt|walt|dicht|burt|sund|duld|wand|land|fahrd
    |nehm|wahr|hor|statt|brauch|lang|wohn|nug|fall|winn|schwind|schenk|meind|gend|setz|genstand
    |genteil|genub|werb|birg|biet|schirr|sellschaft|rat|riet|rust|fecht|schlecht|recht|lt|niess|ling
    |steh)""",
    re.VERBOSE,
)
_DOUBLE = "(?:her|hin|vor)(?:ab|an|auf|aus|bei|ein|um)|dar|durch|fort|hinzu|sicher|weiter"
_PREFIX = rf"^({'|'.join(_SEPARABLE)}|{_DOUBLE})"
_PREFIXED = re.compile(rf"{_PREFIX}ge(?!nehm|sich)(?=\w\w\w)".replace("ü", "u"))
_WITH_ZU = re.compile(rf"{_PREFIX}(?<!her)(?<!hin)zu(?=\w\w\w)".replace("ü", "u"))
_PARTICIPLE = re.compile(r"^ge(?=\w{3,}(?:[td]|[bcdfghk][nm])$)")
_LINKED = re.compile(r"(?<=[a-z][a-z][dfglmnrst](?<!tr))et$")
# "Autos" and "Kameras", but not "Glas".
_FOREIGN_PLURAL = re.compile(r"(?:(?<!g)(?<!gl)(?<!gr)(?<!tl)a|(?<!l)o|[pwy]|(?<![ae])i)s$")
_T = re.compile(r"(?:[^aeiouyt]|au|eu)t$")
# Nouns that end like verbs, and must be found at the ends of longer ones.
_NOUN = re.compile(
    r"(?:markt|punkt|haupt|start|wort|gast|post|amt|last|luft|test|akt|kunst|dienst|angst|recht"
    r"|nacht|kraft|konzert|expert|wert|(?:vor|wohn|tat|kur|stand|geburts|ferien)ort)$"
)


def _trim(stem: str) -> str:
    """Remove the "ge" and "zu" of verbs, the "t" of their forms and the "s" of foreign plurals."""
    if (linked := _LINKED.sub("", stem)) not in ("plan", "tick", "intern"):
        stem = linked
    stem = _PREFIXED.sub(r"\1", _WITH_ZU.sub(r"\1", stem))
    if not _WITH_GE.match(stem):
        stem = _PARTICIPLE.sub("", stem)
    if len(stem) > 3 and _FOREIGN_PLURAL.search(stem):
        return stem[:-1]
    for ending, kept in (("licht", 4), ("igt", 4), ("ert", 3)):
        # the stemmer removes such endings of infinitives only if enough precedes them
        rest = stem.removesuffix(ending)
        if len(rest) >= kept and (ending == "ert" or _syllables(rest) > 1) and not _noun(stem):
            stem = rest
    if len(stem) > 4 and _T.search(stem) and not _noun(stem):
        return stem[:-1]
    return stem


def _noun(stem: str) -> bool:
    return _NOUN.search(stem) is not None


def _syllables(stem: str) -> int:
    return len(re.findall(r"[aeiouy]+", stem))


LANGUAGE = Language(
    code="de",
    stemmer="german",
    stop_words=word_set("""als also am an ans auf aufs aus bei beim bin bist da dabei dadurch
        dafür dagegen daher dahin damit danach daneben daran darauf daraus darin darum darunter
        darüber das dass davon davor dazu dein deine deinem deinen deiner dem den denen denn der
        deren dern derer des deshalb dessen deswegen dich die dies diese diesem diesen dieser
        dieses dir doch dort dr du durch durchs ehe ein eine einem einen einer eines er es euch
        euer eure eurem euren eurer falls für fürs gemäß gewesen geworden hab habe haben habt
        hat hatte hatten hast hier hierbei hierfür hierzu hinter hätte hätten ihm ihn ihnen ihr
        ihre ihrem ihren ihrer ihres im in indem infolge innerhalb ins ist ja je jener jene
        jenem jenen jenes laut mit mittels nachdem nein ob obwohl oder per pro samt sei seid
        seien sein seine seinem seinen seiner seines seit sich sie sind so sobald sodass sofern
        solange sondern sowie sowohl statt trotz um und uns unser unsere unserem unseren unserer
        unseres usw via vom von vor vors war waren warst warum was wegen weil welche welchem
        welchen welcher welches wem wen wenn wer werde werden wessen wieso wir wird wo wobei
        wodurch wofür womit woran worauf worden worin worum worüber wozu wurde wurden während
        währenddessen wäre wären würde würden wie zu zudem zum zur zwecks zwar bzw etc sog
        sogenannte sogenannten eigen eigene eigenen eigener ihrerseits herr herrn hrn fr
        dasselbe derselbe dieselbe dieselben beziehungsweise außerdem jedoch hingegen dennoch
        ebenso sowas somit wiederum man gibt nämlich uhr"""),
    light=word_set("""aber alle allem allen aller allerdings alles andere anderem anderen
        anderer anderes auch ausschließlich bald bereits besonders bis bisher ca circa dann darf
        dürfen dürfte dürften durfte durften eher einige einigem einigen einiger einiges einmal
        einst einzig einzige einzigen erst etliche etwa etwas eventuell fast früher ganz ganze
        ganzen gar gegen genau gerade gern gleich gleiche gleichen häufig heute hin höchstens
        immer irgend irgendein irgendeine jede jedem jeden jeder jederzeit jedes jemals jemand
        jetzt kann kaum knapp konnte konnten könnte könnten können künftig lediglich mag manche
        manchem manchen mancher manches manchmal maximal mehr mehrere mehreren mehrerer meist
        meiste meisten meistens mindestens minimal mitunter muss musste mussten möchte möchten
        möge mögen möglicherweise müssen müsste müssten nach nachher nahe nahezu neben noch
        normalerweise nun nur nächste nächsten oben oft ohnehin regelmäßig rund schließlich
        schon sehr selbst selten soll sollen sollte sollten sonst später sogar solch solche
        solchen solcher stets teils teilweise über überall ungefähr unten unter unterdessen
        üblicherweise viel viele vielem vielen vieler vieles vielleicht vorher vorne weitere
        weiteren weiterer weiteres weiterhin weiter wenig wenige wenigen weniger wenigstens
        wieder will wollen wollte wollten wohl zirka zumindest zuerst zuletzt zunächst zusammen
        zusätzlich zwischen beide beiden beider beides bloß etwaige derzeit damals inzwischen
        jeweils annähernd genug ziemlich recht zuvor sofort ständig nahezu ebenfalls irgendwann
        mal grundsätzlich eigentlich außen innen außerhalb entlang ab"""),
    universals=word_set("""alle allen aller alles ausschließlich immer jede jedem jeden jeder
        jederzeit jedes lediglich nur stets ganz"""),
    pronouns=word_set("er sie es sein seine seinen seiner ihr ihre ihren ihrer dies diese dieser"),
    first_person=word_set("ich mich mir mein meine meinem meinen meiner meines meins"),
    negators=word_set("""nicht kein keine keinem keinen keiner keines keins nie niemals niemand
        niemandem niemanden nichts nirgends nirgendwo ohne weder keinerlei keineswegs
        keinesfalls nimmer"""),
    not_negating=word_set("""nur bloß bloss lediglich weniger später früher unbedingt
        notwendigerweise"""),
    carriers=word_set("""anzeichen beleg belege beweis beweise grund gründe hinweis hinweise
        indiz nachweis möglich möglichkeit imstande fähig lage gelang gelungen geschafft
        erforderlich nötig notwendig wahr sicher"""),
    hedges=word_set("""als annähernd bis ca circa etwa fast gegen gut höchstens kaum knapp
        maximal mindestens minimal nahezu rund über ungefähr unter wenigstens zirka zumindest
        maximum minimum schätzungsweise mehrere einige paar zu"""),
    # "wurde 1932 gebaut"
    year_words=word_set("""ab bis im in jahr jahre jahren jahres nach seit vor von zwischen und
        anno wurde wurden"""),
    months=forms("""1 januar januars jänner jan jän,2 februar februars feber feb febr,3 märz mär
        mrz,4 april aprils apr,5 mai,6 juni juno jun,7 juli jul,8 august augusts aug,9 september
        septembers sep sept,10 oktober oktobers okt,11 november novembers nov,12 dezember
        dezembers dez"""),
    small=_small(),
    scales={"tausend": 3, "tsd": 3, "million": 6, "millionen": 6, "mio": 6, "milliarde": 9}
    | {"milliarden": 9, "mrd": 9, "billion": 12, "billionen": 12, "billiarde": 15}
    | {"billiarden": 15},
    units=forms("""kilogram kilo kilos kilogramm kilogramms,gram gramm gramms,milligram
        milligramm,tonne tonnen,pound pfund,kilometre kilometer kilometern kilometers,metre
        meter metern meters,centimetre zentimeter zentimetern,millimetre millimeter millimetern,
        mile meile meilen,nautical-mile seemeile seemeilen,square-metre quadratmeter
        quadratmetern qm,hectare hektar ha,second sekunde sekunden sek,millisecond millisekunde
        millisekunden,minute minuten,hour stunde stunden std stdn,day tag tage tagen tags tages,
        week woche wochen,quarter
        quartal,month monat monate monaten monats,year jahr jahre jahren jahres,litre
        liter litern liters,millilitre milliliter millilitern,watt,kilowatt,kilowatt-hour
        kilowattstunde kilowattstunden,volt,hertz,kilobyte kilobytes,megabyte megabytes,gigabyte
        gigabytes,terabyte terabytes,degree grad,celsius,fahrenheit,tablespoon el
        esslöffel,teaspoon tl teelöffel,% prozent proz,dollar
        dollars,euro euros,cent cents,franc franken chf,yen,rouble rubel,rupee rupie rupien,knot
        knoten"""),
    clock=clock(
        r"\s?Uhr\b(?:\s(?P<minute>[0-5]\d)(?![.,]?\d|\s?[%€$]|\s(?-i:[A-ZÄÖÜ])))?",
        # "Gleis 9 am Bahnhof"
        am=r"(?-i:AM)\b|a\.\s?m\b\.?|morgens\b|vormittags\b|früh(?:morgens)?\b"
        r"|am (?:\w+ )?(?:morgen|vormittag)\b|in der früh\b",
        pm=rf"{PM}|nachmittags\b|am (?:\w+ )?nachmittag\b",
        evening=r"abends\b|am (?:\w+ )?abend\b",
        night=r"nachts\b|in der nacht\b",
        noon=r"mittags\b|am mittag\b",
    ),
    times={"mitternacht": "0:00", "halb": "", "viertel": "", "dreiviertel": ""},
    part_of_hour=re.compile(
        r"(?:(?P<half_to>halb)|(?P<quarter_past>viertel nach)"
        r"|(?P<quarter_to>viertel vor|dreiviertel)) (?P<to>\w+)",
        re.IGNORECASE,
    ),
    minus=("minus",),
    at_hour=word_set("um"),
    rate=re.compile(
        r"\.?\s(?:(?P<any>pro|je)|[ai]m|in der|die)\s(?P<per>\w+)(?!\s\d)", re.IGNORECASE
    ),
    sections=word_set("""version versionen fassung v release ausgabe update abschnitt abschnitte
        abschnitts abschnitten absatz abs kapitel kapitels kapiteln kap artikel artikels art ziffer
        ziff nummer nr punkt punkte anhang anlage abbildung abbildungen abb tabelle tabellen tab
        bild gleichung gl schritt teil klausel paragraf paragraph paragraphen satz seite regel
        regeln anforderung"""),
    series=forms("""1st erste ersten erster erstes,2nd zweite zweiten zweiter zweites,3rd dritte
        dritten dritter drittes,4th vierte vierten vierter viertes,5th fünfte fünften fünfter
        fünftes,6th sechste sechsten sechster sechstes,7th siebte siebten siebter siebtes,8th
        achte achten achter achtes,9th neunte neunten neunter neuntes,10th zehnte zehnten zehnter
        zehntes,mon montag montags mo,tue dienstag dienstags di,wed mittwoch mittwochs mi,thu
        donnerstag donnerstags do,fri freitag freitags fr,sat samstag samstags sonnabend
        sonnabends sa,sun sonntag sonntags so,spring frühling frühjahr,summer sommer,autumn
        herbst,winter,morning morgens vormittags vormittag,afternoon nachmittags nachmittag,
        evening abends abend,night nachts nacht,noon mittags mittag,once einmal,twice zweimal,
        thrice dreimal,viermal,stündlich stündliche,daily täglich tägliche täglichen,weekly
        wöchentlich wöchentliche wöchentlichen,monthly monatlich monatliche monatlichen,quarterly
        vierteljährlich,yearly jährlich jährliche jährlichen,half hälfte halbe halber,third
        drittel,quarter viertel,über,unter,vor,nach,v,n,mindestens,höchstens,double doppelte
        verdoppelt,triple dreifache verdreifacht,dutzend"""),
    irregular=_irregular(),
    once=word_set("""abgeschafft begann beginnt eröffnet eröffnete erbaut erbaute gebaut geboren
        gegründet gegründete gestorben starb erfunden entdeckt erschien erschienen
        veröffentlicht unterzeichnet eingeweiht geschlossen gesunken sank endet endete
        fertiggestellt"""),
    opposites=opposites("""beginnen anfangen öffnen eröffnen starten gründen/enden beenden
        schließen stoppen einstellen,steigen zunehmen wachsen erhöhen steigern/sinken fallen
        abnehmen schrumpfen senken verringern,akzeptieren erlauben gestatten zulassen genehmigen
        zulässig/ablehnen verbieten untersagen verweigern unzulässig,enthalten
        einschließen/ausschließen,gewinnen/verlieren,kaufen/verkaufen,betreten/verlassen,
        ankommen ankunft/abfahren abfahrt,minimum/maximum,erste ersten erster/letzte letzten
        letzter,norden nördlich/süden südlich,osten östlich/westen westlich,obere oberen
        oberer/untere unteren unterer,import/export,gelingen/scheitern misslingen,
        männlich/weiblich,früh/spät,inklusive einschließlich/exklusive"""),
    decimal_comma=True,
    nouns_are_capital=True,
    compounds=True,
    trim=_trim,
)
