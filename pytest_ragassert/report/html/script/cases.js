"use strict";
// Cases are found, and listed.

function prepareFilters() {
  for (const [number, one] of index.cases.entries()) {
    one.number = number;
    one.metrics = [...new Set(one.results.map((result) => result.metric))];
    const texts = [one.name, ...one.tests, one.question, one.answer, one.claims, ...one.tags];
    one.searched = texts.join("\n").toLowerCase();
  }
  const values = {
    outcome: index.outcomes,
    metric: [...new Set(index.cases.flatMap((one) => one.metrics))].sort(),
    tag: [...new Set(index.cases.flatMap((one) => one.tags))].sort(),
    language: [...new Set(index.cases.map((one) => one.language))].filter(Boolean).sort(),
  };
  for (const facet of FACETS) {
    const select = $(`f-${facet}`);
    select.append(...["", ...values[facet]].map((value) => h("option", { value })));
    // with one value there is nothing to choose
    select.parentElement.hidden = ["tag", "language"].includes(facet) && values[facet].length < 2;
  }
}

// Whether the case, or its results of one metric where one is chosen, ended so.
function ended(one, outcome, metric) {
  if (!metric) return outcome < 0 || one.outcome === outcome;
  const own = one.results.filter((result) => result.metric === metric);
  return own.some((result) => outcome < 0 || result.outcome === outcome);
}

function findCases() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = index.outcomes.indexOf(state.outcome);
  // of each filter, how many cases each of its values would leave; "": all of them
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Map()]));
  const add = (facet, ...values) => {
    for (const value of values) counts[facet].set(value, (counts[facet].get(value) || 0) + 1);
  };
  found = [];
  for (const one of index.cases) {
    if (!words.every((word) => one.searched.includes(word))) continue;
    const tag = !state.tag || one.tags.includes(state.tag);
    const language = !state.language || one.language === state.language;
    const measured = ended(one, wanted, state.metric);
    if (tag && language && measured) found.push(one);
    if (language && measured) add("tag", "", ...one.tags);
    if (tag && measured) add("language", "", ...[one.language].filter(Boolean));
    if (!tag || !language) continue;
    if (ended(one, -1, state.metric)) {
      const outcomes = index.outcomes.filter((_, outcome) => ended(one, outcome, state.metric));
      add("outcome", "", ...outcomes);
    }
    if (ended(one, wanted, "")) add("metric", "");
    add("metric", ...one.metrics.filter((metric) => ended(one, wanted, metric)));
  }
  const orders = {
    worst: (a, b) => a.outcome - b.outcome || a.margin - b.margin || a.number - b.number,
    name: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }),
    test: (a, b) => a.number - b.number,
  };
  if (words.length) readPassages();
  $("of-outcome").textContent = state.metric ? `Outcome of ${state.metric}` : "Outcome";
  found.sort(orders[state.order] || orders.test);
  for (const facet of FACETS) showCounts(facet, counts[facet]);
  const all = index.cases.length.toLocaleString("en");
  const rest = found.length === index.cases.length ? "" : ` of ${all}`;
  $("found").textContent = several(found.length, "case") + rest;
  $("list").replaceChildren();
  listed = 0;
  listMore();
}

// Passages lie in the parts of the file that are read when they are needed: with the first word
// that is looked for.
let passagesRead = null;
function readPassages() {
  passagesRead ||= (async () => {
    for (let chunk = 0; chunk * index.chunk < index.cases.length; chunk++) {
      const wholes = await (chunks.get(chunk) || readData(`cases-${chunk}`));
      for (const [at, whole] of wholes.entries()) {
        const texts = (whole.contexts || []).flatMap(({ text, source }) => [text || "", source]);
        index.cases[chunk * index.chunk + at].searched += `\n${texts.join("\n").toLowerCase()}`;
      }
    }
    const before = found.length;
    if (state.text) findCases();
    if (found.length !== before && opened === null) showHint();
  })();
  whileBusy(passagesRead).catch(tellTrouble);
}

function showCounts(facet, counts) {
  for (const option of $(`f-${facet}`).options) {
    const count = counts.get(option.value) || 0;
    option.textContent = `${option.value || "all"} (${count})`;
    option.disabled = count === 0 && option.value !== "" && option.value !== state[facet];
  }
  $(`f-${facet}`).value = state[facet];
}

function listMore() {
  $("list").append(...found.slice(listed, listed + PAGE).map(listItem));
  listed = Math.min(found.length, listed + PAGE);
  $("more").hidden = listed === found.length;
  $("more").textContent = `Show more (${(found.length - listed).toLocaleString("en")} left)`;
  markOpened();
}

function listItem(one) {
  const outcome = h("span.unseen", {}, `, ${index.outcomes[one.outcome]}`);
  return h("li", {}, h("a", { href: addressOf(one.link), "data-number": one.number },
    h("span", {}, outcomeSign(one.outcome), named(one.name, "b"), outcome),
    said(one.question, "span.clamp"),
    h("span.said", {}, one.results.map((result) => said(resultWords(result))))));
}

// The list is one stop of the Tab key: the case that is open, else the first.
function markOpened() {
  const links = [...$("list").querySelectorAll("a")];
  const current = links.find((link) => Number(link.dataset.number) === opened);
  for (const link of links) {
    if (link === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.tabIndex = link === (current || links[0]) ? 0 : -1;
  }
}
