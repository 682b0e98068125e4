"use strict";
// A case: its results as tabs; of each the answer beside the passages.

async function showCase(number) {
  const one = index.cases[number];
  const whole = await detailsOf(number);
  if (opened !== number) return; // another was opened meanwhile
  const results = whole.results;
  const tablist = h("div", { role: "tablist", "aria-label": "Results of this case" });
  const panel = h("div", { role: "tabpanel", id: "result" });
  const choose = (at) => {
    for (const [other, tab] of [...tablist.children].entries()) {
      tab.setAttribute("aria-selected", String(other === at));
      tab.tabIndex = other === at ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `tab-${at}`);
    panel.replaceChildren(...resultView(one, whole, results[at]));
  };
  tablist.append(...results.map((result, at) => h("button",
    { type: "button", role: "tab", id: `tab-${at}`, "aria-controls": "result",
      onclick: () => choose(at) },
    outcomeSign(result.outcome), said(resultWords(result)))));
  tablist.addEventListener("keydown", (event) => {
    const at = [...tablist.children].indexOf(document.activeElement), last = results.length - 1;
    const ways = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1 };
    const to = { ...ways, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
    tablist.children[to].focus();
  });
  $("case").replaceChildren(caseHeader(one, whole), tablist, panel);
  const wanted = results.findIndex((result) => state.metric && result.metric === state.metric);
  choose(wanted >= 0 ? wanted : mostTelling(results));
}

// The worst result; of equals one whose claims rest on the passages, then the lowest.
function mostTelling(results) {
  const claims = (result, against) =>
    (result.claims || []).some((claim) => !against || claim.against === against);
  const weight = (result) =>
    [result.outcome, !claims(result, "contexts"), !claims(result), result.score ?? 0];
  const weights = results.map(weight);
  const less = (a, b) => weights[a].map((own, at) => own - weights[b][at]).find(Boolean) || a - b;
  return [...results.keys()].sort(less)[0];
}

function caseHeader(one, whole) {
  const at = found.indexOf(one);
  const step = (label, other) => h("button",
    { type: "button", disabled: at < 0 || !other,
      onclick: () => { location.hash = addressOf(other.link); } }, label);
  const metadata = Object.keys(whole.metadata).length > 0;
  return h("header", {},
    h("div.bar-of-case", {},
      h("a.back", { href: "#view=cases" }, "← all cases"),
      h("h2", {},
        outcomeSign(one.outcome), named(one.name), " ", tags(index.outcomes[one.outcome])),
      h("span.steps", {},
        step("← previous", found[at - 1]), " ", step("next →", found[at + 1]))),
    h("div.about", {},
      h("div.tags", {}, tags(one.tags, one.language && `language ${one.language}`)),
      h("details", {}, h("summary", {}, metadata ? "Run it again; metadata" : "Run it again"),
        testCommands(whole),
        metadata && said(JSON.stringify(whole.metadata, null, 1), "pre"))),
    whole.broke && said(whole.broke, "p.broke"));
}

// How each test of the case is run again, those that failed first.
function testCommands(whole) {
  const tests = whole.tests.map(({ id, command }) =>
    ({ command, results: whole.results.filter((result) => result.test === id) }));
  const worst = ({ results }) => Math.min(...results.map((result) => result.outcome));
  return tests.sort((a, b) => worst(a) - worst(b)).map(({ command, results }) => {
    const code = h("code.command", {}, command);
    const copy = h("button.copy", { type: "button", onclick: () => copyText(copy, code) }, "Copy");
    const of = results.map((result) => h("span", {}, outcomeSign(result.outcome),
      said(`${result.metric} ${index.outcomes[result.outcome]}`), " "));
    return h("div.test", {}, h("div.bar-of-case", {}, h("span", {}, of), copy), code);
  });
}

async function copyText(button, code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // a browser that lets no page of a file do so
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
}

function resultView(one, whole, result) {
  picked = null;
  const claims = result.claims || [];
  const root = h("div.beside", {});
  root.append(
    h("div", {},
      questionPanel(one, whole),
      answerPanel(one, whole, claims),
      (whole.references || []).map((words, at) => textPanel(
        whole.references.length > 1 ? `Reference answer ${at + 1}` : "Reference answer",
        words, "reference", at, claims)),
      claimPanel(one, whole, result, claims, root)),
    passages(whole, result, claims));
  root.addEventListener("click", (event) => {
    const target = event.target.closest(".chip, mark");
    if (target) pickClaim(root, Number(target.dataset.claims.split(" ")[0]), true);
  });
  return [resultPanel(one, result, claims), root];
}

// What the metric says, but for its claims.
function resultPanel(one, result, claims) {
  const error = result.error && [result.error.type, result.error.kind].filter(Boolean).join(", ");
  const changes = index.changes.filter((change) =>
    change.case === one.name && change.metric === result.metric && change.kind !== index.gone);
  const figures = { test: result.test, options: result.options, details: result.details };
  const models = Object.entries(result.models || {});
  return h("div.panel.said-by-metric", {},
    error && said([h("b.v.CONTRADICTORY", {}, `! ${error}: `), result.error.message], "p"),
    result.reason && !claims.length && said(result.reason, "p"),
    result.known && said([h("b", {}, "Known failure: "), result.known], "p"),
    (result.findings || []).map(([left, words]) =>
      said([left && h("b", {}, `${left.trim()} `), words], "p")),
    h("div.how", {}, tags(
      result.label && `label ${result.label}`,
      result.grade && `grade ${result.grade}`,
      result.truth && `people say: ${result.truth}`,
      result.judge && `judge ${result.judge}`,
      result.came,
      result.votes,
      models.map(([model, score]) => `${model} ${score.toFixed(2)}`))),
    changes.map((change) => h("details", {},
      h("summary", {}, "Against the baseline: ", changeWords(change)), changedClaims(change))),
    (result.details || result.options) && h("details", {},
      h("summary", {}, "All figures and options"), said(JSON.stringify(figures, null, 1), "pre")));
}

function questionPanel(one, whole) {
  const turns = (whole.history || []).map((turn) =>
    said([h("b", {}, `${turn.role}: `), turn.content], "div.turn"));
  const question = one.question ? said(one.question, "div.text")
    : h("p.hint", {}, "The case has no question.");
  return h("div.panel", {}, h("h4", {}, "Question"), turns, question);
}

function answerPanel(one, whole, claims) {
  if (!whole.has) {
    const why = "The record of this run does not have this case's texts: neither its answer nor "
      + "its passages are known here.";
    return h("p.notice", {}, why);
  }
  if (!whole.has.answer) return h("p.notice", {}, "The case has no answer.");
  const panel = textPanel("Answer", one.answer, "answer", 0, claims);
  panel.classList.add("stay");
  return panel;
}

function textPanel(title, words, panel, at, claims) {
  const text = markedText(words, placesIn(panel, at, claims), claims);
  return h("div.panel", {}, h("h4", {}, title), text);
}

function passages(whole, result, claims) {
  const contexts = whole.contexts || [];
  const mayMark = (other) => (other.claims || []).some((claim) => claim.against === "contexts");
  const better = mayMark(result) ? -1 : whole.results.findIndex(mayMark);
  const none = whole.has && (whole.has.contexts
    ? "No passage was retrieved." : "The case has no retrieved passages.");
  return h("div.passages", { tabindex: 0, role: "region", "aria-label": "Passages" },
    none && !contexts.length && h("p.notice", {}, none),
    better >= 0 && h("p.hint", {}, "Nothing is marked here by this metric. ",
      h("button.see", { type: "button", onclick: () => { $(`tab-${better}`).click(); } },
        said(`See the passages by ${whole.results[better].metric}`))),
    contexts.length > 0 && !contexts.some((one) => one.source) && h("p.hint", {},
      "Source not recorded: the case does not say where its passages are from."),
    contexts.map((context, at) => passage(context, at, result, claims)),
    (whole.right || []).map((words, at) => h("div.panel", {},
      h("h4", {}, `Right passage ${at + 1}, as people say`), folded(said(words, "div.text")))));
}

function passage(context, at, result, claims) {
  const places = placesIn("context", at, claims);
  const quoted = places.some((one) => one.kind === "quote");
  const mayQuote = claims.some((claim) => claim.against === "contexts");
  const relevance = (result.contexts || []).find((one) => one.context === at);
  const head = h("h4", { dir: "auto" }, `[${at + 1}] `, h("span.data", {}, context.source, " "),
    tags(relevance && `${relevance.relevant ? "✓" : "✗"} ${relevance.words}`,
      mayQuote && !quoted && "not quoted"));
  if (context.text === null) {
    return h("div.panel", {}, head, h("p.hint", {}, "This passage has no text."));
  }
  const body = markedText(context.text, places, claims);
  return h("div.panel", {}, head,
    relevance && relevance.reason && said(relevance.reason, "p.hint"),
    quoted ? body : folded(body));
}
