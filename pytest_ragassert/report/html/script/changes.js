"use strict";
// What changed against the baseline.

function changeWords(change) {
  return [change.said || change.kind, " ", tags(change.why)];
}

function changedClaims(change) {
  const words = (name) => (name
    ? h(`span.v.${name}`, {}, `${index.signs[name]} ${index.verdicts[name]}`)
    : h("span.v", {}, "not there"));
  const items = (change.claims || []).map((claim) => said([
    words(claim.was), " → ", words(claim.now),
    claim.hand && " overridden", claim.source === "reference" && " (reference)", ": ", claim.text,
  ], "li"));
  return items.length > 0 && h("ul", {}, items);
}

const changedCases = (...kinds) => new Set(index.changes.filter((change) =>
  kinds.includes(change.kind)).map((change) => change.case));

// One case may stand in several groups: what is counted is said.
function changesSummary() {
  if (!index.changes.length) return "Nothing changed.";
  const [worse, , same] = index.kinds, others = changedCases(same);
  const also = [...changedCases(worse)].filter((name) => others.has(name)).length;
  const counts = index.kinds.map((kind) => `${kind} ${changedCases(kind).size}`);
  return `${several(changedCases(...index.kinds).size, "case")} changed: ${counts.join("; ")}`
    + `${also ? ` (${also} of them among the worse too)` : ""}.`;
}

function showChanges() {
  if ($("changes-list").childElementCount) return;
  // of several cases of one name the first
  const links = new Map(index.cases.map((one) => [one.name, one.link]).reverse());
  const kinds = [...new Set(index.changes.map((change) => change.kind))];
  $("changes-list").append(h("p", { id: "changes-summary" }, changesSummary()));
  for (const kind of kinds) {
    const own = index.changes.filter((change) => change.kind === kind);
    const list = h("ul.changes", {}), more = h("button", { type: "button" });
    const add = () => {
      const start = list.childElementCount;
      list.append(...own.slice(start, start + PAGE).map((change) => changeItem(change, links)));
      more.hidden = list.childElementCount === own.length;
      more.textContent = `Show more (${own.length - list.childElementCount} left)`;
    };
    more.addEventListener("click", add);
    add();
    const title = h("h3", {}, `${kind} (${own.length})`);
    $("changes-list").append(h("div.group", {}, title, list, more));
  }
}

function changeItem(change, links) {
  const link = links.get(change.case);
  const name = link === undefined ? named(change.case)
    : h("a", { href: addressOf(link) }, named(change.case));
  const words = change.said ? changeWords(change) : "";
  return h("li.change", {}, name, " ", said(change.metric, "b"), " ", words, changedClaims(change));
}
