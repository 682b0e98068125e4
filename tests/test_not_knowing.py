"""Answers that only say that they do not know, and those that begin so and go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.judging.judges.offline.claim_extraction import claims_in
from pytest_ragassert.judging.judges.offline.text_comparison import is_dont_know
from pytest_ragassert.language.phrases.not_knowing import looks_unknowing, says_only_dont_know

from .test_phrases import rows

QUESTIONS = {
    "en": "How often does the tram stop at Orrin?",
    "de": "Wie oft hält die Bahn in Orrin?",
    "ru": "Как часто трамвай останавливается в Оррине?",
    "zh": "电车多久停一次？",
    "fr": "À quelle fréquence passe le tram ?",
    "es": "¿Con qué frecuencia pasa el tranvía?",
    "ja": "電車は何分ごとに来ますか？",
    "ar": "كم مرة يمر الترام؟",
}


@pytest.mark.parametrize(
    ("code", "text"),
    rows(
        en="""I don't know how often the tram stops. / I really don't know, sorry. / No clue. / idk
            I'm afraid I don't know. / I haven't the faintest idea. / Beats me. / N.A. / - / ?
            Answer: I don't know. / "I don't know." / **I don't know.** / I dont know / No answer
            There isn't enough information in the context. / The answer is not in the text.
            Based on the provided context, I cannot determine how often the tram stops.
            I don't know. The documents do not say. / I'm not sure how often it stops at Orrin.
            Information not found. / - I don't know.
            It is not stated how often the tram stops.""",
        de="""Das weiss ich nicht. / Weiß ich nicht, sorry. / Keine Ahnung, tut mir leid.
            Das geht aus den Dokumenten nicht hervor. / Dazu steht nichts im Text.
            Ich weiß nicht, wie oft die Bahn hält. / Da bin ich überfragt. / Antwort: Keine Ahnung.
            Die Frage lässt sich nicht beantworten. / Ich weiß die Antwort nicht.""",
        ru="""Понятия не имею. / Затрудняюсь ответить. / Ответа в тексте нет. / Трудно сказать.
            Не знаю, извините. / Не знаю, как часто останавливается трамвай. / Ответ не найден.
            Об этом в документах ничего нет. / Ответ: не знаю. / Недостаточно информации.""",
        zh="""我找不到相关信息。 / 无从得知。 / 这个问题我回答不了。 / 答案：我不知道。
            我不知道，抱歉。
            信息不足，无法回答。 / 文档里没有答案。 / 我不知道电车多久停一次。""",
        fr="""Je n'en ai aucune idée. / Je ne suis pas en mesure de répondre à cette question.
            Je ne sais pas, désolé. / La réponse ne figure pas dans les documents.
            Je ne sais pas à quelle fréquence passe le tram. / Je ne connais pas la réponse.""",
        es="""No sé con qué frecuencia pasa el tranvía. / No tengo ni idea. / No lo sé, lo siento.
            La respuesta no está en los documentos. / Desconozco la respuesta.
            No puedo responder a esa pregunta. / No hay suficiente información.""",
        ja="""存じ上げません。 / 知らない。 / 見当もつきません。 / 回答できません。 / 記載なし
            答えは文書にありません。""",
        ar="""لم أجد الإجابة في المستندات. / للأسف، لا أملك هذه المعلومة. / لا أعلم، آسف.
            لا أعرف كم مرة يمر الترام. / لم يُذكر ذلك في النص. / الإجابة: لا أعرف.""",
        pl="Nie wiem. / Nie mam pojęcia. / Niestety, nie wiem.",
        tr="Bilmiyorum. / Hiçbir fikrim yok.",
        ko="모르겠습니다. / 죄송합니다, 모릅니다.",
        hi="मुझे नहीं पता।",
        el="Δεν ξέρω.",
        sv="Jag vet inte. / Det vet jag inte.",
        vi="Tôi không biết.",
        it="Non ne ho idea.",
        pt="Não sei.",
        nl="Geen idee.",
        cs="Nevím.",
        uk="Гадки не маю.",
    ),
)
def test_not_knowing_is_surely_told(code: str, text: str) -> None:
    assert says_only_dont_know(text, QUESTIONS.get(code, QUESTIONS["en"]))
    assert is_dont_know(text)
    assert claims_in(text) == []


@pytest.mark.parametrize(
    ("code", "row"),
    rows(
        en="""I can't confirm 40 minutes; it is 45 minutes. > it is 45 minutes.
            I have no idea who told you that, dogs are allowed. > dogs are allowed.
            I'm not sure about May; in June it stops hourly. > in June it stops hourly.
            I can't find anything but every 9 minutes. > every 9 minutes.
            I don't know if you care, it stops every 9 minutes. > it stops every 9 minutes.
            The text does not say 'hourly' but 'every 9 minutes'. > 'every 9 minutes'.
            The text does not say 5 minutes, it says 9 minutes. > it says 9 minutes.
            I hope this helps: every 9 minutes. > every 9 minutes.
            As an AI, I read the plan: it stops every 9 minutes. > it stops every 9 minutes.
            Let me know when you go, the tram is red. > the tram is red.
            I'm not sure but I think every 9 minutes. > I think every 9 minutes.
            I have no records of more than one tram per hour.
            I don't have the slightest doubt that it stops every 9 minutes.
            I can't help noticing that the tram is red.
            I will not lie: every 9 minutes.
            I don't know (it stops every 9 minutes). > it stops every 9 minutes.""",
        de="""Ich weiß nicht, ob das hilft, sie hält alle 9 Minuten. > sie hält alle 9 Minuten.
            Die Dokumente sagen nicht stündlich, sondern alle 9 Minuten. > alle 9 Minuten.
            Ich weiß nicht, wer das sagt, Hunde sind erlaubt. > Hunde sind erlaubt.
            Es gibt keine Angaben zum Mai, im Juni alle 9 Minuten. > im Juni alle 9 Minuten.""",
        ru="""Не знаю, кто так сказал, собак пускают. > собак пускают.
            Не могу сказать, что часто: каждые 9 минут. > каждые 9 минут.""",
        zh="""文档没有提到每小时，而是每9分钟一班。 > 每9分钟一班。
            我不确定，大概每9分钟一班。 > 大概每9分钟一班。""",
        fr="""Je ne sais pas qui a dit ça, les chiens sont admis. > les chiens sont admis.
            Le texte ne mentionne pas l'hiver ; l'été, toutes les 9 minutes.""",
        es="""No sé quién lo dijo, los perros están permitidos. > los perros están permitidos.
            Los textos no dicen cada hora, sino cada 9 minutos. > cada 9 minutos.""",
        ja="冬の情報はありませんが9分ごとです。 > 9分ごとです。",
        ar="""الوثائق لا تذكر الشتاء؛ في الصيف كل 9 دقائق. > في الصيف كل 9 دقائق.""",
    ),
)
def test_what_follows_not_knowing_is_said(code: str, row: str) -> None:
    text, _, rest = row.partition(" > ")
    assert not says_only_dont_know(text, QUESTIONS[code])
    assert not is_dont_know(text)
    if code in ("en", "de", "ru", "zh", "ja", "ar"):  # others are too short to be told apart
        assert claims_in(text) == [rest or text]
    else:
        assert claims_in(text)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are dogs allowed?", "I don't know, dogs are allowed."),
        ("Are dogs allowed?", "No. I don't know who asked."),
        ("Does the text mention dogs?", "The text does not mention dogs."),
        ("Is there a guide available?", "Not available."),
        ("How often?", "I don't know, hourly."),
        ("How often?", "I cannot say that it is rare."),
        ("Wird im Text ein Hund erwähnt?", "Das wird im Text nicht erwähnt."),
        ("How often?", "The documents do not mention the winter."),
    ],
)
def test_doubt_is_no_verdict(question: str, answer: str) -> None:
    assert not says_only_dont_know(answer, question)


@pytest.mark.parametrize(
    "text",
    [
        "The documents do not mention fares, times, or whether dogs are allowed.",
        "I have no information on fares for 2030, 2031 and 2032.",
        "I don't know whether dogs, cats and bikes are allowed.",
        "The context does not say when it stops, where it stops or what it costs.",
        "Ich weiß nicht, ob Hunde, Katzen und Räder erlaubt sind.",
        "I couldn't find that in the documents, so I can't answer.",
    ],
)
def test_long_lists_of_what_is_not_known_say_nothing(text: str) -> None:
    assert looks_unknowing(text)
    assert claims_in(text) == []


OPENINGS = """I don't know / I have no idea / I'm not sure / I can't say / I couldn't find that
    The documents do not say / No information is available / I cannot answer this question
    I don't have enough information / There is no mention of it / Beats me / As an AI, I can't tell
    It is not mentioned in the text / I hope this helps / I apologize / Let me know / Not sure"""


@given(
    st.sampled_from([text for _, text in rows(en=OPENINGS)]),
    st.sampled_from([", ", "; ", ": ", " — ", ", but ", " but ", ". ", " - "]),
    st.sampled_from(["it stops every {} minutes", "every {} minutes", "the tram needs {} minutes"]),
    st.integers(2, 10_000),
)
def test_an_appended_fact_is_never_overlooked(opening: str, mark: str, fact: str, n: int) -> None:
    text = f"{opening}{mark}{fact.format(n)}."
    assert not says_only_dont_know(text, QUESTIONS["en"])
    assert not is_dont_know(text)
    assert any(str(n) in claim for claim in claims_in(text))
