"""German phrases."""

from ..words.language import word_set
from .patterns import END, STOP, Phrases, compiled, opening

_SOURCES = (
    r"(?:(?:der|die|das|den|dem|diese[mnr]?|ihre[nmr]?|meine[nmr]?) )?"
    r"(?:(?:bereitgestellte|vorliegende|angegebene|verfügbare|gegebene|vorhandene"
    r"|zur verfügung gestellte|zur verfügung stehende|obige|mir vorliegende)[nmr]? )?"
    r"(?:dokument(?:e[ns]?)?|unterlagen|quellen?|kontext(?:e[ns]?)?|text(?:e[ns]?)?|textstellen"
    r"|passagen|auszügen?|informationen|wissensdatenbank|suchergebnissen?)"
)
_KINDS = r"(?:informationen|angaben|infos?|auskunft|auskünfte|hinweise?|daten|antwort)"
_STATED = (
    r"(?:erwähnt|genannt|angegeben|aufgeführt|enthalten|beschrieben|erläutert|behandelt|zu finden"
    r"|gesagt|vermerkt|festgehalten)"
)
# What is not known: "..., wann die Fähre fährt", or only the phrase itself.
_OBJECT = (
    r"(?:(?: (?:genau|sicher|mehr|mit sicherheit|auswendig))?"
    r"(?:" + END + r"|,? (?:ob|wann|warum|weshalb|was|wer|wem|wen|wie|wo|woher|wohin|worauf|wofür"
    r"|wozu|wessen|welche[mnrs]?)\b))"
)
_ADVERBS = (
    r"(?:(?:leider|auch|es|das|dies|dazu|darüber|hier|selbst|gerade|momentan|derzeit|wirklich"
    r"|ehrlich gesagt|mir|uns) ){0,4}"
)
_PLACE = (
    r"(?:(?:dazu|darüber|hierzu|davon) )?(?:steht|stehen|findet sich|finden sich|gibt es)"
    r"(?: (?:dazu|darüber|hierzu|davon))?"
)

_LEADS = opening(
    r"(?:hallo|hi|hey|moin|servus|grüß gott|guten (?:tag|morgen|abend)|liebe grüße)"
    rf"(?: zusammen| und willkommen)?{STOP}",
    r"(?:ja|nein|doch|klar|sicher|natürlich|selbstverständlich|gerne?|aber (?:klar|gerne?"
    r"|natürlich)"
    r"|na klar|okay|ok|in ordnung|genau|richtig|stimmt|also|absolut|tja|gut)"
    rf"{STOP}(?:\s?aber\b)?",
    rf"bedauerlicherweise(?:{STOP}|\b)|leider(?:{STOP}| (?!gottes)|$)",
    r"(?:(?:es )?tut mir (?:sehr |wirklich )?leid|entschuldigung|entschuldigen sie(?: bitte)?"
    rf"|verzeihung|sorry|pardon|ich bitte um entschuldigung)(?:,? aber\b|{STOP})",
    r"(?:(?:das ist )?(?:eine )?(?:sehr )?(?:gute|tolle|super|ausgezeichnete|interessante)"
    rf" frage|gute frage){STOP}",
    r"(?:ehrlich gesagt|hm+|ich fürchte|ich befürchte|soweit ich sehe),?(?: dass)?(?= )",
    r"(?:die |meine )?antwort:",
    rf"(?:(?:laut|gemäß|nach) (?:den|dem|der) (?:\w{{4,20}}[nmr] )?(?:dokumente?n?|unterlagen"
    rf"|kontext|wissensdatenbank)){STOP}",
    r"(?:laut|gemäß|nach|basierend auf) (?:den|dem|der) (?:bereitgestellten|vorliegenden|gegebenen"
    r"|angegebenen|obigen) (?:dokumente?n?|unterlagen|quellen?|kontext|texte?n?|informationen) "
    r"(?=(?:ist|sind|war|waren|hat|haben|wird|werden|kann|können|beträgt|kostet|gibt|gilt)\b)",
)
_NOTHING = opening(
    rf"(?:vielen |herzlichen |besten |schönen )?dank(?:e|\b)(?: (?:schön|sehr|dir|ihnen|euch))?"
    rf"(?: (?:für|im voraus)\b[^.!?,]{{0,80}})?{END}",
    rf"(?:gern geschehen|gerne|bitte(?: schön| sehr)?|nichts zu danken|kein problem){END}",
    r"(?:(?:sagen|geben|lassen|melden) sie (?:mir|sich|es mich)"
    r"|(?:sag|gib|lass) (?:mir|mich|es mich)|melde dich"
    r"|zögern sie nicht|zögere nicht|fragen sie (?:gerne|einfach|mich)|frag (?:gerne|einfach|mich))"
    r"\b",
    r"ich hoffe,? (?:das|dies|es|diese|ich|die) .{0,60}(?:hilft|helfen|beantwortet|geholfen)\b",
    r"(?:wenn|falls|sollten) (?:du|sie|ihr)\b.{0,120}\b(?:lass(?:en)? (?:sie )?es mich"
    r"|sag(?:en)? (?:sie )?(?:mir|bescheid)|frag(?:en)? (?:sie )?(?:gerne|einfach)|helfe ich"
    r"|zögere?n?"
    r"|meld\w{1,3} (?:sie )?(?:dich|sich)|stehe ich)\b",
    r"(?:kann|darf|soll) ich (?:dir|ihnen|euch|sonst|noch|weiter)\b|möchtest du\b|möchten sie\b"
    r"|gibt es (?:noch|sonst) (?:etwas|was)\b",
    r"ich helfe (?:dir|ihnen|euch)? ?(?:gerne?|weiter)\b|ich (?:stehe|bin) (?:ihnen|dir|gerne|hier"
    r"|da)"
    rf"(?: (?:gerne|jederzeit))?(?:,? um| zu| für|{END})",
    r"(?:einen )?schönen (?:tag|abend)\b[^.!?,]{0,20}" + END,
    rf"(?:das|dies|es|dazu|darüber) (?:weiß|weiss|wusste) ich {_ADVERBS}(?:nicht|nichts){_OBJECT}",
    rf"(?:ich )?(?:weiß|weiss|wüsste) (?:ich )?{_ADVERBS}(?:nicht|nichts){_OBJECT}",
    r"(?:ich )?(?:weiß|wüsste) (?:ich )?(?:dazu|darüber|davon) (?:leider )?nichts\b[^,;:]{0,60}$",
    rf"(?:da )?bin ich (?:mir )?(?:leider )?(?:nicht|un)(?: ganz)? ?sicher{_OBJECT}"
    rf"|ich bin (?:mir )?(?:da )?(?:leider )?(?:nicht|un)(?: ganz)? ?sicher{_OBJECT}",
    # "dazu habe ich keine Informationen", "habe ich leider keine Angaben", "mir liegen keine vor"
    r"(?:(?:dazu|darüber|hierzu|hierüber|davon) )?(?:ich habe|habe ich|wir haben|haben wir|liegen"
    r" mir"
    r"|mir liegen|liegen uns|uns liegen|es liegen|es gibt|gibt es|finden sich|es finden sich"
    rf"|ich finde|finde ich) {_ADVERBS}(?:keine(?:rlei)?|nicht genügend|nicht genug)"
    rf" (?:\w{{3,20}}e[nr]? )?{_KINDS}\b[^;:]{{0,120}}$",
    rf"ich habe {_ADVERBS}keine(?:n)? (?:ahnung|zugriff|zugang|kenntnis)\b",
    rf"(?:leider )?(?:(?:(?:absolut )?keine )?ahnung|null ahnung|keinen (?:blassen )?schimmer"
    rf"|keine antwort|da bin ich (?:leider )?überfragt|ich bin (?:leider )?überfragt"
    rf"|da muss ich (?:leider )?passen){END}",
    rf"ich habe {_ADVERBS}keinen (?:blassen )?schimmer\b",
    rf"(?:das|dies|es|die antwort)(?: auf (?:diese|die|ihre|deine) frage)? (?:geht|steht|ist|lässt"
    rf" sich) (?:leider )?(?:(?:aus|in) )?(?:{_SOURCES} )?nicht(?: (?:aus|in|im) {_SOURCES})?"
    rf"(?: (?:hervor|enthalten|zu entnehmen|entnehmen|beantworten|zu finden|angegeben))?{END}",
    rf"(?:dazu |darüber |hierzu )?(?:finde|fand) ich (?:dazu |darüber |leider )*nichts"
    rf"(?: (?:in|im) {_SOURCES})?{END}",
    rf"(?:ich )?wei(?:ß|ss) (?:ich )?(?:leider )?die antwort (?:leider )?nicht{END}",
    r"(?:die|diese|ihre) frage (?:lässt sich|kann)[^,;:]{0,60} nicht (?:beantworten|beantwortet"
    rf" werden){END}",
    rf"(?:ob|wann|warum|was|wer|wie|wo|woher|wohin|welche\w?) [^,;:.]{{2,80}}, (?:ist|wird|steht"
    rf"|geht"
    rf"|weiß ich) (?:leider )?(?:mir )?(?:nicht|nirgends)(?: (?:in|aus|im) {_SOURCES})?"
    rf"(?: (?:{_STATED}|hervor|bekannt))?{END}",
    rf"{_PLACE} (?:leider )?(?:nichts|keine(?:rlei)? {_KINDS}) (?:in|im|aus) {_SOURCES}{END}",
    rf"im (?:text|kontext|dokument|material) {_PLACE} (?:leider )?(?:nichts|keine(?:rlei)?"
    rf" {_KINDS})\b[^,;:]{{0,60}}{END}",
    rf"(?:leider )?(?:keine|nicht genügend) {_KINDS} (?:(?:dazu|darüber|zu|über|zum|zur|vorhanden"
    rf"|verfügbar|gefunden|enthalten|in)\b[^,;:]{{0,100}})?$|keine {_KINDS}{END}",
    # "Ich konnte dazu nichts finden", "das kann ich nicht beantworten"
    r"(?:(?:das|dies|dazu|darüber|diese frage|die frage|hierzu) )?(?:ich )?(?:kann|konnte|darf"
    r"|könnte)"
    r" (?:ich )?[^,;:]{0,80}\b(?:nicht|nichts|keine \w{1,30}|keinen \w{1,30})\b[^,;:]{0,60}?"
    r"\b(?:finden|beantworten|sagen|helfen|weiterhelfen|bestätigen|bestimmen|ermitteln|beurteilen"
    r"|entnehmen|angeben|nachkommen|geben|feststellen|machen)"
    rf"{_OBJECT}",
    rf"(?:das|dies|es|dazu|hierzu|darüber|davon) (?:steht|wird|ist|geht|wurde) [^,;:]{{0,80}}\b"
    rf"(?:nicht|nichts)(?: {_STATED})?{END}",
    # "in den Dokumenten steht dazu nichts"
    rf"(?:in|aus|laut) {_SOURCES} (?:steht|stehen|findet|finden|wird|gibt|ist|geht|lässt|kann)\b"
    r"[^;:,]{0,60}\b(?:nichts|nicht|keine(?:rlei)?)\b[^;:,]{0,60}" + _OBJECT,
    rf"{_SOURCES} (?:enth(?:ält|alten)|sag(?:t|en)|nenn(?:t|en)|erwähn(?:t|en)|beantworte(?:t|n)"
    rf"|geb(?:en)"
    rf"|gibt|mach(?:t|en)|lief(?:ert|ern))\b[^;:,]{{0,40}}\b(?:nichts|nicht|keine(?:rlei)?)\b",
    r"(?:(?:das|dies|es) ist )?(?:mir )?(?:leider )?(?:nicht (?:bekannt|angegeben|erwähnt|genannt"
    rf"|verfügbar|vorhanden)|unbekannt|unklar|k\. ?a\.|n/a|keine angaben?){END}",
    rf"(?:das|dies|es) (?:ist|wurde) (?:mir )?(?:leider )?(?:nicht bekannt|unbekannt){END}",
    r"hier (?:ist|sind|finden sie|findest du)\b[^:]{0,200}:\s*$|als ki\b|als sprachmodell\b",
)
_NOT_IN_SOURCES = compiled(
    rf"\b(?:in|von|durch|aus) {_SOURCES} (?:nicht|nirgends|nie|mit keinem wort) {_STATED}"
    rf"|\b(?:nicht|nirgends|nie) (?:in|von) {_SOURCES} {_STATED}"
    rf"|\b(?:wird|werden|ist|sind|wurden?) (?:nicht|nirgends) (?:in|von) {_SOURCES}"
)

# Clauses

_GOES_ON = opening(
    r"(?:(?:und|oder|noch) )?(?:ob|wann|warum|weshalb|was|wer|wem|wen|wie|wieso|wo|woher|wohin"
    r"|worauf|wofür|wozu|wessen|welche[mnrs]?|weil|da|dass|obwohl|wenn|falls|um|sowie|etwa|also"
    r"|daher|deshalb|darum|bezüglich|einschließlich|insbesondere)\b"
)
_AUX = (
    r"(?:ist|sind|war|waren|hat|haben|hatten?|wird|werden|wurden?|kann|können|konnten?|muss|müssen"
    r"|mussten?|darf|dürfen|durften?|soll|sollen|sollten?|will|wollen|wollten?|möchten?)"
)
_ONE = r"(?:ist|war|hat|hatte|wird|wurde|kann|muss|darf|soll|will)"
_VERB = (
    r"(?:gibt|gilt|gelten|kostet|kosten (?=\d)|fährt|fahren|liegt|liegen|steht|stehen|geht|gehen"
    r"|kommt|kommen|braucht|dauert|beträgt|betragen|öffnet|öffnen|schließt|beginnt|endet|bleibt"
    r"|bleiben|heißt|enthält|gehört|bietet|verkehrt|verkehren|wiegt|ruht|läuft|hält|erhält|zahlt"
    r"|zahlen|benötigt|verkauft|nimmt|findet|finden)"
)
_ARTICLE = (
    r"(?:der|die|das|ein|eine|kein|keine|alle|jede[rs]?|viele|einige|beide|ihre?|seine?|unsere?"
    r"|diese[rs]?)"
)
_NOT_A_VERB = (
    r"(?!(?:nicht|erst|jetzt|selbst|fast|sonst|oft|mit|seit|dort|meist|einst|bereit|weit|laut|gut"
    r"|seiten|gegen|wegen|neben|zwischen|allein|einen|den|ihren|seinen|unten|oben)\b)"
)
_PRONOUN = (
    rf"(?:(?:es|er|sie|man|wir|ich|dies|das|dort|hier|dafür|dabei|dazu)"
    rf" (?:(?:{_AUX}|{_VERB})\b|{_NOT_A_VERB}[a-zäöüß]{{2,30}}(?:t|te|en|ten)\b))"
)
_WORD = (
    r"(?!(?:dass|der|die|das|dem|den|welche[rsnm]?|wer|was|wo|wann|wenn|weil|ob|und|oder|aber|als"
    r"|wie"
    r"|es|er|sie|man|wir|ich)\b)[\w-]{1,30}"
)
_NOUN = rf"(?:{_ARTICLE}(?: {_WORD}){{1,4}}?|(?-i:[A-ZÄÖÜ])[\w-]{{1,30}}(?: {_WORD}){{0,3}}?)"
_JOINTS = compiled(
    r"(?:(?P<semicolon>; )(?:(?:und|aber|jedoch|allerdings),? )?"
    r"|, (?:(?P<listed>und)|aber|doch|während|sondern|denn) "
    r"|(?P<bare>(?<!,) und ))"
    rf"(?=(?P<alone>(?(bare)(?:es|man) {_NOT_A_VERB}(?:{_AUX}|{_VERB})\b|{_PRONOUN}))"
    rf"|(?(semicolon)[^;]{{0,80}}?\b(?:{_AUX}|{_VERB})\b|(?!))"
    rf"|{_NOUN} (?:(?(bare){_ONE}|{_AUX})|{_VERB})(?![\w-]))"
)
_BOUND = compiled(
    r"\b(?:dass|ob|wenn|weil|wann|wo|falls|sofern|zwischen|sowohl|weder|entweder|sagt|sagte|als)\b"
    r"|, (?:der|die|das|dem|den|denen|dessen|deren|welche[rsnm]?|in|an|auf|für|mit|von|zu) "
)
_OPENS = compiled(
    r"\W*(?:wenn|falls|obwohl|weil|da|sobald|solange|sofern|während|bevor|nachdem|als|ob|nicht"
    r"|weder|entweder|sowohl|zwischen|sollten?|damit|dass) "
)

_EMPTY = word_set("""bin ich mir mich wir uns sie ihnen ihr ihre ihrer ihren du dir dich euch es
    das dies diese dieser diesem diesen der die den dem des ein eine einen einem einer kein
    keine keinen keiner keinerlei nicht nichts nirgends ob wann warum weshalb was wer wem wen
    wie wieso wo woher welche* in im aus an am auf zu zum zur von vom für mit über bei nach und
    oder ist sind war wird werden wurde hat habe haben kann konnte könnte darf gibt steht stehen
    geht findet finden liegt liegen vor lässt sich weiß wusste wüsste wissen sagen beantworten
    helfen weiterhelfen bestätigen bestimmen ermitteln entnehmen angeben geben feststellen
    machen enthält enthalten nennen nennt sagt erwähnt erwähnen genannt angegeben aufgeführt
    beschrieben hervor bekannt unbekannt unklar sicher unsicher genau genaue genauen mehr leider
    bedauerlicherweise tut leid entschuldigung entschuldigen verzeihung sorry bitte danke dank
    ahnung schimmer blassen überfragt passen muss information* angabe* info* auskunft auskünfte
    hinweis* daten antwort* frage* dokument* unterlage* quelle* kontext* text* passage* auszug
    auszüge* wissensdatenbank suchergebnis* material* bereitgestellt* vorliegend* angegeben*
    verfügbar* gegeben* vorhanden* gestellt* verfügung obig* vorliegt dazu darüber hierzu davon
    daraus daran hier da auch selbst gerade derzeit momentan wirklich ehrlich gesagt fürchte
    genug genügend ausreichend* laut gemäß basierend zugriff zugang kenntnis konkret* gerne
    weitere* möglich anhand aufgrund lassen""")
_REPORTING = word_set("""erwähn* genannt nenn* angegeb* aufgeführt enthalt* enthält beschrieb*
    verfügbar* vorhanden* bekannt unbekannt steht stehen gibt""")
PHRASES = Phrases(
    leads=_LEADS,
    nothing=_NOTHING,
    not_in_sources=_NOT_IN_SOURCES,
    closings=compiled(
        rf"[,.;]? (?:(?:es )?tut mir (?:sehr )?leid|sorry|entschuldigung|verzeihung"
        rf"|leider){END}"
    ),
    corrects=compiled(r",? (?:sondern|aber|jedoch|allerdings|doch nur) "),
    exceeds=compiled(
        r"\b(?:ander\w+|mehr|weniger|öfter|seltener|häufiger|früher|später|länger|nichts"
        r"|\w+ere[rsn]?)"
        r" (?:\w+ ){0,3}als\b|\b(?:außer|abgesehen)\b|\b(?:nicht|nie) genug\b"
        r"|\bkeine[nr]? (?:zweifel"
        r"|bedenken)\b"
    ),
    goes_on=_GOES_ON,
    asserts=compiled(
        r"(?:(?:vielleicht|wohl|etwa|wahrscheinlich|ungefähr) )?(?:alle|jede\w*|täglich|stündlich"
        r"|wöchentlich|jährlich|immer|nie|einmal|zweimal)\b"
        r"|(?:(?:denn|aber|und|doch|sonst) )?(?!(?:ich|wir|und|oder|um|zu)\b)"
        rf"(?:[\w-]+ ){{1,5}}?(?:{_AUX}|{_VERB}|kosten)(?= \w)"
    ),
    lists=compiled(r"(?:\b|^)(?:und|oder|sowie)\b"),
    empty=_EMPTY,
    reporting=_REPORTING,
    doubtful=compiled(
        r"\b(?:aber|jedoch|sondern|doch|außer|obwohl|allerdings|als|nur|dass|ohne|zweifel)\b"
        r"|\b(?:nicht|kein\w*|nichts)\b[^.,;:]*\b(?:nicht|kein\w*|nichts)\b"
    ),
    turns=compiled(
        r"[,;] (?:aber|jedoch|allerdings|obwohl|doch|nur|sondern),? "
        rf"|(?:(?<=ß ich nicht)|(?<=ß nicht)|(?<=ahnung))[,;:] (?={_PRONOUN}|{_NOUN} (?:{_AUX}"
        rf"|{_VERB})\b)"
    ),
    joints=_JOINTS,
    finite=compiled(rf"\b(?:{_AUX}|{_VERB}|kosten)\b"),
    bound=_BOUND,
    opens=_OPENS,
    opinion=word_set("""schön schöne schöner schönes schönen toll tolle tolles tollen super gern
        gerne hoffe hoffen hoffentlich finde find glaube glauben denke meine meinung meines
        erachtens wichtig wichtige wichtiger wichtiges interessant interessante interessantes
        gut gute guter gutes guten besser beste besten bestes liebe lieben mag gefällt gefallen
        wunderbar wunderbare fantastisch großartig großartige hervorragend ausgezeichnet perfekt
        herrlich schlecht schlechte schlimm schrecklich furchtbar langweilig hilfreich spannend
        spaß freude freue freut idee frage persönlich ehrlich wirklich leider hasse fühle nett
        nette lieblings empfehle"""),
    yes_no=opening(
        r"(?:ja|nein|jawohl|doch|nee|jep)(?:[,.!]? (?:das|es) (?:ist (?:nicht )?(?:richtig|so"
        r"|korrekt"
        r"|falsch)|stimmt(?: nicht)?)|,? (?:ist|tut|hat|kann|gibt) (?:es|er|sie)(?:"
        r" nicht)?)?{END}".replace("{END}", END)
    ),
)
