"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const PAGE = 50; // cases, or changes of a kind, that are listed at once
  const AROUND = 90; // characters shown on each side of a quote
  const FACETS = ["outcome", "metric", "tag", "language"];
  const state = { text: "", outcome: "", metric: "", tag: "", language: "", order: "worst" };
  const chunks = new Map();
  let index, found = [], listed = 0, opened = null, picked = null;

  // What a run says is put into the page as text alone: there is no other way here to put it in.
  function h(name, props, ...children) {
    const [tag, ...classes] = name.split(".");
    const node = document.createElement(tag);
    node.classList.add(...classes);
    for (const [key, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(2).filter((one) => one !== undefined && one !== null && one !== "" && one !== false));
    return node;
  }
  const text = (words, name = "div.text") => h(name, { dir: "auto" }, words);
  const cls = (words) => words.replaceAll(",", "").replaceAll(" ", "-");
  const outcomeSign = (outcome) => h(`span.sign.o-${cls(index.outcomes[outcome])}`, { "aria-hidden": "true" });
  const verdict = (claim) => `${index.signs[claim.verdict]} ${claim.words}`;
  const address = (link) => `#case=${encodeURIComponent(link)}`;
  const several = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

  async function data(name) {
    const element = $(`data-${name}`);
    if (!element.dataset.encoding) return JSON.parse(element.textContent);
    const packed = atob(element.textContent);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }
  async function details(number) {
    const chunk = Math.floor(number / index.chunk);
    if (!chunks.has(chunk)) chunks.set(chunk, data(`cases-${chunk}`));
    return (await chunks.get(chunk))[number % index.chunk];
  }

  // --- finding cases

  function prepare() {
    index.cases.forEach((one, number) => {
      one.number = number;
      one.metrics = [...new Set(one.results.map((result) => result.metric))];
      const tests = one.tests.join("\n");
      one.searched = [one.name, tests, one.question, one.answer, one.claims, ...one.tags].join("\n").toLowerCase();
    });
    const values = {
      outcome: index.outcomes,
      metric: [...new Set(index.cases.flatMap((one) => one.metrics))].sort(),
      tag: [...new Set(index.cases.flatMap((one) => one.tags))].sort(),
      language: [...new Set(index.cases.map((one) => one.language).filter(Boolean))].sort(),
    };
    for (const facet of FACETS) {
      const select = $(`f-${facet}`);
      select.append(h("option", { value: "" }), ...values[facet].map((value) => h("option", { value })));
      select.parentElement.hidden = values[facet].length < (facet === "outcome" ? 1 : 2) && facet !== "metric";
    }
  }
  // Whether the case, or its results of one metric where one is chosen, ended so.
  function ended(one, outcome, metric) {
    if (!metric) return outcome < 0 || one.outcome === outcome;
    return one.results.some((result) => result.metric === metric && (outcome < 0 || result.outcome === outcome));
  }
  function filter() {
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = index.outcomes.indexOf(state.outcome);
    // of each filter, how many cases each of its values would leave; "": all of them
    const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Map()]));
    const add = (facet, value) => counts[facet].set(value, (counts[facet].get(value) || 0) + 1);
    const addAll = (facet, values) => {
      add(facet, "");
      for (const value of values) add(facet, value);
    };
    found = [];
    for (const one of index.cases) {
      if (!words.every((word) => one.searched.includes(word))) continue;
      const tag = !state.tag || one.tags.includes(state.tag);
      const language = !state.language || one.language === state.language;
      const measured = ended(one, wanted, state.metric);
      if (tag && language && measured) found.push(one);
      if (language && measured) addAll("tag", one.tags);
      if (tag && measured) addAll("language", one.language ? [one.language] : []);
      if (!tag || !language) continue;
      if (!state.metric) addAll("outcome", [index.outcomes[one.outcome]]);
      else if (one.metrics.includes(state.metric)) addAll("outcome", index.outcomes.filter((_, outcome) => ended(one, outcome, state.metric)));
      if (ended(one, wanted, "")) add("metric", "");
      for (const metric of one.metrics) if (ended(one, wanted, metric)) add("metric", metric);
    }
    if (state.order === "worst") found.sort((a, b) => a.outcome - b.outcome || a.margin - b.margin || a.number - b.number);
    if (state.order === "name") found.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    for (const facet of FACETS) {
      for (const option of $(`f-${facet}`).options) {
        const own = counts[facet].get(option.value) || 0;
        option.textContent = `${option.value || "all"} (${own})`;
        option.disabled = own === 0 && option.value !== "" && option.value !== state[facet];
      }
      $(`f-${facet}`).value = state[facet];
    }
    $("found").textContent = found.length === index.cases.length ? several(found.length, "case") : `${several(found.length, "case")} of ${index.cases.length.toLocaleString("en")}`;
    $("list").replaceChildren();
    listed = 0;
    list();
  }
  function list() {
    $("list").append(...found.slice(listed, listed + PAGE).map(listItem));
    listed = Math.min(found.length, listed + PAGE);
    $("more").hidden = listed === found.length;
    $("more").textContent = `Show more (${(found.length - listed).toLocaleString("en")} left)`;
    current();
  }
  function listItem(one) {
    const said = one.results.map((result) => h("span", { dir: "auto" }, `${result.metric} ${result.said || index.outcomes[result.outcome]}`));
    return h("li", {}, h("a", { href: address(one.link), "data-number": one.number },
      h("span", {}, outcomeSign(one.outcome), h("b", { dir: "auto" }, one.name), h("span.unseen", {}, `, ${index.outcomes[one.outcome]}`)),
      h("span.clamp", { dir: "auto" }, one.question),
      h("span.said", {}, said)));
  }
  function current() {
    for (const link of $("list").querySelectorAll("a")) {
      if (opened !== null && Number(link.dataset.number) === opened) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  // --- a text with marked places

  // Each place is {start, end, claim, kind}; places may overlap, and the worst verdict shows.
  function markedText(words, places, claims) {
    const cuts = [...new Set([0, words.length, ...places.flatMap((one) => [one.start, one.end])])].sort((a, b) => a - b);
    const order = Object.keys(index.verdicts);
    const nodes = [];
    cuts.slice(0, -1).forEach((start, at) => {
      const end = cuts[at + 1], piece = words.slice(start, end);
      const here = places.filter((one) => one.start <= start && one.end >= end);
      const worst = here.map((one) => claims[one.claim].verdict).sort((a, b) => order.indexOf(b) - order.indexOf(a))[0];
      const near = here.every((one) => one.kind === "near") ? ".near" : "";
      const numbers = [...new Set(here.map((one) => one.claim))];
      nodes.push(here.length ? h(`mark.${worst}${near}`, { "data-claims": numbers.join(" ") }, piece) : piece);
      for (const one of places.filter((place) => place.end === end && place.kind !== "near")) nodes.push(chip(one.claim, claims));
    });
    return h("div.text", { dir: "auto" }, nodes);
  }
  // The list of claims is the way there by keyboard; these stand in the reader's way.
  function chip(number, claims) {
    const claim = claims[number];
    return h(`button.chip.${claim.verdict}`, { type: "button", tabindex: "-1", "data-claims": number, "aria-label": `claim ${number + 1}, ${claim.words}` }, `${index.signs[claim.verdict]}${number + 1}`);
  }
  function placesIn(panel, at, claims) {
    const places = [];
    claims.forEach((claim, number) => {
      const add = (place, kind) => {
        if (place && place[0] === panel && place[1] === at) places.push({ start: place[2], end: place[3], claim: number, kind });
      };
      add(claim.place, "said");
      for (const quote of claim.evidence || []) add(quote.place, "quote");
      add(claim.nearest, "near");
    });
    return places;
  }

  // --- a case

  async function show(number) {
    const one = index.cases[number], whole = await details(number);
    if (opened !== number) return;
    // the worst result, of equals one that says which passages its claims rest on
    const on = (result, against) => (result.claims || []).some((claim) => !against || claim.against === against);
    const weight = (result) => [result.outcome, !on(result, "contexts"), !on(result), result.score ?? 0];
    const less = (one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2] || one[3] - other[3];
    const order = whole.results.map((_, at) => at).sort((a, b) => less(weight(whole.results[a]), weight(whole.results[b])));
    const wanted = state.metric ? whole.results.findIndex((result) => result.metric === state.metric) : -1;
    const tabs = h("div", { role: "tablist", "aria-label": "Results of this case" });
    const panel = h("div", { role: "tabpanel", id: "result", "aria-labelledby": "tab-0" });
    whole.results.forEach((result, at) => {
      tabs.append(h("button", { type: "button", role: "tab", id: `tab-${at}`, "aria-controls": "result", onclick: () => choose(at) },
        outcomeSign(result.outcome), h("span", { dir: "auto" }, `${result.metric} ${result.said || index.outcomes[result.outcome]}`)));
    });
    const choose = (at, focus) => {
      [...tabs.children].forEach((tab, other) => {
        tab.setAttribute("aria-selected", String(other === at));
        tab.tabIndex = other === at ? 0 : -1;
      });
      panel.setAttribute("aria-labelledby", `tab-${at}`);
      panel.replaceChildren(...resultView(one, whole, whole.results[at]));
      if (focus) tabs.children[at].focus();
    };
    tabs.addEventListener("keydown", (event) => {
      const at = [...tabs.children].indexOf(document.activeElement), last = whole.results.length - 1;
      const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(to, true);
    });
    $("case").replaceChildren(caseHeader(one, whole), tabs, panel);
    choose(wanted >= 0 ? wanted : order[0]);
  }
  function caseHeader(one, whole) {
    const at = found.indexOf(one);
    const step = (label, to) => h("button", { type: "button", disabled: at < 0 || !found[to], onclick: () => { location.hash = address(found[to].link); } }, label);
    return h("header", {},
      h("div.bar-of-case", {}, h("a.back", { href: "#view=cases" }, "← all cases"),
        h("h2", {}, outcomeSign(one.outcome), h("span", { dir: "auto" }, one.name), " ", h("span.tag", {}, index.outcomes[one.outcome])),
        h("span.steps", {}, step("← previous", at - 1), " ", step("next →", at + 1))),
      h("div.tags", {}, one.tags.map((tag) => h("span.tag", { dir: "auto" }, tag)), one.language && !one.tags.includes(one.language) && h("span.tag", {}, `language ${one.language}`)),
      whole.broke && h("p.broke", { dir: "auto" }, whole.broke),
      h("details", {}, h("summary", {}, "Run it again; metadata"),
        whole.tests.map((test) => h("code.command", { dir: "ltr" }, test.command)),
        Object.keys(whole.metadata).length > 0 && h("pre", { dir: "auto" }, JSON.stringify(whole.metadata, null, 1))));
  }
  function resultView(one, whole, result) {
    picked = null;
    const claims = result.claims || [];
    const textPanel = (title, words, panel, at, more) => h("div.panel", {}, h("h4", {}, title), markedText(words, placesIn(panel, at, claims), claims), more);
    const said = [
      result.error && h("p", { dir: "auto" }, h("b.v.CONTRADICTORY", {}, `! ${[result.error.type, result.error.kind].filter(Boolean).join(", ")}: `), result.error.message),
      result.reason && !claims.length && text(result.reason, "p"),
      result.known && h("p", { dir: "auto" }, h("b", {}, "Known failure: "), result.known),
      (result.findings || []).map(([left, words]) => h("p", { dir: "auto" }, left && h("b", {}, `${left.trim()} `), words)),
      h("div.how", {}, [result.label && `label ${result.label}`, result.grade && `grade ${result.grade}`, result.truth && `people say: ${result.truth}`, result.judge && `judge ${result.judge}`,
        result.came, result.votes, ...Object.entries(result.models || {}).map(([model, score]) => `${model} ${score.toFixed(2)}`)].filter(Boolean).map((words) => h("span.tag", { dir: "auto" }, words))),
      index.changes.filter((change) => change.case === one.name && change.metric === result.metric && change.kind !== "not measured now").map((change) =>
        h("details", {}, h("summary", {}, "Against the baseline: ", changeLine(change).slice(2)), changedClaims(change))),
      (result.details || result.options) && h("details", {}, h("summary", {}, "All figures and options"), h("pre", { dir: "auto" }, JSON.stringify({ test: result.test, options: result.options, details: result.details }, null, 1))),
    ];
    const root = h("div.beside");
    const answer = textPanel("Answer", one.answer, "answer", 0);
    answer.classList.add("stay");
    const history = (whole.history || []).map((turn) => h("div.turn", { dir: "auto" }, h("b", {}, `${turn.role}: `), turn.content));
    const left = h("div", {},
      h("div.panel", {}, h("h4", {}, "Question"), history, one.question ? text(one.question) : h("p.hint", {}, "The case has no question.")),
      whole.has ? (whole.has.answer ? answer : h("p.notice", {}, "The case has no answer.")) : h("p.notice", {}, "The record of this run does not have this case's texts: neither answer nor passages are known here."),
      (whole.references || []).map((words, at) => textPanel(whole.references.length > 1 ? `Reference answer ${at + 1}` : "Reference answer", words, "reference", at)),
      claimList(one, whole, result, claims, root));
    const contexts = whole.contexts || [];
    const right = h("div.passages", { tabindex: "0", role: "region", "aria-label": "Passages" },
      whole.has && !contexts.length && h("p.notice", {}, whole.has.contexts ? "No passage was retrieved." : "The case has no retrieved passages."),
      contexts.map((context, at) => passage(context, at, result, claims)),
      (whole.right || []).map((words, at) => h("div.panel", {}, h("h4", {}, `Right passage ${at + 1}, as people say`), folded(text(words || "")))));
    root.append(left, right);
    root.addEventListener("click", (event) => {
      const target = event.target.closest(".chip, mark");
      if (target) pick(root, Number(target.dataset.claims.split(" ")[0]), true);
    });
    return [h("div.panel.said-by-metric", {}, said), root];
  }
  function passage(context, at, result, claims) {
    const places = placesIn("context", at, claims);
    const relevance = (result.contexts || []).find((said) => said.context === at);
    const body = context.text === null ? h("p.hint", {}, "This passage has no text.") : markedText(context.text, places, claims);
    return h("div.panel", { id: `passage-${at}` },
      h("h4", { dir: "auto" }, `[${at + 1}] `, h("span.data", {}, context.source, " "), relevance && h("span.tag", {}, `${relevance.relevant ? "✓" : "✗"} ${relevance.words}`), " ", claims.some((claim) => claim.against === "contexts") && !places.some((one) => one.kind === "quote") && h("span.tag", {}, "not quoted")),
      relevance && relevance.reason && text(relevance.reason, "p.hint"),
      places.some((one) => one.kind === "quote") || context.text === null ? body : folded(body));
  }
  // Long passages that nothing rests on are folded, and say so.
  function folded(body) {
    if (body.textContent.length < 400) return body;
    body.classList.add("folded");
    const button = h("button.unfold", { type: "button", "aria-expanded": "false" }, `Show all ${several(body.textContent.length, "character")}`);
    button.addEventListener("click", () => {
      const open = !body.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Show less" : `Show all ${several(body.textContent.length, "character")}`;
    });
    return [body, button];
  }
  function claimList(one, whole, result, claims, root) {
    if (!claims.length) return h("div.panel", {}, h("h4", {}, "Claims"), h("p.hint", {}, result.error ? "Nothing was judged." : "This metric judges no claims here."));
    const items = claims.map((claim, number) => h("li", {},
      h("button.claim", { type: "button", "aria-expanded": "false", "aria-controls": `claim-${number}`, onclick: () => pick(root, number) },
        h("span.number", { "aria-hidden": "true" }, number + 1), h("span", { dir: "auto" }, claim.text),
        h(`span.v.${claim.verdict}`, {}, [verdict(claim), claim.votes, claim.hand && "by hand", claim.carried && "carried over", claim.severity && `severity ${claim.severity}`, claim.source === "reference" && "of the reference"].filter(Boolean).join(", "))),
      h("div.claim-more", { id: `claim-${number}`, hidden: true }, claimMore(claim, one, whole, result))));
    const list = h("ol.claims", {}, items);
    list.addEventListener("keydown", (event) => {
      const buttons = [...list.querySelectorAll(".claim")], at = buttons.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (at < 0 || to === undefined || !buttons[to]) return;
      event.preventDefault();
      buttons[to].focus();
      pick(root, to, true);
    });
    const counts = Object.keys(index.verdicts).reverse().map((name) => [claims.filter((claim) => claim.verdict === name).length, index.verdicts[name]]).filter(([count]) => count);
    return h("div.panel", {}, h("h4", {}, `${several(claims.length, "claim")}: ${counts.map(([count, words]) => `${count} ${words}`).join(", ")}`), list);
  }
  function claimMore(claim, one, whole, result) {
    const textOf = ([panel, at]) => (panel === "answer" ? one.answer : panel === "reference" ? whole.references[at] : whole.contexts[at].text);
    const nameOf = (panel, at) => {
      if (panel !== "context") return `the ${panel}`;
      if (at === undefined) return "no passage";
      const source = (whole.contexts || [])[at] && whole.contexts[at].source;
      return `passage [${at + 1}]${source ? ` ${source}` : ""}`;
    };
    const around = (place) => {
      const words = textOf(place), [, , start, end] = place, from = Math.max(0, start - AROUND), to = Math.min(words.length, end + AROUND);
      return h("blockquote", { dir: "auto" }, from > 0 && "…", words.slice(from, start), h("b", {}, words.slice(start, end)), words.slice(end, to), to < words.length && "…");
    };
    const row = (key, body) => body && h("div", {}, h("span.key", { dir: "auto" }, key), body);
    const how = [claim.hand !== undefined && "decided by hand", claim.carried && "carried over from other passages", claim.came || result.came];
    return [
      claim.place && row(`Sentence of the ${claim.source}`, h("blockquote", { dir: "auto" }, textOf(claim.place).slice(claim.place[2], claim.place[3]))),
      (claim.evidence || []).map((quote) => row(quote.place ? `Quote in ${nameOf(quote.panel, quote.index)}, verified` : `Quote that stands nowhere in ${nameOf(quote.panel, quote.index)}: unverified`, quote.place ? around(quote.place) : text(quote.quote, "blockquote"))),
      !claim.evidence && row("Evidence", text(`none in the ${claim.against === "contexts" ? "passages" : claim.against}`, "p")),
      claim.nearest && row(`Nearest sentence, in ${nameOf(claim.nearest[0], claim.nearest[1])}`, around(claim.nearest)),
      claim.hand !== undefined && row("By hand, because", text(claim.hand, "p")),
      claim.reason && row("The judge's reason", text(claim.reason, "p")),
      claim.raw && row("The judge said", text(claim.raw, "p")),
      claim.gate && row("Evidence check", text(claim.gate, "p")),
      claim.coverage && row("The quote lacks", text(claim.coverage, "p")),
      claim.looked && row("Passages looked at", text(claim.looked, "p")),
      claim.conflict && row("Conflict", text("another passage says the opposite", "p")),
      h("div.how", {}, [...how, result.judge && `judge ${result.judge}`, claim.label && `counts as ${claim.label}`, claim.confidence !== undefined && `confidence ${claim.confidence}`].filter(Boolean).map((words) => h("span.tag", { dir: "auto" }, words))),
      claim.id && row("Look closer", h("code.command", { dir: "ltr" }, `python -m pytest_ragassert verdicts show ${claim.id}`)),
    ];
  }
  // Shows a claim's sentence and its quote together; the same claim again hides them.
  function pick(root, number, stay) {
    picked = picked === number && !stay ? null : number;
    root.classList.toggle("picking", picked !== null);
    for (const mark of root.querySelectorAll("[data-claims]")) mark.classList.toggle("on", mark.dataset.claims.split(" ").includes(String(picked)));
    root.querySelectorAll(".claim").forEach((button, other) => {
      button.setAttribute("aria-expanded", String(other === picked));
      button.nextElementSibling.hidden = other !== picked;
    });
    for (const panel of root.querySelectorAll(".passages > .panel")) panel.classList.toggle("cited", panel.querySelector("mark.on") !== null);
    for (const body of root.querySelectorAll(".folded")) if (body.querySelector("mark.on")) body.nextElementSibling.click();
    for (const box of root.querySelectorAll(".passages, .stay")) {
      const mark = box.querySelector("mark.on:not(.near)") || box.querySelector("mark.on");
      if (mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    }
    const button = root.querySelector('.claim[aria-expanded="true"]');
    if (button && !button.contains(document.activeElement)) button.scrollIntoView({ block: "nearest" });
  }

  // --- what changed

  function changeLine(change) {
    return [h("b", { dir: "auto" }, change.metric), " ", change.said || change.kind, change.why && " ", change.why && h("span.tag", {}, change.why)];
  }
  function changedClaims(change) {
    const words = (name) => (name ? `${index.signs[name]} ${index.verdicts[name]}` : "not there");
    return (change.claims || []).length > 0 && h("ul", {}, change.claims.map((claim) => h("li", { dir: "auto" },
      h(`span.v${claim.was ? `.${claim.was}` : ""}`, {}, words(claim.was)), " → ", h(`span.v${claim.now ? `.${claim.now}` : ""}`, {}, words(claim.now)), claim.hand && " by hand", claim.source === "reference" && " (reference)", ": ", claim.text)));
  }
  function showChanges() {
    if (!$("changes-list") || $("changes-list").childElementCount) return;
    const links = new Map(index.cases.map((one) => [one.name, one.link]).reverse());
    const kinds = [...new Set(index.changes.map((change) => change.kind))];
    if (!kinds.length) $("changes-list").append(h("p", {}, "Nothing changed."));
    for (const kind of kinds) {
      const own = index.changes.filter((change) => change.kind === kind);
      const list = h("ul.changes"), more = h("button", { type: "button", onclick: () => add() });
      const add = () => {
        const start = list.childElementCount;
        list.append(...own.slice(start, start + PAGE).map((change) => h("li.change", {},
          links.has(change.case) ? h("a", { href: address(links.get(change.case)), dir: "auto" }, change.case) : h("span", { dir: "auto" }, change.case), " ", changeLine(change), changedClaims(change))));
        more.hidden = list.childElementCount === own.length;
        more.textContent = `Show more (${own.length - list.childElementCount} left)`;
      };
      add();
      $("changes-list").append(h("div.group", {}, h("h3", {}, `${kind} (${own.length})`), list, more));
    }
  }

  // --- where one is, and the page as a whole

  function parsed() {
    const params = {};
    for (const part of location.hash.slice(1).split("&")) {
      const at = part.indexOf("=");
      try { params[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch { /* no address of ours */ }
    }
    return params;
  }
  function route(event) {
    const params = parsed(), before = document.body.dataset.view, was = opened;
    const view = "case" in params ? "cases" : $(params.view) && ["changes", "cases"].includes(params.view) ? params.view : "overview";
    for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== view;
    for (const link of document.querySelectorAll("nav a[data-view]")) {
      if (link.dataset.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.body.dataset.view = view;
    opened = null;
    if (view === "changes") showChanges();
    if (view === "cases") {
      if (FACETS.concat("text", "order").some((name) => name in params)) {
        for (const name of Object.keys(state)) state[name] = params[name] || (name === "order" ? "worst" : "");
        $("f-text").value = state.text;
        $("f-order").value = state.order;
      }
      if (!$("list").childElementCount || !("case" in params)) filter();
      if ("case" in params) open(params.case);
      else $("case").replaceChildren(found.length ? h("p.hint", {}, "Choose a case to see its answer beside the passages it rests on.") : "");
    }
    document.querySelector(".split").classList.toggle("opened", opened !== null || "case" in params);
    document.body.classList.toggle("opened-case", "case" in params);
    current();
    const narrow = matchMedia("(max-width: 56rem)").matches;
    if (event && (before !== view || narrow) && opened !== was) $("case").focus();
    if (event && (before !== view || narrow)) scrollTo(0, 0);
  }
  function open(link) {
    const one = index.cases.find((other) => other.link === link) || index.cases.find((other) => other.name === link);
    if (!one) {
      $("case").replaceChildren(h("p.notice", {}, "This run has no case ", h("b", { dir: "auto" }, link), "."));
      return;
    }
    opened = one.number;
    show(one.number).catch(trouble);
  }
  function changed() {
    state.text = $("f-text").value;
    for (const name of [...FACETS, "order"]) state[name] = $(`f-${name}`).value;
    filter();
    if (opened === null) {
      const said = Object.entries(state).filter(([name, value]) => value && !(name === "order" && value === "worst"));
      history.replaceState(null, "", `#view=cases${said.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("")}`);
    }
  }
  function theme(value) {
    if (value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    $("theme").textContent = `Theme: ${value}`;
    $("theme").dataset.value = value;
    try { localStorage.setItem("ragassert-theme", value); } catch { /* a browser that keeps nothing */ }
  }
  function trouble(error) {
    $("trouble").hidden = false;
    $("trouble").textContent = `The cases can't be read: ${error.message || error}. A browser of 2023 or later is needed.`;
  }
  async function start() {
    let known = "system";
    try { known = localStorage.getItem("ragassert-theme") || known; } catch { /* likewise */ }
    theme(["light", "dark"].includes(known) ? known : "system");
    $("theme").hidden = false;
    $("theme").addEventListener("click", () => theme({ system: "dark", dark: "light", light: "system" }[$("theme").dataset.value]));
    index = await data("index");
    prepare();
    if ($("changes-count")) $("changes-count").textContent = index.changes.length;
    $("filters").addEventListener("input", changed);
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => setTimeout(changed));
    $("more").addEventListener("click", list);
    $("list").addEventListener("keydown", (event) => {
      const links = [...$("list").querySelectorAll("a")], at = links.indexOf(document.activeElement);
      const to = links[at + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] || NaN)];
      if (!to) return;
      event.preventDefault();
      to.focus();
    });
    addEventListener("hashchange", route);
    route();
  }
  start().catch(trouble);
})();
