"use strict";
// The claims of a result: each with its sentence, its evidence, and how its verdict came about.

const AROUND = 90; // characters shown on each side of a quote

function claimPanel(one, whole, result, claims, root) {
  if (!claims.length) {
    const why = result.error ? "Nothing was judged." : "This metric judges no claims here.";
    return h("div.panel", {}, h("h4", {}, "Claims"), h("p.hint", {}, why));
  }
  const items = claims.map((claim, number) => {
    const button = h("button.claim",
      { type: "button", "aria-controls": `claim-${number}`, "aria-expanded": "false" },
      h("span.number", { "aria-hidden": "true" }, number + 1),
      said(claim.text),
      h(`span.v.${claim.verdict}`, {}, claimWords(claim)));
    button.addEventListener("click", () => pickClaim(root, number));
    const more = { id: `claim-${number}`, hidden: true };
    return h("li", {}, button, h("div.claim-more", more, claimMore(claim, one, whole, result)));
  });
  const list = h("ol.claims", {}, items);
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll(".claim")];
    const at = buttons.indexOf(document.activeElement);
    const ways = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
    const to = ways[event.key];
    if (at < 0 || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
    pickClaim(root, to, true);
  });
  const count = (name) => claims.filter((claim) => claim.verdict === name).length;
  const names = Object.keys(index.verdicts).reverse().filter(count);
  const counts = names.map((name) => `${count(name)} ${index.verdicts[name]}`).join(", ");
  return h("div.panel", {}, h("h4", {}, `${several(claims.length, "claim")}: ${counts}`), list);
}

function claimWords(claim) {
  return [
    `${index.signs[claim.verdict]} ${claim.words}`,
    claim.votes && `votes ${claim.votes}`,
    claim.weight && `weight ${claim.weight}`,
    claim.hand !== undefined && "overridden",
    claim.carried && "carried over",
    claim.severity && `severity ${claim.severity}`,
    claim.source === "reference" && "of the reference",
  ].filter(Boolean).join(", ");
}

function claimMore(claim, one, whole, result) {
  const row = (key, body) => h("div", {}, said(key, "span.key"), body);
  const say = (key, words) => words && row(key, said(words, "p"));
  const nowhere = `none in the ${claim.against === "contexts" ? "passages" : claim.against}`;
  const words = ([panel, at, ...span]) => textOf(panel, at, one, whole).slice(...span);
  return [
    claim.place && row(`Sentence of the ${claim.source}`, said(words(claim.place), "blockquote")),
    (claim.evidence || []).map((quote) => {
      const name = panelName(quote.panel, quote.index, whole);
      if (quote.place) return row(`Quote in ${name}, verified`, around(quote.place, one, whole));
      const key = `Unverified: these words stand nowhere in ${name}`;
      return row(key, said(quote.quote, "blockquote"));
    }),
    say("Evidence", !claim.evidence && nowhere),
    claim.nearest && row(`Nearest sentence, in ${panelName("context", claim.nearest[1], whole)}`,
      around(claim.nearest, one, whole)),
    say("Override, because", claim.hand),
    say("The judge's reason", claim.reason),
    say("The judge said", claim.raw),
    say("Evidence check", claim.gate),
    say("The quote lacks", claim.coverage),
    say("Passages looked at", claim.looked),
    say("Conflict", claim.conflict && "another passage says the opposite"),
    h("div.how", {}, tags(
      claim.hand !== undefined && "overridden",
      claim.carried && "carried over from other passages",
      claim.came || result.came,
      result.judge && `judge ${result.judge}`,
      claim.label && `counts as ${claim.label}`,
      claim.confidence !== undefined && `confidence ${claim.confidence}`)),
    claim.id && row("Look closer",
      h("code.command", {}, `python -m pytest_ragassert verdicts show ${claim.id}`)),
  ];
}

function textOf(panel, at, one, whole) {
  if (panel === "answer") return one.answer;
  return panel === "reference" ? whole.references[at] : whole.contexts[at].text;
}

function panelName(panel, at, whole) {
  if (panel !== "context") return `the ${panel}`;
  if (at === undefined) return "any passage";
  const source = whole.contexts && whole.contexts[at] && whole.contexts[at].source;
  return `passage [${at + 1}]${source ? ` ${source}` : ""}`;
}

// A place with what stands before and behind it.
function around([panel, at, start, end], one, whole) {
  const words = textOf(panel, at, one, whole);
  const from = Math.max(0, start - AROUND), to = Math.min(words.length, end + AROUND);
  const before = (from > 0 ? "…" : "") + words.slice(from, start);
  const after = words.slice(end, to) + (to < words.length ? "…" : "");
  return said([before, h("b", {}, words.slice(start, end)), after], "blockquote");
}

// Shows a claim's sentence and its quote together; the same claim again hides them, unless it is
// to stay.
function pickClaim(root, number, stays = false) {
  picked = picked === number && !stays ? null : number;
  root.classList.toggle("picking", picked !== null);
  for (const node of root.querySelectorAll("[data-claims]")) {
    node.classList.toggle("on", node.dataset.claims.split(" ").includes(String(picked)));
  }
  for (const [other, button] of root.querySelectorAll(".claim").entries()) {
    button.setAttribute("aria-expanded", String(other === picked));
    button.nextElementSibling.hidden = other !== picked;
  }
  for (const panel of root.querySelectorAll(".passages > .panel")) {
    panel.classList.toggle("cited", panel.querySelector("mark.on") !== null);
  }
  for (const body of root.querySelectorAll(".folded:has(mark.on)")) body.nextElementSibling.click();
  // within the boxes alone: the claim stays where the reader is
  for (const box of root.querySelectorAll(".passages, .stay")) {
    const mark = box.querySelector("mark.on:not(.near)") || box.querySelector("mark.on");
    if (!mark) continue;
    const from = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += from - box.clientHeight / 3;
  }
  const button = root.querySelector('.claim[aria-expanded="true"]');
  if (!button) return;
  button.nextElementSibling.scrollIntoView({ block: "nearest" });
  button.scrollIntoView({ block: "nearest" });
}
