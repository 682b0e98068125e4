"""Whether a text is in a language, and whether two texts are in the same one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.language.language_names import language_code
from pytest_ragassert.language.same_language import is_language, same_language

# By language: questions, and a passage.
TEXTS = {
    "en": [
        "How much does it cost to take a dog on the Skarn ferry?",
        "Which pier do the night ferries leave from?",
        "Who may travel free?",
        "what time does boarding end",
        "The ferry runs every hour. Children under six travel free, and dogs need a ticket.",
    ],
    "de": [
        "Was kostet ein Hund auf der Skarn-Fähre?",
        "Wann öffnet die Kasse?",
        "Wie lange dauert die Überfahrt?",
        "welche kabine hat ein fenster",
        "Wer fährt umsonst?",
        "Die Fähre fährt stündlich. Kinder unter sechs Jahren fahren umsonst mit.",
    ],
    "fr": [
        "Combien coûte un chien sur le ferry de Skarn ?",
        "Quand ferme le guichet ?",
        "Qui peut voyager sans billet ?",
        "Le ferry part toutes les heures. Les enfants de moins de six ans voyagent gratuitement.",
    ],
    "es": [
        "¿Cuánto cuesta un perro en el ferri?",
        "Cuándo cierra la taquilla del puerto",
        "El ferri sale cada hora. Los niños menores de seis años viajan gratis con sus padres.",
    ],
    "it": [
        "Quanto costa un cane sul traghetto?",
        "Quando chiude la biglietteria del porto?",
        "I cani sono ammessi a bordo?",
        "Il traghetto parte ogni ora. I bambini sotto i sei anni non pagano il biglietto.",
    ],
    "nl": [
        "Wat kost een hond op de veerboot?",
        "Hoe laat sluit het loket?",
        "De veerboot vaart elk uur. Kinderen tot zes jaar reizen gratis met hun ouders mee.",
    ],
    "pt": [
        "Quanto custa um cão no ferry?",
        "A que horas fecha a bilheteira do porto?",
        "O ferry parte a cada hora. As crianças com menos de seis anos não pagam bilhete.",
    ],
    "ru": [
        "Сколько стоит билет?",
        "Когда закрывается касса?",
        "Паром ходит каждый час. Дети до шести лет ездят бесплатно.",
    ],
    "zh": ["船票多少钱？", "斯卡恩渡轮几点开？", "渡轮每小时一班。六岁以下的儿童免费乘船。"],
    "ja": ["切符はいくらですか？", "船は一時間ごとに出ます。六歳未満の子供は無料です。"],
    "ko": ["표는 얼마입니까?", "여객선은 매시간 출발합니다."],
    "ar": ["كم سعر التذكرة؟", "تغادر العبارة كل ساعة."],
    "el": ["Πόσο κοστίζει το εισιτήριο;", "Το πλοίο φεύγει κάθε ώρα."],
    "he": ["כמה עולה כרטיס?", "המעבורת יוצאת בכל שעה."],
    "th": ["ตั๋วราคาเท่าไร", "เรือออกทุกชั่วโมง"],
    "hi": ["टिकट कितने का है?", "नाव हर घंटे चलती है।"],
    "uk": [
        "Скільки коштує квиток?",
        "Пором ходить щогодини. Діти до шести років їздять безкоштовно.",
    ],
}
NAMED = {
    "en": ["en", "en-GB", "English", "british english", "eng"],
    "de": ["de", "de-AT", "German", "Deutsch", "deutsch ", "DE", "de_DE.UTF-8", "Swiss German"],
    "fr": ["fr", "French", "Français", "fr-CA"],
    "es": ["es", "Spanish", "español", "es-419"],
    "it": ["it", "Italian", "Italiano"],
    "nl": ["nl", "Dutch", "Nederlands", "Flemish"],
    "pt": ["pt", "pt-BR", "Brazilian Portuguese", "Portuguese (Brazil)", "Português"],
    "ru": ["ru", "Russian", "русский", "Русский"],
    "zh": ["zh", "zh-Hans", "Chinese", "Simplified Chinese", "中文", "Chinese (Traditional)"],
    "ja": ["ja", "Japanese", "日本語"],
    "ko": ["ko", "Korean", "한국어"],
    "ar": ["ar", "Arabic", "العربية"],
    "el": ["el", "Greek", "Modern Greek", "Ελληνικά"],
    "he": ["he", "Hebrew", "עברית"],
    "th": ["th", "Thai"],
    "hi": ["hi", "Hindi"],
    "uk": ["uk", "Ukrainian", "українська"],
}
EACH = [(code, text) for code, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize(("code", "tag"), [(code, tag) for code in NAMED for tag in NAMED[code]])
def test_a_language_has_tags_and_names(code: str, tag: str) -> None:
    assert language_code(tag) == code
    assert all(is_language(text, tag) is True for text in TEXTS[code])


@pytest.mark.parametrize("tag", ["", "tlh", "Klingon", "!", "x-private", "best of all"])
def test_an_unknown_language_can_not_be_told(tag: str) -> None:
    assert language_code(tag) is None
    assert all(is_language(text, tag) is None for _, text in EACH)


@pytest.mark.parametrize(("code", "text"), EACH)
def test_a_text_is_in_no_other_language(code: str, text: str) -> None:
    unsure = {"ru": {"uk"}}.get(code, set())
    for other in TEXTS.keys() - {code}:
        wanted = (False, None) if other in unsure else (False,)
        assert is_language(text, other) in wanted, other


@pytest.mark.parametrize(("code", "text"), EACH)
def test_two_texts_are_in_the_same_language_or_not(code: str, text: str) -> None:
    for other, texts in TEXTS.items():
        for one in texts:
            same = same_language(text, one)
            assert same is same_language(one, text)
            if {code, other} == {"ru", "uk"}:
                assert same is not True
            else:
                assert same is (code == other), one


@pytest.mark.parametrize("text", ["", " ", "7", "12:30", "OK?", "€ 5", "—"])
def test_too_little_text_has_no_language(text: str) -> None:
    assert is_language(text, "en") is None
    assert same_language(text, "How much does a ticket cost?") is None
    assert same_language(text, text) is None


def test_words_that_no_language_explains_have_only_a_script() -> None:
    name = "Skarn Pagemaker Xylophon"
    for code in ("en", "de", "pl", "tr"):
        assert is_language(name, code) is None
    for code in ("ru", "zh", "el"):
        assert is_language(name, code) is False
    assert same_language(name, "Wie lange dauert die Überfahrt?") is None
    assert same_language(name, name) is None
    assert same_language(name, "Сколько стоит билет?") is False


def test_languages_that_are_not_told_apart() -> None:
    for code in ("pl", "sv", "cs", "tr", "vi"):
        assert is_language("How much does a ticket for the ferry cost?", code) is None
        assert is_language("Сколько стоит билет?", code) is False
    assert is_language("Сколько стоит билет?", "bg") is None
    assert is_language("Почему закрыты кассы?", "kk") is None
    # "a", "do" and "i" are English words too
    for code in ("pl", "en"):
        assert is_language("Jaki bilet do Holm, a i do Skarn?", code) is None
    assert is_language("قیمت بلیط چند است؟ پنج یورو", "fa") is True
    assert is_language("قیمت بلیط چند است؟ پنج یورو", "ar") is False


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "be",
            "Колькі каштуе білет? Паром ходзіць штогадзіны, дзеці ездзяць бясплатна, вы ведаеце?",
        ),
        ("be", "Ці ёсць у параме каюты?"),
        ("kk", "Билет қанша тұрады?"),
        ("sr", "Где се купује карта за ноћни брод?"),
        ("mk", "Колку чини ноќниот брод?"),
        ("ur", "ٹکٹ کی قیمت کیا ہے؟"),
    ],
)
def test_letters_of_its_own_show_a_language(code: str, text: str) -> None:
    assert is_language(text, code) is True
    for other in ("ru", "ar", "en"):
        assert is_language(text, other) is False


def test_a_name_in_another_script_changes_nothing() -> None:
    assert is_language("What does the name 斯卡恩 of the ferry mean in English?", "en") is True
    assert is_language("渡轮 Skarn 几点从霍尔姆港出发？", "zh") is True


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=12))
def test_any_texts_can_be_compared(a: str, b: str, tag: str) -> None:
    assert same_language(a, b) is same_language(b, a)
    assert same_language(a, a) is not False
    assert is_language(a, tag) in (True, False, None)
    if language_code(tag) is None:
        assert is_language(a, tag) is None
