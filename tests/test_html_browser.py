"""The page in a real browser: found, clicked, typed, printed, and safe whatever the texts hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.records.results_file import RerunCommand
from pytest_ragassert.language.escaping import without_surrogates
from pytest_ragassert.report.html.page import page_parts

from .browsers import NARROW, Visit, chromium
from .html_runs import HOSTILE, LONG_WORD, Made, concluded, earlier, ferry, hostile, numbered

Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, each of a run."""
    folder = tmp_path_factory.mktemp("pages")
    run = ferry()
    runs = {
        "ferry": run,
        "compared": Made.of(
            run, conclusion=concluded(run.results), history=earlier(0.9, 0.95, 1.0)
        ),
        "again": Made.of(run, rerun=RerunCommand(command="pytest -q", folder="")),
        "hostile": hostile(),
        "empty": Made().record(exit_status=5),
        "many": numbered(450),
    }
    for name, one in runs.items():
        (folder / f"{name}.html").write_text("".join(page_parts(one)), encoding="utf-8")
    return folder


@pytest.fixture
def visit(browser: Any, pages: Path) -> Iterator[Open]:
    """Opens a page; afterwards nothing was fetched, and no error is told."""
    opened: list[Visit] = []

    def open(name: str, address: str = "", **context: Any) -> Visit:
        opened.append(Visit(browser, pages / f"{name}.html", address, **context))
        return opened[-1]

    yield open
    for one in opened:
        assert one.requests == []
        assert one.said == []
        one.close()


def listed(page: Visit) -> list[str]:
    return page.texts("#list b")


def test_the_overview_leads_to_the_cases(visit: Open) -> None:
    page = visit("ferry")
    assert page.page.title() == "RAG tests failed: 4 cases"
    assert page.texts("#overview tbody th[scope=row]") == ["factual_recall", "faithfulness"]
    page.page.click("#overview .outcome >> text=1 failed")
    assert listed(page) == ["fha-12"]
    page.page.click("nav >> text=Overview")
    page.page.click(".card >> text=fha-12")
    assert page.page.locator("#case h2").inner_text().split() == ["fha-12", "failed"]
    page.page.go_back()
    assert page.page.locator("#overview").is_visible()


def test_the_overview_says_how_many_cases_it_leaves_out(visit: Open) -> None:
    page = visit("many")
    assert page.page.locator(".card").count() == 10
    page.page.click("a >> text=35 more")
    assert page.texts("#found") == ["450 cases"]
    assert page.texts("#f-outcome option")[1] == "failed (45)"


def test_the_gates_and_their_cases(visit: Open) -> None:
    page = visit("compared")
    gates = page.texts("#overview table >> nth=0 >> tbody tr")
    assert [gate.split()[:2] for gate in gates] == [["✗", "fails"], ["✓", "holds"]]
    page.page.click("#overview tbody details a >> text=fha-12 >> nth=0")
    assert "fha-12" in page.page.locator("#case h2").inner_text()


def test_what_changed_case_by_case(visit: Open) -> None:
    page = visit("compared", "#view=changes")
    assert page.texts("#changes h3") == ["worse (1)", "same score, other claims (4)"]
    worse = page.page.locator(".change").first
    assert worse.inner_text().startswith("fha-12 faithfulness 1.00 -> 0.25")
    assert "not there → ✗ contradicted: The crossing costs 5 euros." in worse.inner_text()
    worse.locator("a").click()
    page.page.click("summary >> text=Against the baseline: 1.00 -> 0.25")
    assert "not there → ✗ contradicted" in page.page.locator("#result").inner_text()


def test_a_claim_shows_its_sentence_and_its_quote_together(visit: Open) -> None:
    """Offsets are those of Python: behind an emoji JavaScript counts one more."""
    page = visit("ferry", "#case=fha-12")
    assert page.texts(".stay mark")[0] == "The crossing costs 5 euros."
    assert page.texts("mark.on") == []
    first = page.page.locator(".claim").first
    assert first.get_attribute("aria-expanded") == "false"
    first.click()
    assert first.get_attribute("aria-expanded") == "true"
    quote = "The crossing costs 9 euros for adults"
    assert page.texts(".stay mark.on") == ["The crossing costs 5 euros."]
    assert page.texts(".passages mark.on:not(.near)") == [quote]
    assert page.texts(".passages .cited h4") == ["[1]"]
    more = page.page.locator("#claim-0").inner_text()
    assert "Sentence of the answer" in more
    assert quote in more
    assert "The passage says 9." in more
    first.click()
    assert page.texts("mark.on") == []
    # the sentence and the quote lead back to the claim
    page.page.click(".passages mark")
    assert page.page.locator("#claim-0").is_visible()


def test_where_claims_overlap_the_worst_verdict_shows(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12")
    marks = page.page.locator(".stay mark")
    verdicts = ["CONTRADICTORY", "NO_EVIDENCE", "PARTIALLY_SUPPORTED"]
    assert [mark.get_attribute("class") for mark in marks.all()] == verdicts
    assert page.texts(".stay .chip") == ["✗1", "?2", "~3", "✓4"]
    # an unproven claim's nearest sentence is no quote
    near = page.page.locator(".passages mark.near")
    assert near.all_inner_texts() == ["Dogs are not allowed on board."]


def test_claims_by_keyboard(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12")
    claims = page.page.locator(".claim")
    claims.first.focus()
    page.page.keyboard.press("Enter")
    assert page.texts(".stay mark.on") == ["The crossing costs 5 euros."]
    page.page.keyboard.press("ArrowDown")
    assert page.texts(".stay mark.on") == ["Dogs are welcome."]
    assert claims.nth(1).evaluate("node => node === document.activeElement")
    assert page.texts(".passages mark.on") == ["Dogs are not allowed on board."]
    page.page.keyboard.press("End")
    assert "carried over from other passages" in page.page.locator("#claim-3").inner_text()
    page.page.keyboard.press("ArrowUp")
    assert "ask the captain" in page.page.locator("#claim-2").inner_text()
    page.page.keyboard.press("Home")
    page.page.keyboard.press(" ")
    assert page.texts("mark.on") == []


def test_how_results_and_verdicts_came_about(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12")
    said = page.texts("#result .said-by-metric .tag")
    votes = "3 votes a judgement; 1 of 4 split"
    assert said == ["judge judge-a", votes, "model-a 0.25", "model-b 0.50"]
    assert page.texts(".claim .v") == [
        "✗ contradicted",
        "? no evidence",
        "~ partly supported, overridden",
        "✓ supported, votes 2:1, carried over",
    ]
    page.go("#case=zh-1")
    page.page.locator("h2 >> text=zh-1").wait_for()
    page.page.locator(".claim").click()
    assert "stored before this run" in page.texts("#claim-0 .tag")


def test_results_are_tabs(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12")
    tabs = page.page.get_by_role("tab")
    assert tabs.all_inner_texts()[1].strip() == "factual_recall 1.00 >= 0.70"
    tabs.first.focus()
    page.page.keyboard.press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    assert page.page.get_by_role("tabpanel").get_attribute("aria-labelledby") == "tab-1"
    assert page.texts(".claim .v") == ["✓ supported, of the reference"]
    page.page.keyboard.press("ArrowRight")
    assert tabs.first.get_attribute("aria-selected") == "true"


FOUND: list[tuple[dict[str, str], list[str]]] = [
    ({"text": "CROSSING costs"}, ["fha-12"]),
    ({"text": "布兰诺克"}, ["zh-1"]),
    ({"text": "العبارة"}, ["ar-1"]),
    ({"text": "runs."}, ["fha-12"]),
    ({"text": "nobody says this"}, []),
    ({"outcome": "failed"}, ["fha-12"]),
    ({"metric": "factual_recall"}, ["fha-12"]),
    ({"metric": "factual_recall", "outcome": "passed"}, ["fha-12"]),
    ({"tag": "smoke"}, ["fha-12"]),
    ({"tag": "topic=times", "language": "de"}, ["de-1"]),
    ({"order": "name"}, ["ar-1", "de-1", "fha-12", "zh-1"]),
]


def test_cases_are_found(visit: Open) -> None:
    page = visit("ferry", "#view=cases")
    everything = ["fha-12", "zh-1", "ar-1", "de-1"]
    for filled, expected in FOUND:
        assert listed(page) == everything
        for name, value in filled.items():
            field = page.page.locator(f"#f-{name}")
            if name == "text":
                field.fill(value)
            else:
                field.select_option(value)
        assert listed(page) == expected
        # the address leads to the same cases
        page.page.reload()
        assert listed(page) == expected
        page.page.click("#filters >> text=Clear")
    # a filter that would leave nothing can't be chosen
    page.page.select_option("#f-metric", "factual_recall")
    failed = page.page.locator("#f-outcome option[value=failed]")
    assert failed.evaluate("node => node.disabled")


def test_filters_tell_how_many_cases_they_would_leave(visit: Open) -> None:
    page = visit("ferry", "#view=cases")
    assert page.texts("#f-language option") == ["all (4)", "ar (1)", "de (1)", "en (1)", "zh (1)"]
    page.page.select_option("#f-tag", "topic=times")
    assert page.texts("#found") == ["3 cases of 4"]
    assert page.texts("#f-language option")[-2:] == ["en (0)", "zh (1)"]
    assert page.texts("#f-outcome option")[:2] == ["all (3)", "failed (0)"]
    assert page.texts("#f-tag option")[0] == "all (4)"


def test_many_cases_are_listed_page_by_page(visit: Open) -> None:
    page = visit("many", "#view=cases")
    assert page.texts("#found") == ["450 cases"]
    assert len(listed(page)) == 50
    assert listed(page)[:3] == ["case-0", "case-10", "case-20"]
    for left in range(400, 0, -50):
        assert f"{left} left" in page.page.locator("#more").inner_text()
        page.page.click("#more")
    assert len(set(listed(page))) == 450
    assert page.page.locator("#more").is_hidden()
    # a case far down, whose texts are in a part of the file that nothing has read yet
    page.page.fill("#f-text", "answer 444.")
    page.page.click("#list a")
    assert page.texts(".stay mark") == ["Answer 444."]


def test_the_next_case(visit: Open) -> None:
    page = visit("many", "#view=cases&outcome=failed")
    page.page.click("#list a >> nth=1")
    page.page.click("text=next →")
    assert page.page.locator("#case h2").inner_text().split()[0] == "case-20"
    assert page.texts("#list a[aria-current] b") == ["case-20"]
    page.page.click("text=← previous")
    page.page.click("text=← previous")
    assert page.page.locator("text=← previous").is_disabled()
    page.page.locator("#case h2 >> text=case-0").wait_for()
    page.page.locator("#list a >> nth=0").focus()
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.page.locator("#case h2 >> text=case-10").wait_for()
    assert page.page.locator("#case").evaluate("node => node === document.activeElement")
    # what was looked for stays, after a reload too
    assert page.page.url.endswith("#case=case-10&outcome=failed")
    page.page.reload()
    page.page.locator("#case h2 >> text=case-10").wait_for()
    assert page.texts("#found") == ["45 cases of 450"]
    page.page.click("text=next →")
    page.page.locator("#case h2 >> text=case-20").wait_for()
    # a case that the filter leaves out is closed
    page.page.select_option("#f-outcome", "passed")
    assert page.page.locator("#case h2").count() == 0
    assert page.page.url.endswith("#view=cases&outcome=passed")
    # a link to one that it leaves out takes the filter away
    page.go("#case=case-30")
    page.page.locator("#case h2 >> text=case-30").wait_for()
    assert page.texts("#found") == ["450 cases"]


@pytest.mark.parametrize("address", ["#case=none", "#case=%", "#case", "#view=none", "#a=b&c"])
def test_an_address_that_leads_nowhere(visit: Open, address: str) -> None:
    page = visit("ferry", address)
    if address == "#case=none":
        assert page.texts("#case") == ["This run has no case none."]
    else:
        assert page.page.locator("#overview").is_visible()


def test_hostile_texts_are_shown_and_do_nothing(visit: Open) -> None:
    page = visit("hostile")
    for view in ("changes", "cases"):
        page.page.evaluate(f"location.hash = 'view={view}'")
        page.page.locator(f"#{view}").wait_for()
    for number, text in enumerate(HOSTILE):
        page.page.locator("#list a").nth(number).click()
        page.page.locator(f"#list li:nth-child({number + 1}) a[aria-current]").wait_for()
        page.page.locator(f"#case h2 >> text=/{number}$/").wait_for()
        for tab in page.page.get_by_role("tab").all()[::-1]:
            tab.click()
            for claim in page.page.locator(".claim").all():
                claim.click()
        # as it is, whatever the browser makes of it; Playwright's own texts have no lone surrogate
        same = "text => document.querySelector('.stay mark').textContent.toWellFormed() === text"
        assert page.page.evaluate(same, without_surrogates(text))
    for name in "#list a b", "#case h2", "#changes li a":
        shown = "".join(page.page.locator(name).all_text_contents())
        assert not set(shown) & set("\u202e\u2066\x07\x1b"), name
    assert "\\u202eright to left\\u2066" in page.page.locator("#list").inner_text()
    assert page.page.evaluate("window.hacked") is None
    # nothing but what the page itself is made of
    tags = page.page.evaluate("[...document.querySelectorAll('*')].map((one) => one.localName)")
    assert {"img", "base", "iframe", "object", "link"}.isdisjoint(tags)
    assert tags.count("style") == 1
    assert page.page.locator("script:not([type])").count() == 7


def test_the_policy_of_the_page_stops_what_it_did_not_bring_along(
    browser: Any, pages: Path
) -> None:
    page = Visit(browser, pages / "ferry.html")
    page.page.evaluate(
        """() => {
            for (const [name, field, value] of [
                ["script", "textContent", "window.hacked = 1"],
                ["script", "src", "https://evil.example/x.js"],
                ["img", "src", "https://evil.example/x.png"],
                ["style", "textContent", "body {display: none}"],
            ]) {
                const node = document.createElement(name);
                node[field] = value;
                document.body.append(node);
            }
        }"""
    )
    page.page.wait_for_timeout(200)
    assert page.page.evaluate("window.hacked") is None
    assert page.page.locator("h1").is_visible()
    assert sum("Content Security Policy" in line for line in page.said) == 4
    fetched = page.page.evaluate(
        "fetch('https://evil.example/').then(() => 'fetched', () => 'refused')"
    )
    assert fetched == "refused"
    page.close()


def test_without_script(visit: Open) -> None:
    page = visit("compared", java_script_enabled=False)
    shown = page.page.locator("main").inner_text()
    assert "This browser runs no script here" in shown
    assert "mean(faithfulness) >= 0.9" in shown
    assert "factual_recall" in shown
    assert page.page.locator("#cases").is_hidden()
    assert page.page.locator("#theme").is_hidden()


def test_an_empty_run(visit: Open) -> None:
    page = visit("empty")
    assert "Nothing was measured" in page.page.locator("#overview").inner_text()
    page.page.click("nav >> text=Cases")
    assert page.texts("#found") == ["0 cases"]


def test_what_could_not_be_measured_says_why(visit: Open) -> None:
    page = visit("hostile", "#view=cases")
    page.page.click("#list a >> nth=5")
    page.page.click("[role=tab] >> text=context_recall not measured")
    shown = page.page.locator("#result").inner_text()
    assert f"JudgeError, timeout: {HOSTILE[5]}" in shown
    assert "Nothing was judged." in shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["#", "#view=changes", "#view=cases", "#case=fha-12"])
def test_texts_stand_out_from_what_is_behind_them(visit: Open, scheme: str, address: str) -> None:
    """By 4.5 to 1, as WCAG's AA asks for."""
    page = visit("compared", address, color_scheme=scheme)
    if address == "#case=fha-12":
        page.page.locator(".claim").first.click()
    faint = page.page.evaluate(_CONTRASTS)
    assert faint == []


_CONTRASTS = """() => {
    const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = (rgb) => {
        const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = rgb.map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
        for (; node; node = node.parentElement) {
            const color = numbers(getComputedStyle(node).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
            if (color[3] > 0) throw new Error("half transparent");
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const node of document.querySelectorAll("body *")) {
        const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
        const idle = node.closest(":disabled, option, script, style");
        if (!own || idle || !node.checkVisibility()) continue;
        const [a, b] = [numbers(getComputedStyle(node).color).slice(0, 3), behind(node)].map(light);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const said = `${node.localName}.${node.className} ${node.textContent.slice(0, 30)}`;
        if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${said}`);
    }
    return faint;
}"""


def test_dark_and_light(visit: Open) -> None:
    page = visit("ferry", color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.page.evaluate(background)
    page.page.click("#theme")
    dark = page.page.evaluate(background)
    assert page.texts("#theme") == ["Theme: dark"]
    assert sum(map(int, re.findall(r"\d+", dark))) < 150 < sum(map(int, re.findall(r"\d+", light)))
    page.page.reload()
    assert page.page.evaluate(background) == dark
    page.page.click("#theme")
    page.page.emulate_media(color_scheme="dark")
    assert page.page.evaluate(background) == light
    page.page.click("#theme")
    assert page.page.evaluate(background) == dark


def test_on_paper(visit: Open) -> None:
    """All claims with their evidence, light, and nothing to click."""
    page = visit("ferry", "#case=fha-12", color_scheme="dark")
    page.page.get_by_role("tab").first.click()
    assert page.page.locator("#claim-0").is_hidden()
    page.page.emulate_media(media="print")
    for number in range(4):
        assert page.page.locator(f"#claim-{number}").is_visible()
    for hidden in ("#filters", "nav", "#theme", ".side", ".unfold >> nth=0"):
        assert page.page.locator(hidden).is_hidden()
    passages = page.page.locator(".passages")
    assert passages.evaluate("node => node.scrollHeight - node.clientHeight") <= 1
    color = page.page.evaluate("getComputedStyle(document.body).color")
    assert sum(map(int, re.findall(r"\d+", color))) < 150


@pytest.mark.parametrize("name", ["compared", "hostile"])
def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Open, name: str) -> None:
    page = visit(name, viewport=NARROW)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for address in (
        "#view=overview",
        "#view=changes",
        "#view=cases",
        f"#case={'de-1' if name == 'compared' else 'x'}",
    ):
        page.go(address)
        assert page.page.evaluate(wide) == 0, address
    page.go("#view=cases")
    assert page.page.locator(".side").is_visible()
    page.page.click("#list a >> nth=0")
    page.page.locator("#case h2").wait_for()
    assert page.page.locator(".side").is_hidden()
    assert page.page.locator("#case").evaluate("node => node === document.activeElement")
    assert page.page.evaluate(wide) == 0
    page.page.locator(".claim").first.click()
    assert page.page.evaluate(wide) == 0
    page.page.click("text=← all cases")
    assert page.page.locator(".side").is_visible()


def test_texts_have_the_direction_of_their_script(visit: Open) -> None:
    page = visit("ferry", "#case=ar-1")
    page.page.locator(".stay").wait_for()
    directions = page.page.locator(".stay .text, #case h2 [dir]").evaluate_all(
        "nodes => nodes.map((one) => getComputedStyle(one).direction)"
    )
    assert directions == ["ltr", "ltr", "rtl"]  # id, outcome, answer
    page.go("#case=de-1")
    page.page.locator("h2 >> text=de-1").wait_for()
    assert LONG_WORD in page.page.locator(".stay").inner_text()


def test_by_keyboard_one_reaches_everything_and_sees_where_one_is(visit: Open) -> None:
    page = visit("compared", "#case=fha-12")
    page.page.locator(".claim").first.wait_for()
    seen = []
    for _ in range(60):
        page.page.keyboard.press("Tab")
        where = page.page.evaluate(
            """() => {
                const node = document.activeElement, style = getComputedStyle(node);
                if (node === document.body) return null;
                const width = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
                return [node.id || node.className, width >= 2 && node.checkVisibility()];
            }"""
        )
        if where is None:
            break
        seen.append(where)
    assert [name for name, is_seen in seen if not is_seen] == []
    names = [one[0] for one in seen]
    assert names[0] == "skip"
    for expected in ("theme", "f-text", "f-outcome", "f-language", "tab-0", "claim", "passages"):
        assert expected in names
    assert names.count("claim") == 4


def test_the_accessibility_tree(visit: Open) -> None:
    page = visit("compared", "#case=fha-12")
    page.page.locator(".claim").first.click()
    tree = page.page.locator("body").aria_snapshot()
    for expected in (
        'navigation "Views"',
        "main:",
        'search "Filter the cases"',
        'searchbox "Text"',
        'combobox "Outcome"',
        'tablist "Results of this case"',
        'tab "faithfulness 0.25 < 0.80" [selected]',
        'tabpanel "faithfulness 0.25 < 0.80"',
        'button "claim 1, contradicted"',
        'region "Passages"',
        'list "Cases found"',
    ):
        assert expected in tree, expected
    assert re.search(r'button "The crossing costs 5 euros\. ✗ contradicted" \[expanded\]', tree)
    nameless = page.page.evaluate(
        """[...document.querySelectorAll("a, button, input, select, svg[role=img], [tabindex='0']")]
            .filter((one) => one.checkVisibility())
            .filter((one) => !(one.textContent.trim() || one.ariaLabel || one.labels?.length))
            .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []


def test_the_history_is_a_line_with_its_table(visit: Open) -> None:
    page = visit("compared")
    card = page.page.locator("li.card:has(svg.history)")
    dots = card.locator("circle").all()
    heights = [float(dot.get_attribute("cy")) for dot in dots]
    assert len(heights) == 4
    assert heights[3] > heights[0] > heights[1] > heights[2] == 0
    card.locator("summary").click()
    rows = card.locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[-1] for row in rows] == ["0.812", "1.000", "0.950", "0.900"]
    assert "(this run)" in rows[0]
    assert "c0ffee3" in rows[1]


def test_charts_have_their_tables(visit: Open) -> None:
    page = visit("ferry")
    charts = page.page.locator("#overview svg[role=img]")
    assert charts.count() == 2
    for cell in page.page.locator("#overview .chart").all():
        bars = cell.locator("rect").count()
        cell.locator("summary").click()
        assert cell.locator("tbody tr").count() == bars > 0
    faithfulness = page.page.locator("#overview .chart").nth(1)
    assert faithfulness.locator("tbody tr").all_inner_texts() == ["0.2 to 0.3\t1", "1\t3"]


def test_tests_are_run_again_by_a_command_each_the_failed_first(visit: Open) -> None:
    page = visit("again", "#case=fha-12")
    page.page.click("summary >> text=Run it again")
    tests = page.texts(".test")
    assert [test.split()[:2] for test in tests] == [
        ["faithfulness", "failed"],
        ["factual_recall", "passed"],
    ]
    command = page.page.locator(".command").first.inner_text()
    assert command.startswith("pytest -q ")
    page.page.click(".copy >> nth=0")
    page.page.locator(".copy >> text=Copied").wait_for()
    page.page.click("#f-text")
    page.page.keyboard.press("ControlOrMeta+v")
    assert page.page.locator("#f-text").input_value() == command


def test_passages_without_a_source_and_of_a_metric_that_marks_none(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12")
    hints = page.page.locator(".passages > .hint")
    hints.first.wait_for()
    said = "Source not recorded: the case does not say where its passages are from."
    assert hints.all_inner_texts() == [said]
    # what is judged by the answer marks no passage
    page.page.click("[role=tab] >> text=factual_recall")
    page.page.click("text=See the passages by faithfulness")
    assert page.page.get_by_role("tab").first.get_attribute("aria-selected") == "true"


def test_passages_are_searched(visit: Open) -> None:
    page = visit("ferry", "#view=cases&text=CAFÉ+opens")
    page.page.fill("#f-text", "CAFÉ opens")
    page.page.locator("#found >> text=1 case of 4").wait_for()
    assert listed(page) == ["fha-12"]


def test_changes_are_counted_in_cases(visit: Open) -> None:
    page = visit("compared", "#view=changes")
    (summary,) = page.texts("#changes-summary")
    assert summary == (
        "4 cases changed: worse 1; better 0; same score, other claims 4 "
        "(1 of them among the worse too)."
    )
    assert page.texts("#changes-count") == ["4 cases"]


def test_the_list_is_one_stop_and_the_skip_link_leads_past_the_filters(visit: Open) -> None:
    page = visit("many", "#view=cases")
    assert page.page.locator("#list a[tabindex='0']").all_inner_texts()[0].startswith("case-0")
    assert page.page.locator("#list a[tabindex='0']").count() == 1
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    in_list = "document.activeElement.closest('#list') !== null"
    assert page.page.evaluate(in_list)
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.page.locator("#case h2 >> text=case-10").wait_for()
    assert page.texts("#list a[tabindex='0'] b") == ["case-10"]
    page.page.locator("#skip").focus()
    page.page.keyboard.press("Enter")
    assert page.page.evaluate("document.activeElement.id") == "case"


def test_what_a_claim_shows_is_scrolled_into_view(visit: Open) -> None:
    page = visit("ferry", "#case=fha-12", viewport={"width": 1280, "height": 800})
    for number in range(4):
        page.page.locator(".claim").nth(number).click()
        box = page.page.locator(f"#claim-{number}").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 801
