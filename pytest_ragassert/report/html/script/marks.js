"use strict";
// A text with the places marked that claims were taken from, or rest on.

// Where claims stand in a text, and their quotes: {start, end, claim, kind}, which may overlap.
function placesIn(panel, at, claims) {
  const places = [];
  for (const [number, claim] of claims.entries()) {
    const add = (place, kind) => {
      if (!place || place[0] !== panel || place[1] !== at) return;
      places.push({ start: place[2], end: place[3], claim: number, kind });
    };
    add(claim.place, "said");
    for (const quote of claim.evidence || []) add(quote.place, "quote");
    add(claim.nearest, "near");
  }
  return places;
}

// Where places overlap, the worst verdict shows. Each ends in a chip for its claim.
function markedText(words, places, claims) {
  const ends = places.flatMap((one) => [one.start, one.end]);
  const cuts = [...new Set([0, words.length, ...ends])].sort((a, b) => a - b);
  const order = Object.keys(index.verdicts);
  const nodes = [];
  for (const [at, start] of cuts.slice(0, -1).entries()) {
    const end = cuts[at + 1];
    const here = places.filter((one) => one.start <= start && one.end >= end);
    const piece = words.slice(start, end);
    if (here.length) {
      const worst = Math.max(...here.map((one) => order.indexOf(claims[one.claim].verdict)));
      const near = here.every((one) => one.kind === "near") ? ".near" : "";
      const numbers = [...new Set(here.map((one) => one.claim))].join(" ");
      nodes.push(h(`mark.${order[worst]}${near}`, { "data-claims": numbers }, piece));
    } else nodes.push(piece);
    const over = places.filter((one) => one.end === end && one.kind !== "near");
    nodes.push(...over.map((one) => chip(one.claim, claims[one.claim])));
  }
  return said(nodes, "div.text");
}

// By keyboard the list of claims leads there: so many stops in a text would be in the way.
function chip(number, claim) {
  const label = `claim ${number + 1}, ${claim.words}`;
  const attributes = { type: "button", tabindex: -1, "data-claims": number, "aria-label": label };
  const words = `${index.signs[claim.verdict]}${number + 1}`;
  return h(`button.chip.${claim.verdict}`, attributes, words);
}

// A long passage that nothing rests on is folded, and says so.
function folded(body) {
  const length = body.textContent.length;
  if (length < 400) return body;
  const button = h("button.unfold", { type: "button" });
  const fold = (is) => {
    body.classList.toggle("folded", is);
    button.setAttribute("aria-expanded", String(!is));
    button.textContent = is ? `Show all ${several(length, "character")}` : "Show less";
  };
  button.addEventListener("click", () => fold(!body.classList.contains("folded")));
  fold(true);
  return [body, button];
}
