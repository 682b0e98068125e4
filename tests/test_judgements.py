"""Claims are kept by sentence: each judgement is asked for once, whatever text it stands in."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, JudgeError, MetricResult, Settings, VerdictMissing
from pytest_ragassert.language.sentences import sentence_texts
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS, sentences_of
from pytest_ragassert.steps.step import Step

from .conftest import MakeSettings
from .judged_runs import measured_in_run, results_of
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case, in_new_run


class Extracted(Metric):
    """Only extracts; what was replied stands in the details."""

    name = "extracted"
    asks_only = True

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        history = {"history": case.history} if case.history else {}
        input = {"text": case.answer, **history, "question": case.question}
        reply = await ask("extract_claims", input)
        return MetricResult(metric=self.name, score=1.0, details=reply)


class BySentence:
    """Says of each sentence what a judgement depends on, and of some sentences twice as much.

    Attributes:
        judged: what was asked of it, each time that it was.
        refused: raises where a sentence that holds it is asked for.
    """

    id = "by-sentence"

    def __init__(self) -> None:
        self.judged: list[tuple[Any, ...]] = []
        self.messages: list[Json] = []
        self.refused: str | None = None

    def run(self, step: Step, input: Json) -> str:
        self.messages.append(input)
        texts = {one["id"]: one["text"] for one in input["sentences"]}
        claims = []
        for id in input.get("only", texts):
            before = tuple(texts[one] for one in (id - 2, id - 1) if one in texts)
            heads = [one for one, text in texts.items() if one < id and text.startswith("#")]
            heading = texts[heads[-1]] if heads and not texts[id].startswith("#") else None
            if self.refused is not None and self.refused in texts[id]:
                raise ValueError(f"nothing is said of {self.refused}")
            self.judged.append((input["question"], before, heading, texts[id]))
            said = f"{texts[id]} after {before} under {heading} for {input['question']}"
            claims += [{"sentence": id, "text": f"{n}: {said}"} for n in range(len(texts[id]) % 3)]
        return json.dumps({"claims": claims})


class Judging:
    """Runs, one after the other, with a store or without, and the judge that they ask."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.judge = BySentence()
        self._settings = Settings(judge="mine", cache_dir=folder, **options)

    def run(self, *cases: EvalCase) -> list[Any]:
        """What a run of its own makes of the cases: results, or errors."""
        made = [Extracted()]
        return results_of(
            measured_in_run(self._settings, self.judge, "extracted", cases, metrics=made)
        )


@pytest.fixture
def judging(tmp_path: Path) -> Judging:
    return Judging(tmp_path / "store")


def of(answer: str, question: str = "Why?", **fields: Any) -> EvalCase:
    return EvalCase(id="c", question=question, answer=answer, **fields)


FAITHFUL = ["faithfulness"]
TEN = [f"Tram number {n} is yellow." for n in range(10)]
SENTENCES = ["The tram runs.", "It is late.", "A bus stops here.", "Nobody waits.", "Rain fell."]
HEADINGS = ["# Trams", "# Buses"]


@st.composite
def edits(draw: st.DrawFn) -> list[str]:
    """A text and what became of it, line by line."""
    lines = draw(st.lists(st.sampled_from([*SENTENCES, *HEADINGS]), min_size=1, max_size=7))
    texts = ["\n".join(lines)]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(lines)))
        lines[place : place + draw(st.integers(0, 1))] = draw(
            st.lists(st.sampled_from([*SENTENCES, *HEADINGS]), max_size=2)
        )
        texts.append("\n".join(lines) or "The tram runs.")
        lines = texts[-1].split("\n")
    return texts


def asked_whole(text: str, judge: BySentence, budget: int = 12_000) -> Json:
    """The reply to the whole text, where nothing is known."""
    input = {"text": text, "question": "Why?"}
    messages = EXTRACT_CLAIMS.messages(input, budget)
    replies = [
        EXTRACT_CLAIMS.read(one, json.loads(judge.run(EXTRACT_CLAIMS, one))).reply
        for one in messages
    ]
    return EXTRACT_CLAIMS.merged(input, replies)


@examples(max_examples=20)
@given(edits(), st.booleans())
def test_what_is_assembled_is_what_the_whole_text_gives(texts: list[str], together: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        judging = Judging(Path(folder, "store"))
        cases = [of(text) for text in texts]
        found = judging.run(*cases) if together else [judging.run(one)[0] for one in cases]
    for text, result in zip(texts, found, strict=True):
        assert result.details == asked_whole(text, BySentence())
    # no judgement twice
    assert max(Counter(judging.judge.judged).values()) == 1


@given(edits(), st.integers(20, 80), st.data())
def test_each_message_shows_what_its_sentences_depend_on(
    texts: list[str], budget: int, data: st.DataObject
) -> None:
    text = texts[-1]
    sentences = sentences_of(text)
    judge = BySentence()
    wanted = data.draw(st.sets(st.integers(0, len(sentences) - 1), min_size=1).map(sorted))
    input = EXTRACT_CLAIMS.narrowed({"text": text, "question": "Why?"}, wanted)
    messages = EXTRACT_CLAIMS.messages(input, budget)
    asked = [id for one in messages for id in one.get("only", map(id_of, one["sentences"]))]
    assert asked == [place + 1 for place in wanted]
    for message in messages:
        cost = sum(estimated_tokens(one["text"]) for one in message["sentences"])
        assert cost <= max(20, budget) or len(message["sentences"]) == 1
        judge.run(EXTRACT_CLAIMS, message)
    if budget >= 60:
        # four sentences fit, so that none is told without what it depends on
        whole = BySentence()
        asked_whole(text, whole)
        assert judge.judged == [whole.judged[place] for place in wanted]


def id_of(sentence: Json) -> int:
    return int(sentence["id"])


def changed(sentences: Sequence[str], place: int, by: str) -> str:
    return " ".join([*sentences[:place], by, *sentences[place + 1 :]])


def asked_again(
    judge: LoopbackJudge, settings: MakeSettings, before: EvalCase, after: EvalCase
) -> tuple[Json, MetricResult]:
    """The one message about claims, and the result, where a stored case was edited."""
    in_new_run(before, FAITHFUL, settings())
    judge.reset()
    result = in_new_run(after, FAITHFUL, settings())["faithfulness"]
    (request,) = [one for one in judge.requests if one.step == "extract_claims"]
    assert not result.stored
    return request.data, result


@pytest.mark.parametrize(
    ("place", "only"),
    [(0, [1, 2, 3]), (4, [5, 6, 7]), (8, [9, 10]), (9, [10])],
    ids=["first", "middle", "last but one", "last"],
)
def test_one_changed_sentence_of_ten_asks_for_it_and_its_two_followers(
    judge: LoopbackJudge, settings: MakeSettings, place: int, only: list[int]
) -> None:
    edited = changed(TEN, place, f"Tram number {place} is green.")
    message, result = asked_again(judge, settings, case(answer=" ".join(TEN)), case(answer=edited))
    assert list(message) == ["question", "sentences", "only"]
    assert [one["id"] for one in message["sentences"]] == list(range(1, 11))
    assert " ".join(one["text"] for one in message["sentences"]) == edited
    assert message["only"] == only
    # with the verdicts on the claims
    assert result.requests == judge.count() == 2
    assert [claim.text for claim in result.claims] == sentence_texts(edited)


def test_a_changed_heading_asks_for_all_that_stands_under_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    below = "\n".join([" ".join(TEN[:5]), "# Buses", *TEN[5:8]])
    message, result = asked_again(
        judge, settings, case(answer=f"# Trams\n{below}"), case(answer=f"# Trains\n{below}")
    )
    texts = {one["id"]: one["text"] for one in message["sentences"]}
    assert list(texts.values()) == ["# Trains", *TEN[:5], "# Buses", *TEN[5:8]]
    # of those under the other heading none, though two stand before it
    assert [texts[id] for id in message["only"]] == ["# Trains", *TEN[:5]]
    assert [claim.text for claim in result.claims] == list(texts.values())


@pytest.mark.parametrize("turns", [[], [{"role": "user", "content": "Which trams are there?"}]])
def test_a_changed_history_asks_for_all(
    judge: LoopbackJudge, settings: MakeSettings, turns: list[dict[str, str]]
) -> None:
    said = [{"role": "user", "content": "Hello"}]
    answer = " ".join(TEN)
    message, _ = asked_again(
        judge, settings, case(answer=answer, history=said), case(answer=answer, history=turns)
    )
    assert message.get("history", []) == turns
    assert len(message["sentences"]) == 10
    assert "only" not in message


def test_what_a_reply_says_of_sentences_that_were_not_asked_for_is_passed_over(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    """And it is not stored in place of what was said of them before."""

    def strays(recorded: Recorded) -> str:
        claims = [
            {"sentence": one["id"], "text": f"stray {one['id']}"}
            for one in recorded.data["sentences"]
        ]
        return json.dumps({"claims": claims})

    in_new_run(case(answer=" ".join(TEN)), FAITHFUL, settings())
    judge.on("extract_claims", strays)
    edited = case(answer=changed(TEN, 4, "Tram number 4 is green."))
    claims = [*TEN[:4], "stray 5", "stray 6", "stray 7", *TEN[7:]]
    for _ in range(2):
        result = in_new_run(edited, FAITHFUL, settings())["faithfulness"]
        assert [claim.text for claim in result.claims] == claims
    assert result.stored
    former = in_new_run(case(answer=" ".join(TEN)), FAITHFUL, settings())["faithfulness"]
    assert [claim.text for claim in former.claims] == TEN


def test_the_same_sentences_cost_nothing_whatever_stands_between_them(judging: Judging) -> None:
    judging.run(of("The tram runs. It is late.\nA bus stops here."))
    (again,) = judging.run(of("The tram runs.   It is late.\n\nA bus stops here."))
    assert (again.requests, again.stored, len(judging.judge.messages)) == (0, True, 1)
    spans = [(one["start"], one["end"]) for one in again.details["sentences"]]
    assert spans == [(0, 14), (17, 28), (30, 47)]
    # the beginning of a text too
    (again,) = judging.run(of("The tram runs. It is late."))
    assert again.stored


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "When?"},
        {"history": [{"role": "user", "content": "Hello"}]},
        {"answer": "# Buses\nThe tram runs. It is late. A bus stops here."},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_another_question_history_or_heading_is_asked_anew(
    judging: Judging, fields: dict[str, Any]
) -> None:
    answer = "# Trams\nThe tram runs. It is late. A bus stops here."
    judging.run(of(answer))
    judging.run(of(**{"answer": answer, **fields}))
    assert "only" not in judging.judge.messages[1]


def test_a_sentence_that_comes_twice_is_asked_once_and_counts_twice(judging: Judging) -> None:
    # the fourth stands after the same two as the third
    (result,) = judging.run(of("Rain fell. " * 4))
    assert judging.judge.messages[0]["only"] == [1, 2, 3]
    ids = [claim["sentence"] for claim in result.details["claims"]]
    assert ids == [1, 2, 3, 4]
    assert (result.requests, result.stored) == (1, False)


def test_a_failure_is_that_of_what_was_asked_together(judging: Judging) -> None:
    known, first, second = "The tram runs.", "It is late.", "A bus stops here."
    judging.run(of(known))
    judging.judge.refused = "stops"
    both, again, shorter = judging.run(
        of(f"{known} {first} {second}"), of(f"{known} {first} {second}"), of(f"{known} {first}")
    )
    assert isinstance(both, JudgeError)
    assert str(again) == str(both)
    # one of the two can be had, where it is not asked for with the other
    assert (shorter.requests, len(shorter.details["claims"])) == (1, 4)
    wanted = [message.get("only") for message in judging.judge.messages]
    assert wanted == [None, [2, 3], [2]]
    judging.judge.refused = None
    (after,) = judging.run(of(f"{known} {first} {second}"))
    assert judging.judge.messages[-1]["only"] == [3]
    assert after.requests == 1


def test_what_a_judge_says_of_other_sentences_is_passed_over() -> None:
    sentences = [{"id": id, "text": text} for id, text in enumerate(SENTENCES, start=1)]
    message = {"question": None, "sentences": sentences, "only": [3, 5]}
    said = [{"sentence": id, "text": f"of {id}"} for id in (1, 3, 4, 5)]
    reply = EXTRACT_CLAIMS.read(message, {"claims": said}).reply
    assert reply == {"claims": [said[1], said[3]]}
    assert EXTRACT_CLAIMS.answers(message, reply)
    assert not EXTRACT_CLAIMS.answers(message, {"claims": said})
    # nothing of what was asked for is an answer, where something was said at all
    assert EXTRACT_CLAIMS.read(message, {"claims": said[:1]}).reply == {"claims": []}
    # one without its sentence is one of those that were asked for
    plain = EXTRACT_CLAIMS.read(message, ["It is late", "Rain fell"]).reply
    assert [claim["sentence"] for claim in plain["claims"]] == [3, 5]


def test_a_message_that_is_too_long_is_cut_down_to_its_sentences() -> None:
    sentences = [{"id": id, "text": text} for id, text in enumerate(TEN, start=1)]
    message = {"question": None, "sentences": sentences, "only": [1, 8, 9]}
    cut = EXTRACT_CLAIMS.shorter(message)
    assert cut is not None
    shown = [([one["id"] for one in part["sentences"]], part.get("only")) for part in cut]
    assert shown == [([1], None), ([6, 7, 8, 9], [8, 9])]
    assert EXTRACT_CLAIMS.shorter(cut[0]) is None
    seven, eight = EXTRACT_CLAIMS.shorter(cut[1]) or ()
    assert [one["id"] for one in eight["sentences"]] == [7, 8, 9]
    (alone,) = EXTRACT_CLAIMS.shorter(eight) or ()
    assert [one["id"] for one in alone["sentences"]] == [9]
    assert EXTRACT_CLAIMS.halves(seven) is None
    assert EXTRACT_CLAIMS.halves(message) == (
        {**message, "only": [1]},
        {**message, "only": [8, 9]},
    )


def test_a_replay_names_the_sentence_that_is_missing(tmp_path: Path) -> None:
    judging = Judging(tmp_path / "store")
    judging.run(of(" ".join(TEN)))
    replay = Judging(tmp_path / "store", record_mode="none")
    (error,) = replay.run(of(changed(TEN, 9, "Tram number 9 is green.")))
    assert isinstance(error, VerdictMissing)
    assert error.question is not None
    (missing,) = error.question["missing"]
    assert missing["about"] == "Tram number 9 is green."
    assert len(error.question["known"]["extract_claims"]) == 9
    assert replay.judge.messages == []
