"""What the session's section counts: each measurement of each test once, however it was run."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import FAILING, Project, new_project, section, table

project = pytest.fixture(new_project)


def counted(result: pytest.RunResult) -> tuple[int, int]:
    """Faithfulness' n and how many are below."""
    (line,) = [line for line in section(result) if line.startswith("faithfulness ")]
    parts = line.split()
    return int(parts[1]), int(parts[4])


def judgements(result: pytest.RunResult) -> str:
    (line,) = [line for line in section(result) if line.startswith("judgements: ")]
    return line.partition(";")[0]


def test_reruns_count_once(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("pytest_rerunfailures")
    project.test(
        """
        import pytest
        from ferry import BAD, GOOD, case
        from pytest_ragassert import assert_faithful

        tries = []

        def test_flaky():
            tries.append(1)
            assert_faithful(case("other"), min=0)
            assert_faithful(case("flaky", BAD if len(tries) < 3 else GOOD))

        def test_bad():
            assert_faithful(case("bad", BAD))

        starts = []

        @pytest.fixture
        def measured_at_first():
            starts.append(1)
            if len(starts) == 1:
                assert_faithful(case("at first"))

        def test_fixture(measured_at_first):
            assert len(starts) == 3
        """
    )
    project.judged_by(judge)
    result = project.run("--reruns=2", use=("rerunfailures",))
    assert result.parseoutcomes() == {"failed": 1, "passed": 2, "rerun": 6}
    assert counted(result) == (3, 1)
    # the failure's table stands once, for the last try
    assert result.outlines.count(table(result)[0]) == 1
    assert judgements(result) == "judgements: 4 asked, 0 stored, 0 carried"


def test_each_worker_running_every_test_counts_once(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    result = project.run("--dist=each", "--tx=2*popen")
    assert result.parseoutcomes() == {"failed": 2, "passed": 2}
    assert counted(result) == (2, 1)
    assert judgements(result) == "judgements: 7 asked, 0 stored, 0 carried (4 requests)"
    assert judge.count() == 4


def test_expected_failures_and_skips(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import RagAssertionError, assert_faithful

        @pytest.mark.xfail(raises=RagAssertionError)
        def test_known():
            assert_faithful(case("known", BAD))

        @pytest.mark.xfail(strict=True)
        def test_better():
            assert_faithful(case("better"))

        @pytest.mark.skip
        def test_skipped():
            assert_faithful(case("skipped"))

        def test_skips_itself():
            assert_faithful(case("before"))
            pytest.skip("enough")

        def test_raises():
            told = "faithfulness 0.00 < 0.80: case raised"
            with pytest.raises(RagAssertionError, match=told) as info:
                assert_faithful(case("raised", BAD))
            assert info.value.result is info.value.results[0]
            assert not info.value.result.passed
        """
    )
    result = project.run("-rA")
    assert result.parseoutcomes() == {"xfailed": 1, "failed": 1, "skipped": 2, "passed": 1}
    result.stdout.fnmatch_lines(["[[]XPASS(strict)[]]*"])
    assert counted(result) == (4, 2)
    assert "INTERNALERROR" not in result.stdout.str()


def test_classes_parameters_fixtures_and_several_assertions(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(
        """
        import pytest
        from ferry import BAD, GOOD, ODD, case
        from pytest_ragassert import assert_factual_recall, assert_faithful, evaluate

        class TestFerry:
            @pytest.mark.parametrize("answer", [GOOD, BAD, ODD])
            def test_answer(self, answer):
                assert_faithful(case("answer", answer), min=0)

        @pytest.fixture
        def checked():
            assert_faithful(case("set-up"))
            yield
            assert_faithful(case("torn-down"))

        def test_between(checked):
            assert_faithful(case("between"))

        @pytest.fixture
        def failing():
            assert_faithful(case("failing", BAD))

        def test_never_runs(failing):
            raise AssertionError

        def test_several():
            one = case("several", GOOD, ground_truth_answer=GOOD + " " + ODD)
            assert_faithful(one)
            assert_faithful(one)  # the same again
            assert_faithful(one, scoring="ratio")
            assert evaluate(one, ["factual_recall"])["factual_recall"].score == 0.5
            assert_factual_recall(one)
            raise AssertionError("not reached")
        """
    )
    project.judged_by(judge)
    result = project.run()
    assert result.parseoutcomes() == {"passed": 4, "failed": 1, "errors": 1}
    # 3 answers, 3 around a test, 1 in a fixture, and 2 of the 3 of one case
    assert counted(result) == (9, 1)
    assert any(line.startswith("factual_recall ") for line in section(result))
    lines = result.outlines
    assert "case failing  How often does the ferry run?" in lines
    assert (
        lines.count(
            "---------------------------------- ragassert -----------------------------------"
        )
        == 2
    )
    assert table(result)[1] == "factual_recall 0.50 < 0.70   2 claims: 1 no evidence, 1 supported"
    assert judge.stats()["duplicates"] == 0


def test_a_case_that_is_asserted_and_evaluated_counts_once(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import RagAssertionError, assert_faithful, evaluate

        def test_evaluated_first():
            evaluate(case("first", BAD), ["faithfulness"])
            assert_faithful(case("first", BAD))

        def test_evaluated_last():
            with pytest.raises(RagAssertionError):
                assert_faithful(case("last", BAD))
            evaluate(case("last", BAD), ["faithfulness"])
        """
    )
    assert counted(project.run()) == (2, 2)


def test_an_answer_counts_once_and_with_its_method(project: Project) -> None:
    project.test(
        """
        from pytest_ragassert import EvalCase, assert_correct, assert_not_evasive, evaluate

        def cases():
            for method, answer in (("dense", "I don't know."), ("bm25", "I don't know.")):
                yield EvalCase(
                    id="price", question="What does it cost?", answer=answer,
                    ground_truth_answer="It costs 5 crowns.", metadata={"method": method},
                )

        def test_methods():
            evaluate(cases(), ["answer_class"])

        def test_again():
            evaluate(cases(), ["answer_class"])
        """
    )
    result = project.run()
    told = section(result)
    assert "answers: 0 correct, 0 wrong, 2 don't know" in told
    for method in ("bm25", "dense"):
        assert f"  method {method}: 0 correct, 0 wrong, 1 don't know" in told
    assert any(line.startswith("answer_class             4 ") for line in told)


def test_an_assertion_in_a_thread_belongs_to_the_test_that_waits_for_it(
    project: Project, judge: LoopbackJudge
) -> None:
    # the other threads come while the first one has the session made
    project.pytester.makeconftest(
        """
        import threading

        def pytest_ragassert_metrics():
            threading.Event().wait(0.05)
            return []
        """
    )
    project.test(
        """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        from ferry import BAD, GOOD, case
        from pytest_ragassert import assert_faithful

        def test_pool():
            begin = threading.Barrier(8)

            def measured(boat):
                begin.wait(30)
                assert_faithful(boat, min=0)

            with ThreadPoolExecutor(8) as pool:
                boats = [case(f"pool-{n}", f"{GOOD} Boat {n} is new.") for n in range(8)]
                list(pool.map(measured, boats))
                pool.submit(assert_faithful, case("bad", BAD)).result()

        def test_thread():
            thread = threading.Thread(target=assert_faithful, args=(case("thread"),))
            thread.start()
            thread.join(30)
            assert not thread.is_alive()
            # all threads measure with one session
            assert [one.name for one in threading.enumerate()].count("ragassert") <= 1
        """
    )
    project.judged_by(judge)
    for _ in range(2):
        result = project.run("-W", "error")
        assert result.parseoutcomes() == {"passed": 1, "failed": 1}
        assert counted(result) == (10, 1)
        assert table(result)[0] == "case bad  How often does the ferry run?"
    assert judge.count() == judge.stats()["distinct"]


def test_the_result_hook_sees_every_result(project: Project) -> None:
    project.pytester.makeconftest(
        """
        seen = []

        def pytest_ragassert_result(item, result):
            seen.append((item.name, result.metric, result.score, result.passed, result.minimum))

        def pytest_sessionfinish():
            print("SEEN", *seen, sep="\\n")
        """
    )
    project.test(
        FAILING
        + """
def test_evaluate():
    from pytest_ragassert import evaluate
    evaluate([case("a"), case("b", BAD)], ["faithfulness"])
"""
    )
    lines = project.run("-s").outlines
    at = next(n for n, line in enumerate(lines) if line.endswith("SEEN"))
    assert lines[at + 1 : at + 5] == [
        "('test_times', 'faithfulness', 1.0, True, 0.8)",
        "('test_price', 'faithfulness', 0.0, False, 0.8)",
        "('test_evaluate', 'faithfulness', 1.0, True, 0.8)",
        "('test_evaluate', 'faithfulness', 0.0, False, 0.8)",
    ]


def test_a_wrong_call_fails_at_the_users_line(project: Project) -> None:
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_faithful, evaluate

        def test_minimum():
            assert_faithful(case("c"), min=80)

        def test_field():
            assert_faithful(case("c", None))

        def test_metric():
            evaluate(case("c"), ["faithfullness"])

        def test_evaluated_field():
            evaluate(case("c", None), ["faithfulness"])
        """
    )
    result = project.run("--tb=short")
    assert result.parseoutcomes() == {"failed": 4}
    text = result.stdout.str()
    assert "min must be a number from 0 to 1, not 80" in text
    assert "faithfulness needs the field answer, which is None in case c" in text
    assert "unknown metric 'faithfullness'; did you mean faithfulness? known are " in text
    assert "not measurable: faithfulness 2 (answer)" in section(result)
    places = [line for line in result.outlines if ".py:" in line and ": in " in line]
    assert [line.partition(":")[0] for line in places] == ["test_it.py"] * 4
