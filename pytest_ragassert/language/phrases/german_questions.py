"""What German questions refer to."""

from .patterns import compiled
from .question_patterns import QuestionPhrases

_MALE = (
    r"(?:text|textabschnitt|textauszug|auszug|ausschnitt|abschnitt|absatz|artikel|kontext|beitrag)"
)
_NEUTER = r"(?:dokument|kapitel|beispiel|material|schaubild|diagramm|handbuch|schreiben)"
_FEMALE = (
    r"(?:passage|textpassage|textstelle|seite|quelle|tabelle|abbildung|grafik|liste|beschreibung"
    r"|unterlage|anleitung|übersicht|broschüre|aufzählung)"
)
_SEVERAL = (
    r"(?:texten?|abschnitten?|auszügen?|dokumenten?|passagen|textstellen|quellen|unterlagen"
    r"|informationen|angaben|materialien|artikeln?|kontexten?|tabellen|aussagen)"
)
_NOUN = rf"(?:{_MALE}|{_NEUTER}|{_FEMALE}|{_SEVERAL})(?:e?s)?"
_GIVEN = (
    r"(?:(?:vorliegend|gegeben|angegeben|bereitgestellt|zur verfügung gestellt|obig|oben genannt"
    r"|obengenannt|(?:oben|unten|neben|nach|vor)(?: |-)?stehend|(?:oben|unten) (?:angeführt"
    r"|abgebildet|aufgeführt|angegeben)|nachstehend|vorstehend|folgend|vorangehend|zitiert|beigefügt"
    r"|abgedruckt)(?:e[nrms]?))"
)
_WRITER = r"(?:autor(?:in)?|verfasser(?:in)?|erzähler(?:in)?|sprecher(?:in)?|autors|verfassers)"
# not a part of another word, or with a number or a name: "Artikel 5 der Satzung"
_END = r"(?![\w-])(?! (?:\d|[IVX]+\b|der\b|des\b|von\b|vom\b|zu[mr]?\b|über\b))"
_STOP = r"(?![\w-])(?=\s?(?:$|[?!.,;:)]))"
_TOLD = (
    r"(?:erwähnt|genannt|beschrieben|angegeben|aufgeführt|aufgelistet|gezeigt|dargestellt|erläutert"
    r"|erklärt|definiert|zitiert|behandelt|besprochen|angeführt|geschildert|hervorgehoben"
    r"|thematisiert|vorgestellt|diskutiert|bezeichnet|empfohlen|enthalten)(?:e[nrms]?)?"
)
_SAYS = (
    r"(?:sagt|nennt|erwähnt|beschreibt|erklärt|behandelt|empfiehlt|schreibt|meint|behauptet|führt"
    r"|definiert|erläutert|schildert|enthält|verwendet|bezeichnet|vergleicht|betont|berichtet"
    r"|argumentiert|vertritt|zieht|handelt|macht|gibt|sagen|nennen|erwähnen|beschreiben|schreiben)"
)

# "der erste", "beide"
_ORDER = (
    r"(?:erste|zweite|dritte|vierte|fünfte|letzte|vorletzte|nächste|andere|einzelne|jeweilige|beide"
    r"|zwei|drei|vier)[nrms]?"
)
_SHORT = (  # texts that a question may name only by their numbers
    r"(?:text|textabschnitt|textauszug|textstelle|passage|auszug|ausschnitt|dokument|quelle|tabelle"
    r"|abbildung|schaubild|diagramm|beispiel|kontext|material)"
)
_ONE = (
    r"(?:text|textabschnitt|textauszug|auszug|abschnitt|absatz|artikel|kontext|beitrag|dokument"
    r"|kapitel|beispiel|schaubild|diagramm|passage|textpassage|textstelle|tabelle|abbildung|grafik"
    r"|liste|übersicht|aufzählung)"
)
_ALL = (
    r"(?:texte|textabschnitte|textauszüge|auszüge|abschnitte|absätze|artikel|dokumente|kapitel"
    r"|beispiele|schaubilder|diagramme|passagen|textpassagen|textstellen|tabellen|abbildungen"
    r"|quellen)"
)
_THE = rf"(?:(?:der|die|das|jede[rs]?) (?:{_ORDER} |{_GIVEN} )?|beide (?:{_GIVEN} )?)"
# What texts do, but not passages and sections of a way: "Wohin führt die Passage?"
_TELLS = (
    r"(?:sag(?:t|en)|besag(?:t|en)|nenn(?:t|en)|erwähn(?:t|en)|beschreib(?:t|en)|erklär(?:t|en)"
    r"|behandel(?:t|n)|empfiehlt|empfehlen|behaupte(?:t|n)|definier(?:t|en)|erläuter(?:t|n)"
    r"|schilder(?:t|n)|enthält|enthalten|bezeichne(?:t|n)|vergleich(?:t|en)|beton(?:t|en)"
    r"|bericht(?:et|en)|zeig(?:t|en)|veranschaulich(?:t|en)|liste(?:t|n)|liefer(?:t|n)|zähl(?:t|en)|verr(?:ät|aten)"
    r"|stell(?:t|en) .{1,60} dar|mach(?:t|en) .{0,60}\b(?:angaben|aussagen?))"
)
_NOT_NAMED = (
    r"(?![\w-])(?! (?:Q1|[\d„«]|[IVX]+\b|der\b|von\b|vom\b|zu[mr]\b|zwischen\b"
    r"|durch\b|des\b(?! (?:textes|dokuments|artikels|auszugs|abschnitts)\b)"
    r"|(?:in|im) (?!(?-i:Bezug|Hinsicht|Zeile|Spalte|Absatz|Satz)\b)(?-i:[A-ZÄÖÜ])))"
)
_SAID = rf"(?:{_TOLD}|gesagt|gegeben|geschrieben|ausgesagt|mitgeteilt|bereitgestellt|berichtet)"

_REFERS = compiled(
    # "nennt der erste Abschnitt", "die Tabelle zeigt", "nennt Passage 2"
    rf"(?<!\bwer )\b{_TELLS} (?:uns )?{_THE}(?:{_ONE}|{_ALL}){_NOT_NAMED}"
    rf"|\b{_THE}(?:{_ONE}|{_ALL}) {_TELLS}\b"
    rf"|\bgib(?:t)? (?:der|die|das) (?:{_ORDER} |{_GIVEN} )?{_ONE}{_NOT_NAMED}(?=.* (?:an|wieder"
    r"|auskunft|aufschluss)\b)"
    rf"|\bgeben (?:die|beide) (?:{_ORDER} |{_GIVEN} )?{_ALL}{_NOT_NAMED}(?=.* (?:an|wieder"
    r"|auskunft|aufschluss)\b)"
    rf"|\b(?:{_TELLS}|{_SAYS}) {_SHORT} (?:nr\. )?(?:\d+|(?-i:[A-E]))(?![\w-])(?! de[rs]\b)"
    rf"|\b(?:laut|gemäß|nach) {_SHORT} (?:nr\. )?(?:\d+|(?-i:[A-E]))(?![\w-])(?! de[rs]\b)"
    # "im ersten Abschnitt gesagt", "laut dem zweiten Absatz"
    rf"|\b(?:im|in dem|in der|in den|in|vom|von der|auf der) (?:{_ORDER} |{_GIVEN} )?{_NOUN} "
    rf"(?:(?:über|zu|von|für) (?:\S+ ){{1,6}})?{_SAID}\b"
    rf"|\b(?:laut|gemäß|zufolge|entsprechend) (?:dem|der|den|des)? ?{_ORDER} {_NOUN}{_END}"
    rf"|\b(?:über|zu|von|für) (?:\S+ ){{1,6}}(?:im|in dem|in der|in den) (?:{_ORDER} )?{_NOUN} "
    rf"{_SAID}\b"
    rf"|\bwas steht (?:im|in dem|in der|in den) (?:{_ORDER} |{_GIVEN} )?{_NOUN}{_NOT_NAMED}"
    rf"|\bworum geht es (?:im|in dem|in der|in den|in) (?:{_ORDER} )?(?:{_ONE}|{_ALL}|texten"
    rf"|abschnitten|auszügen|dokumenten){_END}"
    rf"|\bwovon handel(?:t|n) {_THE}(?:{_ONE}|{_ALL})\b{_NOT_NAMED}"
    r"|\b(?:der|die|das|dem) (?:tabelle|abbildung|grafik|liste|übersicht|schaubild|diagramm|text"
    rf"|auszug|abschnitt|beispiel) (?:oben|unten)(?! (?:am|an|auf|in|im|links|rechts)\b)"
    rf"|\b(?:meinung|ansicht|haltung|einstellung|auffassung) (?:hat|vertritt) (?:der|die) "
    rf"{_WRITER}\b"
    # "Im Folgenden: …", "Unter Verwendung des Textes: …"
    r"|\bim (?-i:Folgenden|Vorstehenden|Vorangehenden|Vorangegangenen|Obigen|Nachstehenden)\b"
    r"|\bim folgenden(?=\s?[:,])"
    rf"|\b(?:unter (?:verwendung|berücksichtigung|bezugnahme auf|zuhilfenahme)|mit ?hilfe|mit bezug"
    rf"|in anbetracht) (?:von |auf )?(?:der|des|den|dem|die|das) (?:{_ORDER} |{_GIVEN} )?{_NOUN}"
    rf"{_END}"
    rf"|^\W*(?:mit|aus|nach) (?:den|dem|der) (?:{_GIVEN} )?(?:{_NOUN}|informationen|angaben)"
    rf"{_STOP}"
    rf"|^\W*(?:betrachtet|vergleicht|liest|verwendet|nutzt) man (?:den|die|das) (?:{_ORDER} "
    rf"|{_GIVEN} )?{_NOUN}{_END}"
    # "laut dem Text", "dem Text zufolge", "basierend auf dem Kontext"
    rf"|\b(?:laut|gemäß|zufolge|entsprechend) (?:(?:dem|der|den|des|diesem|dieser|diesen) )?"
    rf"(?:{_GIVEN} )?(?:{_NOUN}|{_WRITER}){_END}"
    rf"|\b(?:dem|der|den|diesem|dieser) (?:{_GIVEN} )?(?:{_NOUN}|{_WRITER}) (?:zufolge|nach)\b"
    rf"|\b(?:nach angaben|auf (?:der )?(?:grundlage|basis)|anhand) (?:(?:dem|der|den|des|dieses"
    rf"|dieser|vom|von) )*(?:{_GIVEN} )?{_NOUN}{_END}"
    rf"|\b(?:basierend|beruhend|bezogen) auf (?:(?:dem|der|den|diesem|dieser|diesen) )?"
    rf"(?:{_GIVEN} )?{_NOUN}{_END}"
    rf"|\bnach (?:diesem|dieser|dem vorliegenden|der vorliegenden) (?:{_NOUN}){_END}"
    # "in diesem Abschnitt", "der vorliegende Text"
    rf"|\bdies(?:e[nrms]?|es)? (?:{_GIVEN} )?(?:kurzen? )?{_NOUN}(?![\w-])(?! de[rs]\b)"
    rf"|\b(?:der|die|das|dem|den|des|im|vom|zum|zur|am) {_GIVEN} {_NOUN}(?![\w-])"
    rf"|\b(?:obige|vorstehende|nachstehende|obengenannte|vorgenannte)[nrms]?\b"
    rf"|\b(?:oben|unten|zuvor|vorher|vorhin|bereits|vorstehend|nachfolgend|nachstehend"
    rf"|obenstehend|hier|im folgenden|weiter oben|weiter unten)[- ]?{_TOLD}\b"
    rf"|\b{_TOLD} (?:oben|unten){_STOP}|\bsiehe (?:oben|unten)\b|\bwie (?:oben|unten){_STOP}"
    rf"|\b(?:welche[rsnm]? (?:der|von den|dieser)|was von den|die|sind|zu den|ist) folgenden?\b"
    r"(?! (?:tag|tage|tagen|woche|wochen|monat\w*|jahr\w*|nacht|morgen|abend|saison|sommer|winter"
    r"|zug|bus|fähre|\w+tag)\b)"
    # "im Text erwähnt"; "erwähnt der Autor"
    rf"|\b(?:im|in dem|in der|in den|auf der|vom|von der|durch den) {_NOUN} (?:\w+ )?{_TOLD}\b"
    rf"|\b{_TOLD}(?: \w+)? (?:im|in dem|in der|auf der) {_NOUN}{_STOP}"
    r"|\b(?:aus )?(?:dem|der) (?:text|auszug|artikel|dokument|abschnitt|passage)(?: \w+)? "
    r"(?:hervor|schließen|ableiten|entnehmen|folgern|ersehen|herauslesen)\b"
    rf"|\b{_SAYS} (?:uns )?(?:der|die|das) (?:(?:text|textabschnitt|auszug|artikel|kontext"
    rf"|dokument|kapitel|textstelle|quelle)|{_WRITER})(?![\w-])(?! (?:\d|von"
    rf"|de[rs])\b)|\b(?:der|die|das) (?:text|textabschnitt|auszug|textstelle"
    rf"|{_WRITER}) {_SAYS}\b"
    r"|\b(?:meinung|ansicht|absicht|sicht|auffassung|haltung|argumentation|fazit|aussage|ton) "
    rf"(?:des|der) (?:{_WRITER}|textes|artikels|abschnitts){_END}"
    rf"|\bwer ist (?:der|die) {_WRITER}{_STOP}"
    r"|\bworum geht es (?:in|im) (?:(?:der|dem|diesem|dieser) )?"
    rf"(?:text|abschnitt|artikel|dokument|passage|kapitel|auszug){_END}"
    r"|\bwovon handelt (?:der|die|das) (?:text|abschnitt|artikel|dokument|passage|kapitel)\b"
    r"|\bwas steht (?:im|in der) (?:text|abschnitt|artikel|dokument|passage|kapitel|auszug)"
    rf"{_END}"
)
_LOOSELY = compiled(
    r"\b(?:im|in dem|aus dem) (?:text|textabschnitt|textauszug|auszug|artikel|absatz|kontext)"
    rf"{_STOP}|\b(?:in|aus) der (?:passage|textpassage|textstelle){_STOP}"
    rf"|\bim (?:text|auszug|textauszug) (?:über|zu)\b|\bim beispiel{_STOP}"
    r"|\bim artikel über \w+ (?:zu lesen|gesagt|geschrieben)\b"
)
_ASKS_HOW = compiled(
    r"\W*(?:(?:wie|wo|womit|wann|wohin|was|welche\w* \w+) )?(?:kann|muss|soll|sollte|darf|könnte"
    r"|füge|finde|ändere|erstelle|mache) (?:ich|man|wir|ihr|du|sie)\b"
)

# -- pronouns --------------------------------------------------------------------------------------

# How a question begins before the pronoun, without a name for anything.
_BEGIN = (
    r"\W*(?:(?:und|aber|also|dann|bitte|ok|okay|hallo),? )*"
    r"(?:(?:(?:in|an|auf|zu|seit|bis|ab|für|mit|von|aus|um|über|nach|vor|unter|pro|bei) )?"
    r"(?:welche[rsnm]? (?:jahr|monat|tag|stadt|land|farbe|größe|art|zeit|zeitpunkt|datum|preis|ort)"
    r"|wie viel uhr|wie viele? (?:mal|zeit|geld)|wie oft|wie \w+|wie|was|wer|wen|wem|wann|wo|woher"
    r"|wohin|warum|wieso|weshalb|womit|wozu|wofür|worauf|woran|wodurch|wessen) "
    r"(?!es\b|gibt\b|regnet\b|schneit\b|stürmt\b|geht\b|handelt\b|kommt\b)[a-zäöüß]+"
    r"|ist|sind|war|waren|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|wurde"
    r"|kostet|gilt|gehört|öffnet|schließt|fährt|hält) (?:ich |man |wir )?"
)
_FOR_NOTHING = (
    r"(?!.*(?:,|\b(?:zu|bis|dass|wenn|ob|weil|von|um|regnet|schneit|gibt|geht|spät|früh|kalt|warm"
    r"|heiß"
    r"|dunkel|hell|weit|uhr|erlaubt|möglich|nötig|verboten|notwendig|üblich|sinnvoll|besser|am)\b))"
)
_ON = (
    r"(?=\s?(?:$|[?!.])|\s(?:im|in|am|an|auf|bei|für|mit|zum|zur|vom|nach|pro|ab|ohne|unter|denn"
    r"|eigentlich|genau|heute|jetzt|nun|hier|dort|beschlossen|entschieden|gebaut|gegründet"
    r"|eingeführt"
    r"|erfunden|veröffentlicht|gemacht|geändert|abgeschafft|eröffnet|begonnen|behoben|gelöst"
    r"|berechnet|bezahlt|geregelt|erlaubt|verboten|möglich|nötig|notwendig|gültig|passiert"
    r"|geschehen"
    r"|online|buchen|kaufen|nutzen|machen|bezahlen|stornieren|ändern|umtauschen|mitnehmen"
    r"|gewesen|gedauert|gekostet|funktioniert|genau|los|so)\b(?!-))"
)
_THIS = r"(?P<pronoun>das|dies|dieses|diese|dieser)"

_OPEN = tuple(
    map(
        compiled,
        (
            # Was kostet das? Wann wurde es gebaut? Wer hat das entschieden?
            rf"(?!.*\b(?:was|wer) (?:ist|sind|war) (?:das|dies) für\b){_BEGIN}{_THIS}{_ON}",
            rf"(?!\W*wie (?:spät|weit|kalt|warm|heiß|dunkel|hell) ){_BEGIN}"
            rf"(?P<pronoun>es)\b(?! (?:sich|um)\b){_FOR_NOTHING}",
            rf"{_BEGIN}(?P<pronoun>er|ihn|ihm)\b(?![,-])",
            # with a verb in the singular: "Sie" is also the reader
            rf"{_BEGIN}(?<!en )(?P<pronoun>(?-i:sie))(?= |[?.!])",
            rf"{_BEGIN}(?:(?<=ist )|(?<=war )|(?<=sind )|(?<=waren ))(?P<pronoun>seine?"
            rf"|(?-i:ihre?)) \w",
        ),
    )
)
PHRASES = QuestionPhrases(_REFERS, _LOOSELY, _ASKS_HOW, _OPEN)
