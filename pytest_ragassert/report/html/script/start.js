"use strict";
// Where the reader is, as the address says it, and the page as a whole.

function addressParts() {
  const parts = {};
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    try {
      if (at > 0) parts[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      // no address of ours
    }
  }
  return parts;
}

function showView(event) {
  const parts = addressParts(), before = document.body.dataset.view, was = opened;
  const views = ["changes", "cases"].filter((name) => name === parts.view && $(name));
  const view = "case" in parts ? "cases" : views[0] || "overview";
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== view;
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.body.dataset.view = view;
  opened = null;
  if (view === "changes") showChanges();
  if (view === "cases") showCases(parts);
  document.querySelector(".split").classList.toggle("opened", "case" in parts);
  document.body.classList.toggle("opened-case", "case" in parts);
  markOpened();
  if (!event) return;
  // beside the list nothing moves but the focus
  if (before !== view || matchMedia("(max-width: 56rem)").matches) scrollTo(0, 0);
  if (opened !== null && opened !== was) $("case").focus({ preventScroll: true });
}

function showCases(parts) {
  if (Object.keys(state).some((name) => name in parts)) takeState(parts);
  if (!$("list").childElementCount || !("case" in parts)) findCases();
  if ("case" in parts) openCase(parts.case);
  else showHint();
  history.replaceState(null, "", viewAddress("case" in parts && addressOf(parts.case)));
}

function showHint() {
  const hint = "Choose a case to see its answer beside the passages it rests on.";
  $("case").replaceChildren(h("p.hint", {}, found.length ? hint : "No case is like this."));
}

// With what is looked for, so that it is still there after a reload.
function viewAddress(view) {
  const usual = { order: "worst" };
  const chosen = Object.entries(state).filter(([name, value]) => value !== (usual[name] || ""));
  const parts = chosen.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`);
  return `${view || "#view=cases"}${parts.join("")}`;
}

function takeState(values) {
  for (const name of Object.keys(state)) state[name] = values[name] || "";
  state.order = state.order || "worst";
  $("f-text").value = state.text;
  $("f-order").value = state.order;
}

function openCase(link) {
  const one = index.cases.find((other) => other.link === link);
  if (!one) {
    const name = named(link, "b");
    $("case").replaceChildren(h("p.notice", {}, "This run has no case ", name, "."));
    return;
  }
  // one that the list does not have: it was not looked for
  if (!found.includes(one)) {
    takeState({ order: state.order });
    findCases();
  }
  opened = one.number;
  whileBusy(showCase(opened)).catch(tellTrouble);
}

function filtersChanged() {
  for (const name of Object.keys(state)) state[name] = $(`f-${name}`).value;
  findCases();
  const one = index.cases[opened];
  const stays = found.includes(one);
  if (!stays) {
    opened = null;
    showHint();
    markOpened();
  }
  history.replaceState(null, "", viewAddress(stays && addressOf(one.link)));
}

// To what one came for: past the filters, to the open case or the list.
function skip(event) {
  event.preventDefault();
  const inCases = document.body.dataset.view === "cases";
  const to = inCases ? opened !== null && $("case") || $("list").querySelector("a") : null;
  (to || $("main")).focus();
}

function chooseTheme(value) {
  const { dataset } = document.documentElement;
  if (value === "system") delete dataset.theme;
  else dataset.theme = value;
  $("theme").textContent = `Theme: ${value}`;
  $("theme").dataset.value = value;
  try {
    localStorage.setItem("ragassert-theme", value);
  } catch {
    // a browser that keeps nothing
  }
}

function knownTheme() {
  try {
    const known = localStorage.getItem("ragassert-theme");
    return ["light", "dark"].includes(known) ? known : "system";
  } catch {
    return "system";
  }
}

function tellTrouble(error) {
  $("trouble").hidden = false;
  $("trouble").textContent =
    `The cases can't be read: ${error.message || error}. A browser of 2024 or later is needed.`;
}

async function start() {
  chooseTheme(knownTheme());
  $("theme").hidden = false;
  const next = { system: "dark", dark: "light", light: "system" };
  $("theme").addEventListener("click", () => chooseTheme(next[$("theme").dataset.value]));
  index = await readData("index");
  prepareFilters();
  const changed = changedCases(...index.kinds).size;
  if ($("changes-count")) $("changes-count").textContent = several(changed, "case");
  $("skip").addEventListener("click", skip);
  $("filters").addEventListener("input", filtersChanged);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("clear").addEventListener("click", () => {
    $("filters").reset();
    filtersChanged();
  });
  $("more").addEventListener("click", listMore);
  $("list").addEventListener("keydown", (event) => {
    const links = [...$("list").querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const to = links[{ ArrowDown: at + 1, ArrowUp: at - 1 }[event.key]];
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
  addEventListener("hashchange", showView);
  showView();
}

whileBusy(start()).catch(tellTrouble);
