"""Whole answers that only say "I don't know", in many languages.

They are too short for detecting their language, and are therefore tried in every language.
"""

from .patterns import END, opening

_OTHERS = (
    # Italian, Portuguese, Dutch, Catalan, Romanian
    r"(?:io )?non (?:lo |ne )?so(?: nulla)?|non (?:ne )?ho (?:la minima |alcuna )?idea|boh"
    r"|non saprei|nessuna idea|sconosciuto|(?:eu )?não (?:o )?sei(?: dizer| responder)?"
    r"|não (?:tenho|faço) (?:a menor |a mínima )?ideia|sem resposta|desconhecido"
    r"|(?:dat )?weet ik (?:het )?niet|ik weet het (?:echt )?niet|(?:ik heb )?geen (?:flauw )?idee"
    r"|onbekend|no ho sé|(?:eu )?nu (?:știu|stiu|ştiu)|habar n-am|n-am idee|necunoscut"
    # Polish, Czech, Slovak, Ukrainian, Belarusian, Bulgarian, Croatian and Serbian, Slovene
    r"|(?:ja )?(?:tego )?nie wiem|nie mam pojęcia|nieznan[eya]|brak (?:informacji|danych"
    r"|odpowiedzi)"
    r"|(?:to )?nevím|nemám (?:ani )?(?:tušení|ponětí)|neznám[oýé]|(?:to )?neviem|netuším"
    r"|(?:я )?(?:цього )?не знаю|гадки не маю|уявлення не маю|поняття не маю|невідомо"
    r"|я не ведаю|не ведаю|(?:аз )?не знам|нямам (?:никаква )?(?:идея|представа)|неизвестно"
    r"|ne znam|nemam pojma|не знам|немам поима|немам појма|ne vem"
    # Swedish, Danish, Norwegian, Finnish, Estonian, Latvian, Lithuanian, Hungarian
    r"|(?:det )?vet (?:jag|jeg) (?:inte|ikke)|jag vet (?:det )?inte|ingen aning|(?:jag )?vet inte"
    r"|det ved jeg (?:desværre )?ikke|jeg (?:ved|vet) (?:det )?ikke|(?:jeg har )?ingen (?:anelse"
    r"|idé)"
    r"|okänt|ukendt|ukjent|(?:minä )?en tiedä|ei tietoa|ei aavistustakaan|ma ei tea|ei tea"
    r"|es nezinu|nezinu|(?:aš )?nežinau|(?:én )?nem tudom|fogalmam sincs|ismeretlen"
    # Greek, Turkish, Hebrew, Persian, Hindi, Korean, Vietnamese, Indonesian, Thai
    r"|(?:εγώ )?δεν (?:το )?(?:ξέρω|γνωρίζω)|δεν έχω (?:ιδέα|την παραμικρή ιδέα)|άγνωστο"
    r"|(?:bunu )?bilmiyorum|(?:hiç ?bir )?fikrim yok|bilinmiyor|cevap yok"
    r"|(?:אני )?לא יודעת?|אין לי מושג|לא ידוע|(?:من )?نمی‌?[‌ ]?دانم|نمیدانم|خبر ندارم"
    r"|مجھے نہیں معلوم|(?:मुझे )?(?:नहीं (?:पता|मालूम)|पता नहीं)(?: है)?[।]?"
    r"|मैं नहीं जानत[ाी](?: हूँ)?[।]?"
    r"|(?:저는 |나는 |잘 )?(?:모르겠습니다|모르겠어요|모르겠네요|모릅니다|몰라요|몰라|모르겠다)"
    r"|(?:정보가|답이) 없습니다|알 수 없(?:습니다|음|어요)"
    r"|(?:tôi |mình )?không (?:biết|rõ|có thông tin)|(?:saya |aku )?tidak (?:tahu|mengetahui)"
    r"|tak tahu|(?:ฉัน|ผม)?ไม่(?:ทราบ|รู้)(?:ครับ|ค่ะ|คะ)?"
)
_SORRY = (
    r"(?:(?:sorry|przepraszam|niestety|scusa|mi dispiace|desculpe|lo siento|désolée?|tyvärr"
    r"|desværre"
    r"|beklager|bohužel|на жаль|вибачте|üzgünüm|죄송합니다만?|죄송하지만|maaf|xin lỗi|συγγνώμη"
    r"|helaas"
    r"|purtroppo|infelizmente)[,.]? )?"
)
DONT_KNOW = opening(
    rf"{_SORRY}(?:"
    r"(?:i )?(?:don't|do not|dont) know|i have no idea|no idea|not known|unknown|n/a"
    r"|n\. ?a\.?|na|(?:i'm )?not sure|idk|(?:i )?dunno|beats me|no answer"
    r"|who knows\??|[-–—]+|[?？]+|\.\.\.|…"
    r"|(?:i )?(?:cannot|can't|can not|am unable to|unable to) (?:determine|answer|say|tell)"
    r"(?: (?:that|this|it|the question|this question))?"
    r"|(?:i )?(?:(?:don't|do not) have )?(?:no|not enough|enough|insufficient) (?:information|data)"
    r"(?: available| to (?:answer|determine|say)(?: (?:that|this|it))?)?"
    r"|(?:(?:the )?answer is )?not available|it cannot be (?:determined|answered)"
    r"|je n'en sais rien|aucune idée|ni idea|no (?:lo )?encuentro|je ne trouve pas"
    r"|(?:我也?)?说不准|资料里没写|(?:das )?wei(?:ß|ss) ich (?:leider )?nicht"
    r"|ich wei(?:ß|ss) (?:es |das )?(?:leider )?nicht|wei(?:ß|ss) nicht|keine ahnung"
    r"|unbekannt|(?:je )?(?:ne )?sais pas|je l'ignore|inconnu|no (?:lo )?sé|desconocido"
    r"|(?:я )?(?:этого )?не знаю|без понятия|неизвестно"
    r"|我?不知道|不清楚|不详|未知|(?:分|わ)かりません|知りません|知らない(?:です)?|知らん"
    r"|不明(?:です)?"
    r"|لا (?:أعرف|أعلم|أدري|اعرف|اعلم|ادري)|غير معروف"
    rf"|{_OTHERS}){END}"
)
