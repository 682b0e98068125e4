"""What the application knows of languages: how to tell them, and which words to search for."""

from __future__ import annotations

import re

DONT_KNOW = {
    "en": "I don't know.",
    "de": "Das weiß ich nicht.",
    "ru": "Я не знаю.",
    "zh": "我不知道。",
}
# They ask, and say nothing of what is asked for.
_STOP_WORDS = {
    "en": """a an and are as at be bring by can could did do does for from get has have how i if in
        is it long many may me much must my of off on or our should so that the their there they
        this to up was we what when where which who why will with you your""",
    "de": """aber als am an auch auf aus bei bis da darf das dem den der des die dort ein eine
        einem einen einer es für gibt hat ich ihr im in ist kann kein keine man mein mich mir mit
        muss nach nicht oder sich sie sind um und viel viele von vom wann warum was wer welche
        welcher wie wir wo zu zum zur""",
    "ru": """а без бы в вам вы где для до ему если есть ещё и из или их к как какая какие какой
        когда кто куда ли меня мне можно мы на надо не но о от по почему при с сколько так там то у
        это я""",
    "zh": """什么 多少 几点 几个 多久 怎么 哪里 可以 能不能 有没有 是不是 请问 我们 吗 呢 的 是 了
        我 在 有 能""",
}
_STOP_WORDS_OF = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
_CHINESE_STOP_WORD = re.compile("|".join(_STOP_WORDS["zh"].split()))
_HAN = "[\u4e00-\u9fff]"
# Inflected endings are cut off down to this length. English has its stemmer in the index.
_SHORTEST_STEM = {"de": 4, "ru": 3}


def language_of(question: str) -> str:
    """`zh` and `ru` by their script, `de` and `en` by their frequent words."""
    if re.search(_HAN, question):
        return "zh"
    if re.search("[а-яё]", question.lower()):
        return "ru"
    words = re.findall(r"\w+", question.lower())
    counts = {name: sum(w in _STOP_WORDS_OF[name] for w in words) for name in ("en", "de")}
    return "de" if counts["de"] > counts["en"] else "en"


def search_terms(question: str) -> list[str]:
    """The question's words as terms of an FTS5 query, each once."""
    language = language_of(question)
    if language == "zh":
        return _chinese_terms(question)
    words = re.findall(r"\w\w+", question.lower())
    terms = []
    for word in dict.fromkeys(words):
        if word in _STOP_WORDS_OF[language]:
            continue
        shortest = _SHORTEST_STEM.get(language)
        terms.append(f'"{word[: max(shortest, len(word) - 2)]}"*' if shortest else f'"{word}"')
    return terms


def _chinese_terms(question: str) -> list[str]:
    """Chinese writes no spaces: each two neighbouring characters are a phrase, and each number."""
    pairs = []
    for run in re.findall(rf"{_HAN}+|\w+", _CHINESE_STOP_WORD.sub(" ", question)):
        if re.match(_HAN, run):
            pairs += [f'"{" ".join(run[at : at + 2])}"' for at in range(max(1, len(run) - 1))]
        else:
            pairs.append(f'"{run}"')
    return list(dict.fromkeys(pairs))


def spaced(text: str) -> str:
    """The text as it is indexed: each Chinese character is a word."""
    return re.sub(f"({_HAN})", r" \1 ", text)
